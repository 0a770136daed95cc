"""A session: (user id, session id), its state and the operations that run in it."""

import json
import logging
import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import Cause, SparkError
from twinspark.sessions.artifacts import CACHE, Artifacts, Upload
from twinspark.sessions.cached_relations import Checkpoints
from twinspark.sessions.config import SessionConfig
from twinspark.sessions.history.system_tables import SystemTables
from twinspark.sessions.journal import NEVER, Entry, Journal
from twinspark.sessions.operation import NO_RESULT, EndedOperation, Operation, OperationResult, PlanRequest, State
from twinspark.sessions.persisted_plans import PersistedPlans
from twinspark.sessions.python.functions import PythonState
from twinspark.sessions.services import CurrentNamespace, Services
from twinspark.sessions.shared import Shared
from twinspark.sessions.spark_half import SparkHalf
from twinspark.sessions.sql_functions import Functions
from twinspark.sessions.tables import ServerCatalogs
from twinspark.sessions.variables import Variables
from twinspark.sessions.views.temporary import Views
from twinspark.wire.connect.proto_fields import string_field

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Catalogs

log = logging.getLogger("twinspark.session")
KEPT_ERRORS = 200
KEPT_OUTCOMES = 1000
LAST_OPERATION = "twinspark.lastOperation"
LAST_OPERATIONS = "twinspark.lastOperations"
MOST_HISTORY = 100


