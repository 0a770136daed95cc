"""A pool of daemon threads, reused while idle: unlike the standard pool it still works while Python is exiting.

An embedded server must answer its own client's farewell, which PySpark sends from an exit handler.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Task = Callable[[], None]
# Set by the operation that a thread works for: whether its client wants it no more; long work between queries asks.
CANCELLED: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)


class DaemonThreads(Executor):
    """As many threads as there is work at once; an idle one ends after a minute."""

    def __init__(self, name: str, idle_seconds: float = 60.0) -> None:
        self._name = name
        self._idle_seconds = idle_seconds
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._idle = 0
        self._lock = threading.Lock()

    def submit(
        self, call: Callable[Arguments, Answer], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Answer]":
        future: Future[Answer] = Future()
        self._tasks.put(lambda: settle(future, call, args, kwargs))
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
                return future
        threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Threads end by themselves; nothing waits for them."""

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task()
            del task  # it holds a request and its results
            with self._lock:
                self._idle += 1

    def _next(self) -> Task | None:
        try:
            return self._tasks.get(timeout=self._idle_seconds)
        except queue.Empty:
            return self._leave()

    def _leave(self) -> Task | None:
        """Nobody may count on a thread that goes: if it was already counted on, its task is waiting."""
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
                return None
        return self._tasks.get()


def settle(future: "Future[Any]", call: Callable[..., Any], args: Any, kwargs: Any) -> None:
    try:
        future.set_result(call(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001  a future's business is to carry it to whoever waits
        future.set_exception(error)
