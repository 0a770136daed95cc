"""A session: (user id, session id), its state, its operations and its half on Spark."""

import json
import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from twinspark.errors import NotNative, SparkError
from twinspark.session import choose
from twinspark.session.artifacts import CACHE, Artifacts
from twinspark.session.cache import Checkpoints
from twinspark.session.carried import with_rows
from twinspark.session.commands import is_quick, read_command, writes_rows
from twinspark.session.config import SessionConfig
from twinspark.session.effects import change_of, is_catalog_call, makes_global_view, makes_tables
from twinspark.session.frames import Framer
from twinspark.session.journal import NEVER, Entry, Journal, entry_of
from twinspark.session.kept_on_spark import KeptOnSpark
from twinspark.session.native import Cursor, Query, Surroundings
from twinspark.session.native_operation import NativeOperation, Producer, Work, rows_of
from twinspark.session.observations import telling
from twinspark.session.operation import Asked, Operation, RelayedOperation, State
from twinspark.session.plans import decompressed
from twinspark.session.python_functions import Pythons
from twinspark.session.shared import Ended, Shared
from twinspark.session.spark_catalog import SparkCatalog
from twinspark.session.spark_side import SparkSide
from twinspark.session.spark_state import drops_view, note_spark_side, take_over
from twinspark.session.sql_functions import Functions
from twinspark.session.sql_variables import Variables
from twinspark.session.table_commands import catalog_call, is_table_command
from twinspark.session.tables_inlined import inlined
from twinspark.session.tables_sent import TablesSent
from twinspark.session.views import Views
from twinspark.spark.wire import string_field

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Catalogs

log = logging.getLogger("twinspark.session")
NOTHING_SEEN: Mapping[str, bytes] = {}
KEPT_ERRORS = 200
KEPT_OUTCOMES = 1000
LAST_OPERATION = "twinspark.lastOperation"


