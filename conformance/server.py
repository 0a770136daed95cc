"""Starts the server under test for a suite and ends it afterwards."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from environment import ROOT, Suite, package_directory

from twinspark.relay.launch import free_port

READY_WITHIN = 60.0
FOLDING = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"


@contextmanager
def serving(engine: str, suite: Suite, kind: str = "") -> Iterator[str]:
    """The address of `twinspark serve --engine …`; its log is kept beside the results."""
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="twinspark-suite-") as warehouse,
        (ROOT / f"server-{engine}.log").open("wb") as log,
    ):
        process = subprocess.Popen(
            command(engine, port, warehouse, kind),
            cwd=suite.source,  # tests name python/test_support/... relative to the server
            env=environment(suite, engine),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            until_it_listens(port, process)
            yield f"sc://localhost:{port}"
            if engine == "duckdb":
                expect_no_jvm(process.pid)
        finally:
            process.terminate()
            process.wait(30)


def command(engine: str, port: int, warehouse: str, kind: str) -> list[str]:
    """As the reference run was: how many partitions there are shows in sums of doubles and in rows without an order.
    Spark's golden files were written by a session of two tasks whose optimizer computes no rows (TestSparkSession,
    SharedSparkSession)."""
    serve = [sys.executable, "-m", "twinspark", "serve", "--engine", engine, "--port", str(port)]
    early = ["--prewarm"] if engine == "auto" else []  # no case has to wait for a JVM: the reference was up as well
    tasks = 2 if kind == "golden" else 4
    spark = ["--spark-master", f"local[{tasks}]", "--conf", "spark.sql.shuffle.partitions=4"]
    spark += ["--conf", f"spark.sql.optimizer.excludedRules={FOLDING}"] if kind == "golden" else []
    # Spark's own SQL tests tell how its tables are stored: those without USING are Parquet's there.
    tables = ["--conf", "twinspark.tables.provider=parquet"] if kind == "golden" else []
    return [*serve, *early, "--warehouse", warehouse, *spark, *tables]


def environment(suite: Suite, engine: str) -> dict[str, str]:
    """Functions defined in pyspark.sql.tests are found only by the suite's own interpreter; the embedded engine runs
    functions with the interpreter it runs in itself, which is given the suite's PySpark."""
    named = {"PYSPARK_PYTHON": str(suite.python), "PYSPARK_DRIVER_PYTHON": str(suite.python)}
    path = os.pathsep.join(filter(None, (str(with_tests(suite)), os.environ.get("PYTHONPATH"))))
    python = {"PYTHONPATH": path} if engine == "duckdb" else named
    return {**os.environ, **python, "SPARK_TESTING": "1"}


def with_tests(suite: Suite) -> Path:
    """A directory with nothing in it but the suite's PySpark, which has its tests, and what profiles memory."""
    directory = ROOT / "with-tests"
    directory.mkdir(exist_ok=True)
    packages = package_directory(suite.python).parent
    for name in ("pyspark", "memory_profiler.py", "psutil"):
        link = directory / name
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(packages / name)
    return directory


def until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    """The port is opened when everything behind it is ready."""
    give_up = time.perf_counter() + READY_WITHIN
    while time.perf_counter() < give_up and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"the server does not listen; see {ROOT}/server-*.log")


def expect_no_jvm(pid: int) -> None:
    """The native share is worth nothing if Spark helped."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    if any(Path(f"/proc/{child}/comm").read_text().strip() == "java" for child in children):
        raise RuntimeError("a JVM was started in duckdb mode")
