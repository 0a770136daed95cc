"""`twinspark run`: an unchanged script, a SQL file or a JSON plan against a server of its own."""

import os
import subprocess
import sys
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.plans_json.command import run_arguments, run_fixture
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
    try:
        for statement in statements_of(text):
            frame = spark.sql(statement)
            if frame.columns:
                frame.show(n=1000, truncate=False)
    except PySparkException as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def statements_of(text: str) -> list[str]:
    """Split at semicolons that stand outside of quotes and comments."""
    statements, start, position = [], 0, 0
    while position < len(text):
        skipped = end_of_quoted(text, position)
        if skipped == position and text[position] == ";":
            statements.append(text[start:position])
            start = position + 1
        position = max(skipped, position + 1)
    return [each.strip() for each in [*statements, text[start:]] if has_words(each)]


def end_of_quoted(text: str, start: int) -> int:
    """Where the string, quoted name or comment that begins here ends; `start` itself when none does."""
    for opening, closing in (("--", "\n"), ("/*", "*/")):
        if text.startswith(opening, start):
            end = text.find(closing, start + 2)
            return len(text) if end < 0 else end + len(closing)
    if text[start] not in "'\"`":
        return start
    position = start + 1
    while position < len(text) and text[position] != text[start]:
        position += 2 if text[position] == "\\" and text[start] != "`" else 1
    return position + 1


def has_words(statement: str) -> bool:
    position = 0
    while position < len(statement):
        skipped = end_of_quoted(statement, position) if statement[position] in "-/" else position
        if skipped == position and not statement[position].isspace():
            return True
        position = max(skipped, position + 1)
    return False
