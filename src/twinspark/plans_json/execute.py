"""The public functions of JSON plans: execute_plan, validate_plan and supported_plan_operations."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.protobuf.message import DecodeError
from pyspark.errors import AnalysisException, PySparkException, UnsupportedOperationException
from pyspark.sql import SparkSession

from twinspark.plans_json.apply_steps import StepInput, apply_step, other_frame
from twinspark.plans_json.input_data import empty_copy, frame_of
from twinspark.plans_json.problems import DataError, PlanError, Problem
from twinspark.plans_json.read.step import OPERATIONS, read_steps
from twinspark.plans_json.read.values import Notes, show_value
from twinspark.plans_json.tree import Step

TOO_DEEP = "expressions are nested deeper than PySpark can send (about 48 levels; long and/or chains are no problem)"


def supported_plan_operations() -> tuple[str, ...]:
    return OPERATIONS


def validate_plan(plan: Any, session: Any = None) -> list[Problem]:
    """All problems of a plan, found without running it; with a session, its registered functions are known."""
    return read_plan(plan, session)[1]


def execute_plan(data: Any, schema: Any, plan: Any, session: Any = None) -> Any:
    """The DataFrame that the plan computes from `data`. It is already analyzed: errors are raised here, not later."""
    session = session or active_session()
    if session is None:
        raise ValueError("no active Spark session: pass one as session=…")
    steps, problems = read_plan(plan, session)
    if problems:
        raise PlanError(problems)
    frame = frame_of(session, data, schema)
    twin = empty_copy(session, data, schema) or frame
    twins = [twin]
    for index, step in steps:
        with name_step_in_errors(index, step):
            other = other_frame(session, step)
            twins.append(apply_step(step, StepInput(twin, twin, other)))
            frame = twins[-1] if frame is twin else apply_step(step, StepInput(frame, twin, other))
            twin = twins[-1]
    analyze_frames(twins, steps)
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
    """Whether the session has a registered function of that name; without Spark there are only built-in functions."""
    try:
        return bool(session.catalog.functionExists(name))
    except UnsupportedOperationException:
        return False


def plan_list(plan: Any, notes: Notes) -> list[Any]:
    """The steps as Python values; a plan may be JSON text."""
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
    notes.wrong("", f'expected a list of {{"op": name, "payload": …}}, not {show_value(plan)}')
    return []


@contextmanager
def name_step_in_errors(index: int, step: Step) -> Iterator[None]:
    """Adds the index of the step to errors that are raised while the step is built."""
    try:
        yield
    except DataError as error:
        raise DataError(error.row, error.column, f"{error.message} (other_data of step {index})") from error
    except PySparkException as error:
        error.add_note(f"in step {index} ({type(step).__name__})")
        raise


def analyze_frames(frames: list[Any], steps: list[tuple[int, Step]]) -> None:
    """Raises Spark's analysis error with the first step that fails; the DataFrames have no rows, so this is fast."""
    try:
        _ = frames[-1].schema
    except (AnalysisException, DecodeError) as error:
        failing = ((at, step) for (at, step), frame in zip(steps, frames[1:], strict=True) if not is_analysed(frame))
        index, step = next(failing, (None, None))
        if isinstance(error, DecodeError):  # protobuf's limit of nesting, reached when PySpark copies its messages
            raise PlanError([Problem(index, ".payload", TOO_DEEP)]) from error
        error.add_note(f"in step {index} ({type(step).__name__})" if step else "in the input")
        raise


def is_analysed(frame: Any) -> bool:
    try:
        _ = frame.schema
    except (AnalysisException, DecodeError):
        return False
    return True
