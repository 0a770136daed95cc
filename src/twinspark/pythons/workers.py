"""Worker processes: one daemon that forks them for each environment, and a session's own that wait for more work."""

import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, cast

from twinspark.errors import NotNative
from twinspark.pythons import wire

log = logging.getLogger("twinspark.pythons")
IDLE_SECONDS = 60.0
MOST_IDLE = 8
BUFFER = 1 << 20
FAULTS = "PYTHON_FAULTHANDLER_DIR"  # where workers write what killed them, each under its number
MODULE = "TWINSPARK_WORKER_MODULE"  # which of PySpark's workers a daemon forks, if not the one that runs functions
OWN_ENVIRONMENT = {
    "SPARK_REUSE_WORKER": "1",
    "SPARK_PYTHON_RUNTIME": "PYTHON_WORKER",
    "SPARK_BUFFER_SIZE": "65536",
    "SPARK_AUTH_SOCKET_TIMEOUT": "15",
    "PYTHON_UDF_BATCH_SIZE": "100",
    "PYTHONUNBUFFERED": "YES",
    "OMP_NUM_THREADS": "1",
}


class Daemon:
    """Forks a worker for each connection; ends with our process, since it then reads the end of its input."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.secret = secrets.token_hex(32)
        own = {**OWN_ENVIRONMENT, **environment, "PYTHON_WORKER_FACTORY_SECRET": self.secret}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "twinspark.pythons.forks"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **own},
        )
        output = cast(IO[bytes], self.process.stdout)
        try:
            self.port = wire.read_integer(output)
        except EOFError as error:
            raise NotNative("Python workers do not start") from error
        # What functions print goes where our own messages go; nobody reading it would make them wait.
        threading.Thread(target=shutil.copyfileobj, args=(output, sys.stderr.buffer), daemon=True).start()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        cast(IO[bytes], self.process.stdin).close()
        self.process.wait(10)


class Worker:
    """A connection to a process of its own, which can be given one task after another."""

    def __init__(self, daemon: Daemon) -> None:
        self.socket = socket.create_connection(("127.0.0.1", daemon.port))
        self.input = cast(IO[bytes], self.socket.makefile("rb", BUFFER))
        self.output = cast(IO[bytes], self.socket.makefile("wb", BUFFER))
        self.pid = wire.read_integer(self.input)
        self.output.write(wire.text(daemon.secret))
        self.output.flush()
        if wire.read_framed(self.input) != b"ok":
            raise NotNative("a Python worker refused us")

    def close(self) -> None:
        """Its process ends when it finds nobody at the other side."""
        self.socket.close()
        for file in (self.input, self.output):
            with suppress(OSError, ValueError):
                file.close()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes whoever reads or writes


class Daemons:
    """A server's daemons: one for each environment that sessions ask for."""

    def __init__(self) -> None:
        self._daemons: dict[frozenset[tuple[str, str]], Daemon] = {}
        self._lock = threading.Lock()

    def worker(self, environment: Mapping[str, str]) -> Worker:
        with self._lock:
            key = frozenset(environment.items())
            found = self._daemons.get(key)
            if found is None or not found.alive:
                found = self._daemons[key] = Daemon(environment)
        return Worker(found)

    def close(self) -> None:
        with self._lock:
            for daemon in self._daemons.values():
                daemon.close()
            self._daemons.clear()


DAEMONS = Daemons()


class Pool:
    """A session's workers: what one user's functions import or change, another's never see."""

    def __init__(self) -> None:
        self._idle: list[tuple[frozenset[tuple[str, str]], Worker, threading.Timer]] = []
        self._lock = threading.Lock()
        self._closed = False
        self._accumulated: list[bytes] = []

    def accumulate(self, values: Sequence[bytes]) -> None:
        """What workers counted beside their rows: profiles, for the client."""
        with self._lock:
            self._accumulated += values

    def accumulated(self) -> list[bytes]:
        """What came since somebody asked last."""
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
        return DAEMONS.worker(environment)

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
