"""`twinspark run`: an unchanged script, a SQL file or a JSON plan against a server of its own."""

import logging
import os
import subprocess
import sys
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.errors.exceptions.base import QueryContextType
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import SparkError
from twinspark.plans_json.command import run_arguments, run_fixture
from twinspark.read.sql import split_statements
from twinspark.session.settings import Settings


def run_program(settings: Settings, program: Path, arguments: list[str], fixture: bool = False) -> int:
    server = ConnectServer(settings)
    try:
        if fixture or program.suffix == ".json":
            return run_plan(server.url, program, arguments, fixture)
        if program.suffix == ".sql":
            return run_statements(server.url, program.read_text())
        return run_script(server.url, program, arguments)
    finally:
        server.stop()


def run_script(url: str, program: Path, arguments: list[str]) -> int:
    """In a process of its own: its output, its exit code and its death are the script's."""
    environment = os.environ | {"SPARK_REMOTE": url, "SPARK_CONNECT_MODE_ENABLED": "1"}
    return subprocess.run([sys.executable, str(program), *arguments], env=environment, check=False).returncode


def run_plan(url: str, plan: Path, arguments: list[str], fixture: bool) -> int:
    spark = SparkSession.builder.remote(url).create()
    try:
        return run_fixture(plan, spark) if fixture else run_arguments(plan, arguments, spark)
    finally:
        spark.stop()


def run_statements(url: str, text: str) -> int:
    spark = SparkSession.builder.remote(url).create()
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(
        logging.CRITICAL
    )  # the same as below, as one line of JSON
    try:
        for statement in split_statements(text):
            frame = spark.sql(statement)
            if frame.columns:
                frame.show(n=1000, truncate=False)
    except (PySparkException, SparkError) as error:
        print(told(error), file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def told(error: PySparkException | SparkError) -> str:
    """Spark's words, and the place in the statement; no frames of a program that the user did not write."""
    message = str(error).split("\n\nJVM stacktrace:")[0].strip()
    contexts = error.getQueryContext() if isinstance(error, PySparkException) else []
    places = [each.summary() for each in contexts if each.contextType() == QueryContextType.SQL]
    return "\n".join([message, *(place for place in places if place)]) + "\n"
