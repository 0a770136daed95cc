"""ANALYZE TABLE: computes sizes, row counts and column statistics, and stores them with a table of files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.ddl.partitions import Partitions, Spec, folder
from twinspark.commands.ddl.targets import Target, connection_of, quote_name
from twinspark.commands.dml.insert import done
from twinspark.commands.results import Answer
from twinspark.compile.query import stream_rows
from twinspark.config.values import value_of
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import type_text
from twinspark.read.sql_text import read_query_text
from twinspark.sessions.services import Services
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.partition_columns import partition_folder
from twinspark.tables.files.table import FileTable
from twinspark.tables.files.table_details import Details, Statistics, newer, size_of
from twinspark.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    TimestampNTZType,
    TimestampType,
    quote_identifier,
)

Command = Callable[[], Answer]
Counted = Callable[[], list[dict[str, Any]]]
# DataType.defaultSize: the length of every value, or of strings when there are none.
LENGTHS: Mapping[type[DataType], int] = {
    BooleanType: 1,
    ByteType: 1,
    ShortType: 2,
    IntegerType: 4,
    FloatType: 4,
    DateType: 4,
    LongType: 8,
    DoubleType: 8,
    TimestampType: 8,
    TimestampNTZType: 8,
    StringType: 20,
    BinaryType: 100,
    DecimalType: 8,
}
TEXTS = (StringType, BinaryType)
MOMENT = "yyyy-MM-dd HH:mm:ss.SSSSSS"


def analyze(statement: Any, target: Target, text: str, context: Context, services: Services) -> Command:
    """Tables of formats like Iceberg record their row counts when written: there is nothing to compute."""
    if not isinstance(target.table, FileTable):
        if statement.columns or statement.all_columns or statement.partition is not None:
            raise SparkError("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", cmd="ANALYZE TABLE")
        return done(lambda: None)
    if statement.partition is not None:
        return analyze_partitions(statement, Partitions(target, text, context, services))
    if statement.columns or statement.all_columns:
        return analyze_columns(statement, target, context)
    return analyze_rows(target, statement.no_scan, context)


def count_query(query: str, context: Context) -> Counted:
    """The query, which is analyzed now and executed later."""
    plan = read_query_text(query, context).plain()
    cursor = connection_of(context).cursor()
    return lambda: stream_rows(plan, context, cursor).read_all().to_pylist()


def store_details(target: Target, change: Callable[[Details], Details]) -> None:
    catalog, identifier = target.catalog, target.name.identifier
    catalog.keep_details(identifier, change(catalog.details(identifier)))


def table_size(table: FileTable) -> int:
    if not table.partitioning:
        return size_of(local_path(table.location))
    return sum(size_of(table.partition_directory(path)) for path in table.partition_paths)


# ---- the whole table


def analyze_rows(target: Target, no_scan: bool, context: Context) -> Command:
    table = target.table
    assert isinstance(table, FileTable)
    count = None if no_scan else count_query(f"SELECT count(1) AS rows FROM {target.full_name}", context)

    def carry_out() -> None:
        rows = None if count is None else count()[0]["rows"]
        store_details(target, lambda old: replace(old, table=newer(old.table, table_size(table), rows)))

    return done(carry_out)


# ---- partitions


def analyze_partitions(statement: Any, partitions: Partitions) -> Command:
    wanted = wanted_values(statement.partition, partitions)
    fitting = [spec for spec in partitions.present() if wanted.items() <= spec.items()]
    if not fitting and wanted:
        raise partitions.not_found([wanted])
    count = None if statement.no_scan else count_query(rows_by_partition(partitions), partitions.context)
    return done(lambda: keep_partitions(partitions, fitting, count))


def wanted_values(node: Any, partitions: Partitions) -> Spec:
    """Columns with a value must be the table's first (AnalyzePartitionCommand.getPartitionSpec)."""
    names = partitions.table.partition_names
    valued = {name.lower() for name, value in node.values if value is not None}
    partitions.check_known([name for name, _ in node.values])
    given = [name for name in names if name.lower() in valued]
    if given != names[: len(given)]:
        raise SparkError(
            "_LEGACY_ERROR_TEMP_1237",
            table=partitions.target.name.identifier.name,
            database=partitions.target.name.identifier.namespace[-1],
            schemaColumns=",".join(names),
            specColumns=",".join(name for name, _ in node.values),
        )
    return partitions.spec(replace(node, values=tuple(pair for pair in node.values if pair[1] is not None)))


def rows_by_partition(partitions: Partitions) -> str:
    names = [quote_identifier(name) for name in partitions.table.partition_names]
    texts = ", ".join(f"CAST({name} AS STRING) AS {name}" for name in names)
    return f"SELECT {texts}, count(1) AS `count(1)` FROM {partitions.target.full_name} GROUP BY {', '.join(names)}"


