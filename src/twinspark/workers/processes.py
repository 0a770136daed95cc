"""Starts and pools Python worker processes: one process forks them all, and each session keeps its own idle workers."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, cast

from twinspark import scratch
from twinspark.errors import NotNative, reasons
from twinspark.workers.limits import WorkerLimits, environment

log = logging.getLogger("twinspark.workers")
IDLE_SECONDS = 60.0
MOST_IDLE = 8
BUFFER = 1 << 20
REQUEST_BYTES = 1 << 16
ANSWER_BYTES = 8
PRINTED_BYTES, PRINTED_SECONDS = 4 << 20, 60.0  # at most so many bytes of functions' output are logged in such a time
FAULTS = "PYTHON_FAULTHANDLER_DIR"  # where a worker's fault handler writes, in a file named after the process id
DIRECTORY = "TWINSPARK_WORKER_DIRECTORY"  # a worker's current directory: the session's own, not on sys.path
MODULE = "TWINSPARK_WORKER_MODULE"  # which of PySpark's worker modules to run, if not the one that runs functions
OWN_ENVIRONMENT = {
    "SPARK_REUSE_WORKER": "1",
    "SPARK_PYTHON_RUNTIME": "PYTHON_WORKER",
    "SPARK_BUFFER_SIZE": "65536",
    "SPARK_AUTH_SOCKET_TIMEOUT": "15",
    "PYTHON_UDF_BATCH_SIZE": "100",
    "PYTHONUNBUFFERED": "YES",
    "OMP_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Confinement:
    """Limits, user (None: the server's) and directory of a session's workers."""

    limits: WorkerLimits
    user: int | None = None
    directory: str = "/"

    def request(self, environment: Mapping[str, str]) -> bytes:
        """The message that `fork_server` reads."""
        limits, home = self.limits, {DIRECTORY: self.directory, "HOME": self.directory, "TMPDIR": self.directory}
        asked = {
            "environment": {**home, **environment},
            "directory": self.directory,
            "user": self.user,
            "memory": limits.memory,
            "processes": limits.processes,
            "files": limits.files,
            "file_size": limits.file_size,
            "report": kill_reports(),
        }
        return json.dumps(asked).encode()


@cache
def kill_reports() -> str:
    """The directory where guards write why they killed a worker, in a file named after the process id."""
    return str(scratch.directory("killed"))


def kill_reason(process: int | None) -> str:
    """Why its guard killed a worker, or an empty string."""
    report = Path(kill_reports(), str(process))
    if not report.is_file():
        return ""
    reason = report.read_text()
    report.unlink()
    return reason


class Daemon:
    """The process that forks a worker for each request; it ends with this process, which closes its socket."""

    forks = 0  # of all daemons, for the metrics

    def __init__(self, variables: tuple[str, ...] = ()) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "twinspark.workers.fork_server"],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            env={**environment(os.environ, variables), **OWN_ENVIRONMENT},
            start_new_session=True,
        )
        theirs.close()
        threading.Thread(target=log_printed, args=(self.process.stderr,), daemon=True, name="python-prints").start()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def fork(self, request: bytes, theirs: socket.socket) -> int:
        """The process id of the new worker, which has the other end of the socket."""
        with self._lock:
            try:
                socket.send_fds(self._control, [request], [theirs.fileno()])
                answer = self._control.recv(ANSWER_BYTES, socket.MSG_WAITALL)
            except OSError as error:
                raise NotNative(reasons.PYTHON_WORKER_FAILED, "the worker does not start") from error
        number = int.from_bytes(answer, "big", signed=True)
        if number <= 0:
            raise NotNative(
                reasons.PYTHON_WORKER_FAILED,
                f"the worker does not start: {os.strerror(-number) if number else 'no answer'}",
            )
        Daemon.forks += 1
        return number

    def close(self) -> None:
        self._control.close()
        self.process.wait(10)


def log_printed(output: IO[bytes]) -> None:
    """Copies what functions print to the server's log; an unread pipe would block them.

    The amount is limited: a function that prints without end would fill the disk."""
    left, until = PRINTED_BYTES, time.monotonic() + PRINTED_SECONDS
    while printed := output.read1(BUFFER):  # type: ignore[attr-defined]
        if time.monotonic() > until:
            left, until = PRINTED_BYTES, time.monotonic() + PRINTED_SECONDS
        if left > 0:
            sys.stderr.buffer.write(printed[:left])
            sys.stderr.buffer.flush()
            if len(printed) >= left:
                log.warning("Python functions printed over %d bytes: the rest of this minute is dropped", PRINTED_BYTES)
        left -= len(printed)


class Worker:
    """A connection to one worker process, which runs one task after another."""

    def __init__(self, daemon: Daemon, request: bytes) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.pid = daemon.fork(request, theirs)
        self.input = cast(IO[bytes], self.socket.makefile("rb", BUFFER))
        self.output = cast(IO[bytes], self.socket.makefile("wb", BUFFER))

    def close(self) -> None:
        """Closes the connection; the process then ends."""
        self.socket.close()
        for file in (self.input, self.output):
            with suppress(OSError, ValueError):
                file.close()

    def kill(self) -> None:
        """Signals the guard, which kills the worker and every process that it started (`inside/guard.py`)."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes threads that read or write


class Daemons:
    """The server's forking processes: one for each list of environment variables that operators let through."""

    def __init__(self) -> None:
        self._daemons: dict[tuple[str, ...], Daemon] = {}
        self._lock = threading.Lock()

    def worker(self, confinement: Confinement, environment: Mapping[str, str]) -> Worker:
        variables = confinement.limits.variables
        with self._lock:
            found = self._daemons.get(variables)
            if found is None or not found.alive:
                found = self._daemons[variables] = Daemon(variables)
        return Worker(found, confinement.request(environment))

    def close(self) -> None:
        with self._lock:
            for daemon in self._daemons.values():
                daemon.close()
            self._daemons.clear()


DAEMONS = Daemons()


class Pool:
    """The workers of one session; no other session uses them, so modules and globals are not shared between users."""

    def __init__(self, confined: Callable[[], Confinement]) -> None:
        self._confined = confined
        self._idle: list[tuple[frozenset[tuple[str, str]], Worker, threading.Timer]] = []
        self._lock = threading.Lock()
        self._closed = False
        self._accumulated: list[bytes] = []

    @property
    def seconds(self) -> int:
        """The time limit of one run; 0 means none."""
        return self._confined().limits.seconds

    def accumulate(self, values: Sequence[bytes]) -> None:
        """Stores accumulator updates of workers: profiles, for the client."""
        with self._lock:
            self._accumulated += values

    def take_accumulated(self) -> list[bytes]:
        """The accumulator updates since the last call."""
        with self._lock:
            values, self._accumulated = self._accumulated, []
            return values

    def take(self, environment: Mapping[str, str]) -> Worker:
        key = frozenset(environment.items())
        with self._lock:
            for place, (made_for, worker, timer) in enumerate(self._idle):
                if made_for == key:
                    del self._idle[place]
                    timer.cancel()
                    return worker
        return DAEMONS.worker(self._confined(), environment)

    def give_back(self, worker: Worker, environment: Mapping[str, str]) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < MOST_IDLE:
                timer = threading.Timer(IDLE_SECONDS, self._retire, [worker])
                timer.daemon = True
                timer.start()
                self._idle.append((frozenset(environment.items()), worker, timer))
                return
        worker.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, worker, timer in idle:
            timer.cancel()
            worker.close()

    def _retire(self, worker: Worker) -> None:
        with self._lock:
            left = [each for each in self._idle if each[1] is not worker]
            found = len(left) < len(self._idle)
            self._idle = left
        if found:
            worker.close()
