"""Runs a query on both engines and keeps the report, for the page `Verify` and the command `twinspark verify`."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from twinspark.errors import SparkError
from twinspark.operations.comparison import Comparison, Outcome, compare
from twinspark.operations.explain import plan_of_text
from twinspark.operations.planned_operation import Client
from twinspark.operations.start import Starter
from twinspark.sessions.config import SessionConfig
from twinspark.sessions.history.describe import error_columns, statement_of
from twinspark.sessions.operation import EndedOperation
from twinspark.sessions.plan_effects import may_run_twice
from twinspark.sessions.session import Session
from twinspark.sessions.sessions import Sessions
from twinspark.sessions.settings import ENGINE_KEY
from twinspark.sessions.threads import DaemonThreads

CLIENT_TYPE = "twinspark verify"
MOST_BYTES = 64 * 1024 * 1024  # of one engine's rows, which are compared in memory
MOST_REPORTS = 50
ENGINES = ("duckdb", "spark")
SHADOW_KEY = "twinspark.shadow"
_threads = DaemonThreads("verify")


class NotComparable(Exception):
    """The statement is no query, or its result does not fit into a comparison."""


@dataclass
class Report:
    """Of one query: running, or with both outcomes and their comparison, or with a problem."""

    report_id: str
    user: str
    text: str
    started: float = field(default_factory=time.time)
    native: Outcome | None = None
    spark: Outcome | None = None
    comparison: Comparison | None = None
    problem: str = ""

    @property
    def is_done(self) -> bool:
        return self.comparison is not None or bool(self.problem)


class Verification:
    """The newest reports. A viewer with a name sees those of that user, others see all."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._lock = threading.Lock()
        self._shadowing = threading.Lock()
        self.skipped = 0  # queries of shadowed sessions that ended while another one was compared

    def new_report(self, user: str, text: str) -> Report:
        report = Report(uuid.uuid4().hex, user, text)
        with self._lock:
            self._reports[report.report_id] = report
            while len(self._reports) > MOST_REPORTS:
                self._reports.popitem(last=False)
        return report

    def reports(self, user: str | None) -> list[Report]:
        """The newest first; without a user those of all."""
        with self._lock:
            return [each for each in reversed(self._reports.values()) if user in (None, each.user)]

    def find(self, user: str | None, report_id: str) -> Report | None:
        found = self._reports.get(report_id)
        return found if found is not None and user in (None, found.user) else None

    def carry_out(self, report: Report) -> Report:
        """On the native engine, then on Spark, in two new sessions that end afterwards."""
        return fill(report, lambda engine: self._outcome_of_text(report, engine))

    def carry_out_again(self, report: Report, source: Session, plan: base_pb2.Plan) -> Report:
        """The plan of an operation, in two clones of its session."""
        return fill(report, lambda engine: self._outcome_in_clone(source, plan, engine))

    def _outcome_of_text(self, report: Report, engine: str) -> Outcome:
        session = self._sessions.of(report.user, str(uuid.uuid4()))
        try:
            session.config.set(ENGINE_KEY, engine)
            return outcome_of(session, query_plan(session, report.text))
        finally:
            self._close(session)

    def _outcome_in_clone(self, source: Session, plan: base_pb2.Plan, engine: str) -> Outcome:
        request = base_pb2.CloneSessionRequest(session_id=source.session_id, new_session_id=str(uuid.uuid4()))
        request.user_context.user_id = source.user_id
        session = self._sessions.clone(source, request.new_session_id)
        try:
            session.inherit(source, request)
            session.config.set(ENGINE_KEY, engine)
            return outcome_of(session, plan)
        finally:
            self._close(session)

    def _close(self, session: Session) -> None:
        self._sessions.close(session.user_id, session.session_id)
        session.close(release_request(session))

    # ---- shadow: what ran natively runs once more, on both engines

    def shadow(self, ended: EndedOperation) -> None:
        """Called after every operation. At most one comparison runs; queries that end meanwhile are only counted."""
        session = self._sessions.find(ended.user_id, ended.session_id)
        if session is None or not is_shadowed(ended, session.config):
            return
        if not self._shadowing.acquire(blocking=False):
            self.skipped += 1
            return
        report = self.new_report(ended.user_id, statement_of(ended.plan_request.plan))
        _threads.submit(self.carry_out_again, report, session, ended.plan_request.plan).add_done_callback(
            lambda _: self._shadowing.release()
        )


