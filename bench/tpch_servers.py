"""Starts the servers that the benchmark measures, one at a time, and watches their memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from data import DATA
from pyspark.sql.connect.proto import base_pb2, base_pb2_grpc

from twinspark.relay.launch import Jvm, LaunchSettings, free_port

SAIL_ENVIRONMENT = DATA / "sail-venv"
SAIL_PACKAGES = ("pysail==0.7.2", "pyspark-client==4.2.0")
READY_WITHIN = 120.0
NOT_YET = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


@dataclass(frozen=True)
class Server:
    """A running Spark Connect server and how long it took until it answered a first query."""

    url: str
    pid: int
    ready_seconds: float

    def peak_memory(self) -> int:
        """Largest resident size in bytes since the last reset, the children's added."""
        return sum(high_water_mark(pid) for pid in family(self.pid))

    def cpu_seconds(self) -> float:
        """Processor time used so far; on a busy machine steadier than the clock."""
        return sum(used_cpu(pid) for pid in family(self.pid))

    def reset_peak_memory(self) -> None:
        """Linux forgets the high-water mark when 5 is written here."""
        for pid in family(self.pid):
            Path(f"/proc/{pid}/clear_refs").write_text("5")


def high_water_mark(pid: int) -> int:
    """VmHWM of one process."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")), 0)


def used_cpu(pid: int) -> float:
    """User and system time of one process, its ended threads included: the clock that clock_getcpuclockid names on
    Linux, which is finer than the ticks of /proc."""
    return time.clock_gettime((~pid << 3) | 2)


def family(pid: int) -> list[int]:
    """The process and all below it."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = [int(child) for child in children.read_text().split()] if children.exists() else []
    return [pid, *(one for child in below for one in family(child))]


@contextmanager
def twinspark() -> Iterator[Server]:
    """The embedded engine alone: no JVM is ever started."""
    command = [sys.executable, "-m", "twinspark"]
    subprocess.run([*command, "--version"], env=with_bytecode(), stdout=subprocess.DEVNULL, check=True)
    yield from run([*command, "serve", "--engine", "duckdb", "--port"], with_bytecode())


def with_bytecode() -> dict[str, str]:
    """A package that pip has installed is compiled; one that runs from its sources is so after its first start."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(DATA / "bytecode")}


@contextmanager
def sail() -> Iterator[Server]:
    """Sail, from an environment of its own."""
    yield from run([str(SAIL_ENVIRONMENT / "bin" / "sail"), "spark", "server", "--ip", "127.0.0.1", "--port"])


@contextmanager
def spark() -> Iterator[Server]:
    """Apache Spark, started as twinspark starts it, reached without twinspark in between."""
    started = time.perf_counter()
    jvm = Jvm(LaunchSettings(memory="6g"))
    try:
        url = f"sc://localhost:{jvm.port}"
        until_it_answers(jvm.port, lambda: jvm.alive)
        yield Server(url, jvm.pid, time.perf_counter() - started)
    finally:
        jvm.stop()


def run(command: list[str], environment: dict[str, str] | None = None) -> Iterator[Server]:
    """A child process that takes its port as the last argument."""
    port, started = free_port(), time.perf_counter()
    log = DATA / "bench-server.log"
    with log.open("wb") as output:
        process = subprocess.Popen([*command, str(port)], stdout=output, stderr=subprocess.STDOUT, env=environment)
    try:
        until_it_answers(port, lambda: process.poll() is None)
        yield Server(f"sc://localhost:{port}", process.pid, time.perf_counter() - started)
    finally:
        process.terminate()
        process.wait(30)


def until_it_answers(port: int, alive: Callable[[], bool]) -> None:
    """Ask for the server's version until it is given; the client itself would wait and retry far too politely."""
    request = base_pb2.AnalyzePlanRequest(session_id="00112233-4455-6677-8899-aabbccddeeff")
    request.user_context.user_id = "bench"
    request.spark_version.SetInParent()
    give_up = time.perf_counter() + READY_WITHIN
    while time.perf_counter() < give_up and alive():
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            try:
                base_pb2_grpc.SparkConnectServiceStub(channel).AnalyzePlan(request, timeout=5)
                return
            except grpc.RpcError as error:
                if error.code() not in NOT_YET:
                    raise
                time.sleep(0.02)
    raise TimeoutError(f"no answer on port {port}; see {DATA / 'bench-server.log'}")


def install_sail() -> bool:
    """Whether Sail is there, installing it when pip can find it."""
    if not (SAIL_ENVIRONMENT / "bin" / "sail").exists():
        subprocess.run([sys.executable, "-m", "venv", str(SAIL_ENVIRONMENT)], check=True)
        pip = [str(SAIL_ENVIRONMENT / "bin" / "pip"), "install", "-q", *SAIL_PACKAGES]
        return subprocess.run(pip, check=False).returncode == 0
    return True


SERVERS: dict[str, Callable[[], AbstractContextManager[Server]]] = {
    "twinspark": twinspark,
    "sail": sail,
    "spark": spark,
}


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return {"cores": str(os.cpu_count()), "memory": f"{memory:.0f} GiB", "load at start": load}
