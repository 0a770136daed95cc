"""A pool of daemon threads, reused while idle: unlike the standard pool it still works while Python exits.

An embedded server must answer the ReleaseSession request that PySpark sends from an exit handler.
"""

import atexit
import queue
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Task = Callable[[], None]
EXIT_SECONDS = 0.5  # for idle threads to end while Python exits
_pools: "weakref.WeakSet[DaemonThreads]" = weakref.WeakSet()


class DaemonThreads(Executor):
    """As many threads as there are concurrent tasks; an idle thread ends after a minute."""

    def __init__(self, name: str, idle_seconds: float = 60.0) -> None:
        self._name = name
        self._idle_seconds = idle_seconds
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._idle = 0
        self._lock = threading.Lock()
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        _pools.add(self)

    def submit(
        self, call: Callable[Arguments, Answer], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Answer]":
        """Raises RuntimeError if the system cannot start a thread, and leaves no task queued then."""
        future: Future[Answer] = Future()
        task: Task = lambda: settle(future, call, args, kwargs)  # noqa: E731
        with self._lock:
            is_awaited = self._idle > 0
            self._idle -= is_awaited
        if is_awaited:
            self._tasks.put(task)
        else:
            self._start(task)
        return future

    def _start(self, first: Task) -> None:
        thread = threading.Thread(target=self._work, args=(first,), name=self._name, daemon=True)
        thread.start()
        with self._lock:
            self._threads.add(thread)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Idle threads end now, busy ones after their task; tasks submitted later still run."""
        with self._lock:
            self._idle_seconds = 0.0
            woken, self._idle = self._idle, 0
        for _ in range(woken):
            self._tasks.put(None)

    def join(self, deadline: float) -> None:
        with self._lock:
            threads = list(self._threads)
        for each in threads:
            each.join(max(0.0, deadline - time.monotonic()))

    def _work(self, first: Task) -> None:
        task: Task | None = first
        del first  # a task references a request and its results
        while task is not None:
            task()
            task = None
            with self._lock:
                self._idle += 1
            task = self._next()

    def _next(self) -> Task | None:
        try:
            return self._tasks.get(timeout=self._idle_seconds)
        except queue.Empty:
            return self._leave()

    def _leave(self) -> Task | None:
        """An ending thread may have been counted as idle already: then its task, or the sentinel, is in the queue."""
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
                return None
        return self._tasks.get()


@atexit.register  # registered early, so it runs after the exit handlers of clients that were created later
def end_idle_threads() -> None:
    """Objects that a thread references when Python ends are never freed, and DuckDB's binding prints a line for
    each."""
    for each in list(_pools):
        each.shutdown()
    deadline = time.monotonic() + EXIT_SECONDS
    for each in list(_pools):
        each.join(deadline)


def settle(future: "Future[Any]", call: Callable[..., Any], args: Any, kwargs: Any) -> None:
    try:
        future.set_result(call(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001  the future passes it on to the caller that waits
        future.set_exception(error)