def is_shadowed(ended: EndedOperation, config: SessionConfig) -> bool:
    """Whether the session asks for it, and the operation was a query that may run again."""
    if ended.engine != "duckdb" or config.get_option(SHADOW_KEY) != "true":
        return False
    request = ended.plan_request
    is_query = request.plan.WhichOneof("op_type") == "root" and may_run_twice(request)
    return is_query and request.request.client_type != CLIENT_TYPE


def fill(report: Report, outcome: Callable[[str], Outcome]) -> Report:
    """Runs both engines one after the other, and notes what came out."""
    try:
        report.native, report.spark = (outcome(engine) for engine in ENGINES)
        report.comparison = compare(report.native, report.spark)
    except (SparkError, NotComparable) as problem:
        report.problem = str(problem)
    return report


def release_request(session: Session) -> bytes:
    request = base_pb2.ReleaseSessionRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    return bytes(request.SerializeToString())


def query_plan(session: Session, text: str) -> base_pb2.Plan:
    """Only queries: a statement that writes would do so twice."""
    plan = plan_of_text(session, text)
    if plan.WhichOneof("op_type") != "root":
        raise NotComparable("Only queries can be run on both engines.")
    return plan


def outcome_of(session: Session, plan: base_pb2.Plan) -> Outcome:
    started = time.monotonic()
    try:
        columns, rows = read_rows(session, plan)
        return Outcome(columns, rows, seconds=time.monotonic() - started)
    except NotComparable:
        raise
    except Exception as failure:  # noqa: BLE001  it is a part of the report, as a client would receive it
        condition, error = error_columns(failure)
        return Outcome(condition=condition, error=error or condition, seconds=time.monotonic() - started)


def read_rows(session: Session, plan: base_pb2.Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    columns: tuple[str, ...] = ()
    rows: list[str] = []
    size = 0
    for response in responses_of(session, plan):
        if response.HasField("schema"):
            columns = column_texts(response)
        if response.HasField("arrow_batch"):
            size += len(response.arrow_batch.data)
            if size > MOST_BYTES:
                raise NotComparable(f"The result has more than {MOST_BYTES >> 20} MiB: compare an aggregate of it.")
            rows += row_texts(response.arrow_batch.data)
    return columns, tuple(rows)


def responses_of(session: Session, plan: base_pb2.Plan) -> Iterator[base_pb2.ExecutePlanResponse]:
    request = base_pb2.ExecutePlanRequest(
        session_id=session.session_id, operation_id=str(uuid.uuid4()), plan=plan, client_type=CLIENT_TYPE
    )
    request.user_context.user_id = session.user_id
    operation = Starter(session).start(request, request.SerializeToString(), Client())
    try:
        for data in operation.responses():
            yield base_pb2.ExecutePlanResponse.FromString(data)
    finally:
        operation.hang_up()
        session.forget(operation)


def column_texts(response: base_pb2.ExecutePlanResponse) -> tuple[str, ...]:
    fields = proto_schema_to_pyspark_data_type(response.schema).fields
    return tuple(f"{each.name} {each.dataType.simpleString()}{'' if each.nullable else ' not null'}" for each in fields)


def row_texts(data: bytes) -> list[str]:
    """Python's notation shows every digit of a number."""
    with pa.ipc.open_stream(data) as reader:
        return [
            repr(tuple(row))
            for batch in reader
            for row in zip(*(each.to_pylist() for each in batch.columns), strict=True)
        ]
