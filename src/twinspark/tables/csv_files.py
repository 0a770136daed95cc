"""CSV files as Spark reads them: all lines are looked at first, then DuckDB or the extension takes them apart."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb
from pyspark.sql.types import DataType, StringType, StructField, StructType

from twinspark.errors import NotNative
from twinspark.tables.csv_dialect import BLANK_LINE, KNOWN, Dialect, column_names, dialect_of, first_lines, split_line
from twinspark.tables.csv_records import Records
from twinspark.tables.csv_values import date_sql, inferred_type, kinds_found, timestamp_sql, value_sql
from twinspark.tables.ducktext import identifier, literal, literals
from twinspark.tables.filescan import (
    FileScan,
    Request,
    ScanContext,
    check_options,
    corrupt_name,
    data_schema,
    file_scan,
    partition_casts,
)
from twinspark.tables.partitions import hive_arguments, merged_schema
from twinspark.tables.reshape import duck_value

# Characters that stand in no ordinary file: lines are read whole with one as separator, and never as NULL.
NOWHERE, NOTHING = "\x01", "\x02"
LINE, FIELDS = '"a whole line"', '"its fields"'  # no directory is called so
SURELY_ONE_PARTITION = 4 << 20  # spark.sql.files.openCostInBytes: no file is split into less
AT_ONCE = 256 << 20  # bytes of files that are looked at as one text


class Refused(NotNative):
    """DuckDB's reader does not take the file: rows are wider than the first, or worse."""


def scan(request: Request) -> FileScan:
    check_options(request, KNOWN)
    if not request.files:
        return without_rows(request)
    dialect, firsts = first_lines(request.files, dialect_of(request.options, request.context.time_zone))
    check_formats(request, dialect)
    begun = {tuple(split_line(first, dialect, partial(fields_of, request, dialect))) for first in firsts}
    dialect = looked_at(request, dialect, firsts, alone=any(len(fields) == 1 for fields in begun))
    try:
        return scan_rows(request, dialect, begun)
    except Refused:
        if not dialect.may_be_taken_apart or dialect.odd:
            raise
        return scan_rows(request, replace(dialect, odd=True), begun)


def scan_rows(request: Request, dialect: Dialect, begun: Collection[tuple[str, ...]]) -> FileScan:
    """The names are those the user gives, or those that every file begins with."""

    def inferred() -> StructType:
        return found_schema(request, dialect, column_names(begun, dialect, request.context.case_sensitive))

    data = data_schema(request, inferred)
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    corrupt = corrupt_name(request)
    was_read = dialect.padded and dialect.infer and request.user_schema is None
    if corrupt in data.names or not (was_read or all_fit(request, dialect, data)):
        return scan_records(request, replace(dialect, odd=True), data, whole, corrupt)
    rows = read_csv(request, dialect, len(data.fields))
    return file_scan(request, whole, select_sql(request, whole, values_sql(dialect, data), rows))


def scan_records(request: Request, dialect: Dialect, data: StructType, whole: StructType, corrupt: str) -> FileScan:
    """Rows some of which may be malformed: what they are depends on the columns that are asked for."""
    if not request.context.is_on("spark.sql.csv.parser.columnPruning.enabled", True):
        raise NotNative("malformed csv records without pruned columns")
    width = sum(name != corrupt for name in data.names)
    records = Records(taken_apart(request, dialect, width), LINE, FIELDS, dialect, data, corrupt)
    records.check()
    if dialect.fails and not all_fit(request, dialect, StructType(records.columns)):
        raise NotNative("csv values that do not fit, in the mode FAILFAST")

    directories = replace(request, context=ScanContext(None))  # kept for as long as the files are as they are

    def by_columns(asked: frozenset[int]) -> str:
        names = frozenset(whole.names[place] for place in asked)
        return f"({select_sql(directories, whole, records.values(names), records.source(names))})"

    found = file_scan(request, whole, by_columns(frozenset()))
    return replace(found, by_columns=by_columns)


def check_formats(request: Request, dialect: Dialect) -> None:
    """A pattern that the extension does not read, or that is none, is Spark's."""
    for value in (date_sql("''", dialect.formats), timestamp_sql("''", dialect.formats)):
        ask(request, f"SELECT {value}")


def fields_of(request: Request, dialect: Dialect, line: str) -> list[str]:
    (fields,) = ask(request, f"SELECT {fields_sql(literal(line), dialect)}")
    return [field or "" for field in fields]


def fields_sql(line: str, dialect: Dialect) -> str:
    return f"spark_csv_fields({line}, {literal(dialect.separator)}, {literal(dialect.null_value)})"


