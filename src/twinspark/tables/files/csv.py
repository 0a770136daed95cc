"""Reads CSV files as Spark does: checks all lines first, then splits them with DuckDB's reader or with the
extension."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb
from pyspark.sql.types import DataType, StringType, StructField, StructType

from twinspark.config.values import is_on
from twinspark.errors import NotNative, reasons
from twinspark.tables.files.csv_dialect import (
    BLANK_LINE,
    KNOWN,
    Dialect,
    column_names,
    dialect_of,
    first_lines,
    split_line,
)
from twinspark.tables.files.csv_records import Records
from twinspark.tables.files.csv_values import date_sql, inferred_type, kinds_found, timestamp_sql, value_sql
from twinspark.tables.files.partition_columns import hive_arguments, merged_schema
from twinspark.tables.files.scan import (
    FileScan,
    Request,
    ScanContext,
    check_options,
    corrupt_name,
    data_schema,
    file_scan,
    partition_casts,
)
from twinspark.tables.reshape import duck_value
from twinspark.types.duckdb import duck_name, duck_text, duck_texts

# Characters that occur in no ordinary file: with them as separator and null string, DuckDB reads whole lines.
NOWHERE, NOTHING = "\x01", "\x02"
LINE, FIELDS = '"a whole line"', '"its fields"'  # a name that no partition column has
SURELY_ONE_PARTITION = 4 << 20  # spark.sql.files.openCostInBytes: no file is split into less
AT_ONCE = 256 << 20  # bytes of files that are checked as one string


class RejectedByDuckDB(NotNative):
    """DuckDB's CSV reader raised an error: a row has more columns than the first, for example."""


def scan(request: Request) -> FileScan:
    check_options(request, KNOWN)
    if not request.files:
        return without_rows(request)
    dialect, firsts = first_lines(request.files, dialect_of(request.options, request.context.time_zone))
    check_formats(request, dialect)
    begun = {tuple(split_line(first, dialect, partial(fields_of, request, dialect))) for first in firsts}
    dialect = check_lines(request, dialect, firsts, alone=any(len(fields) == 1 for fields in begun))
    try:
        return scan_rows(request, dialect, begun)
    except RejectedByDuckDB:
        if not dialect.can_be_split or dialect.odd:
            raise
        return scan_rows(request, replace(dialect, odd=True), begun)


def scan_rows(request: Request, dialect: Dialect, begun: Collection[tuple[str, ...]]) -> FileScan:
    """Scans files without malformed records; names are the user's, or those of the header that every file has."""

    def infer_schema() -> StructType:
        return found_schema(request, dialect, column_names(begun, dialect, request.context.case_sensitive))

    data = data_schema(request, infer_schema)
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    corrupt = corrupt_name(request)
    was_read = dialect.is_permissive and dialect.infer and request.user_schema is None
    if corrupt in data.names or not (was_read or all_fit(request, dialect, data)):
        return scan_records(request, replace(dialect, odd=True), data, whole, corrupt)
    rows = read_csv(request, dialect, len(data.fields))
    return file_scan(request, whole, select_sql(request, whole, values_sql(dialect, data), rows))


def scan_records(request: Request, dialect: Dialect, data: StructType, whole: StructType, corrupt: str) -> FileScan:
    """Scans files with possibly malformed records; which records are malformed depends on the required columns."""
    if not is_on(request.context.config, "spark.sql.csv.parser.columnPruning.enabled"):
        raise NotNative(reasons.FILE_MALFORMED_RECORDS, "CSV with spark.sql.csv.parser.columnPruning.enabled = false")
    width = sum(name != corrupt for name in data.names)
    records = Records(split_rows(request, dialect, width), LINE, FIELDS, dialect, data, corrupt)
    records.check()
    if dialect.fails and not all_fit(request, dialect, StructType(records.columns)):
        raise NotNative(reasons.CSV_VALUE, "a value that does not fit its type, in FAILFAST mode")

    directories = replace(request, context=ScanContext(None))  # cached until the files change

    def by_columns(required: frozenset[int]) -> str:
        names = frozenset(whole.names[place] for place in required)
        return f"({select_sql(directories, whole, records.values(names), records.source(names))})"

    found = file_scan(request, whole, by_columns(frozenset()))
    return replace(found, by_columns=by_columns)


def check_formats(request: Request, dialect: Dialect) -> None:
    """Invalid patterns, and those that the extension does not support, fall back to Spark."""
    for value in (date_sql("''", dialect.formats), timestamp_sql("''", dialect.formats)):
        run_check(request, f"SELECT {value}")


def fields_of(request: Request, dialect: Dialect, line: str) -> list[str]:
    (fields,) = run_check(request, f"SELECT {fields_sql(duck_text(line), dialect)}")
    return [field or "" for field in fields]


def fields_sql(line: str, dialect: Dialect) -> str:
    return f"spark_csv_fields({line}, {duck_text(dialect.separator)}, {duck_text(dialect.null_value)})"


