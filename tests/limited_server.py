"""A server in a process of its own that may use little memory; its peak tells whether a kernel would have killed it."""

import os
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.errors.exceptions.connect import SparkConnectGrpcException
from pyspark.sql import SparkSession

from twinspark.duck.memory import bytes_of

HEAP = (
    "Java heap space"  # what a client of Spark's sees of java.lang.OutOfMemoryError on the driver, with gRPC's UNKNOWN
)
STARTING_SECONDS = 120


class LimitedServer:
    """`twinspark serve --engine duckdb --memory-limit …`, and one client; in a control group the option is left out."""

    def __init__(
        self, limit: str, *options: str, address_space: str | None = None, group: "ControlGroup | None" = None
    ) -> None:
        self.limit = bytes_of(limit)
        port = free_port()
        enter = [] if group is None else ["sh", "-c", f'echo $$ > {group.members} && exec "$@"', "sh"]
        allowed = ["--memory-limit", limit] if group is None else []
        command = [*enter, sys.executable, "-m", "twinspark", "serve", "--port", str(port), *allowed]
        self.process = subprocess.Popen([*command, "--engine", "duckdb", *options], stderr=subprocess.DEVNULL)
        if address_space is not None:
            most = bytes_of(address_space)
            resource.prlimit(self.process.pid, resource.RLIMIT_AS, (most, most))
        self.spark = self.client(port)

    def client(self, port: int) -> Any:
        wait_for(port)
        spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        spark.client.set_retry_policies([])  # a server that is gone would be asked for ten minutes
        return spark

    @property
    def peak(self) -> int:
        """Most resident memory so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024

    def forget_peak(self) -> None:
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def error_of(self, query: str) -> str:
        """What the client is told; the server is then alive, within its limit, and right."""
        self.forget_peak()
        try:
            answer = self.spark.sql(query).collect()
        except SparkConnectGrpcException as error:
            told = str(error)
        else:
            raise AssertionError(f"{query} was answered: {str(answer)[:100]}")
        self.check()
        return told

    def check(self) -> None:
        assert self.process.poll() is None
        assert self.spark.sql("select sum(id) from range(100)").collect()[0][0] == 4950
        assert self.peak <= self.limit, f"{self.peak} bytes were in use"

    def stop(self) -> None:
        self.spark.stop()
        self.process.terminate()
        self.process.wait()


class ControlGroup:
    """A control group of the kernel (version 1 or 2) with a limit of memory: what takes more is killed."""

    def __init__(self, limit: str) -> None:
        first = Path("/sys/fs/cgroup/memory")
        self.folder = (first if first.is_dir() else first.parent) / f"twinspark-test-{os.getpid()}"
        self.members = self.folder / "cgroup.procs"
        self.folder.mkdir()
        try:
            setting = "memory.limit_in_bytes" if first.is_dir() else "memory.max"
            (self.folder / setting).write_text(str(bytes_of(limit)))
        except OSError:
            self.folder.rmdir()
            raise

    def remove(self) -> None:
        self.folder.rmdir()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    until = time.monotonic() + STARTING_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
