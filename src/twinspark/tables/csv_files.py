"""CSV files as Spark reads them: files are checked in one pass first, and only plain ones are read here."""

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
from pyspark.sql.types import DataType, StringType, StructField, StructType

from twinspark.errors import NotNative
from twinspark.tables.csv_values import class_counts, inferred_type, value_sql
from twinspark.tables.ducktext import identifier, literal, literals
from twinspark.tables.filescan import (
    FileScan,
    Request,
    check_options,
    data_schema,
    file_scan,
    partition_casts,
)
from twinspark.tables.listing import LeafFile
from twinspark.tables.partitions import hive_arguments, merged_schema
from twinspark.tables.reshape import duck_value

KNOWN = {"header", "inferschema", "sep", "delimiter", "quote", "escape", "nullvalue", "mode", "encoding", "charset",
         "multiline", "enforceschema", "ignoreleadingwhitespace", "ignoretrailingwhitespace"}  # fmt: skip
# Characters that stand in no ordinary file: lines are read whole with one as separator, and never as NULL.
NOWHERE, NOTHING = "\x01", "\x02"
SURELY_ONE_PARTITION = 4 << 20  # spark.sql.files.openCostInBytes: no file is split into less


@dataclass(frozen=True)
class Dialect:
    """The options that shape a line."""

    separator: str
    escape: str
    null_value: str
    header: bool
    infer: bool
    padded: bool
    blanks: str = ""  # a pattern of what is cut off around values

    @property
    def plain_line(self) -> str:
        """A line that univocity and DuckDB split alike: quotes only around whole fields."""
        separator = re.escape(self.separator)
        inside = '(?:[^"]|"")*' if self.escape == '"' else r'[^"\\]*'
        field = f'(?:"{inside}"|(?:[^"{separator}\\r\\n][^{separator}"\\r\\n]*)?)'
        return f"{field}(?:{separator}{field})*"


def scan(request: Request) -> FileScan:
    check_options(request, KNOWN)
    if not request.files:
        return without_rows(request)
    dialect = dialect_of(request.options)
    names = column_names(request, dialect)
    check_lines(request, dialect)
    data = data_schema(request, lambda: found_schema(request, dialect, names))
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    check_values(request, dialect, data)
    return file_scan(request, whole, select_sql(request, dialect, data, whole))


def without_rows(request: Request) -> FileScan:
    if request.user_schema is None:
        raise NotNative("csv files without a line")
    data = data_schema(request, lambda: None)
    return file_scan(request, merged_schema(data, request.partitioning.schema, request.context.case_sensitive), "")


def dialect_of(options: Mapping[str, str]) -> Dialect:
    separator = options.get("sep", options.get("delimiter", ","))
    agreed = {"quote": '"', "encoding": "UTF-8", "charset": "UTF-8", "multiline": "false", "enforceschema": "true"}
    for key, value in agreed.items():
        if options.get(key, value).upper() != value.upper():
            raise NotNative(f"the csv option {key} set to {options[key]!r}")
    separator = {"\\t": "\t"}.get(separator, separator)
    if len(separator) != 1 or separator in '"\\\r\n\x01' or options.get("escape", "\\") not in ('"', "\\"):
        raise NotNative("a csv separator or escape of another kind")
    on = {key for key in ("header", "inferschema") if options.get(key, "false").lower() == "true"}
    return Dialect(
        separator,
        options.get("escape", "\\"),
        options.get("nullvalue", ""),
        "header" in on,
        "inferschema" in on,
        options.get("mode", "PERMISSIVE").upper() == "PERMISSIVE",
        blanks_of(options),
    )


def blanks_of(options: Mapping[str, str]) -> str:
    leading, trailing = (options.get(f"ignore{side}whitespace", "false").lower() for side in ("leading", "trailing"))
    if trailing == "true" and leading != "true":
        raise NotNative("the csv option ignoretrailingwhitespace alone, where univocity fails over blank values")
    return {"true": r"^[\x00-\x20]+|[\x00-\x20]+$"}.get(trailing, r"^[\x00-\x20]+" if leading == "true" else "")


def column_names(request: Request, dialect: Dialect) -> list[str]:
    """Spark takes the first line it meets, in an order of its own: all files must begin alike."""
    firsts = {tuple(split_line(first_line(leaf), dialect)) for leaf in request.files}
    if (dialect.header and len(firsts) > 1) or len({len(first) for first in firsts}) > 1:
        raise NotNative("csv files that begin differently")
    first = next(iter(firsts))
    return safe_header(first, dialect, request.context.case_sensitive) if dialect.header else numbered(len(first))


def numbered(count: int) -> list[str]:
    return [f"_c{at}" for at in range(count)]


def safe_header(first: Sequence[str], dialect: Dialect, case_sensitive: bool) -> list[str]:
    """CSVUtils.makeSafeHeader: empty names are numbered, repeated ones take their position."""
    folded = [name if case_sensitive else name.lower() for name in first]
    repeated = {name for name in folded if folded.count(name) > 1}

    def safe(at: int, name: str) -> str:
        if name in ("", dialect.null_value):
            return f"_c{at}"
        return f"{name}{at}" if folded[at] in repeated else name

    return [safe(at, name) for at, name in enumerate(first)]


def first_line(leaf: LeafFile) -> str:
    if leaf.name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate")):
        raise NotNative("compressed csv files")
    opener = gzip.open if leaf.name.endswith(".gz") else open
    with opener(leaf.path, "rb") as stream:
        raw = stream.readline(1 << 20)
    try:
        return re.split(r"[\r\n]", raw.decode("utf-8-sig"), maxsplit=1)[0]
    except UnicodeDecodeError as error:
        raise NotNative("csv files that are not UTF-8") from error