def without_rows(request: Request) -> FileScan:
    if request.user_schema is None:
        raise NotNative(reasons.FILE_SIZE, "CSV files without a line")
    data = data_schema(request, lambda: None)
    return file_scan(request, merged_schema(data, request.partitioning.schema, request.context.case_sensitive), "")


# ---- the check of all lines


def check_lines(request: Request, dialect: Dialect, firsts: Sequence[str], alone: bool) -> Dialect:
    """One pass over all lines: none equals the header, and whether DuckDB splits all of them as univocity does.

    With a single column, DuckDB reads an empty line as a row."""
    if dialect.several_lines:
        return check_multi_line(request, dialect)
    never = [f"{LINE} IN ({duck_texts(sorted(set(firsts)))[1:-1]})"] if dialect.header else ["false"]
    if dialect.blanks:
        never += [f"contains({LINE}, '\"')", blank_line()]  # blanks inside quotes are not trimmed
    counts = (f"count(*) FILTER (WHERE {test})" for test in (" OR ".join(never), odd_line(dialect)))
    refused, odd = run_check(request, f"SELECT {', '.join(counts)} FROM {whole_lines(request, dialect)}")
    odd = odd or alone or dialect.comment
    if refused or (odd and not dialect.can_be_split):
        raise NotNative(reasons.CSV_DIALECT, "quotes inside fields, blanks or repeated headers")
    return replace(dialect, odd=bool(odd))


def blank_line() -> str:
    """Tests the first character before the regular expression, which most lines then do not need."""
    return f"CASE WHEN left({LINE}, 1) > ' ' THEN false ELSE regexp_full_match({LINE}, {duck_text(BLANK_LINE)}) END"


def unplain_line(dialect: Dialect) -> str:
    """Tests for a quote before the regular expression: a line without one is always plain."""
    unplain = f"NOT regexp_full_match({LINE}, {duck_text(dialect.plain_line)})"
    return f"CASE WHEN contains({LINE}, '\"') THEN {unplain} ELSE false END"


def odd_line(dialect: Dialect) -> str:
    tests = [
        unplain_line(dialect),
        blank_line(),
        f"contains({LINE}, chr(13))",
    ]
    if dialect.distinguishes_empty:
        separator = re.escape(dialect.separator)
        quoted_nothing = f'(^|{separator})""({separator}|$)'
        tests.append(f"regexp_matches({LINE}, {duck_text(quoted_nothing)})")
    return " OR ".join(tests)


def check_multi_line(request: Request, dialect: Dialect) -> Dialect:
    """Checks files with values over several lines: quotes only around whole values, and one kind of line ends."""
    if dialect.before or dialect.distinguishes_empty or sum(leaf.size for leaf in request.files) > AT_ONCE:
        raise NotNative(reasons.CSV_DIALECT, "multiLine with these options")
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in text_tests(dialect))
    odd, returns, files = run_check(
        request, f"SELECT {counts}, count(*) FROM read_text({duck_texts(request.paths_as_read)})"
    )
    if odd or returns not in (0, files):
        raise NotNative(reasons.CSV_DIALECT, "multiLine with quotes inside fields, blanks or other line ends")
    return replace(dialect, returns=bool(returns))


def text_tests(dialect: Dialect) -> tuple[str, str]:
    """SQL tests of a file's text: whether DuckDB would split it differently, and whether its lines end with CRLF."""
    text = "replace(content, chr(13) || chr(10), chr(10))"
    line = f"(?:{dialect.field_pattern}{re.escape(dialect.separator)})*{dialect.field_pattern}"
    whole = rf"(?:{line}\n)*(?:{line})?"
    odd = [
        f"NOT regexp_full_match({text}, {duck_text(whole)}, 's')",
        rf"regexp_matches({text}, '(^|\n)[\x00-\x20]*\n')",
        rf"regexp_matches({text}, '\n[\x01-\x20]+$')",
        f"contains({text}, chr(13))",
        r"contains(content, chr(13)) AND regexp_matches(content, '(^|[^\r])\n')",
    ]
    return " OR ".join(odd), "contains(content, chr(13))"


def whole_lines(request: Request, dialect: Dialect) -> str:
    """A relation of whole lines, without comments, and of the partition columns."""
    header = str(dialect.header).lower()
    lines = (
        f"read_csv({duck_texts(request.paths_as_read)}, columns={{{LINE}: 'VARCHAR'}}, auto_detect=false, "
        f"header={header}, delim={duck_text(NOWHERE)}, quote='', escape='', nullstr={duck_text(NOTHING)}, "
        f"skip={dialect.before}, {hive_arguments(request.partitioning)})"
    )
    comment = f"WHERE NOT starts_with({LINE}, {duck_text(dialect.comment)})"
    return f"(SELECT * FROM {lines} {comment})" if dialect.comment else lines


