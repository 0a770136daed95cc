"""Reads JSON lines as Spark does: checks files in one pass first, and reads those whose values have uniform types."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import duckdb
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from twinspark.errors import NotNative, reasons
from twinspark.tables.column_types import column_type
from twinspark.tables.files.partition_columns import hive_arguments, merged_schema
from twinspark.tables.files.scan import (
    FileScan,
    Request,
    check_distinct,
    check_options,
    corrupt_name,
    data_schema,
    file_scan,
    partition_casts,
)
from twinspark.tables.reshape import duck_value
from twinspark.types.duckdb import duck_name, duck_text, duck_texts

KNOWN = {"multiline", "mode", "encoding", "charset", "primitivesasstring", "prefersdecimal",
         "columnnameofcorruptrecord"}  # fmt: skip
AGREED = {"multiline": "false", "encoding": "UTF-8", "charset": "UTF-8", "primitivesasstring": "false",
          "prefersdecimal": "false"}  # fmt: skip
# Numbers beyond 64 bits or beyond doubles, NaN and the like, and trailing commas, which the two parsers read
# differently.
DELICATE = r"[0-9]{19}|[eE][+-]?[0-9]{3}|[:,\[][ \t]*[-+]?(NaN|Inf|INF)|,\s*[}\]]"
INFERRED: Mapping[str, DataType] = {
    "UBIGINT": LongType(),
    "BIGINT": LongType(),
    "DOUBLE": DoubleType(),
    "VARCHAR": StringType(),
    "BOOLEAN": BooleanType(),
    "NULL": StringType(),
}
# The JSON types that a column's values may have for both parsers to read them alike.
HELD: Mapping[type[DataType], frozenset[str]] = {
    ByteType: frozenset({"UBIGINT", "BIGINT"}),
    ShortType: frozenset({"UBIGINT", "BIGINT"}),
    IntegerType: frozenset({"UBIGINT", "BIGINT"}),
    LongType: frozenset({"UBIGINT", "BIGINT"}),
    DoubleType: frozenset({"UBIGINT", "BIGINT", "DOUBLE"}),
    StringType: frozenset({"VARCHAR"}),
    BooleanType: frozenset({"BOOLEAN"}),
    DecimalType: frozenset({"UBIGINT", "BIGINT", "DOUBLE"}),
    DateType: frozenset({"VARCHAR"}),
}


def scan(request: Request) -> FileScan:
    check_options(request, KNOWN)
    for key, agreed in AGREED.items():
        if request.options.get(key, agreed).upper() != agreed.upper():
            raise NotNative(reasons.FILE_OPTION, f"json: {key} = {request.options[key]!r}")
    if not request.files:
        return without_rows(request)
    if any(leaf.name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate")) for leaf in request.files):
        raise NotNative(reasons.FILE_COMPRESSED, "JSON")
    data = data_schema(request, lambda: found_schema(request))
    check_names(request, data)
    if request.user_schema is not None:  # an inferred schema fits all values
        check_values(request, data)
    check_taken_apart(request, data)
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    return file_scan(request, whole, select_sql(request, data, whole))


def without_rows(request: Request) -> FileScan:
    if request.user_schema is None:
        raise NotNative(reasons.FILE_SIZE, "JSON files without a line")
    data = data_schema(request, lambda: None)
    return file_scan(request, merged_schema(data, request.partitioning.schema, request.context.case_sensitive), "")


def objects(request: Request) -> str:
    return f"read_json_objects({duck_texts(request.paths_as_read)}, format='newline_delimited')"


def run_check(request: Request, query: str) -> Sequence[Any]:
    """Files on which the check itself fails (malformed lines, duplicate keys) fall back to Spark."""
    try:
        found: Sequence[Any] = request.context.connection.execute(query).fetchall()[0]
    except duckdb.InvalidInputException as error:
        raise NotNative(reasons.JSON_VALUE, "a file that DuckDB's JSON reader rejects") from error
    return found


def check_lines(request: Request, wanted: Sequence[str], source: str) -> Sequence[Any]:
    """Computes aggregates over the lines, and in the same pass whether they are uniform, since reading costs the
    most."""
    odd = f"json_type(json) <> 'OBJECT' OR regexp_matches(CAST(json AS VARCHAR), {duck_text(DELICATE)})"
    counted = f"count(*) FILTER (WHERE {odd})"
    odd_ones, *found = run_check(request, f"SELECT {', '.join([counted, *wanted])} FROM {source}")
    if odd_ones:
        raise NotNative(reasons.JSON_VALUE, "lines that are not objects, or numbers at the limits of their types")
    return found


def found_schema(request: Request) -> StructType:
    [structure] = check_lines(request, ["json_group_structure(json)"], objects(request))
    if structure is None:
        raise NotNative(reasons.FILE_SIZE, "JSON files without a line")
    made = type_of(json.loads(structure))
    assert isinstance(made, StructType)
    return made


def type_of(structure: Any) -> DataType:
    """JsonInferSchema's type: fields by name, nulls as strings."""
    if isinstance(structure, list):
        return ArrayType(type_of(structure[0]), True)
    if isinstance(structure, dict):
        names = sorted(structure)
        if any(ord(character) > 0xFFFF for name in names for character in name):
            raise NotNative(reasons.JSON_VALUE, "keys outside Unicode's basic plane, which Java sorts differently")
        return StructType([StructField(name, type_of(structure[name]), True) for name in names])
    if structure not in INFERRED:
        raise NotNative(reasons.JSON_VALUE, "values of different kinds under one key")
    return INFERRED[structure]


