"""Runs compiled plans on DuckDB with one cursor per operation, and streams results as Arrow with Spark's schema."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import inf
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from twinspark import scratch
from twinspark.config.zones import region_of
from twinspark.duck import native
from twinspark.duck.error_origins import locate_error
from twinspark.duck.errors import translate_error
from twinspark.duck.python.runs import ending, keep
from twinspark.duck.results.arrow import arrow_schema, conform, nullable_field
from twinspark.duck.results.constant_rows import constant_rows
from twinspark.duck.results.month_intervals import as_numbers, has_months, month_schema, under
from twinspark.duck.results.show import show_string
from twinspark.duck.short_sums import TOO_LONG
from twinspark.duck.statement import Source, SourceInput, Statement
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import OFFSET, Settings
from twinspark.plan.contents import Contents, contents_of
from twinspark.plan.expressions import Lambda
from twinspark.plan.python_functions import Workers
from twinspark.plan.python_relations import PythonRelation
from twinspark.plan.relations import (
    Generate,
    Join,
    LocalData,
    OneRow,
    Range,
    Relation,
    Scan,
    SetOperation,
    ShowString,
    Values,
)
from twinspark.types import StructField, StructType

ENGINE_ERRORS = (duckdb.Error, pa.ArrowException, OSError)  # some of Arrow's errors are OSErrors
BATCH_ROWS = 122_880  # DuckDB's row group size: the most rows of one batch
NO_TABLES: Mapping[str, Any] = {}
# DuckDB computes progress only with a progress bar, which is not printed; both settings are per connection.
PROGRESS = "SET enable_progress_bar_print = false; SET enable_progress_bar = true"
HOME_ZONE = "UTC"  # the zone of a new cursor
HOME_NAMES = frozenset({"UTC", "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal"})
# The zone set on each cursor: setting it again would cost as much as a small query.
ZONES: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
METADATA = "SPARK::metadata::json"


def connect(path: str = ":memory:", **settings: Any) -> duckdb.DuckDBPyConnection:
    """Opens a database with the settings that Spark's semantics need, and loads the extension if it was built."""
    connection = duckdb.connect(path, config={**native.CONFIG, "temp_directory": spill_directory(), **settings})
    native.load(connection)
    connection.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
    connection.execute("SET preserve_insertion_order = true")
    connection.execute(f"SET GLOBAL TimeZone = '{HOME_ZONE}'")
    # A COPY whose query fails may wait for ever for writes of other threads (a bug in the destructor of DuckDB 2.0's
    # AsyncFileWriter); without such threads it fails, and local files are written and read as fast.
    connection.execute("SET async_threads = 0")
    return connection


@cache
def spill_directory() -> str:
    """The spill directory inside of this process's temporary folder, so that a killed server leaves no files in its
    working directory."""
    return str(scratch.directory("spill"))


def compute(
    cursor: duckdb.DuckDBPyConnection, text: str, statement: Statement, plan: Relation, settings: Settings
) -> None:
    """Runs a plan only for its errors; its rows may have types that cannot be sent."""
    prepare_sources(cursor, statement, settings)
    try:
        for _ in reader_of(cursor, text, statement):
            pass
    except ENGINE_ERRORS as error:
        raise locate_error(translate_arrow_error(error), plan) from error


def execute(
    cursor: duckdb.DuckDBPyConnection,
    text: str,
    statement: Statement,
    plan: Relation,
    settings: Settings,
    months: bool = False,
    progress: bool | None = None,
) -> pa.RecordBatchReader:
    """Runs a statement. `months`: whether rows may contain year-month intervals, which only Spark's clients read;
    `progress`: the result of `reports_progress`, if it is known."""
    if reports_progress(plan) if progress is None else progress:
        cursor.execute(PROGRESS)
    if isinstance(plan, ShowString):
        return show_string(execute(cursor, text, statement, plan.input, settings), plan)
    if months and has_months(plan.schema):
        numbers = arrow_schema(as_numbers(plan.schema), settings.zone)
        found = read_batches(cursor, text, statement, plan, settings, numbers)
        meant = month_schema(numbers, plan.schema)
        return pa.RecordBatchReader.from_batches(meant, (under(meant, batch) for batch in found))
    schema = arrow_schema(plan.schema, settings.zone)
    if (given := constant_rows(plan, schema)) is not None:
        return given.to_reader(BATCH_ROWS)
    return pa.RecordBatchReader.from_batches(schema, read_batches(cursor, text, statement, plan, settings, schema))