def run_check(request: Request, query: str) -> Sequence[Any]:
    """Files on which the check itself fails (mixed line ends, bad UTF-8, ragged rows) fall back to Spark."""
    try:
        found: Sequence[Any] = request.context.connection.execute(query).fetchall()[0]
    except duckdb.InvalidInputException as error:
        raise RejectedByDuckDB(reasons.CSV_VALUE, "a file that DuckDB's CSV reader rejects") from error
    except duckdb.CatalogException as error:
        raise NotNative(reasons.NATIVE_LIBRARY, "CSV values") from error
    return found


# ---- the rows


def found_schema(request: Request, dialect: Dialect, names: Sequence[str]) -> StructType:
    types: list[DataType] = [StringType()] * len(names)
    if dialect.infer:
        rows = read_csv(request, dialect, len(names))
        found = run_check(request, kinds_found(len(names), dialect.formats, rows))
        alone = len(request.files) == 1 and request.files[0].size <= SURELY_ONE_PARTITION
        types = [inferred_type(kinds, alone, dialect.formats) for kinds in found]
    return StructType([StructField(name, type, True) for name, type in zip(names, types, strict=True)])


def read_csv(request: Request, dialect: Dialect, width: int) -> str:
    """A relation of the string columns c0, c1, …, and of the partition columns."""
    if dialect.odd:
        return split_rows(request, dialect, width)
    columns = ", ".join(f"{duck_name(f'c{at}')}: 'VARCHAR'" for at in range(width))
    nulls = duck_texts(sorted({"", dialect.null_value}))
    header, padded = (str(flag).lower() for flag in (dialect.header, dialect.is_permissive))
    parallel = ", parallel=false" if dialect.several_lines and dialect.is_permissive else ""
    rows = (
        f"read_csv({duck_texts(request.paths_as_read)}, columns={{{columns}}}, auto_detect=false, "
        f"header={header}, delim={duck_text(dialect.separator)}, quote='\"', escape='\"', nullstr={nulls}, "
        f"null_padding={padded}, skip={dialect.before}, {hive_arguments(request.partitioning)}{parallel})"
    )
    if dialect.returns:
        return with_single_line_ends(rows, width)
    return trim_values(rows, dialect, width) if dialect.blanks else rows


def with_single_line_ends(rows: str, width: int) -> str:
    """univocity replaces a line end inside quotes by one character."""
    values = ", ".join(f"replace(c{at}, chr(13) || chr(10), chr(10)) AS c{at}" for at in range(width))
    return f"(SELECT * REPLACE ({values}) FROM {rows})"


def split_rows(request: Request, dialect: Dialect, width: int) -> str:
    """Rows split by the extension: missing fields are null, surplus fields are ignored, as in Spark."""
    lines = f"{whole_lines(request, dialect)} WHERE NOT ({blank_line()})"
    values = ", ".join(f"{FIELDS}[{at + 1}] AS c{at}" for at in range(width))
    return f"(SELECT *, {values} FROM (SELECT *, {fields_sql(LINE, dialect)} AS {FIELDS} FROM {lines}))"


def trim_values(rows: str, dialect: Dialect, width: int) -> str:
    """Trims blanks around values; a value that is then empty, or the null string, is null."""
    cut = (f"regexp_replace(c{at}, {duck_text(dialect.blanks)}, '', 'g')" for at in range(width))
    values = (f"nullif(nullif({value}, ''), {duck_text(dialect.null_value)}) AS c{at}" for at, value in enumerate(cut))
    return f"(SELECT * REPLACE ({', '.join(values)}) FROM {rows})"


def all_fit(request: Request, dialect: Dialect, data: StructType) -> bool:
    """No row is wider than the schema; in the modes DROPMALFORMED and FAILFAST every value fits, too."""
    values = [
        "1" if dialect.is_permissive else value_sql(f"c{at}", f.dataType, dialect.formats) for at, f in enumerate(data)
    ]
    tests = [f"c{at} IS NOT NULL AND ({value}) IS NULL" for at, value in enumerate(values)]
    if dialect.odd and not dialect.is_permissive:
        tests.append(f"len({FIELDS}) <> {len(data.fields)}")
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests)
    return not any(run_check(request, f"SELECT {counts} FROM {read_csv(request, dialect, len(data.fields))}"))


def values_sql(dialect: Dialect, data: StructType) -> dict[str, str]:
    return {f.name: value_sql(f"c{at}", f.dataType, dialect.formats) for at, f in enumerate(data.fields)}


def select_sql(request: Request, whole: StructType, values: Mapping[str, str], rows: str) -> str:
    """Data columns and partition columns in the order of the schema."""
    casts = partition_casts(request.partitioning.schema)
    directories = request.partitioning.sources.items()
    values = {**values, **{name: duck_value(casts[name], duck_name(source)) for name, source in directories}}
    columns = ", ".join(f"{values[name]} AS {duck_name(name)}" for name in whole.names)
    place = request.file_column if rows.startswith("read_csv(") else ""
    return f"SELECT {columns}{place} FROM {rows}"
