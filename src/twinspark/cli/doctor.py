"""`twinspark doctor`: Java, Spark, DuckDB, memory and ports: what is found and what is missing, in words."""

import os
import shutil
import socket
from collections.abc import Callable
from importlib.metadata import version

import duckdb

from twinspark.spark.java import JavaNotFound, find_java
from twinspark.spark.launch import spark_home

GIBIBYTE = 1024**3


def examine() -> int:
    """Prints a line for each finding; the exit code says whether both engines can run."""
    findings = [check() for check in CHECKS]
    for good, words in findings:
        print(f"{'ok      ' if good else 'missing '} {words}")
    return 0 if all(good for good, _ in findings) else 1


def java() -> tuple[bool, str]:
    try:
        found = find_java()
    except JavaNotFound as error:
        return False, f"Java: {error}"
    return True, f"Java {found.version} from {found.source}: {found.executable}"


def spark() -> tuple[bool, str]:
    jars = len(list((spark_home() / "jars").glob("*.jar")))
    return jars > 0, f"Spark {version('pyspark')} with {jars} jars in {spark_home()}"


def duck() -> tuple[bool, str]:
    answer = duckdb.connect().execute("select 42").fetchone()
    return answer == (42,), f"DuckDB {version('duckdb')} answers a query"


def memory() -> tuple[bool, str]:
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIBIBYTE
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIBIBYTE
    return total >= 2, f"memory: {available:.1f} of {total:.1f} GiB free; Spark's heap is 4 GiB unless told otherwise"


def disk() -> tuple[bool, str]:
    free = shutil.disk_usage(".").free / GIBIBYTE
    return free > 1, f"disk: {free:.1f} GiB free here"


def port() -> tuple[bool, str]:
    with socket.socket() as probe:
        busy = probe.connect_ex(("127.0.0.1", 15002)) == 0
    return True, f"port 15002 is {'taken: serve with --port' if busy else 'free'}"


CHECKS: tuple[Callable[[], tuple[bool, str]], ...] = (java, spark, duck, memory, disk, port)
