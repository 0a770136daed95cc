"""ANALYZE TABLE: sizes, rows and what columns hold, counted and kept with a table of files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.duck import run
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import type_text
from twinspark.read.text import read_query_text
from twinspark.session.sql_results import Answer
from twinspark.session.table_commands_partitions import Partitions, Spec, folder
from twinspark.session.tables_targets import Target, connection_of, quoted
from twinspark.session.writes_sql import done
from twinspark.tables.file_details import Details, Statistics, newer, size_of
from twinspark.tables.file_table import FileTable
from twinspark.tables.listing import local_path
from twinspark.tables.partitions import partition_folder
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

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
Counted = Callable[[], list[dict[str, Any]]]
# DataType.defaultSize: the length of every value, or what stands for that of texts when there are none.
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


def analyze(statement: Any, target: Target, text: str, context: Context, session: "Session") -> Command:
    """Tables of catalogs like Iceberg's know their rows as they are written: there is nothing to gather."""
    if not isinstance(target.table, FileTable):
        if statement.columns or statement.all_columns or statement.partition is not None:
            raise SparkError("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", cmd="ANALYZE TABLE")
        return done(lambda: None)
    if statement.partition is not None:
        return analyze_partitions(statement, Partitions(target, text, context, session))
    if statement.columns or statement.all_columns:
        return analyze_columns(statement, target, context)
    return analyze_rows(target, statement.no_scan, context)


def counting(query: str, context: Context) -> Counted:
    """The query, read now and run later."""
    plan = read_query_text(query, context).plain()
    cursor = connection_of(context).cursor()
    return lambda: run.stream(cursor, plan, context.settings).read_all().to_pylist()


def kept(target: Target, change: Callable[[Details], Details]) -> None:
    catalog, identifier = target.catalog, target.name.identifier
    catalog.keep_details(identifier, change(catalog.details(identifier)))


def table_size(table: FileTable) -> int:
    if not table.partitioning:
        return size_of(local_path(table.location))
    return sum(size_of(table.partition_place(path)) for path in table.partition_paths)


# ---- The whole table


def analyze_rows(target: Target, no_scan: bool, context: Context) -> Command:
    table = target.table
    assert isinstance(table, FileTable)
    count = None if no_scan else counting(f"SELECT count(1) AS rows FROM {target.full_name}", context)

    def carry_out() -> None:
        rows = None if count is None else count()[0]["rows"]
        kept(target, lambda old: replace(old, table=newer(old.table, table_size(table), rows)))

    return done(carry_out)


# ---- Partitions


def analyze_partitions(statement: Any, partitions: Partitions) -> Command:
    wanted = wanted_values(statement.partition, partitions)
    fitting = [spec for spec in partitions.present() if wanted.items() <= spec.items()]
    if not fitting and wanted:
        raise partitions.not_found([wanted])
    count = None if statement.no_scan else counting(rows_by_partition(partitions), partitions.context)
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
            path: newer(old.partitions.get(path), size_of(table.partition_place(path)), rows.get(path))
            for path in paths
        }
        return replace(old, partitions={**old.partitions, **{k: v for k, v in counted.items() if v is not None}})

    kept(partitions.target, change)


# ---- Columns


def analyze_columns(statement: Any, target: Target, context: Context) -> Command:
    table = target.table
    assert isinstance(table, FileTable)
    if context.flag("spark.sql.statistics.histogram.enabled"):
        raise NotNative("SQL: ANALYZE with histograms")
    fields = (
        table.schema.fields if statement.all_columns else [named(each, table, context) for each in statement.columns]
    )
    for field in fields:
        check_supported(field, target, context)
    error = context.conf("spark.sql.statistics.ndv.maxError")
    columns = ", ".join(statistic(at, field, error) for at, field in enumerate(fields))
    count = counting(f"SELECT count(1) AS rows, {columns} FROM {target.full_name}", context)

    def carry_out() -> None:
        [row] = count()
        new = {field.name: said(row, at) for at, field in enumerate(fields)}
        kept(target, lambda old: replace(old, table=with_columns(old.table, table_size(table), row["rows"], new)))

    return done(carry_out)


def with_columns(old: Statistics | None, size: int, rows: int, new: Mapping[str, Mapping[str, str]]) -> Statistics:
    return Statistics(size, rows, {**(old.columns if old else {}), **new})


def named(name: str, table: FileTable, context: Context) -> StructField:
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
            tableName=quoted(target.name.qualifier),
        )
    if isinstance(field.dataType, TimestampType) and context.conf("spark.sql.session.timeZone") not in (
        "UTC",
        "Etc/UTC",
    ):
        raise NotNative("SQL: ANALYZE of instants in other zones than UTC")


def statistic(at: int, field: StructField, error: str) -> str:
    """CommandUtils.statExprs, each part in a column of its own."""
    name, type = quote_identifier(field.name), field.dataType
    distinct = f"least(approx_count_distinct({name}, {error}D), count({name})) AS distinct{at}"
    nulls = f"count(1) - count({name}) AS nulls{at}"
    size = 16 if isinstance(type, DecimalType) and type.precision > 18 else LENGTHS[type.__class__]
    if isinstance(type, TEXTS):
        average = f"coalesce(ceil(avg(length({name}))), {size}L) AS average{at}"
        longest = f"coalesce(CAST(max(length({name})) AS BIGINT), {size}L) AS longest{at}"
        return f"{distinct}, {nulls}, {average}, {longest}"
    least, most = shown(f"min({name})", type), shown(f"max({name})", type)
    return f"{distinct}, {nulls}, {size}L AS average{at}, {size}L AS longest{at}, {least} AS min{at}, {most} AS max{at}"


def shown(value: str, type: DataType) -> str:
    if isinstance(type, TimestampType):
        return f"date_format({value}, '{MOMENT} Z')"
    return f"date_format({value}, '{MOMENT}')" if isinstance(type, TimestampNTZType) else f"CAST({value} AS STRING)"


def said(row: Mapping[str, Any], at: int) -> dict[str, str]:
    """Under the names of DESCRIBE."""
    told = {
        "min": row.get(f"min{at}"),
        "max": row.get(f"max{at}"),
        "num_nulls": row[f"nulls{at}"],
        "distinct_count": row[f"distinct{at}"],
        "avg_col_len": row[f"average{at}"],
        "max_col_len": row[f"longest{at}"],
    }
    return {name: "NULL" if value is None else str(value) for name, value in told.items()}
