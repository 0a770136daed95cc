"""The contract itself: run a plan over data, check it without running, and say which operations there are."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

from twinspark.plans_json.data import empty_twin, frame_of
from twinspark.plans_json.frames import Given, applied, other_frame
from twinspark.plans_json.problems import DataError, PlanError, Problem
from twinspark.plans_json.read_step import OPERATIONS, read_steps
from twinspark.plans_json.reading import Notes, shown
from twinspark.plans_json.tree import Step


def supported_plan_operations() -> tuple[str, ...]:
    return OPERATIONS


def validate_plan(plan: Any, session: Any = None) -> list[Problem]:
    """Everything that is wrong with a plan, found without running it; with a session, its own functions are known."""
    return read_plan(plan, session)[1]


def execute_plan(data: Any, schema: Any, plan: Any, session: Any = None) -> Any:
    """The DataFrame that the plan makes of `data`. Spark has analysed it: what is wrong is said here, not later."""
    session = session or active_session()
    if session is None:
        raise ValueError("no active Spark session: pass one as session=…")
    steps, problems = read_plan(plan, session)
    if problems:
        raise PlanError(problems)
    frame = frame_of(session, data, schema)
    twin = empty_twin(session, data, schema) or frame
    twins = [twin]
    for index, step in steps:
        with told_with(index, step):
            other = other_frame(session, step)
            twins.append(applied(step, Given(twin, twin, other)))
            frame = twins[-1] if frame is twin else applied(step, Given(frame, twin, other))
            twin = twins[-1]
    analysed(twins, steps)
    return frame


def active_session() -> Any:
    return SparkSession.getActiveSession()


def read_plan(plan: Any, session: Any = None) -> tuple[list[tuple[int, Step]], list[Problem]]:
    notes = Notes(session.catalog.functionExists) if session is not None else Notes()
    listed = plan_list(plan, notes)
    return read_steps(listed, notes), notes.problems


def plan_list(plan: Any, notes: Notes) -> list[Any]:
    """The steps as Python values; a plan may come as its JSON text."""
    if isinstance(plan, str | bytes):
        try:
            plan = json.loads(plan)
        except ValueError as error:
            notes.wrong("", f"not JSON: {error}")
            return []
    if isinstance(plan, dict) and isinstance(plan.get("plan"), list):
        plan = plan["plan"]
    if isinstance(plan, list | tuple):
        return list(plan)
    notes.wrong("", f'expected a list of {{"op": name, "payload": …}}, not {shown(plan)}')
    return []


@contextmanager
def told_with(index: int, step: Step) -> Iterator[None]:
    """Errors while a step is built say which step it was."""
    try:
        yield
    except DataError as error:
        raise DataError(error.row, error.column, f"{error.message} (other_data of step {index})") from error
    except PySparkException as error:
        error.add_note(f"in step {index} ({type(step).__name__})")
        raise


def analysed(frames: list[Any], steps: list[tuple[int, Step]]) -> None:
    """Spark's own error, with the first step that it holds for; asked of frames without rows, so nothing is read."""
    try:
        _ = frames[-1].schema
    except AnalysisException as error:
        refused = (step for step, frame in zip(steps, frames[1:], strict=True) if not is_analysed(frame))
        for index, step in list(refused)[:1]:
            error.add_note(f"in step {index} ({type(step).__name__})")
        raise


def is_analysed(frame: Any) -> bool:
    try:
        _ = frame.schema
    except AnalysisException:
        return False
    return True
