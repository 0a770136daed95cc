"""Explains a request without executing it: its plans, its SQL, its engine and every reason for falling back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pyspark.sql.connect.proto import base_pb2

from twinspark.analysis.context import Context
from twinspark.compile.all_reasons import all_reasons
from twinspark.compile.describe import pass_lines, sql_of, step_lines
from twinspark.compile.pipeline import CompiledPlan, Step
from twinspark.compile.query import CompiledQuery
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.errors.marker import marked_causes
from twinspark.operations.choice import Choice, choose_engine
from twinspark.plan.relations import Relation
from twinspark.read.all_reasons import reasons_in_message, reasons_in_text
from twinspark.read.proto import read_relation
from twinspark.read.sql import leading_kinds, parse_statement, tree
from twinspark.read.sql_text import parser_config
from twinspark.sessions.effects import ALWAYS_QUERIES, text_of_plan
from twinspark.sessions.operation import PlanRequest
from twinspark.sessions.session import Session

CONSTANT_FAILS = Cause(reasons.ERROR_TIMING, "a constant expression fails, which Spark reports even without rows")

NO_SQL = "None: the rows are constants of the plan."


@dataclass(frozen=True)
class PlacedCause:
    """A reason for falling back, and the expression or relation that it is about."""

    cause: Cause
    where: str = ""

    def __str__(self) -> str:
        shown = " ".join(self.where.split())
        return f"{self.cause} At: {shown}" if shown else str(self.cause)


@dataclass(frozen=True)
class Explanation:
    """`engine` and `cause` are what `twinspark.lastOperation` would report of the request."""

    engine: str
    cause: Cause
    reasons: tuple[PlacedCause, ...] = ()  # all that are found; the first is the cause
    compiled: tuple[CompiledPlan, ...] = ()  # of a query one, of a command those that its analysis needed
    typed: Relation | None = None  # of a query that is not native, if it could be read
    rows_from_spark: Cause | None = None  # of a write into a native table
    at_run_time: tuple[Cause, ...] = ()  # for which rows may still make the plan fall back
    is_query: bool = False
    is_constant: bool = False  # no SQL runs, since the plan is its rows

    def lines(self) -> Iterator[str]:
        if self.typed is not None:
            yield from step_lines(Step("typed plan", self.typed))
        for each in self.compiled:
            yield from shown_plan(each, self.is_constant)
        yield "== Engine =="
        yield f"{self.engine}: {self.cause}"
        if self.rows_from_spark is not None:
            yield f"The table is written here, its rows are computed by Spark: {self.rows_from_spark}"
        if self.reasons:
            yield from ["", "== Reasons for falling back ==", *(f"- {each}" for each in self.reasons)]
        if self.at_run_time:
            yield from ["", "== Rows may still make it fall back ==", *(f"- {each}" for each in self.at_run_time)]


def shown_plan(compiled: CompiledPlan, is_constant: bool) -> Iterator[str]:
    yield from pass_lines(compiled)
    yield from ["== DuckDB SQL ==", NO_SQL if is_constant else sql_of(compiled), ""]


# ---- the request


def explain_text(session: Session, text: str) -> Explanation:
    return explain_plan(session, plan_of_text(session, text))


def plan_of_text(session: Session, text: str) -> base_pb2.Plan:
    """As a client sends it when it wants the rows of a query, or executes a statement."""
    plan = base_pb2.Plan()
    if is_query(text, session):
        plan.root.sql.query = text
    else:
        plan.command.sql_command.input.sql.query = text
    return plan


def is_query(text: str, session: Session) -> bool:
    if leading_kinds(text, 1)[0] in ("eof", *ALWAYS_QUERIES):
        return True
    config = parser_config(Context(config=session.config.snapshot()))
    return isinstance(parse_statement(text, config), tree.Query)


def explain_plan(session: Session, plan: base_pb2.Plan) -> Explanation:
    """Errors of analysis are raised, as the server would raise them."""
    request = base_pb2.ExecutePlanRequest(session_id=session.session_id, plan=plan)
    plan_request = PlanRequest(request, plan, request.SerializeToString(), "", session.config.snapshot())
    choice = choose_engine(session, plan_request, session.shared.native.cursor, keeps_plans=True)
    if choice.work is None:
        return explain_fall_back(session, plan_request, choice)
    if choice.work.query is not None:
        return explain_query(choice.work.query, choice, session)
    context = choice.work.context
    if context is None:
        return Explanation(choice.engine, choice.cause)
    compiled = tuple(context.operation.compiled or ())
    return Explanation(choice.engine, choice.cause, (), compiled, None, context.operation.rows_from_spark)


def explain_query(query: CompiledQuery, choice: Choice, session: Session) -> Explanation:
    """The last checks of a query come before its first row."""
    try:
        query.check()
    except NotNative as why:
        engine = "none" if session.engine_wanted == "duckdb" else "spark"
        return Explanation(engine, why.cause, (PlacedCause(why.cause, why.where),), (query.compiled,))
    possible = marked_causes(query.compiled.text)
    if query.has_failing_constants():
        possible.append(CONSTANT_FAILS)
    return Explanation(
        choice.engine,
        choice.cause,
        compiled=(query.compiled,),
        at_run_time=tuple(possible),
        is_query=True,
        is_constant=query.is_constant,
    )


# ---- what falls back


def explain_fall_back(session: Session, plan_request: PlanRequest, choice: Choice) -> Explanation:
    if choice.rejected is None:
        return Explanation(choice.engine, choice.cause)
    first = PlacedCause(choice.cause, choice.rejected.where)
    typed, found = reasons_of(session, plan_request)
    others = [PlacedCause(each.cause, each.where) for each in found]
    same = [each for each in others if each.cause == first.cause]
    placed = replace(first, where=first.where or next((each.where for each in same), ""))
    rest = dict.fromkeys(each for each in others if each.cause != first.cause or each.where != placed.where)
    return Explanation(choice.engine, choice.cause, (placed, *rest), typed=typed)


def reasons_of(session: Session, plan_request: PlanRequest) -> tuple[Relation | None, list[NotNative]]:
    """The typed plan of a query, if it can be read, and all reasons found in it."""
    context = session.services.surroundings().context(session.shared.native.cursor())
    if plan_request.plan.WhichOneof("op_type") != "root":
        return None, reasons_in_text(text_of_plan(plan_request.plan), context)
    try:
        typed = read_relation(plan_request.plan.root, context)
    except NotNative:
        return None, reasons_in_message(plan_request.plan.root, context)
    except SparkError:
        return None, []
    return typed, all_reasons(typed, context)
