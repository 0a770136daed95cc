"""Runs typed plans on DuckDB: one cursor per operation, results streamed as Arrow under Spark's schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa

from twinspark.duck import native
from twinspark.duck.arrow import arrow_schema, conform
from twinspark.duck.errors import translated
from twinspark.duck.origins import located
from twinspark.duck.relations import write_relation
from twinspark.duck.show import drawn
from twinspark.duck.statement import Statement
from twinspark.errors import NotNative
from twinspark.functions.settings import Settings
from twinspark.plan.relations import Relation, ShowString

BATCH_ROWS = 122_880  # DuckDB's own row group: a reader never gives more at once
NATIVE_NAME = re.compile(r"(?<![\w\"'.])(spark_[a-z0-9_]+?)(?:_\d+)?\(")


def connect(path: str = ":memory:", **settings: Any) -> duckdb.DuckDBPyConnection:
    """A database set up as Spark's meaning needs it, our extension loaded where it was built."""
    connection = duckdb.connect(path, config={**native.CONFIG, **settings})
    native.load(connection)
    connection.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
    connection.execute("SET preserve_insertion_order = true")
    return connection


def sql_of(plan: Relation) -> tuple[str, Statement]:
    """The plan's SQL; NotNative when it needs a native function that is not here."""
    text, statement = write_relation(plan.input if isinstance(plan, ShowString) else plan)
    for name in NATIVE_NAME.findall(text):
        if name not in native.FUNCTIONS:
            raise NotNative(f"the native function {name} is not built")
    return text, statement


def stream(cursor: duckdb.DuckDBPyConnection, plan: Relation, settings: Settings) -> pa.RecordBatchReader:
    """The plan's rows, as Spark's Arrow schema says them; errors are Spark's already."""
    text, statement = sql_of(plan)
    return execute(cursor, text, statement, plan, settings)


def execute(
    cursor: duckdb.DuckDBPyConnection, text: str, statement: Statement, plan: Relation, settings: Settings
) -> pa.RecordBatchReader:
    if isinstance(plan, ShowString):
        return drawn(execute(cursor, text, statement, plan.input, settings), plan)
    schema = arrow_schema(plan.schema, settings.zone)
    prepare(cursor, statement, settings)
    try:
        reader = reader_of(cursor, text)
    except duckdb.Error as error:
        raise located(translated(error), plan) from error
    return pa.RecordBatchReader.from_batches(schema, batches(reader, schema, plan))


def reader_of(cursor: Any, text: str) -> pa.RecordBatchReader:
    """As `cursor.sql(text).to_arrow_reader()`, which binds the statement, files and all, twice: once to describe it."""
    return cursor._submit(text, None, "stream", BATCH_ROWS).arrow_reader()


def prepare(cursor: duckdb.DuckDBPyConnection, statement: Statement, settings: Settings) -> None:
    try:
        cursor.execute(f"SET TimeZone = '{settings.zone.replace(chr(39), '')}'")
    except duckdb.Error as error:
        raise NotNative(f"the time zone {settings.zone}") from error
    for name, table in statement.tables.items():
        cursor.register(name, table)


def batches(reader: pa.RecordBatchReader, schema: pa.Schema, plan: Relation) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (duckdb.Error, pa.ArrowException, OSError) as error:  # some of Arrow's errors are OSErrors
            raise located(translated_arrow(error), plan) from error
        yield conform(batch, schema)


def translated_arrow(error: Exception) -> Exception:
    """Errors while streaming come wrapped by Arrow."""
    return translated(error) if isinstance(error, duckdb.Error) else translated(duckdb.Error(str(error)))