def without_rows(request: Request) -> FileScan:
    if request.user_schema is None:
        raise NotNative("csv files without a line")
    data = data_schema(request, lambda: None)
    return file_scan(request, merged_schema(data, request.partitioning.schema, request.context.case_sensitive), "")


# ---- the look at all lines


def looked_at(request: Request, dialect: Dialect, firsts: Sequence[str], alone: bool) -> Dialect:
    """One pass over all lines: none is equal to the header, and either DuckDB splits all as univocity does, or none.

    Where a column is alone, DuckDB takes a line without a character for a row."""
    if dialect.several_lines:
        return looked_through(request, dialect)
    never = [f"{LINE} IN ({literals(sorted(set(firsts)))[1:-1]})"] if dialect.header else ["false"]
    if dialect.blanks:
        never += [f"contains({LINE}, '\"')", blank_line()]  # inside quotes blanks stay
    counts = (f"count(*) FILTER (WHERE {test})" for test in (" OR ".join(never), odd_line(dialect)))
    refused, odd = ask(request, f"SELECT {', '.join(counts)} FROM {whole_lines(request, dialect)}")
    odd = odd or alone or dialect.comment
    if refused or (odd and not dialect.may_be_taken_apart):
        raise NotNative("csv lines with quotes inside fields, blanks, or repeated headers")
    return replace(dialect, odd=bool(odd))


def blank_line() -> str:
    """Most lines begin with more than a blank, which is seen without the expression."""
    return f"CASE WHEN left({LINE}, 1) > ' ' THEN false ELSE regexp_full_match({LINE}, {literal(BLANK_LINE)}) END"


def unplain_line(dialect: Dialect) -> str:
    """A line without a quote is always plain."""
    unplain = f"NOT regexp_full_match({LINE}, {literal(dialect.plain_line)})"
    return f"CASE WHEN contains({LINE}, '\"') THEN {unplain} ELSE false END"


def odd_line(dialect: Dialect) -> str:
    tests = [
        unplain_line(dialect),
        blank_line(),
        f"contains({LINE}, chr(13))",
    ]
    if dialect.is_quoted_nothing_told:
        separator = re.escape(dialect.separator)
        quoted_nothing = f'(^|{separator})""({separator}|$)'
        tests.append(f"regexp_matches({LINE}, {literal(quoted_nothing)})")
    return " OR ".join(tests)


def looked_through(request: Request, dialect: Dialect) -> Dialect:
    """Values over several lines: quotes only around whole values, and one kind of line ends."""
    if dialect.before or dialect.is_quoted_nothing_told or sum(leaf.size for leaf in request.files) > AT_ONCE:
        raise NotNative("such csv files of values over several lines")
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in text_tests(dialect))
    odd, returns, files = ask(request, f"SELECT {counts}, count(*) FROM read_text({literals(request.paths_as_read)})")
    if odd or returns not in (0, files):
        raise NotNative("csv files of values over several lines with quotes inside fields, blanks, or other line ends")
    return replace(dialect, returns=bool(returns))


def text_tests(dialect: Dialect) -> tuple[str, str]:
    """Whether a text is an odd one, and whether its lines end with a carriage return, too."""
    text = "replace(content, chr(13) || chr(10), chr(10))"
    line = f"(?:{dialect.field_pattern}{re.escape(dialect.separator)})*{dialect.field_pattern}"
    whole = rf"(?:{line}\n)*(?:{line})?"
    odd = [
        f"NOT regexp_full_match({text}, {literal(whole)}, 's')",
        rf"regexp_matches({text}, '(^|\n)[\x00-\x20]*\n')",
        rf"regexp_matches({text}, '\n[\x01-\x20]+$')",
        f"contains({text}, chr(13))",
        r"contains(content, chr(13)) AND regexp_matches(content, '(^|[^\r])\n')",
    ]
    return " OR ".join(odd), "contains(content, chr(13))"


def whole_lines(request: Request, dialect: Dialect) -> str:
    """A relation of `line`, without comments, and of the directories' values."""
    header = str(dialect.header).lower()
    lines = (
        f"read_csv({literals(request.paths_as_read)}, columns={{{LINE}: 'VARCHAR'}}, auto_detect=false, "
        f"header={header}, delim={literal(NOWHERE)}, quote='', escape='', nullstr={literal(NOTHING)}, "
        f"skip={dialect.before}, {hive_arguments(request.partitioning)})"
    )
    comment = f"WHERE NOT starts_with({LINE}, {literal(dialect.comment)})"
    return f"(SELECT * FROM {lines} {comment})" if dialect.comment else lines


