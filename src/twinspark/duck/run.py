"""Runs typed plans on DuckDB: one cursor per operation, results streamed as Arrow under Spark's schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from twinspark.analysis.decimal_percentiles import check_decimal_percentiles
from twinspark.duck import native
from twinspark.duck.arrow import arrow_schema, conform, nullable_field
from twinspark.duck.errors import translated
from twinspark.duck.given_rows import given_rows
from twinspark.duck.months import as_numbers, has_months, month_schema, under
from twinspark.duck.origins import located
from twinspark.duck.python_extract import PythonInside, extracted
from twinspark.duck.python_prune import pruned
from twinspark.duck.python_runs import ending, keep
from twinspark.duck.relations import write_relation
from twinspark.duck.short_sums import TOO_LONG
from twinspark.duck.show import drawn
from twinspark.duck.statement import Source, SourceInput, Statement
from twinspark.errors import NotNative
from twinspark.functions.settings import OFFSET, Settings
from twinspark.plan.expressions import Call, Expression, Lambda, Subquery
from twinspark.plan.python_functions import Workers
from twinspark.plan.pythons import PythonRelation
from twinspark.plan.relations import (
    Generate,
    LocalData,
    OneRow,
    Range,
    Relation,
    Scan,
    ShowString,
    Values,
    expressions_in,
    own_expressions,
)
from twinspark.plan.rewrite import walk
from twinspark.types import StructField, StructType, has_geospatial

ENGINE_ERRORS = (duckdb.Error, pa.ArrowException, OSError)  # some of Arrow's errors are OSErrors
BATCH_ROWS = 122_880  # DuckDB's own row group: a reader never gives more at once
NO_TABLES: Mapping[str, Any] = {}
SUBMIT = compile("cursor._submit(text, None, 'stream', rows).arrow_reader()", __file__, "eval")
# Without a bar (which is not to be seen) DuckDB does not count; both are each connection's own.
PROGRESS = "SET enable_progress_bar_print = false; SET enable_progress_bar = true"
HOME_ZONE = "UTC"  # of a cursor that nobody told another one
HOME_NAMES = frozenset({"UTC", "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal"})
# What a cursor was told last: telling it again costs as much as a small query.
ZONES: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
METADATA = "SPARK::metadata::json"
NATIVE_NAME = re.compile(r"(?<![\w\"'.])(spark_[a-z0-9_]+?)(?:_\d+){0,2}\(")


def connect(path: str = ":memory:", **settings: Any) -> duckdb.DuckDBPyConnection:
    """A database set up as Spark's meaning needs it, our extension loaded where it was built."""
    connection = duckdb.connect(path, config={**native.CONFIG, **settings})
    native.load(connection)
    connection.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
    connection.execute("SET preserve_insertion_order = true")
    connection.execute(f"SET GLOBAL TimeZone = '{HOME_ZONE}'")
    # A COPY whose query fails may wait for ever for writes that other threads never take (DuckDB 2.0's AsyncFileWriter,
    # on its way out); without such threads it fails, and local files are written and read as fast.
    connection.execute("SET async_threads = 0")
    return connection


def sql_of(plan: Relation) -> tuple[str, Statement]:
    """The plan's SQL; NotNative when it needs a native function that is not here."""
    shown = plan.input if isinstance(plan, ShowString) else plan
    check_decimal_percentiles(shown)
    try:
        text, statement = write_relation(shown)
    except PythonInside:
        text, statement = write_relation(extracted(pruned(shown)))
    check_built(text, statement)
    if "spark_wkb_" in text:
        check_no_geospatial(shown)
    return text, statement


def check_no_geospatial(plan: Relation) -> None:
    """Geometries are no columns, keys or orders of ours."""
    if any(has_geospatial(expression.type) for expression in expressions_in(plan)):
        raise NotNative("a column of geometries")


def check_built(text: str, statement: Statement) -> None:
    for name in NATIVE_NAME.findall(text):
        if name not in native.FUNCTIONS:
            raise NotNative(f"the native function {name} is not built")
    for source in statement.sources.values():
        for each in source.inputs:
            check_built(each.text, each.statement)


