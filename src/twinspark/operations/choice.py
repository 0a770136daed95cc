"""Chooses the engine of a request, with the reason, for the server and for `twinspark explain`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from twinspark.analysis.context import Context
from twinspark.commands.connect_commands import catalog_call, read_command
from twinspark.commands.ddl.table_commands import is_table_command
from twinspark.commands.dispatch import Command
from twinspark.commands.model_cache import empty_cache_response, is_model_housekeeping
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.errors import Cause, NotNative
from twinspark.operations.planned_operation import limit_recursion
from twinspark.sessions import engine_choice
from twinspark.sessions.operation import PlanRequest
from twinspark.sessions.plan_effects import is_catalog_call
from twinspark.sessions.session import Session


@dataclass(frozen=True)
class NativeWork:
    """What DuckDB will do: a compiled query, or a command that is analyzed but not executed yet."""

    cursor: Cursor
    query: CompiledQuery | None = None
    command: Command | None = None
    observed: Mapping[str, bytes] = field(default_factory=dict)  # metrics, set while the command is executed
    context: Context | None = None  # of a command


@dataclass(frozen=True)
class Choice:
    """`engine` is `duckdb`, `spark`, or `none` where the plan would need Spark and the session excludes it."""

    engine: str
    cause: Cause
    work: NativeWork | None = None
    rejected: NotNative | None = None  # why the plan is not native


def choose_engine(
    session: Session, plan_request: PlanRequest, open_cursor: Callable[[], Cursor], keeps_plans: bool = False
) -> Choice:
    """Reads and compiles the plan as far as that decides; nothing is executed. Errors of analysis are raised.

    With `keeps_plans` the context of a command remembers the plans that were compiled for it."""
    wanted = session.engine_wanted
    if wanted == "spark" and not is_always_ours(plan_request, session):
        return Choice("spark", engine_choice.REQUESTED_SPARK)
    try:
        work = limit_recursion(lambda: prepare(session, plan_request, wanted, open_cursor(), keeps_plans))
    except NotNative as why:
        return Choice("none" if wanted == "duckdb" else "spark", why.cause, rejected=why)
    return Choice("duckdb", engine_choice.NATIVE, work)


def is_always_ours(plan_request: PlanRequest, session: Session) -> bool:
    """Whether a request runs natively even in a session whose engine is `spark`."""
    return is_table_command(plan_request) or is_model_housekeeping(plan_request.plan, session.services)


def prepare(session: Session, plan_request: PlanRequest, wanted: str, cursor: Cursor, keeps_plans: bool) -> NativeWork:
    """The compiled query or analyzed command; raises NotNative if the plan falls back to Spark."""
    services = session.services
    if is_model_housekeeping(plan_request.plan, services):
        return NativeWork(cursor, command=partial(empty_cache_response, plan_request.plan.command.ml_command))
    if plan_request.plan.WhichOneof("op_type") == "command":
        context = services.surroundings().context(cursor)
        context.observed = {}
        context.operation.compiled = [] if keeps_plans else None
        command = read_command(plan_request.plan.command, context, cursor, services)
        return NativeWork(cursor, command=command, observed=context.observed, context=context)
    if is_catalog_call(plan_request.plan):
        return NativeWork(cursor, command=catalog_call(services, plan_request.plan.root.catalog))
    query = services.read(plan_request.plan.root, cursor)
    engine_choice.check_scan(query, session.config.snapshot(), wanted)
    return NativeWork(cursor, query)
