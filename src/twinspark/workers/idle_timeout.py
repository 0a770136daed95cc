"""Kills a worker that sends nothing for idleTimeoutSeconds, where killOnIdleTimeout is set."""

import io
import select
from collections.abc import Callable
from typing import IO, cast

from twinspark.errors import JavaError, NotNative, reasons
from twinspark.workers.processes import BUFFER, Worker

WORKER_EXCEPTION = "org.apache.spark.api.python.PythonWorkerException"


class TimedInput(io.RawIOBase):
    """A worker's output with a timeout. It counts only once the worker has all its input: before, the input may be
    slow."""

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
                raise idle_error(self._seconds)
        return self._worker.socket.recv_into(buffer)


def idle_error(seconds: int) -> NotNative:
    said = f"Python worker process terminated due to idle timeout (timeout: {seconds} seconds)"
    return NotNative(
        reasons.PYTHON_WORKER_FAILED, "the worker was idle for too long", likely_error=JavaError(WORKER_EXCEPTION, said)
    )


def open_with_timeout(worker: Worker, seconds: int, is_fed: Callable[[], bool]) -> IO[bytes]:
    return cast(IO[bytes], io.BufferedReader(TimedInput(worker, seconds, is_fed), BUFFER))