def stream(cursor: duckdb.DuckDBPyConnection, plan: Relation, settings: Settings) -> pa.RecordBatchReader:
    """The plan's rows, as Spark's Arrow schema says them; errors are Spark's already."""
    text, statement = sql_of(plan)
    return execute(cursor, text, statement, plan, settings)


def compute(cursor: duckdb.DuckDBPyConnection, plan: Relation, settings: Settings) -> None:
    """The plan for its errors alone: its rows may be of types that no client reads."""
    text, statement = sql_of(plan)
    prepare_sources(cursor, statement, settings)
    try:
        for _ in reader_of(cursor, text, statement):
            pass
    except ENGINE_ERRORS as error:
        raise located(translated_arrow(error), plan) from error


def execute(
    cursor: duckdb.DuckDBPyConnection,
    text: str,
    statement: Statement,
    plan: Relation,
    settings: Settings,
    months: bool = False,
    tells: bool | None = None,
) -> pa.RecordBatchReader:
    """With `months` the rows may hold intervals of months, which only a client of Spark's can open; `tells` is what
    `tells_progress` said of the plan, where it was asked before."""
    if tells_progress(plan) if tells is None else tells:
        cursor.execute(PROGRESS)
    if isinstance(plan, ShowString):
        return drawn(execute(cursor, text, statement, plan.input, settings), plan)
    if months and has_months(plan.schema):
        numbers = arrow_schema(as_numbers(plan.schema), settings.zone)
        found = read_batches(cursor, text, statement, plan, settings, numbers)
        meant = month_schema(numbers, plan.schema)
        return pa.RecordBatchReader.from_batches(meant, (under(meant, batch) for batch in found))
    schema = arrow_schema(plan.schema, settings.zone)
    if (given := given_rows(plan, schema)) is not None:
        return given.to_reader(BATCH_ROWS)
    return pa.RecordBatchReader.from_batches(schema, read_batches(cursor, text, statement, plan, settings, schema))


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
        raise located(translated_arrow(error), plan) from error
    found = batches(reader, schema, plan)
    return ending(found, cursor) if statement.sources else found


def reader_of(cursor: Any, text: str, statement: Statement) -> pa.RecordBatchReader:
    """By the statement's shortcuts if they do, which its first rows tell."""
    quick = statement.quick(text)
    if quick == text:
        return submitted(cursor, text, statement.tables)
    try:
        reader = submitted(cursor, quick, statement.tables)
        first = next(reader, None)
    except ENGINE_ERRORS as error:
        if TOO_LONG not in str(error):
            raise
        return submitted(cursor, text, statement.tables)
    return reader if first is None else pa.RecordBatchReader.from_batches(reader.schema, chain([first], reader))


def submitted(cursor: Any, text: str, tables: Mapping[str, Any] = NO_TABLES) -> pa.RecordBatchReader:
    """As `cursor.sql(text).to_arrow_reader()`, which binds the statement, files and all, twice: once to describe it.

    DuckDB looks for the tables where it is called from: to register them takes as long as a small query."""
    return eval(SUBMIT, {**tables, "cursor": cursor, "text": text, "rows": BATCH_ROWS})


def duck_zone(zone: str) -> str:
    """A fixed offset in the one way DuckDB reads with its minutes."""
    found = OFFSET.fullmatch(zone)
    return f"GMT{found[1]}{int(found[2]):02}:{found[3] or '00'}" if found else zone.replace("'", "")


def prepare(cursor: duckdb.DuckDBPyConnection, statement: Statement, settings: Settings) -> None:
    for name, table in statement.tables.items():
        cursor.register(name, table)
    prepare_sources(cursor, statement, settings)


def prepare_sources(cursor: duckdb.DuckDBPyConnection, statement: Statement, settings: Settings) -> None:
    tell_zone(cursor, settings.zone)
    for name, source in statement.sources.items():
        cursor.register(name, started(cursor, source, settings))


