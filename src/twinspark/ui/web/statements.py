"""Runs statements of the web UI as operations of ordinary sessions, so that rights, engines and limits are the same as
for any client."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2, types_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from twinspark.errors import SparkError
from twinspark.operations.explain import plan_of_text
from twinspark.operations.planned_operation import Client
from twinspark.operations.start import Starter
from twinspark.sessions.config import SessionConfig
from twinspark.sessions.history.describe import error_columns
from twinspark.sessions.operation import Operation
from twinspark.sessions.session import Session
from twinspark.sessions.sessions import Sessions
from twinspark.sessions.settings import ENGINE_KEY
from twinspark.sessions.threads import DaemonThreads
from twinspark.ui.web.guard import Viewer
from twinspark.ui.web.messages import Problem
from twinspark.ui.web.values import cell_text

OWN_TAG = "twinspark.ui"  # of operations that only show something in the UI
CLIENT_TYPE = "twinspark web UI"
UNNAMED = "web-ui"  # the user of viewers whose token has no name
MOST_ROWS = 1000
MOST_BYTES = 4 * 1024 * 1024
MOST_RUNNING = 8  # at once; of all viewers
TOO_MANY = f"{MOST_RUNNING} statements of the web UI are running already."
KEPT_RUNS = 20
_threads = DaemonThreads("web UI")


@dataclass
class Rows:
    """The first rows of a result."""

    names: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    values: list[list[Any]] = field(default_factory=list)
    is_cut: bool = False


@dataclass
class Run:
    """A statement of the SQL editor: running, or with its rows or its error."""

    run_id: str
    user: str
    text: str
    operation_id: str
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    rows: Rows | None = None
    condition: str = ""
    error: str = ""

    @property
    def is_done(self) -> bool:
        return self.rows is not None or bool(self.error)


class Statements:
    """The sessions and the newest statements of the viewers."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._ids: dict[tuple[str, str], str] = {}
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(MOST_RUNNING)

    def session(self, viewer: Viewer, purpose: str = "editor") -> Session:
        """A viewer's session, created again after it was closed for idleness."""
        key = user_of(viewer), purpose
        with self._lock:
            known = self._ids.setdefault(key, str(uuid.uuid4()))
        try:
            return self._sessions.of(key[0], known)
        except SparkError:
            with self._lock:
                self._ids[key] = str(uuid.uuid4())
            return self._sessions.of(key[0], self._ids[key])

    def browsing(self, viewer: Viewer) -> Session:
        """A session that never starts a JVM only to show a table, unless the operator chose Spark for everything."""
        session = self.session(viewer, "browser")
        prefer_native(session.config)
        return session

    def submit(self, viewer: Viewer, text: str) -> Run:
        """Starts the statement in a thread of its own."""
        if not self._slots.acquire(blocking=False):
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
        run = Run(str(uuid.uuid4()), user_of(viewer), text, str(uuid.uuid4()))
        with self._lock:
            self._runs[run.run_id] = run
            while len(self._runs) > KEPT_RUNS:
                self._runs.popitem(last=False)
        _threads.submit(self._carry_out, run, self.session(viewer))
        return run

    def run_in_background(self, work: Callable[[], object]) -> None:
        """Work whose outcome the history shows."""
        if not self._slots.acquire(blocking=False):
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
        _threads.submit(work).add_done_callback(lambda _: self._slots.release())

    def run(self, viewer: Viewer, run_id: str) -> Run | None:
        found = self._runs.get(run_id)
        return found if found is not None and found.user == user_of(viewer) else None

    def _carry_out(self, run: Run, session: Session) -> None:
        try:
            rows = execute(session, run.text, run.operation_id)
            run.seconds, run.rows = time.monotonic() - run.started, rows
        except Exception as failure:  # noqa: BLE001  the page shows it, as a client would receive it
            run.seconds = time.monotonic() - run.started
            run.condition, run.error = error_columns(failure)
        finally:
            self._slots.release()


def user_of(viewer: Viewer) -> str:
    return viewer.name or UNNAMED


def prefer_native(config: SessionConfig) -> None:
    if config.get_option(ENGINE_KEY) in (None, "", "auto") and config.is_open(ENGINE_KEY):
        config.set(ENGINE_KEY, "duckdb")


def execute(session: Session, text: str, operation_id: str = "", *tags: str) -> Rows:
    """Runs a statement; of one that is no query, the rows are those of the relation that it returns."""
    plan = limit_rows(plan_of_text(session, text))
    rows, relation = run_plan(session, plan, operation_id or str(uuid.uuid4()), tags)
    if relation is None:
        return rows
    plan = limit_rows(base_pb2.Plan(root=relation))
    return run_plan(session, plan, str(uuid.uuid4()), (*tags, OWN_TAG))[0]


def limit_rows(plan: base_pb2.Plan) -> base_pb2.Plan:
    """A query as `DataFrame.limit` sends it: one row more than is shown."""
    if plan.WhichOneof("op_type") != "root":
        return plan
    made = base_pb2.Plan()
    made.root.limit.limit = MOST_ROWS + 1
    made.root.limit.input.CopyFrom(plan.root)
    return made


def run_plan(
    session: Session, plan: base_pb2.Plan, operation_id: str, tags: tuple[str, ...], discards_rows: bool = False
) -> tuple[Rows, Any]:
    """The rows, and the relation that a command returned instead of rows."""
    request = base_pb2.ExecutePlanRequest(
        session_id=session.session_id, operation_id=operation_id, plan=plan, client_type=CLIENT_TYPE, tags=tags
    )
    request.user_context.user_id = session.user_id
    operation = Starter(session).start(request, request.SerializeToString(), Client())
    try:
        return read_responses(operation, discards_rows)
    finally:
        operation.hang_up()
        session.forget(operation)


def read_responses(operation: Operation, discards_rows: bool) -> tuple[Rows, Any]:
    rows, relation, size = Rows(), None, 0
    for data in operation.responses():
        if discards_rows:
            continue
        response = base_pb2.ExecutePlanResponse.FromString(data)
        if response.HasField("sql_command_result"):
            relation = response.sql_command_result.relation
        if response.HasField("schema"):
            note_types(rows, response.schema)
        if response.HasField("arrow_batch"):
            size += len(response.arrow_batch.data)
            add_batch(rows, response.arrow_batch.data)
        if len(rows.values) > MOST_ROWS or size > MOST_BYTES:
            del rows.values[MOST_ROWS:]
            rows.is_cut = True
            operation.interrupt()
            break
    return rows, relation


def note_types(rows: Rows, schema: types_pb2.DataType) -> None:
    """The types in Spark's notation, such as `decimal(10,2)`."""
    fields = proto_schema_to_pyspark_data_type(schema).fields
    rows.names, rows.types = [each.name for each in fields], [each.dataType.simpleString() for each in fields]


def add_batch(rows: Rows, data: bytes) -> None:
    with pa.ipc.open_stream(data) as reader:
        for batch in reader:
            wanted = batch.slice(0, MOST_ROWS + 1 - len(rows.values))
            rows.values += map(list, zip(*map(column_values, wanted.columns), strict=True))


def kept_value(value: Any) -> Any:
    """Numbers are kept for charts, everything else as the text that is shown."""
    return value if value is None or isinstance(value, int | float | Decimal) else cell_text(value)


def column_values(column: pa.Array) -> list[Any]:
    try:
        return [kept_value(value) for value in column.to_pylist()]
    except (NotImplementedError, ValueError, OverflowError, KeyError):
        return ["…"] * len(column)  # values that Python's types do not have, such as year-month intervals
