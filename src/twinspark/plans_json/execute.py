"""The contract itself: run a plan over data, check it without running, and say which operations there are."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.protobuf.message import DecodeError
from pyspark.errors import AnalysisException, PySparkException, UnsupportedOperationException
from pyspark.sql import SparkSession

from twinspark.plans_json.data import empty_twin, frame_of
from twinspark.plans_json.frames import Given, applied, other_frame
from twinspark.plans_json.problems import DataError, PlanError, Problem
from twinspark.plans_json.read_step import OPERATIONS, read_steps
from twinspark.plans_json.reading import Notes, shown
from twinspark.plans_json.tree import Step

TOO_DEEP = "expressions are nested deeper than PySpark can send (about 48 levels; long and/or chains are no problem)"


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
    notes = Notes() if session is None else Notes(lambda name: is_registered(session, name))
    listed = plan_list(plan, notes)
    try:
        return read_steps(listed, notes), notes.problems
    except RecursionError:
        return [], [Problem(notes.step, ".payload", TOO_DEEP)]


def is_registered(session: Any, name: str) -> bool:
    """Whether the session has a function of that name; the embedded engine alone has none beyond Spark's own."""
    try:
        return bool(session.catalog.functionExists(name))
    except UnsupportedOperationException:
        return False


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
    except (AnalysisException, DecodeError) as error:
        refused = ((at, step) for (at, step), frame in zip(steps, frames[1:], strict=True) if not is_analysed(frame))
        index, step = next(refused, (None, None))
        if isinstance(error, DecodeError):  # protobuf's own limit, met while PySpark copies its messages
            raise PlanError([Problem(index, ".payload", TOO_DEEP)]) from error
        error.add_note(f"in step {index} ({type(step).__name__})" if step else "in the input")
        raise


def is_analysed(frame: Any) -> bool:
    try:
        _ = frame.schema
    except (AnalysisException, DecodeError):
        return False
    return True
