"""A server in a process of its own, which may die without the tests."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from waiting import until

Serve = Callable[..., "Attacked"]


class Attacked:
    """A `twinspark serve` of its own: its address, its log, and whether it still lives."""

    def __init__(self, directory: Path, options: list[str], environment: dict[str, str], limit: list[str]) -> None:
        self.port = free_port()
        self.log = directory / f"server-{self.port}.log"
        command = [*limit, sys.executable, "-m", "twinspark", "serve", "--port", str(self.port), *options]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=directory, env={**os.environ, **environment}
            )
        until(self.listens)

    @property
    def url(self) -> str:
        return f"sc://localhost:{self.port}"

    def listens(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        return False

    def session(self) -> Any:
        from pyspark.sql import SparkSession

        return SparkSession.builder.remote(self.url).create()

    def resident_kib(self) -> int:
        """Memory that the server's process holds now."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    def check_alive(self) -> None:
        """Whatever came before: the process is there and answers a new client."""
        assert self.process.poll() is None, self.log.read_text()[-4000:]
        session = self.session()
        assert session.sql("select 1 + 1 as two").collect() == [(2,)]
        session.stop()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(directory: Path, options: list[str], environment: dict[str, str], limit: list[str]) -> Iterator[Attacked]:
    server = Attacked(directory, options, environment, limit)
    try:
        yield server
    finally:
        server.stop()