def is_constant(plan: Relation, settings: Settings) -> bool:
    """Whether the rows are known without running SQL."""
    if isinstance(plan, ShowString) or has_months(plan.schema):
        return False
    return constant_rows(plan, arrow_schema(plan.schema, settings.zone)) is not None


def read_batches(
    cursor: duckdb.DuckDBPyConnection,
    text: str,
    statement: Statement,
    plan: Relation,
    settings: Settings,
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    prepare_sources(cursor, statement, settings)
    try:
        reader = reader_of(cursor, text, statement)
    except ENGINE_ERRORS as error:
        raise locate_error(translate_arrow_error(error), plan) from error
    found = batches(reader, schema, plan)
    return ending(found, cursor) if statement.sources else found


def reader_of(cursor: Any, text: str, statement: Statement) -> pa.RecordBatchReader:
    """Runs the statement with its shortcuts, and again without them if its first rows fail on one."""
    quick = statement.with_shortcuts(text)
    if quick == text:
        return submit(cursor, text, statement.tables)
    try:
        reader = submit(cursor, quick, statement.tables)
        first = next(reader, None)
    except ENGINE_ERRORS as error:
        if TOO_LONG not in str(error):
            raise
        return submit(cursor, text, statement.tables)
    return reader if first is None else pa.RecordBatchReader.from_batches(reader.schema, chain([first], reader))


def submit(cursor: Any, text: str, tables: Mapping[str, Any] = NO_TABLES) -> pa.RecordBatchReader:
    """As `cursor.sql(text).to_arrow_reader()`, which would bind the statement twice, reading file footers each time.

    DuckDB finds the tables among the globals of the calling function, since registering them takes as long as a small
    query."""
    return FunctionType(stream_statement.__code__, {**tables, "__builtins__": builtins})(cursor, text, BATCH_ROWS)


def stream_statement(cursor: Any, text: str, rows: int) -> pa.RecordBatchReader:
    """What `to_arrow_reader` does after binding."""
    return cursor._submit(text, None, "stream", rows).arrow_reader()


def duck_zone(zone: str) -> str:
    """The zone in DuckDB's spelling, which supports fixed offsets with minutes in one form only."""
    zone = region_of(zone)
    found = OFFSET.fullmatch(zone)
    return f"GMT{found[1]}{int(found[2]):02}:{found[3] or '00'}" if found else zone.replace("'", "")


def prepare(cursor: duckdb.DuckDBPyConnection, statement: Statement, settings: Settings) -> None:
    for name, table in statement.tables.items():
        cursor.register(name, table)
    prepare_sources(cursor, statement, settings)


def prepare_sources(cursor: duckdb.DuckDBPyConnection, statement: Statement, settings: Settings) -> None:
    set_zone(cursor, settings.zone)
    for name, source in statement.sources.items():
        cursor.register(name, start_worker(cursor, source, settings))


def set_zone(cursor: duckdb.DuckDBPyConnection, zone: str) -> None:
    current = ZONES.get(cursor, HOME_ZONE)
    if current == zone or (current in HOME_NAMES and zone in HOME_NAMES):
        return
    try:
        cursor.execute(f"SET TimeZone = '{duck_zone(zone)}'")
    except duckdb.Error as error:
        raise NotNative(reasons.TIME_ZONE, zone) from error
    ZONES[cursor] = zone


def reports_progress(plan: Relation) -> bool:
    return not (is_short(plan, contents_of(plan)) or is_small_scan(plan))


def is_short(plan: Relation, contents: Contents) -> bool:
    """Whether the plan is too short for progress reports: few rows, and few pairs of them where they are joined."""
    if contents.has(Generate, PythonRelation, Lambda) or contents.calls_any(GROWING):
        return False
    pairs = most_rows(plan)
    for each in contents.subqueries if pairs <= FEW_PAIRS else ():
        pairs *= most_rows(each) + 1
    return pairs <= FEW_PAIRS


def most_rows(plan: Relation, joins: int = 8) -> float:
    """How many rows the plan has at most, if it reads few rows and joins them at most so deep."""
    while len(plan.inputs) == 1:
        plan = plan.inputs[0]
    if isinstance(plan, OneRow | Values | Range | LocalData):
        return rows if (rows := few_rows(plan)) <= FEW_ROWS else inf
    if not joins or not isinstance(plan, Join | SetOperation):
        return inf
    left, right = most_rows(plan.left, joins - 1), most_rows(plan.right, joins - 1)
    return left + right if isinstance(plan, SetOperation) else (left + 1) * (right + 1)


# Functions that make one row take as long as many.
GROWING = frozenset({"sequence", "repeat", "array_repeat", "space", "lpad", "rpad"})


def is_small_scan(plan: Relation) -> bool:
    """Whether the plan reads only a few bytes once."""
    while len(plan.inputs) == 1 and not isinstance(plan, Generate | PythonRelation):
        plan = plan.inputs[0]
    return isinstance(plan, Scan) and plan.size_in_bytes <= FEW_BYTES


def few_rows(leaf: OneRow | Values | Range | LocalData) -> int:
    if isinstance(leaf, LocalData):
        return int(leaf.table.num_rows)
    if isinstance(leaf, Range):
        return abs(leaf.end - leaf.start) // abs(leaf.step)
    return len(leaf.rows) if isinstance(leaf, Values) else 1


FEW_ROWS = 10_000
FEW_PAIRS = 1_100_000  # a thousand rows joined with a thousand
FEW_BYTES = 1024 * 1024


def batches(reader: pa.RecordBatchReader, schema: pa.Schema, plan: Relation) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except ENGINE_ERRORS as error:
            raise locate_error(translate_arrow_error(error), plan) from error
        yield conform(batch, schema)


def translate_arrow_error(error: Exception) -> Exception:
    """Translates errors during streaming, which Arrow wraps."""
    return translate_error(error) if isinstance(error, duckdb.Error) else translate_error(duckdb.Error(str(error)))


# ---- rows of Python functions


def start_worker(cursor: duckdb.DuckDBPyConnection, source: Source, settings: Settings) -> pa.RecordBatchReader:
    """Runs the inputs on cursors of their own and sends their rows to the worker, whose output this cursor reads."""
    workers = source.relation.workers
    readers = [worker_input(keep(cursor, cursor.cursor()), each, workers, settings) for each in source.inputs]
    schema = arrow_schema(source.relation.schema, settings.zone)
    plain = pa.schema([nullable_field(field).with_nullable(field.nullable) for field in schema])
    return keep(cursor, workers.start(source.relation, readers, plain)).reader


def worker_input(
    cursor: duckdb.DuckDBPyConnection, input: SourceInput, workers: Workers, settings: Settings
) -> pa.RecordBatchReader:
    """The input rows with Spark's Arrow types from the first column that is sent; the others keep DuckDB's types."""
    plan, first = input.plan, input.first
    prepare(cursor, input.statement, settings)
    try:
        reader = cursor.sql(input.text).to_arrow_reader(BATCH_ROWS)
    except duckdb.Error as error:
        raise locate_error(translate_error(error), plan) from error
    fields = plan.schema.fields[first:]
    wanted = workers.input_schema(with_field_metadata(arrow_schema(StructType(fields), settings.zone), fields))
    schema = pa.schema([*list(reader.schema)[:first], *wanted]) if plan.fields else pa.schema([])
    return pa.RecordBatchReader.from_batches(schema, batches(reader, schema, plan))


def with_field_metadata(schema: pa.Schema, fields: Sequence[StructField]) -> pa.Schema:
    """The schema with the metadata of Spark's fields, which Arrow functions can read (ArrowUtils.toArrowMetaData)."""
    return pa.schema(
        [
            each.with_metadata({METADATA: json.dumps(field.metadata, ensure_ascii=False, separators=(",", ":"))})
            if field.metadata
            else each
            for each, field in zip(schema, fields, strict=True)
        ]
    )