def ask(request: Request, query: str) -> Sequence[Any]:
    """A check that DuckDB itself cannot finish (mixed line ends, bad UTF-8, ragged rows) is a file for Spark."""
    try:
        found: Sequence[Any] = request.context.connection.execute(query).fetchall()[0]
    except duckdb.InvalidInputException as error:
        raise Refused("a csv file that DuckDB's reader refuses") from error
    except duckdb.CatalogException as error:
        raise NotNative("csv values without the native extension") from error
    return found


# ---- the rows


def found_schema(request: Request, dialect: Dialect, names: Sequence[str]) -> StructType:
    types: list[DataType] = [StringType()] * len(names)
    if dialect.infer:
        rows = read_csv(request, dialect, len(names))
        found = ask(request, kinds_found(len(names), dialect.formats, rows))
        alone = len(request.files) == 1 and request.files[0].size <= SURELY_ONE_PARTITION
        types = [inferred_type(kinds, alone, dialect.formats) for kinds in found]
    return StructType([StructField(name, type, True) for name, type in zip(names, types, strict=True)])


def read_csv(request: Request, dialect: Dialect, width: int) -> str:
    """A relation of the values c0, c1 and so on as texts, and of the directories' values."""
    if dialect.odd:
        return taken_apart(request, dialect, width)
    columns = ", ".join(f"{identifier(f'c{at}')}: 'VARCHAR'" for at in range(width))
    nulls = literals(sorted({"", dialect.null_value}))
    header, padded = (str(flag).lower() for flag in (dialect.header, dialect.padded))
    parallel = ", parallel=false" if dialect.several_lines and dialect.padded else ""
    rows = (
        f"read_csv({literals(request.paths_as_read)}, columns={{{columns}}}, auto_detect=false, "
        f"header={header}, delim={literal(dialect.separator)}, quote='\"', escape='\"', nullstr={nulls}, "
        f"null_padding={padded}, skip={dialect.before}, {hive_arguments(request.partitioning)}{parallel})"
    )
    if dialect.returns:
        return ending_simply(rows, width)
    return trimmed(rows, dialect, width) if dialect.blanks else rows


def ending_simply(rows: str, width: int) -> str:
    """univocity makes one character of a line end inside quotes."""
    values = ", ".join(f"replace(c{at}, chr(13) || chr(10), chr(10)) AS c{at}" for at in range(width))
    return f"(SELECT * REPLACE ({values}) FROM {rows})"


def taken_apart(request: Request, dialect: Dialect, width: int) -> str:
    """A line that is not as wide as it should be has nothing more, or more than is read, as in Spark."""
    lines = f"{whole_lines(request, dialect)} WHERE NOT ({blank_line()})"
    values = ", ".join(f"{FIELDS}[{at + 1}] AS c{at}" for at in range(width))
    return f"(SELECT *, {values} FROM (SELECT *, {fields_sql(LINE, dialect)} AS {FIELDS} FROM {lines}))"


def trimmed(rows: str, dialect: Dialect, width: int) -> str:
    """Without the blanks around values; what is left of some is nothing, or the value for NULL."""
    cut = (f"regexp_replace(c{at}, {literal(dialect.blanks)}, '', 'g')" for at in range(width))
    values = (f"nullif(nullif({value}, ''), {literal(dialect.null_value)}) AS c{at}" for at, value in enumerate(cut))
    return f"(SELECT * REPLACE ({', '.join(values)}) FROM {rows})"


def all_fit(request: Request, dialect: Dialect, data: StructType) -> bool:
    """No row is wider than the schema; in the modes DROPMALFORMED and FAILFAST every value fits, too."""
    values = ["1" if dialect.padded else value_sql(f"c{at}", f.dataType, dialect.formats) for at, f in enumerate(data)]
    tests = [f"c{at} IS NOT NULL AND ({value}) IS NULL" for at, value in enumerate(values)]
    if dialect.odd and not dialect.padded:
        tests.append(f"len({FIELDS}) <> {len(data.fields)}")
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests)
    return not any(ask(request, f"SELECT {counts} FROM {read_csv(request, dialect, len(data.fields))}"))


def values_sql(dialect: Dialect, data: StructType) -> dict[str, str]:
    return {f.name: value_sql(f"c{at}", f.dataType, dialect.formats) for at, f in enumerate(data.fields)}


def select_sql(request: Request, whole: StructType, values: Mapping[str, str], rows: str) -> str:
    """The columns of the files, and those of their directories, in the order of the schema."""
    casts = partition_casts(request.partitioning.schema)
    directories = request.partitioning.sources.items()
    values = {**values, **{name: duck_value(casts[name], identifier(source)) for name, source in directories}}
    columns = ", ".join(f"{values[name]} AS {identifier(name)}" for name in whole.names)
    place = request.file_place if rows.startswith("read_csv(") else ""
    return f"SELECT {columns}{place} FROM {rows}"
