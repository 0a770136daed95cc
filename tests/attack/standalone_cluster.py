"""A Spark standalone cluster of real processes: one master and workers of one core each, from pip's PySpark."""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import IO

from tests.waiting import until
from twinspark.relay.launch import MODULE_OPTIONS, environment, free_port, spark_home
from twinspark.sessions.java import find_java

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
READY_SECONDS = 120.0


class Daemon:
    """One JVM of the cluster with its log; `kill` takes its executors along."""

    def __init__(self, name: str, words: list[str], directory: Path, extra: dict[str, str] | None = None) -> None:
        self.log_path = directory / f"{name}-{time.monotonic_ns()}.log"
        self._log: IO[bytes] = self.log_path.open("wb")
        java = [str(find_java().executable), "-Xmx300m", *MODULE_OPTIONS, "-cp", str(spark_home() / "jars" / "*")]
        own = {"SPARK_SCALA_VERSION": "2.13", "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(directory)}
        self.process = subprocess.Popen(
            [*java, *words],
            env={key: value for key, value in (environment() | own | (extra or {})).items() if value},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            cwd=directory,
        )

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def kill(self) -> None:
        for pid in [*descendants(self.process.pid), self.process.pid]:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        self.process.wait()
        self._log.close()


def descendants(pid: int) -> list[int]:
    children = [int(word) for task in Path(f"/proc/{pid}/task").glob("*/children") for word in task.read_text().split()]
    return [each for child in children for each in [*descendants(child), child]]


class StandaloneCluster:
    """`with StandaloneCluster() as cluster:` starts it; whatever happens, nothing of it stays."""

    def __init__(self, workers: int = 2, worker_environment: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self._folder = tempfile.TemporaryDirectory(prefix="twinspark-cluster-", ignore_cleanup_errors=True)
        self.directory = Path(self._folder.name)
        self._wanted, self._worker_environment = workers, worker_environment
        self.master: Daemon | None = None
        self.workers: list[Daemon] = []

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def __enter__(self) -> "StandaloneCluster":
        try:
            self.start_master()
            for _ in range(self._wanted):
                self.start_worker()
            self.wait_for_workers(self._wanted)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start_master(self) -> None:
        ports = ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0"]
        self.master = Daemon("master", [MASTER, *ports], self.directory)
        until(lambda: "I have been elected leader" in self._master_log(), READY_SECONDS)

    def start_worker(self) -> Daemon:
        limits = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "700m"]
        worker = Daemon("worker", [WORKER, *limits, self.url], self.directory, self._worker_environment)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self, count: int) -> None:
        until(lambda: len(re.findall(r"Registering worker", self._master_log())) >= count, READY_SECONDS)

    def kill_master(self) -> None:
        if self.master is not None:
            self.master.kill()
            self.master = None

    def stop(self) -> None:
        for worker in self.workers:
            worker.kill()
        self.workers.clear()
        self.kill_master()
        self._folder.cleanup()

    def _master_log(self) -> str:
        return self.master.log if self.master is not None else ""


if __name__ == "__main__":
    with StandaloneCluster() as cluster:
        print(cluster.url, spark_home(), sys.executable, flush=True)
        time.sleep(3600)
