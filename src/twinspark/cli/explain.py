"""`twinspark explain`: a query on one screen: tree, typed plan, DuckDB SQL, engine and reason, time of each stage."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, TypeVar

from pyspark.sql.connect.proto import relations_pb2

from twinspark.duck import run
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Relation
from twinspark.read.proto import read_relation
from twinspark.read.sql import parse_statement
from twinspark.session.native import NativeEngine
from twinspark.session.session import Session
from twinspark.session.settings import Settings
from twinspark.session.shared import Shared

Answer = TypeVar("Answer")
ANYBODY = "00000000-0000-0000-0000-000000000000"


def explain_sql(settings: Settings, sql: str) -> int:
    """Prints the stages as far as the query gets; what is not native says so, and why."""
    try:
        for line in stages(settings, sql):
            print(line)
    except SparkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def stages(settings: Settings, sql: str) -> Iterator[str]:
    session = Session("explain", ANYBODY, Shared(settings, settings.spark(), NativeEngine()))
    cursor = session.shared.native.cursor()
    context = session.surroundings().context(cursor)
    tree, seconds = timed(lambda: parse_statement(sql))
    yield f"== Parsed tree == ({seconds})\n{tree}\n"
    message = relations_pb2.Relation()
    message.sql.query = sql
    try:
        plan, seconds = timed(lambda: read_relation(message, context))
        yield f"== Typed plan == ({seconds})\n" + "\n".join(drawn(plan)) + "\n"
        (text, _), seconds = timed(lambda: run.sql_of(plan))
        yield f"== DuckDB SQL == ({seconds})\n{text}\n"
        rows, seconds = timed(lambda: sum(batch.num_rows for batch in run.stream(cursor, plan, context.settings)))
        yield f"== Engine ==\nduckdb: every part of the plan is native ({rows} rows in {seconds})"
    except NotNative as error:
        where = "refused (engine=duckdb)" if settings.engine == "duckdb" else "spark"
        yield f"== Engine ==\n{where}: {error.reason}"


def timed(work: Callable[[], Answer]) -> tuple[Answer, str]:
    started = time.perf_counter()
    answer = work()
    return answer, f"{(time.perf_counter() - started) * 1000:.2f} ms"


def drawn(plan: Relation, depth: int = 0) -> Iterator[str]:
    """A line for each node: its class, what it holds besides its inputs, and its schema."""
    shown = ", ".join(f"{name}={value}" for name, value in held(plan))
    yield f"{'  ' * depth}{type(plan).__name__}({shown}) -> {plan.schema.simpleString()}"
    for each in plan.inputs:
        yield from drawn(each, depth + 1)


def held(plan: Relation) -> Iterator[tuple[str, Any]]:
    for field in fields(plan):
        value = getattr(plan, field.name)
        if field.name != "fields" and not isinstance(value, Relation):
            yield field.name, shortened(str(value))


def shortened(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
