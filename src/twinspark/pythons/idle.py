"""A worker that says nothing for too long, and the users who asked that it be killed then (killOnIdleTimeout)."""

import io
import select
from collections.abc import Callable
from typing import IO, cast

from twinspark.errors import JavaError, NotNative
from twinspark.pythons.workers import BUFFER, Worker

WORKER_EXCEPTION = "org.apache.spark.api.python.PythonWorkerException"


class Watched(io.RawIOBase):
    """What a worker sends. Only a worker that has all its rows can be idle: else we may be the slow ones."""

    def __init__(self, worker: Worker, seconds: int, is_fed: Callable[[], bool]) -> None:
        self._worker = worker
        self._seconds = seconds
        self._is_fed = is_fed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        while not select.select([self._worker.socket], [], [], self._seconds)[0]:
            if self._is_fed():
                self._worker.kill()
                raise idle(self._seconds)
        return self._worker.socket.recv_into(buffer)


def idle(seconds: int) -> NotNative:
    said = f"Python worker process terminated due to idle timeout (timeout: {seconds} seconds)"
    return NotNative("a Python worker that was idle for too long", nearest=JavaError(WORKER_EXCEPTION, said))


def watched(worker: Worker, seconds: int, is_fed: Callable[[], bool]) -> IO[bytes]:
    return cast(IO[bytes], io.BufferedReader(Watched(worker, seconds, is_fed), BUFFER))
