"""A session: (user id, session id), its state, its operations and its half on Spark."""

import threading
import time
import uuid
from typing import Any

from twinspark.errors import SparkError
from twinspark.session.effects import change_of
from twinspark.session.journal import Entry, Journal
from twinspark.session.operation import Asked, Operation, RelayedOperation
from twinspark.session.spark_side import SparkSide
from twinspark.spark.engine import SparkEngine

KEPT_ERRORS = 200


class Session:
    """Everything one client sees of the server; nothing here is shared with another session."""

    def __init__(self, user_id: str, session_id: str, engine: SparkEngine, journal: Journal | None = None) -> None:
        self.user_id = user_id
        self.session_id = session_id
        self.server_session_id = str(uuid.uuid4())
        self.journal = journal or Journal()
        self.spark = SparkSide(engine, user_id, session_id, self.server_session_id, self.journal)
        self.last_access = time.monotonic()
        self._operations: dict[str, Operation] = {}
        self._errors: dict[str, bytes] = {}
        self._lock = threading.RLock()

    def touch(self) -> None:
        self.last_access = time.monotonic()

    def start(self, request: Any, data: bytes) -> Operation:
        asked = Asked(request, data, request.operation_id or str(uuid.uuid4()))
        operation = RelayedOperation(
            asked, self.spark, "native engine not built yet", succeeded=lambda: self._changed_on_spark(asked)
        )
        return self._enter(operation)

    def operation(self, operation_id: str) -> Operation | None:
        return self._operations.get(operation_id)

    def operations(self) -> list[Operation]:
        with self._lock:
            return list(self._operations.values())

    def release(self, operation: Operation, request: Any, data: bytes) -> None:
        operation.release(request, data)
        if request.HasField("release_all"):
            self.forget(operation.asked.operation_id)

    def close(self, request: bytes) -> None:
        """Ends what runs and lets Spark forget the session too."""
        for operation in self.operations():
            operation.interrupt()
        self.spark.release(request)

    def forget(self, operation_id: str) -> None:
        with self._lock:
            self._operations.pop(operation_id, None)

    def keep_error(self, error_id: str, details: bytes) -> None:
        with self._lock:
            self._errors[error_id] = details
            while len(self._errors) > KEPT_ERRORS:
                self._errors.pop(next(iter(self._errors)))

    def error(self, error_id: str) -> bytes | None:
        return self._errors.get(error_id)

    def _enter(self, operation: Operation) -> Operation:
        with self._lock:
            if operation.asked.operation_id in self._operations:
                raise SparkError("INVALID_HANDLE.OPERATION_ALREADY_EXISTS", handle=operation.asked.operation_id)
            self._operations[operation.asked.operation_id] = operation
            return operation

    def _changed_on_spark(self, asked: Asked) -> None:
        """A change made by relaying is journalled as already known to the Spark that made it."""
        if what := change_of(asked.request.plan):
            self.journal.record(Entry("ExecutePlan", (asked.data,), what, self.spark.generation))