class Session:
    """The state of one client; only global views and the engines are shared with other sessions."""

    def __init__(self, user_id: str, session_id: str, shared: Shared, source: "Session | None" = None) -> None:
        self.user_id = user_id
        self.session_id = session_id
        self.server_session_id = str(uuid.uuid4())
        self.shared = shared
        self.config: SessionConfig = (
            source.config.copy()
            if source
            else SessionConfig(shared.base_config(), shared.settings.operator_settings(), shared.rights.check_setting)
        )
        self.views: Views = source.views.copy() if source else Views(shared.views)
        self.functions: Functions = source.functions.copy(self) if source else Functions(self)
        self.variables: Variables = source.variables.copy() if source else Variables()
        self.checkpoints = Checkpoints(shared.cache)
        self.kept_on_spark = PersistedPlans()
        self.artifacts: Artifacts = source.artifacts.copy() if source else Artifacts()
        self.pythons = PythonState(self.artifacts, shared.settings.python_limits)
        self.journal = Journal()
        self.current: CurrentNamespace = replace(source.current) if source else CurrentNamespace()
        self.spark: SparkHalf = shared.open_half(self)
        self.services = Services(
            user_id=user_id,
            session_id=session_id,
            settings=shared.settings,
            config=self.config,
            current=self.current,
            views=self.views,
            functions=self.functions,
            variables=self.variables,
            checkpoints=self.checkpoints,
            pythons=self.pythons,
            journal=self.journal,
            local_relations=self._local_relation,
            native=shared.native,
            spark=self.spark,
            cache=shared.cache,
            plans=shared.plans,
            server_catalogs=shared.catalogs,
            system_tables=SystemTables(shared.watched, user_id),
        )
        self._history: deque[dict[str, Any]] = deque(maxlen=MOST_HISTORY)
        self.has_jvm_error = True  # whether the last error came from Spark, with a stack trace of its JVM
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
        return self.services.engine_wanted

    @property
    def catalogs(self) -> "Catalogs":
        return self.services.catalogs

    @property
    def server_catalogs(self) -> ServerCatalogs:
        return self.shared.catalogs

    # ---- operations

    def check_rights(self, plan: Message) -> None:
        """Raises NotAllowed for what the operator does not allow, before the plan is read."""
        if self.shared.rights.is_limited:
            self.shared.rights.check(plan, self.config.snapshot(), self.views.snapshot())

    def operation(self, operation_id: str) -> Operation | None:
        operation = self._operations.get(operation_id)
        if operation is not None and operation.is_lost:
            self.forget(operation)
            return None
        return operation

    def operations(self) -> list[Operation]:
        with self._lock:
            return list(self._operations.values())

    def outcomes(self) -> dict[str, State]:
        """The final states of operations that were removed."""
        with self._lock:
            return dict(self._outcomes)

    def release(self, operation: Operation, request: base_pb2.ReleaseExecuteRequest, data: bytes) -> None:
        operation.release(request, data)
        if request.HasField("release_all"):
            self.forget(operation)

    def remove(self, operation: Operation) -> None:
        """Removes an operation without recording an outcome."""
        with self._lock:
            if self._operations.get(operation.plan_request.operation_id) is operation:
                del self._operations[operation.plan_request.operation_id]

    def forget(self, operation: Operation) -> None:
        with self._lock:
            self._operations.pop(operation.plan_request.operation_id, None)
            self._outcomes[operation.plan_request.operation_id] = operation.state
            while len(self._outcomes) > KEPT_OUTCOMES:
                self._outcomes.popitem(last=False)

    def abandon(self, detached_seconds: float) -> None:
        """Ends executions whose client disconnected and did not reattach in time; a late reattach gets an error."""
        for operation in self.operations():
            if operation.detached_seconds > detached_seconds:
                log.info("operation %s is abandoned", operation.plan_request.operation_id)
                operation.interrupt()
                self.forget(operation)
                self._abandoned.add(operation.plan_request.operation_id)

    def missing(self, operation_id: str) -> SparkError:
        gone = "ABANDONED" if operation_id in self._abandoned else "NOT_FOUND"
        return SparkError(f"INVALID_HANDLE.OPERATION_{gone}", handle=operation_id)

    def interrupt(self, chosen: Callable[[Operation], bool]) -> list[str]:
        """Interrupts the chosen operations; those on Spark end for their clients, and Spark is sent the interrupt as
        well."""
        hits = [each for each in self.operations() if chosen(each) and each.interrupt()]
        return [each.plan_request.operation_id for each in hits]

    def close(self, request: bytes) -> None:
        """Interrupts running operations, and releases the session on Spark."""
        for operation in self.operations():
            operation.interrupt()
        self.spark.release(request)
        self.checkpoints.clear()
        self.pythons.close()
        self.artifacts.close()

    def _local_relation(self, hash: str) -> bytes:
        found = self.artifacts.cached_bytes(hash)
        if found is None:
            raise SparkError(
                "CONNECT_INVALID_PLAN.NOT_FOUND_CACHED_LOCAL_RELATION", hash=hash, sessionUUID=self.server_session_id
            )
        return found

    # ---- errors, artifacts, clones

    def keep_error(self, error_id: str, details: bytes) -> None:
        with self._lock:
            self._errors[error_id] = details
            while len(self._errors) > KEPT_ERRORS:
                self._errors.popitem(last=False)

    def error(self, error_id: str) -> bytes | None:
        return self._errors.get(error_id)

    def add_artifacts(self, requests: Iterator[base_pb2.AddArtifactsRequest]) -> list[Upload]:
        """Stores artifacts; Spark receives files when the session is opened there, and cached rows when a plan names
        them."""
        uploads = self.artifacts.receive(requests, self.shared.rights.check_artifact)
        for upload in uploads:
            if upload.good and not upload.name.startswith(CACHE):
                self._journal_artifact(upload.name)
        return uploads

    def inherit(self, source: "Session", request: base_pb2.CloneSessionRequest) -> None:
        """State of a clone on Spark: Spark clones its own session if it has one, and the journal is copied for later
        Sparks."""
        if source.spark.open:
            self.spark.clone(source.spark, request)
        for entry in source.journal.entries():
            if entry.artifact:
                self._journal_artifact(entry.artifact, self.spark.generation or NEVER)
            else:
                self.journal.record(copy_for_session(entry, self.session_id, self.spark.generation or NEVER))

    def _journal_artifact(self, name: str, generation: int = NEVER) -> None:
        again = partial(self.artifacts.requests, self.session_id, self.user_id, name)
        self.journal.record(Entry("AddArtifacts", again, f"artifact {name}", generation, name))

    @property
    def last_operation(self) -> str:
        return json.dumps(self._history[-1]) if self._history else ""

    @property
    def last_operations(self) -> str:
        """The newest operations as a JSON list, the newest last."""
        return json.dumps(list(self._history))

    def note(
        self,
        engine: str,
        cause: Cause,
        plan_request: PlanRequest,
        outcome: str,
        seconds: float,
        result: OperationResult = NO_RESULT,
    ) -> None:
        self.remember(engine, cause, outcome, seconds)
        ids = self.session_id, plan_request.operation_id
        facts: dict[str, Any] = {"user": self.user_id, "session": ids[0], "operation": ids[1], "engine": engine}
        facts |= {"code": cause.reason.code, "outcome": outcome, "seconds": round(seconds, 6)}
        log.info("operation %s: %s in %.3f s on %s: %s", ids[1], outcome, seconds, engine, cause, extra=facts)
        self.shared.report(EndedOperation(*ids, engine, cause, outcome, seconds, self.user_id, plan_request, result))

    def remember(self, engine: str, cause: Cause, outcome: str, seconds: float = 0.0) -> None:
        """The newest entry of `twinspark.lastOperations`."""
        chosen = {"engine": engine, "code": cause.reason.code, "reason": cause.text, "instead": cause.reason.instead}
        self._history.append({**chosen, "outcome": outcome, "seconds": round(seconds, 6)})

    def enter(self, operation: Operation) -> Operation:
        """Makes the operation known by its id."""
        with self._lock:
            self._operations[operation.plan_request.operation_id] = operation
            return operation


def copy_for_session(entry: Entry, session_id: str, generation: int) -> Entry:
    """The same change for another session: a protobuf field appended again overrides the earlier session id."""
    suffix = string_field(1, session_id)
    return Entry(entry.rpc, lambda: (each + suffix for each in entry.requests()), entry.what, generation)