def keep_partitions(partitions: Partitions, specs: Sequence[Spec], count: Counted | None) -> None:
    table = partitions.table
    found = [] if count is None else count()
    rows = {partition_folder({name: row[name] for name in table.partition_names}): row["count(1)"] for row in found}

    def change(old: Details) -> Details:
        paths = [folder(spec) for spec in specs]
        counted = {
            path: newer(old.partitions.get(path), size_of(table.partition_directory(path)), rows.get(path))
            for path in paths
        }
        return replace(old, partitions={**old.partitions, **{k: v for k, v in counted.items() if v is not None}})

    store_details(partitions.target, change)


# ---- columns


def analyze_columns(statement: Any, target: Target, context: Context) -> Command:
    table = target.table
    assert isinstance(table, FileTable)
    if context.flag("spark.sql.statistics.histogram.enabled"):
        raise NotNative(reasons.SQL_CLAUSE, "ANALYZE TABLE with histograms")
    fields = (
        table.schema.fields
        if statement.all_columns
        else [find_column(each, table, context) for each in statement.columns]
    )
    for field in fields:
        check_supported(field, target, context)
    error = str(value_of(context.config, "spark.sql.statistics.ndv.maxError"))
    columns = ", ".join(statistic(at, field, error) for at, field in enumerate(fields))
    count = count_query(f"SELECT count(1) AS rows, {columns} FROM {target.full_name}", context)

    def carry_out() -> None:
        [row] = count()
        new = {field.name: statistics_by_name(row, at) for at, field in enumerate(fields)}
        store_details(
            target, lambda old: replace(old, table=with_columns(old.table, table_size(table), row["rows"], new))
        )

    return done(carry_out)


def with_columns(old: Statistics | None, size: int, rows: int, new: Mapping[str, Mapping[str, str]]) -> Statistics:
    return Statistics(size, rows, {**(old.columns if old else {}), **new})


def find_column(name: str, table: FileTable, context: Context) -> StructField:
    for field in table.schema.fields:
        if field.name == name or (not context.flag("spark.sql.caseSensitive") and field.name.lower() == name.lower()):
            return field
    raise SparkError(
        "COLUMN_NOT_FOUND", colName=quote_identifier(name), caseSensitiveConfig='"spark.sql.caseSensitive"'
    )


def check_supported(field: StructField, target: Target, context: Context) -> None:
    if field.dataType.__class__ not in LENGTHS:
        raise SparkError(
            "UNSUPPORTED_FEATURE.ANALYZE_UNSUPPORTED_COLUMN_TYPE",
            columnType=type_text(field.dataType),
            columnName=quote_identifier(field.name),
            tableName=quote_name(target.name.qualifier),
        )
    if isinstance(field.dataType, TimestampType) and context.conf("spark.sql.session.timeZone") not in (
        "UTC",
        "Etc/UTC",
    ):
        raise NotNative(reasons.TIME_ZONE, "ANALYZE TABLE over timestamps in a session time zone other than UTC")


def statistic(at: int, field: StructField, error: str) -> str:
    """CommandUtils.statExprs, with each statistic in a column of its own."""
    name, type = quote_identifier(field.name), field.dataType
    distinct = f"least(approx_count_distinct({name}, {error}D), count({name})) AS distinct{at}"
    nulls = f"count(1) - count({name}) AS nulls{at}"
    size = 16 if isinstance(type, DecimalType) and type.precision > 18 else LENGTHS[type.__class__]
    if isinstance(type, TEXTS):
        average = f"coalesce(ceil(avg(length({name}))), {size}L) AS average{at}"
        longest = f"coalesce(CAST(max(length({name})) AS BIGINT), {size}L) AS longest{at}"
        return f"{distinct}, {nulls}, {average}, {longest}"
    least, most = value_text(f"min({name})", type), value_text(f"max({name})", type)
    return f"{distinct}, {nulls}, {size}L AS average{at}, {size}L AS longest{at}, {least} AS min{at}, {most} AS max{at}"


def value_text(value: str, type: DataType) -> str:
    if isinstance(type, TimestampType):
        return f"date_format({value}, '{MOMENT} Z')"
    return f"date_format({value}, '{MOMENT}')" if isinstance(type, TimestampNTZType) else f"CAST({value} AS STRING)"


def statistics_by_name(row: Mapping[str, Any], at: int) -> dict[str, str]:
    """Column statistics by the names that DESCRIBE prints."""
    statistics = {
        "min": row.get(f"min{at}"),
        "max": row.get(f"max{at}"),
        "num_nulls": row[f"nulls{at}"],
        "distinct_count": row[f"distinct{at}"],
        "avg_col_len": row[f"average{at}"],
        "max_col_len": row[f"longest{at}"],
    }
    return {name: "NULL" if value is None else str(value) for name, value in statistics.items()}
