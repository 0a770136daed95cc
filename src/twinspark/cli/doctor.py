"""`twinspark doctor`: reports whether Java, Spark, DuckDB, memory and ports are as both engines need them."""

import json
import os
import shutil
import socket
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version

from twinspark.installed import jars_version, missing_spark, pyspark_folder, pyspark_problem, pyspark_version
from twinspark.sessions.java import JavaNotFound, find_java

GIBIBYTE = 1024**3


def examine(server: str | None = None, spark_master: str = "", spark_remote: str | None = None) -> int:
    """Prints one line per check; the exit code says whether both engines can run."""
    fits, finding = pyspark()
    findings = [(fits, finding), *(check() for check in CHECKS)]
    if fits:
        findings.append(extension())
        findings += [master(spark_master)] if spark_master else []
        findings += [remote(spark_remote)] if spark_remote else []
        findings += [spark_of_server(server)] if server else []
    for good, finding in findings:
        print(f"{'ok      ' if good else 'missing '} {finding}")
    return 0 if all(good for good, _ in findings) else 1


def pyspark() -> tuple[bool, str]:
    """PySpark's client, which both engines need: without it the other checks cannot be imported."""
    problem = pyspark_problem()
    return not problem, problem or f"PySpark {pyspark_version()} in {pyspark_folder()}"


def java() -> tuple[bool, str]:
    try:
        found = find_java()
    except JavaNotFound as error:
        return False, f"Java: {error}"
    return True, f"Java {found.version} from {found.source}: {found.executable}"


def spark() -> tuple[bool, str]:
    missing = missing_spark()
    return not missing, missing or f"Spark {jars_version()}"


def duck() -> tuple[bool, str]:
    try:
        import duckdb
    except ImportError as failure:
        return False, f"DuckDB: {failure}"
    with duckdb.connect() as connection:
        answer = connection.execute("select 42").fetchone()
    return answer == (42,), f"DuckDB {version('duckdb')} answers a query"


def extension() -> tuple[bool, str]:
    """The C extension; without it even `upper` falls back to Spark."""
    import duckdb

    from twinspark.duck import native

    if native.MISSING:
        return False, f"native functions: {native.MISSING}; install twinspark again, from a wheel or with a C compiler"
    with duckdb.connect(config=dict(native.CONFIG)) as connection:
        native.load(connection)
    return True, f"native functions: {len(native.FUNCTIONS)} in {native.LIBRARY.name}"


def memory() -> tuple[bool, str]:
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIBIBYTE
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIBIBYTE
    return total >= 2, f"memory: {available:.1f} of {total:.1f} GiB free; Spark's heap is 4 GiB by default"


def disk() -> tuple[bool, str]:
    free = shutil.disk_usage(".").free / GIBIBYTE
    return free > 1, f"disk: {free:.1f} GiB free in this directory"


def port() -> tuple[bool, str]:
    with socket.socket() as probe:
        busy = probe.connect_ex(("127.0.0.1", 15002)) == 0
    return True, f"port 15002 is {'taken: serve with --port' if busy else 'free'}"


def master(url: str) -> tuple[bool, str]:
    """Connects to a standalone master; whether workers have free resources is known only after a start."""
    from twinspark.relay.engine import REACH_SECONDS
    from twinspark.relay.reachable import STANDALONE, unreachable_master

    reason = unreachable_master(url, REACH_SECONDS)
    return not reason, reason or f"master {url}: " + (
        "reached" if url.startswith(STANDALONE) else "checked at its start"
    )


def remote(url: str) -> tuple[bool, str]:
    from twinspark.relay.engine import RemoteSpark, SparkUnavailable

    try:
        RemoteSpark(url).relay().close()
    except SparkUnavailable as failure:
        return False, str(failure)
    return True, f"Spark answers at {url.split(';')[0]}"


def spark_of_server(url: str) -> tuple[bool, str]:
    """What a running twinspark server reports about its Spark."""
    import grpc
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.client import SparkConnectClient
    from pyspark.sql.connect.proto import base_pb2

    from twinspark.doors.connect.config import SPARK_STATUS

    get = base_pb2.ConfigRequest.Operation(get=base_pb2.ConfigRequest.Get(keys=[SPARK_STATUS]))
    try:
        with closing(SparkConnectClient(url, retry_policy={"max_retries": 0})) as client:
            (pair,) = client.config(get).pairs
    except grpc.RpcError as failure:
        return False, f"no twinspark answers at {url.split(';')[0]}: {failure.details()}"
    except PySparkException as failure:
        return False, f"{url.split(';')[0]} is no twinspark: {failure}"
    status = json.loads(pair[1] or "{}")
    facts = ", ".join(f"{key} {value}" for key, value in status.items() if value not in ("", 0, 0.0))
    return status["state"] not in ("failed", "open", "silent"), f"Spark of {url.split(';')[0]}: {facts}"


CHECKS: tuple[Callable[[], tuple[bool, str]], ...] = (java, spark, duck, memory, disk, port)