class Session:
    """Everything one client sees of the server; only global views and the engines are shared with others."""

    def __init__(self, user_id: str, session_id: str, shared: Shared, source: "Session | None" = None) -> None:
        self.user_id = user_id
        self.session_id = session_id
        self.server_session_id = str(uuid.uuid4())
        self.shared = shared
        self.config: SessionConfig = source.config.copy() if source else SessionConfig(shared.base_config())
        self.views: Views = source.views.copy() if source else Views(shared.views)
        self.functions: Functions = source.functions.copy(self) if source else Functions(self)
        self.variables: Variables = source.variables.copy() if source else Variables()
        self.checkpoints = Checkpoints(shared.cache)
        self.kept_on_spark = KeptOnSpark()
        self.artifacts: Artifacts = source.artifacts.copy() if source else Artifacts()
        self.pythons = Pythons(self.artifacts)
        self.journal = Journal()
        self.spark = SparkSide(
            shared.spark,
            user_id,
            session_id,
            self.server_session_id,
            self.journal,
            self.artifacts,
            lambda: shared.global_owners,
            shared.tables_on_spark.bring,
            lambda rpc, request, replayed: inlined(self, rpc, request, replayed),
        )
        self.catalog: str = source.catalog if source else "spark_catalog"
        self.database: str = source.database if source else "default"
        self.sent = TablesSent(self)
        self._last: tuple[str, str, str, float] | None = None
        self.last_access = time.monotonic()
        self._operations: dict[str, Operation] = {}
        self._outcomes: OrderedDict[str, State] = OrderedDict()
        self._abandoned: set[str] = set()
        self._errors: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.RLock()

    def touch(self) -> None:
        self.last_access = time.monotonic()

    @property
    def busy(self) -> bool:
        return any(each.state is State.RUNNING for each in self.operations())

    @property
    def engine_wanted(self) -> str:
        return choose.engine_wanted(self.config.settings(), self.shared.settings.engine)

    @property
    def catalogs(self) -> "Catalogs":
        """The catalogs this session sees; made when it first needs them."""
        return self.shared.catalogs.of(self.config.snapshot())

    # ---- operations

    def start(self, request: Any, data: bytes) -> Operation:
        """The plan's operation, on the engine that fits it, already known by its id."""
        operation_id = request.operation_id or str(uuid.uuid4())
        asked = Asked(request, decompressed(request.plan), data, operation_id)
        if (known := self.operation(operation_id)) is not None:
            return same_operation(known, asked)
        wanted = self.engine_wanted
        if wanted == "spark" and not is_table_command(asked.plan, self.config.snapshot()):
            return self._enter(self._relayed(asked, choose.ASKED_FOR_SPARK))
        try:
            return self._enter(self._native(asked, wanted).start())
        except NotNative as error:
            if wanted == "duckdb":
                self._note("none", error.reason, asked, "REFUSED", 0.0)
                raise
            return self._enter(self._relayed(asked, error.reason))

    def operation(self, operation_id: str) -> Operation | None:
        operation = self._operations.get(operation_id)
        if operation is not None and operation.lost:
            self.forget(operation)
            return None
        return operation

    def operations(self) -> list[Operation]:
        with self._lock:
            return list(self._operations.values())

    def outcomes(self) -> dict[str, State]:
        """How operations went that are no longer here."""
        with self._lock:
            return dict(self._outcomes)

    def release(self, operation: Operation, request: Any, data: bytes) -> None:
        operation.release(request, data)
        if request.HasField("release_all"):
            self.forget(operation)

    def forget(self, operation: Operation) -> None:
        with self._lock:
            self._operations.pop(operation.asked.operation_id, None)
            self._outcomes[operation.asked.operation_id] = operation.state
            while len(self._outcomes) > KEPT_OUTCOMES:
                self._outcomes.popitem(last=False)

    def abandon(self, detached_seconds: float) -> None:
        """Executions whose client left and did not come back in time; a late return is told why nothing is here."""
        for operation in self.operations():
            if operation.detached_seconds > detached_seconds:
                log.info("operation %s is abandoned", operation.asked.operation_id)
                operation.interrupt()
                self.forget(operation)
                self._abandoned.add(operation.asked.operation_id)

    def missing(self, operation_id: str) -> SparkError:
        gone = "ABANDONED" if operation_id in self._abandoned else "NOT_FOUND"
        return SparkError(f"INVALID_HANDLE.OPERATION_{gone}", handle=operation_id)

    def interrupt(self, chosen: Any) -> list[str]:
        """Stops the native operations that are chosen; Spark stops its own."""
        hits = [each for each in self.operations() if chosen(each) and each.interrupt()]
        return [each.asked.operation_id for each in hits]

    def close(self, request: bytes) -> None:
        """Ends what runs, and lets Spark forget the session too."""
        for operation in self.operations():
            operation.interrupt()
        if self.spark in self.shared.global_owners:
            self.shared.global_owners.remove(self.spark)
        self.spark.release(request)
        self.checkpoints.clear()
        self.pythons.close()
        self.artifacts.close()

    # ---- reading plans natively

    def surroundings(self) -> Surroundings:
        return Surroundings(
            config=self.config.snapshot(),
            settings=self.config.get_all(),
            views=self.views.snapshot(),
            local_relations=self._local_relation,
            catalog=self.catalog,
            database=self.database,
            user=self.user_id,
            session_id=self.session_id,
            catalogs=self.shared.catalogs,
            functions=self.functions,
            pythons=self.pythons.workers(self.config.snapshot()),
            checkpoints=self.checkpoints,
            cache=self.shared.cache,
            variables=self.variables.expressions(),
            elsewhere=self.spark_catalog(),
        )

    def spark_catalog(self) -> SparkCatalog | None:
        """Spark's own catalog, where it may hold what ours do not know."""
        asked = self.shared.catalogs.elsewhere and self.engine_wanted != "duckdb"
        return SparkCatalog(self) if asked else None

    def read(self, relation: Any, cursor: Cursor) -> Query:
        return self.shared.plans.read(relation, self.surroundings(), cursor)

    def _local_relation(self, hash: str) -> bytes:
        found = self.artifacts.cached(hash)
        if found is None:
            raise SparkError(
                "CONNECT_INVALID_PLAN.NOT_FOUND_CACHED_LOCAL_RELATION", hash=hash, sessionUUID=self.server_session_id
            )
        return found

    def _native(self, asked: Asked, wanted: str) -> NativeOperation:
        cursor = self.shared.native.cursor()
        producer = Producer.CALLER if is_quick(asked.plan) else Producer.THREAD
        if asked.plan.WhichOneof("op_type") == "command":
            context = self.surroundings().context(cursor)
            context.observed = {}
            command = read_command(asked.plan.command, context, cursor, self)
            work = self._journalled(asked, telling(command, context.observed), context.observed)
        elif is_catalog_call(asked.plan):
            work = self._journalled(asked, catalog_call(self, asked.plan.root.catalog))
        else:
            query = self.read(asked.plan.root, cursor)
            choose.check_scan(query, self.config.settings(), wanted)
            work = partial(rows_of, query)
            producer = Producer.READER if query.is_short else Producer.THREAD
        framer = Framer(self.session_id, self.server_session_id, asked.operation_id)
        instead = partial(self._instead, asked, wanted)
        return NativeOperation(asked, framer, cursor, work, choose.NATIVE, instead, self._native_ended, producer)

    def _journalled(
        self, asked: Asked, carry_out: Callable[[], tuple[bytes, ...]], observed: Mapping[str, bytes] = NOTHING_SEEN
    ) -> Work:
        what = change_of(asked.plan) or drops_view(asked.plan, self.views)

        def work(operation: NativeOperation) -> Iterator[tuple[bytes, ...]]:
            if answer := carry_out():
                yield answer
            yield from ((told,) for told in observed.values())
            if what:
                self._journal_change(asked, what)
            if writes_rows(asked.plan):
                self.shared.cache.forget_files()

        return work

    def _journal_change(self, asked: Asked, what: str, generation: int = NEVER) -> None:
        data = with_rows(asked.request, asked.data, self)
        self.journal.record(entry_of("ExecutePlan", data, what, generation))
        if makes_global_view(asked.plan) and self.spark not in self.shared.global_owners:
            self.shared.global_owners.append(self.spark)

    def _instead(self, asked: Asked, wanted: str, why: NotNative) -> Operation:
        """DuckDB gave up (out of memory, say): in auto that is no error, the plan runs again on Spark."""
        if wanted == "duckdb":
            raise why
        return self._relayed(asked, why.reason)

    # ---- on Spark

    def _relayed(self, asked: Asked, reason: str) -> RelayedOperation:
        if makes_tables(asked.plan):
            self.shared.catalogs.elsewhere = True  # from now on Spark's catalog may hold what ours does not
        carried = replace(asked, data=with_rows(asked.request, asked.data, self))
        return RelayedOperation(carried, self.spark, reason, self._relayed_ended)

    def _relayed_ended(self, operation: RelayedOperation) -> None:
        plan = operation.asked.plan
        if operation.state is State.SUCCEEDED:
            note_spark_side(self, plan)
        if operation.state is State.SUCCEEDED and (what := change_of(plan) or drops_view(plan, self.views)):
            self._journal_change(operation.asked, what, self.spark.generation)
            take_over(self, operation.asked.plan)
        self._note("spark", operation.reason, operation.asked, operation.state.value, operation.seconds)

    def _native_ended(self, operation: NativeOperation) -> None:
        self._note("duckdb", operation.reason, operation.asked, operation.state.value, operation.seconds)

    # ---- what others ask about

    def keep_error(self, error_id: str, details: bytes) -> None:
        with self._lock:
            self._errors[error_id] = details
            while len(self._errors) > KEPT_ERRORS:
                self._errors.popitem(last=False)

    def error(self, error_id: str) -> bytes | None:
        return self._errors.get(error_id)

    def add_artifacts(self, requests: Iterator[Any]) -> list[Any]:
        """Kept here; Spark gets files when the session goes there, cached rows when a plan names them."""
        uploads = self.artifacts.receive(requests)
        for upload in uploads:
            if upload.good and not upload.name.startswith(CACHE):
                self._journal_artifact(upload.name)
        return uploads

    def inherit(self, source: "Session", request: Any) -> None:
        """What a clone must tell Spark: Spark's own copy where it has one, the journal for a next Spark."""
        if source.spark.open:
            self.spark.cloned_from(source.spark, request)
        for entry in source.journal.entries():
            if entry.artifact:
                self._journal_artifact(entry.artifact, self.spark.generation or NEVER)
            else:
                self.journal.record(readdressed(entry, self.session_id, self.spark.generation or NEVER))

    def _journal_artifact(self, name: str, generation: int = NEVER) -> None:
        again = partial(self.artifacts.requests, self.session_id, self.user_id, name)
        self.journal.record(Entry("AddArtifacts", again, f"artifact {name}", generation, name))

    @property
    def last_operation(self) -> str:
        if self._last is None:
            return ""
        engine, reason, outcome, seconds = self._last
        return json.dumps({"engine": engine, "reason": reason, "outcome": outcome, "seconds": round(seconds, 6)})

    def _note(self, engine: str, reason: str, asked: Asked, outcome: str, seconds: float) -> None:
        self._last = (engine, reason, outcome, seconds)
        log.info("operation %s: %s in %.3f s on %s: %s", asked.operation_id, outcome, seconds, engine, reason)
        self.shared.tell(Ended(self.session_id, asked.operation_id, engine, reason, outcome, seconds))

    def _enter(self, operation: Operation) -> Operation:
        with self._lock:
            self._operations[operation.asked.operation_id] = operation
            return operation


def same_operation(known: Operation, asked: Asked) -> Operation:
    """The same plan again under the same id is a client that lost our answer: it attaches to what is running."""
    if known.asked.plan != asked.plan:
        raise SparkError("INVALID_HANDLE.OPERATION_ALREADY_EXISTS", handle=asked.operation_id)
    return known


def readdressed(entry: Entry, session_id: str, generation: int) -> Entry:
    """The same change for another session: its id, appended again, is the one that counts."""
    suffix = string_field(1, session_id)
    return Entry(entry.rpc, lambda: (each + suffix for each in entry.requests()), entry.what, generation)
