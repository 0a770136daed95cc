"""`twinspark run`: runs an unchanged script, a SQL file or a JSON plan against a server of its own."""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.errors.exceptions.base import QueryContextType
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from twinspark.client_package import PANDAS
from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import SparkError
from twinspark.plans_json.command import run_arguments, run_fixture
from twinspark.read.sql import split_statements
from twinspark.sessions.settings import Settings

SOURCE_LINE = re.compile(r"\(line (\d+), pos \d+\)")  # of ParseException


def run_program(settings: Settings, program: Path, arguments: list[str], fixture: bool = False) -> int:
    server = ConnectServer(settings)
    try:
        if fixture or program.suffix == ".json":
            return run_plan(server.url, program, arguments, fixture)
        if program.suffix == ".sql":
            return run_statements(server.url, program)
        return run_script(server.url, program, arguments)
    finally:
        server.stop()


def run_script(url: str, program: Path, arguments: list[str]) -> int:
    """In a separate process, so that output, exit code and crashes are the script's."""
    environment = os.environ | {"SPARK_REMOTE": url, "SPARK_CONNECT_MODE_ENABLED": "1"}
    quiet = f"ignore:{PANDAS}:FutureWarning"
    command = [sys.executable, "-W", quiet, "-m", "twinspark.cli.script", str(program), *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


def run_plan(url: str, plan: Path, arguments: list[str], fixture: bool) -> int:
    spark = SparkSession.builder.remote(url).create()
    try:
        return run_fixture(plan, spark) if fixture else run_arguments(plan, arguments, spark)
    finally:
        spark.stop()


def run_statements(url: str, program: Path) -> int:
    spark = SparkSession.builder.remote(url).create()
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(
        logging.CRITICAL
    )  # the same as below, as one line of JSON
    try:
        for line, statement in numbered_statements(program.read_text()):
            if problem := run_statement(spark, statement):
                print(f"{program}:{line + lines_before(problem, statement)}: {error_text(problem)}", file=sys.stderr)
                return 1
    except SparkError as error:  # the file is not even a list of statements
        print(f"{program}:{1 + lines_before(error, '')}: {error_text(error)}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def run_statement(spark: SparkSession, statement: str) -> PySparkException | None:
    """Prints the statement's rows; the error, if it ended with one."""
    try:
        frame = spark.sql(statement)
        if frame.columns:
            frame.show(n=1000, truncate=False)
    except PySparkException as error:
        return error
    return None


def numbered_statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement with the line of the file that it begins in."""
    position = 0
    for statement in split_statements(text):
        position = text.index(statement, position)
        yield text.count("\n", 0, position) + 1, statement
        position += len(statement)


def lines_before(error: PySparkException | SparkError, statement: str) -> int:
    """How many lines of the statement stand before its error, as far as Spark's message says where that is."""
    contexts = error.getQueryContext() if isinstance(error, PySparkException) else []
    if contexts and contexts[0].contextType() == QueryContextType.SQL:
        return statement.count("\n", 0, contexts[0].startIndex())
    found = SOURCE_LINE.search(str(error))
    return int(found[1]) - 1 if found else 0


def error_text(error: PySparkException | SparkError) -> str:
    """Spark's message and the source position in the statement, without stack frames of twinspark."""
    message = str(error).split("\n\nJVM stacktrace:")[0].strip()
    contexts = error.getQueryContext() if isinstance(error, PySparkException) else []
    positions = [each.summary() for each in contexts if each.contextType() == QueryContextType.SQL]
    return "\n".join([message, *(position for position in positions if position)]) + "\n"