def split_line(line: str, dialect: Dialect) -> list[str]:
    if not re.fullmatch(dialect.plain_line, line) or not line.strip():
        raise NotNative("a csv file whose first line is not plain")
    separator = re.escape(dialect.separator)
    fields = re.findall(rf'(?:^|{separator})("(?:[^"]|"")*"|[^{separator}]*)', line)
    if dialect.blanks:
        return [re.sub(dialect.blanks, "", field) for field in fields]
    return [field[1:-1].replace('""', '"') if field.startswith('"') else field for field in fields]


def check_lines(request: Request, dialect: Dialect) -> None:
    """One pass over all lines: no blank ones, no quotes inside fields, none equal to the header."""
    tests = [f"NOT regexp_full_match(line, {literal(dialect.plain_line)})", r"regexp_full_match(line, '[\x00-\x20]*')"]
    if dialect.null_value:
        separator = re.escape(dialect.separator)
        quoted_nothing = f'(^|{separator})""({separator}|$)'
        tests.append(f"regexp_matches(line, {literal(quoted_nothing)})")
    if dialect.blanks:
        tests.append("contains(line, '\"')")  # inside quotes blanks stay
    if dialect.header:
        tests.append(f"line = {literal(first_line(request.files[0]))}")
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests)
    odd = list(ask(request, f"SELECT {counts} FROM {whole_lines(request, dialect)}"))
    if any(odd):
        raise NotNative("csv lines with quotes inside fields, blanks, or repeated headers")


def whole_lines(request: Request, dialect: Dialect) -> str:
    header = "true" if dialect.header else "false"
    return (
        f"read_csv({literals(request.paths_as_read)}, columns={{'line': 'VARCHAR'}}, auto_detect=false, "
        f"header={header}, delim={literal(NOWHERE)}, quote='', escape='', nullstr={literal(NOTHING)}, "
        "hive_partitioning=false)"
    )


def ask(request: Request, query: str) -> Sequence[int]:
    """A check that DuckDB itself cannot finish (mixed line ends, bad UTF-8, ragged rows) is a file for Spark."""
    try:
        found: Sequence[int] = request.context.connection.execute(query).fetchall()[0]
    except duckdb.InvalidInputException as error:
        raise NotNative("a csv file that DuckDB's reader refuses") from error
    except duckdb.CatalogException as error:
        raise NotNative("csv values without the native extension") from error
    return found


def found_schema(request: Request, dialect: Dialect, names: Sequence[str]) -> StructType:
    types: list[DataType] = [StringType()] * len(names)
    if dialect.infer:
        rows = read_csv(request, dialect, len(names))
        counts = ask(request, class_counts(len(names), request.context.time_zone, rows))
        alone = len(request.files) == 1 and request.files[0].size <= SURELY_ONE_PARTITION
        types = [inferred_type(counts, at, alone) for at in range(len(names))]
    return StructType([StructField(name, type, True) for name, type in zip(names, types, strict=True)])


def read_csv(request: Request, dialect: Dialect, width: int) -> str:
    columns = ", ".join(f"{identifier(f'c{at}')}: 'VARCHAR'" for at in range(width))
    nulls = literals(sorted({"", dialect.null_value}))
    header, padded = (str(flag).lower() for flag in (dialect.header, dialect.padded))
    rows = (
        f"read_csv({literals(request.paths_as_read)}, columns={{{columns}}}, auto_detect=false, "
        f"header={header}, delim={literal(dialect.separator)}, quote='\"', escape='\"', nullstr={nulls}, "
        f"null_padding={padded}, {hive_arguments(request.partitioning)})"
    )
    return trimmed(rows, dialect, width) if dialect.blanks else rows


def trimmed(rows: str, dialect: Dialect, width: int) -> str:
    """Without the blanks around values; what is left of some is nothing, or the value for NULL."""
    cut = (f"regexp_replace(c{at}, {literal(dialect.blanks)}, '', 'g')" for at in range(width))
    values = (f"nullif(nullif({value}, ''), {literal(dialect.null_value)}) AS c{at}" for at, value in enumerate(cut))
    return f"(SELECT * REPLACE ({', '.join(values)}) FROM {rows})"


def check_values(request: Request, dialect: Dialect, data: StructType) -> None:
    """No row is wider than the schema; in the modes DROPMALFORMED and FAILFAST every value fits, too."""
    if any(field.name == "_corrupt_record" for field in data.fields):
        raise NotNative("a csv column for corrupt records")
    zone = request.context.time_zone
    values = ["1" if dialect.padded else value_sql(f"c{at}", f.dataType, zone) for at, f in enumerate(data.fields)]
    counts = ", ".join(f"count(*) FILTER (WHERE c{at} IS NOT NULL AND ({v}) IS NULL)" for at, v in enumerate(values))
    if any(ask(request, f"SELECT {counts} FROM {read_csv(request, dialect, len(data.fields))}")):
        raise NotNative("csv values that do not fit, in another mode than PERMISSIVE")


def select_sql(request: Request, dialect: Dialect, data: StructType, whole: StructType) -> str:
    casts = partition_casts(request.partitioning.schema)
    zone = request.context.time_zone
    values = {f.name: value_sql(f"c{at}", f.dataType, zone) for at, f in enumerate(data.fields)}
    for name, source in request.partitioning.sources.items():
        values[name] = duck_value(casts[name], identifier(source))
    columns = ", ".join(f"{values[name]} AS {identifier(name)}" for name in whole.names)
    return f"SELECT {columns} FROM {read_csv(request, dialect, len(data.fields))}"
