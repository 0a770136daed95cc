"""Records operations when they end: a request only appends to a queue, and a thread makes and stores the records."""

from __future__ import annotations

import atexit
import logging
import sqlite3
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from twinspark.sessions.history.describe import describe_ended
from twinspark.sessions.history.record import Details, OperationRecord
from twinspark.sessions.history.store import Filter, ReasonCount, Store
from twinspark.sessions.operation import EndedOperation, PlanRequest

log = logging.getLogger("twinspark.history")
MOST_WAITING = 10_000  # ended operations that were not recorded yet; beyond that the oldest are dropped
BATCH_SECONDS = 1.0  # between the end of an operation and its record, so that one transaction stores many
IDLE_SECONDS = 5.0  # after which a thread without work ends
EXIT_SECONDS = 1.0
KEPT_REQUESTS = 200  # whose plans can be run again with a profile
LARGEST_REQUEST = 64 * 1024


class History:
    """The operations of one server that have ended. Opens its store when the first one ends."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store
        self._opened: Store | None = None
        self._waiting: deque[tuple[float, EndedOperation]] = deque(maxlen=MOST_WAITING)
        self._requests: OrderedDict[str, PlanRequest] = OrderedDict()
        self._writing = threading.Lock()
        self._starting = threading.Lock()
        self._awake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def record(self, ended: EndedOperation) -> None:
        """Called by the thread that serves the client: everything slow is done by another one."""
        self._waiting.append((time.time(), ended))
        if not self._awake.is_set():
            self._wake()

    def page(self, wanted: Filter, first: int = 0, count: int = 50) -> list[OperationRecord]:
        return self._flush().page(wanted, first, count)

    def count(self, wanted: Filter) -> int:
        return self._flush().count(wanted)

    def find(self, operation_id: str, wanted: Filter) -> tuple[OperationRecord, Details] | None:
        return self._flush().find(operation_id, wanted)

    def reasons(self, wanted: Filter) -> list[ReasonCount]:
        return self._flush().reasons(wanted)

    def request(self, operation_id: str) -> PlanRequest | None:
        """The plan of one of the newest operations."""
        self._flush()
        return self._requests.get(operation_id)

    def close(self) -> None:
        """Stores what is waiting. Operations that end later are not recorded."""
        self._end_thread()
        atexit.unregister(self._end_thread)
        if self._waiting:
            self._flush()
        with self._writing:
            if self._opened is not None:
                self._opened.close()

    def _flush(self) -> Store:
        with self._writing:
            self._write_waiting()
            return self._store()

    def _store(self) -> Store:
        if self._opened is None:
            self._opened = self._open_store()
        return self._opened

    def _write_waiting(self) -> None:
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if not batch:
            return
        for _, ended in batch:
            self._keep_request(ended.plan_request)
        try:
            self._store().add([describe_ended(moment, ended) for moment, ended in batch])
        except sqlite3.Error as failure:  # such as a full disk: a server without history still serves
            log.warning("%d operations are missing in the history: %s", len(batch), failure)

    def _keep_request(self, plan_request: PlanRequest) -> None:
        if len(plan_request.data) <= LARGEST_REQUEST:
            self._requests[plan_request.operation_id] = plan_request
        while len(self._requests) > KEPT_REQUESTS:
            self._requests.popitem(last=False)

    # ---- the thread

    def _wake(self) -> None:
        with self._starting:
            self._awake.set()
            if self._thread is None and not self._closed.is_set():
                atexit.register(self._end_thread)
                self._thread = threading.Thread(target=self._work, name="history", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while self._awake.wait(IDLE_SECONDS) or not self._may_end():
            if self._closed.wait(BATCH_SECONDS):
                return
            self._awake.clear()
            with self._writing:
                self._write_waiting()

    def _end_thread(self) -> None:
        """Before the interpreter ends: a thread that still runs then would hold objects of DuckDB."""
        self._closed.set()
        self._awake.set()
        with self._starting:
            thread = self._thread
        if thread is not None:
            thread.join(EXIT_SECONDS)

    def _may_end(self) -> bool:
        with self._starting:
            if self._awake.is_set():
                return False
            self._thread = None
            atexit.unregister(self._end_thread)
            return True
