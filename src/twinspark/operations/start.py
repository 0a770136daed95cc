"""Starts an operation: chooses its engine, reads its plan, and runs it on DuckDB or relays it to Spark."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pyspark.sql.connect.proto import base_pb2

from twinspark.commands.connect_commands import is_quick, writes_rows
from twinspark.compile.pipeline import CompiledPlan
from twinspark.errors import Cause, NotNative, OutOfMemory, SparkError
from twinspark.operations.choice import NativeWork, choose_engine
from twinspark.operations.native_operation import NativeOperation, Producer, Work, rows_of
from twinspark.operations.planned_operation import Client, PlannedOperation
from twinspark.operations.relayed_operation import RelayedOperation
from twinspark.relay.adopted_tables import adopt_tables
from twinspark.relay.checkpoint_rows import with_rows
from twinspark.relay.session import cause_to_relay, side_of
from twinspark.relay.session_updates import drops_view, note_spark_side, take_over
from twinspark.relay.stream_sinks import check_sources
from twinspark.sessions import engine_choice as choose
from twinspark.sessions.history.describe import error_columns
from twinspark.sessions.journal import NEVER, entry_of
from twinspark.sessions.operation import Operation, OperationResult, PlanRequest, State
from twinspark.sessions.plan_effects import change_of, makes_global_view, makes_tables, runs_streams
from twinspark.sessions.session import Session
from twinspark.wire.connect.compressed_plans import decompress_plan
from twinspark.wire.connect.response_frames import Framer


class Starter:
    """Starts the operations of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def start(self, request: base_pb2.ExecutePlanRequest, data: bytes, client: Client) -> Operation:
        """The plan's operation, on the engine that fits it; registered by its id while its plan is still read."""
        operation_id = request.operation_id or str(uuid.uuid4())
        plan_request = PlanRequest(
            request, decompress_plan(request.plan), data, operation_id, self._session.config.snapshot()
        )
        if (known := self._session.operation(operation_id)) is not None:
            return same_operation(known, plan_request)
        self._session.check_rights(plan_request.plan)
        planned = PlannedOperation(plan_request, client)
        operation = self._session.enter(planned)
        try:
            operation = self._session.enter(planned.become(lambda: self._make_operation(plan_request, planned)))
            operation.start()
            return operation
        except Exception as failure:
            self._discard_failed(operation, failure)
            raise

    def _make_operation(self, plan_request: PlanRequest, planned: PlannedOperation) -> Operation:
        side_of(self._session.spark).sinks.commit_finished(plan_request.data)
        choice = choose_engine(
            self._session, plan_request, lambda: planned.uses(self._session.shared.native.cursor()), keeps_plans=True
        )
        if choice.work is not None:
            return self._native(plan_request, choice.work)
        if choice.rejected is None:
            return self._relayed_operation(plan_request, choice.cause)
        if choice.engine == "none":
            self._session.note("none", choice.cause, plan_request, "REFUSED", 0.0, failed_with(choice.rejected))
            raise choice.rejected
        return self._relayed_operation(plan_request, cause_to_relay(self._session.spark, choice.rejected))

    def _discard_failed(self, operation: Operation, failure: Exception) -> None:
        """A plan that failed to be read leaves no operation, only a note in the session's history."""
        seconds = time.monotonic() - operation.activity().started
        end = operation.cause, operation.plan_request
        if operation.state is State.CANCELLED:
            self._session.forget(operation)
            self._session.note("none", *end, operation.state.value, seconds, failed_with(failure))
        elif not isinstance(failure, NotNative):  # that one is noted where it is raised
            self._session.note("none", *end, State.FAILED.value, seconds, failed_with(failure))
        self._session.remove(operation)

    def _native(self, plan_request: PlanRequest, native: NativeWork) -> NativeOperation:
        compiled: Sequence[CompiledPlan] = ()
        if native.query is not None:
            compiled = (native.query.compiled,)
            work: Work = partial(rows_of, native.query)
            producer = Producer.READER if native.query.is_short else Producer.THREAD
        else:
            assert native.command is not None
            compiled = native.context.operation.compiled or () if native.context is not None else ()
            work = self._work_with_journal(plan_request, native.command, native.observed)
            producer = Producer.CALLER if is_quick(plan_request) else Producer.THREAD
        framer = Framer(self._session.session_id, self._session.server_session_id, plan_request.operation_id)
        instead = partial(self._instead, plan_request, self._session.engine_wanted)
        notes = native.query.noted if native.query is not None else None
        ended = self._native_ended
        return NativeOperation(
            plan_request, framer, native.cursor, work, choose.NATIVE, instead, ended, producer, compiled, notes
        )

    def _work_with_journal(
        self, plan_request: PlanRequest, carry_out: Callable[[], tuple[bytes, ...]], observed: Mapping[str, bytes]
    ) -> Work:
        what = change_of(plan_request) or drops_view(plan_request, self._session.views)

        def work(operation: NativeOperation) -> Iterator[tuple[bytes, ...]]:
            if answer := carry_out():
                yield answer
            yield from ((metrics,) for metrics in observed.values())
            if what:
                self._journal_change(plan_request, what)
            if writes_rows(plan_request):
                self._session.shared.cache.forget_files()

        return work

    def _journal_change(self, plan_request: PlanRequest, what: str, generation: int = NEVER) -> None:
        data = with_rows(plan_request.request, plan_request.data, self._session)
        self._session.journal.record(entry_of("ExecutePlan", data, what, generation))
        if makes_global_view(plan_request):
            self._session.spark.own_global_views()

    def _instead(self, plan_request: PlanRequest, wanted: str, why: NotNative) -> Operation:
        """DuckDB gave up (such as out of memory): with the engine `auto` the plan runs again on Spark."""
        if wanted == "duckdb" or (
            isinstance(why, OutOfMemory) and why.bytes > self._session.shared.settings.spark_heap
        ):
            raise why
        return self._relayed_operation(plan_request, cause_to_relay(self._session.spark, why))

    def _relayed_operation(self, plan_request: PlanRequest, cause: Cause) -> RelayedOperation:
        if makes_tables(plan_request):
            # from now on Spark's catalog may have tables that ours does not
            self._session.shared.catalogs.elsewhere = True
        check_sources(self._session, plan_request.plan)
        data = with_rows(plan_request.request, plan_request.data, self._session)
        if makes_tables(plan_request):
            data = side_of(self._session.spark).sinks.redirect(self._session, data)
        carried = replace(plan_request, data=data)
        framer = Framer(self._session.session_id, self._session.server_session_id, plan_request.operation_id)
        return RelayedOperation(carried, side_of(self._session.spark), cause, self._relayed_ended, framer)

    def _relayed_ended(self, operation: RelayedOperation) -> None:
        plan_request = operation.plan_request
        if operation.state is State.SUCCEEDED:
            note_spark_side(self._session, plan_request)
        if operation.state is State.SUCCEEDED and (
            what := change_of(plan_request) or drops_view(plan_request, self._session.views)
        ):
            self._journal_change(plan_request, what, self._session.spark.generation)
            take_over(self._session, plan_request)
        if runs_streams(plan_request):
            adopt_tables(self._session)
        end = operation.state.value, operation.seconds, operation.result()
        self._session.note("spark", operation.cause, operation.plan_request, *end)

    def _native_ended(self, operation: NativeOperation) -> None:
        is_native = operation.cause is choose.NATIVE  # otherwise the rows contained something that only Spark computes
        engine, outcome = ("duckdb", operation.state.value) if is_native else ("none", "REFUSED")
        self._session.note(
            engine, operation.cause, operation.plan_request, outcome, operation.seconds, operation.result()
        )


def failed_with(failure: Exception) -> OperationResult:
    condition, error = error_columns(failure)
    return OperationResult(condition=condition, error=error)


def same_operation(known: Operation, plan_request: PlanRequest) -> Operation:
    """The same plan again under the same id comes from a client that lost our response: it attaches to the
    operation."""
    if known.plan_request.plan != plan_request.plan:
        raise SparkError("INVALID_HANDLE.OPERATION_ALREADY_EXISTS", handle=plan_request.operation_id)
    return known