def check_names(request: Request, data: StructType) -> None:
    if corrupt_name(request) in data.names:
        raise NotNative(reasons.FILE_MALFORMED_RECORDS, "a JSON column for corrupt records")
    check_distinct(data)


def check_values(request: Request, data: StructType) -> None:
    """Every leaf must have values of one JSON type; decimals and dates must have a form that both parsers read
    alike."""
    leaves = list(leaf_paths("$", data))
    if not leaves:
        raise NotNative(reasons.JSON_VALUE, "records without columns")
    paths = [path for path, _ in leaves if "[*]" not in path]
    plain_tests = [(path, PLAIN[type.__class__](path, type)) for path, type in leaves if type.__class__ in PLAIN]
    kinds = [distinct_types(path, paths) for path, _ in leaves]
    odd_texts = [f"count(*) FILTER (WHERE NOT ({plain}))" for _, plain in plain_tests]
    source = f"(SELECT json, json_type(json, {duck_texts(paths)}) AS kinds FROM {objects(request)})"
    found = check_lines(request, [*kinds, *odd_texts], source)
    for (path, type), held in zip(leaves, found[: len(leaves)], strict=True):
        if not set(held or ()) - {"NULL", None} <= held_types(type):
            raise NotNative(reasons.JSON_VALUE, f"values under {path} that are not all of one type")
    for (path, _), odd in zip(plain_tests, found[len(leaves) :], strict=True):
        if odd:
            raise NotNative(reasons.JSON_VALUE, f"values under {path} that do not fit the schema")


def check_taken_apart(request: Request, data: StructType) -> None:
    """Every line must be readable with the schema."""
    counts = ", ".join(f"count({duck_name(field.name)})" for field in data.fields)
    run_check(request, f"SELECT {counts} FROM {read_json(request, data)}")


def plain_decimals(path: str, type: DataType) -> str:
    """A test for numbers that a double represents exactly: at most fifteen digits, none of which is rounded."""
    assert isinstance(type, DecimalType)
    whole = min(type.precision, EXACT_DIGITS) - type.scale
    if whole < 1 or "[*]" in path:
        raise NotNative(reasons.FILE_COLUMN_TYPE, f"{type.simpleString()} in JSON")
    fraction = f"([.][0-9]{{1,{type.scale}}})?" if type.scale else ""
    return f"coalesce(regexp_full_match({text_at(path)}, '-?[0-9]{{1,{whole}}}{fraction}'), true)"


def plain_dates(path: str, type: DataType) -> str:
    """A test for ISO dates since 1582, which all of Spark's parsers read alike."""
    if "[*]" in path:
        raise NotNative(reasons.FILE_COLUMN_TYPE, f"{type.simpleString()} in JSON")
    text = text_at(path)
    written = f"regexp_full_match({text}, '(1[6-9]|[2-9][0-9])[0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}}')"
    return f"{text} IS NULL OR ({written} AND TRY_CAST({text} AS DATE) IS NOT NULL)"


def text_at(path: str) -> str:
    return f"json_extract_string(json, {duck_text(path)})"


EXACT_DIGITS = 15
PLAIN: Mapping[type[DataType], Callable[[str, DataType], str]] = {DecimalType: plain_decimals, DateType: plain_dates}


def held_types(type: DataType) -> frozenset[str]:
    if isinstance(type, StructType):
        return frozenset({"OBJECT"})
    if isinstance(type, ArrayType):
        return frozenset({"ARRAY"})
    if type.__class__ not in HELD:
        raise NotNative(reasons.FILE_COLUMN_TYPE, f"{type.simpleString()} in JSON")
    return HELD[type.__class__]


def leaf_paths(path: str, type: DataType) -> Iterator[tuple[str, DataType]]:
    """JSON paths of everything in a type, containers too; `[*]` goes through arrays."""
    if isinstance(type, StructType):
        for field in type.fields:
            if '"' in field.name or "\\" in field.name:
                raise NotNative(reasons.JSON_VALUE, "keys that contain quotes")
            below = f'{path}."{field.name}"'
            yield below, field.dataType
            yield from leaf_paths(below, field.dataType)
    if isinstance(type, ArrayType):
        yield f"{path}[*]", type.elementType
        yield from leaf_paths(f"{path}[*]", type.elementType)


def distinct_types(path: str, paths: Sequence[str]) -> str:
    if "[*]" in path:
        return f"list_distinct(flatten(list(json_type(json, {duck_text(path)}))))"
    return f"list(DISTINCT kinds[{paths.index(path) + 1}])"


def read_json(request: Request, data: StructType) -> str:
    columns = ", ".join(f"{duck_text(f.name)}: {duck_text(column_type(f.dataType))}" for f in data.fields)
    return (
        f"read_json({duck_texts(request.paths_as_read)}, format='newline_delimited', records=true, "
        f"columns={{{columns}}}, {hive_arguments(request.partitioning)})"
    )


def select_sql(request: Request, data: StructType, whole: StructType) -> str:
    casts = partition_casts(request.partitioning.schema)
    values = {field.name: duck_name(field.name) for field in data.fields}
    for name, source in request.partitioning.sources.items():
        values[name] = duck_value(casts[name], duck_name(source))
    columns = ", ".join(f"{values[name]} AS {duck_name(name)}" for name in whole.names)
    return f"SELECT {columns}{request.file_column} FROM {read_json(request, data)}"