def tell_zone(cursor: duckdb.DuckDBPyConnection, zone: str) -> None:
    told = ZONES.get(cursor, HOME_ZONE)
    if told == zone or (told in HOME_NAMES and zone in HOME_NAMES):
        return
    try:
        cursor.execute(f"SET TimeZone = '{duck_zone(zone)}'")
    except duckdb.Error as error:
        raise NotNative(f"the time zone {zone}") from error
    ZONES[cursor] = zone


def tells_progress(plan: Relation) -> bool:
    return not (is_short(plan) or is_small_scan(plan))


def is_short(plan: Relation) -> bool:
    """Over before anybody could ask how far it is: few rows, which do not grow more on their way."""
    while plan.inputs:
        if len(plan.inputs) > 1 or isinstance(plan, Generate | PythonRelation) or may_grow(plan):
            return False
        plan = plan.inputs[0]
    return isinstance(plan, OneRow | Values | Range | LocalData) and few_rows(plan) <= FEW_ROWS


def may_grow(relation: Relation) -> bool:
    """Whether one row may be as much work as many."""
    return any(is_growing(node) for each in own_expressions(relation) for node in walk(each))


def is_growing(node: Expression) -> bool:
    return isinstance(node, Subquery | Lambda) or (isinstance(node, Call) and node.name in GROWING)


GROWING = frozenset({"sequence", "repeat", "array_repeat", "space", "lpad", "rpad"})


def is_small_scan(plan: Relation) -> bool:
    """Few bytes, read once: whoever asks how far it is hardly hears of a half."""
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
FEW_BYTES = 1024 * 1024


def batches(reader: pa.RecordBatchReader, schema: pa.Schema, plan: Relation) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except ENGINE_ERRORS as error:
            raise located(translated_arrow(error), plan) from error
        yield conform(batch, schema)


def translated_arrow(error: Exception) -> Exception:
    """Errors while streaming come wrapped by Arrow."""
    return translated(error) if isinstance(error, duckdb.Error) else translated(duckdb.Error(str(error)))


# ---- rows of Python functions


def started(cursor: duckdb.DuckDBPyConnection, source: Source, settings: Settings) -> pa.RecordBatchReader:
    """The inputs run on cursors of their own, into the worker; what comes out of it is a table of this cursor's."""
    workers = source.relation.workers
    readers = [sent(keep(cursor, cursor.cursor()), each, workers, settings) for each in source.inputs]
    schema = arrow_schema(source.relation.schema, settings.zone)
    plain = pa.schema([nullable_field(field).with_nullable(field.nullable) for field in schema])
    return keep(cursor, workers.start(source.relation, readers, plain)).reader


def sent(
    cursor: duckdb.DuckDBPyConnection, input: SourceInput, workers: Workers, settings: Settings
) -> pa.RecordBatchReader:
    """As Spark's Arrow from the first column on that is sent; what waits keeps DuckDB's own types."""
    plan, first = input.plan, input.first
    prepare(cursor, input.statement, settings)
    try:
        reader = cursor.sql(input.text).to_arrow_reader(BATCH_ROWS)
    except duckdb.Error as error:
        raise located(translated(error), plan) from error
    fields = plan.schema.fields[first:]
    wanted = workers.sent(described(arrow_schema(StructType(fields), settings.zone), fields))
    schema = pa.schema([*list(reader.schema)[:first], *wanted]) if plan.fields else pa.schema([])
    return pa.RecordBatchReader.from_batches(schema, batches(reader, schema, plan))


def described(schema: pa.Schema, fields: Sequence[StructField]) -> pa.Schema:
    """With the metadata of Spark's fields, where functions over batches can see it (ArrowUtils.toArrowMetaData)."""
    return pa.schema(
        [
            each.with_metadata({METADATA: json.dumps(field.metadata, ensure_ascii=False, separators=(",", ":"))})
            if field.metadata
            else each
            for each, field in zip(schema, fields, strict=True)
        ]
    )
