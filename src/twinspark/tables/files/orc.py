"""Reads ORC files as Spark does: pyarrow streams them to DuckDB, which converts their columns to Spark's types."""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import fs, orc
from pyspark.errors import PySparkException
from pyspark.sql.types import (
    ArrayType,
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
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from twinspark.config.values import text_of
from twinspark.errors import NotNative, reasons
from twinspark.tables.files.file_cache import LruCache
from twinspark.tables.files.listing import LeafFile
from twinspark.tables.files.orc_tail import Tail, tail_of
from twinspark.tables.files.partition_columns import DEFAULT_PARTITION, directory_values, merged_schema, unescape
from twinspark.tables.files.scan import FileScan, Request, check_options, data_schema, file_scan, largest_first, merges
from twinspark.tables.reshape import (
    Cast,
    Elements,
    Entries,
    Field,
    Fields,
    Microseconds,
    Missing,
    Nanoseconds,
    Reshape,
    Same,
    duck_select,
    simplify,
)
from twinspark.types import as_nullable, same_type

CATALYST = b"spark.sql.catalyst.type"  # OrcUtils.CATALYST_TYPE_ATTRIBUTE_NAME
PLAIN: Mapping[pa.DataType, DataType] = {
    pa.int8(): ByteType(),
    pa.int16(): ShortType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.float32(): FloatType(),
    pa.float64(): DoubleType(),
    pa.string(): StringType(),
    pa.binary(): BinaryType(),
    pa.bool_(): BooleanType(),
    pa.date32(): DateType(),
    pa.timestamp("ns"): TimestampType(),
}
OTHER_KINDS = {13: "unions", 16: "Hive's VARCHAR", 17: "Hive's CHAR", 18: "instants"}
UTC = {"UTC", "GMT", "Etc/UTC", "Etc/GMT", "Z"}
GREGORIAN = -141427  # 1582-10-15, before which the Julian and Gregorian calendars differ
LAST_MILLIS = 9_223_372_036_854 - 1  # the last timestamp in 64-bit nanoseconds
PARTITION = "twinspark_partition_{}"


@dataclass(frozen=True)
class OrcFile:
    """The schema and the footer statistics of a file."""

    arrow: pa.Schema
    tail: Tail

    @property
    def schema(self) -> StructType:
        return StructType([StructField(each.name, spark_type(each), True) for each in self.arrow])


_kept: LruCache[OrcFile] = LruCache(20_000)


def scan(request: Request) -> FileScan:
    check_options(request, {"mergeschema", "compression"})
    check_settings(request)
    groups = by_schema(request.files)
    data = data_schema(request, lambda: found_schema(request, [schema for schema, _ in groups]))
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    parts = [schema_select(schema, files, whole, request) for schema, files in groups]
    made = file_scan(request, whole, " UNION ALL ".join(select for select, _, _ in parts))
    return replace(made, arrow=tuple((name, dataset) for _, name, dataset in parts))


def check_settings(request: Request) -> None:
    if text_of(request.context.config, "spark.sql.orc.impl") != "native":
        raise NotNative(reasons.SETTING_VALUE, "spark.sql.orc.impl = hive")
    if any(leaf.size == 0 for leaf in request.partitioning.files):
        raise NotNative(reasons.FILE_SIZE, "ORC files without a byte")


def by_schema(files: Iterable[LeafFile]) -> list[tuple[pa.Schema, list[LeafFile]]]:
    """Groups files by schema, including the attributes that Spark wrote, which Arrow's comparison ignores."""
    groups: dict[str, tuple[pa.Schema, list[LeafFile]]] = {}
    for leaf in files:
        found = check_file(read(leaf))
        key = f"{found.schema.json()}{found.arrow.remove_metadata()}"
        groups.setdefault(key, (found.arrow.remove_metadata(), []))[1].append(leaf)
    return list(groups.values())


def read(leaf: LeafFile) -> OrcFile:
    return _kept.get(f"{leaf.path}:{leaf.size}:{leaf.modified_ns}", lambda: read_file(leaf.path))


def read_file(path: str) -> OrcFile:
    try:
        return OrcFile(orc.ORCFile(path).schema, tail_of(path))
    except (pa.ArrowException, OSError, IndexError, KeyError) as error:
        raise NotNative(reasons.ORC_LAYOUT, f"a file that is not a valid ORC file: {error}") from error


def check_file(found: OrcFile) -> OrcFile:
    """Dates and timestamps that pyarrow and Spark read differently fall back to Spark."""
    for kind, words in OTHER_KINDS.items():
        if kind in found.tail.kinds:
            raise NotNative(reasons.ORC_LAYOUT, words)
    if found.tail.is_silent:
        raise NotNative(reasons.FILE_OLD_CALENDAR, "ORC files without statistics of their first and last timestamps")
    if found.tail.days is not None and found.tail.days[0] < GREGORIAN:
        raise NotNative(reasons.FILE_OLD_CALENDAR, "ORC files with dates before 1582")
    if found.tail.millis is not None:
        check_times(found.tail, found.tail.millis)
    return found


def check_times(tail: Tail, millis: tuple[int, int]) -> None:
    """ORC's timestamps are local times of the writer's zone, converted to the reader's zone."""
    if not tail.zones <= UTC or time.timezone or time.daylight:
        raise NotNative(reasons.ORC_LAYOUT, "timestamps written in a time zone other than UTC")
    if millis[0] < -LAST_MILLIS or millis[1] > LAST_MILLIS:
        raise NotNative(reasons.ORC_LAYOUT, "timestamps before 1678 or after 2262")


def found_schema(request: Request, schemas: Sequence[pa.Schema]) -> StructType | None:
    merge = merges(request, "spark.sql.orc.mergeSchema")
    found = [OrcFile(schema, NOTHING).schema for schema in schemas]
    if not found:
        return None
    if merge:
        return merge_schemas(found)
    if any(each != found[0] for each in found):
        raise NotNative(reasons.FILE_SCHEMA_MISMATCH, "ORC files with several schemas")
    return found[0]


NOTHING = Tail(frozenset(), frozenset(), None, None, False)


def merge_schemas(schemas: Sequence[StructType]) -> StructType:
    fields: dict[str, StructField] = {}
    for field in (field for schema in schemas for field in schema.fields):
        if not same_type(fields.setdefault(field.name, field).dataType, field.dataType):
            raise NotNative(reasons.FILE_SCHEMA_MISMATCH, f"the column {field.name}")
    return StructType(list(fields.values()))


# ---- Types


def spark_type(field: pa.Field) -> DataType:
    """The type in the attribute that Spark wrote, or the type of ORC's (OrcUtils.toCatalystSchema)."""
    attribute = (field.metadata or {}).get(CATALYST)
    if attribute is not None:
        return parse_attribute(attribute.decode())
    type = field.type
    if pa.types.is_list(type):
        return ArrayType(spark_type(type.value_field), True)
    if pa.types.is_map(type):
        return MapType(spark_type(type.key_field), spark_type(type.item_field), True)
    if pa.types.is_struct(type):
        return StructType([StructField(each.name, spark_type(each), True) for each in type])
    if pa.types.is_decimal(type):
        return DecimalType(type.precision, type.scale)
    if type not in PLAIN:
        raise NotNative(reasons.FILE_COLUMN_TYPE, f"{type} in ORC")
    return PLAIN[type]


def parse_attribute(text: str) -> DataType:
    field = {"name": "a", "type": text, "nullable": True, "metadata": {}}
    try:
        return StructType.fromJson({"type": "struct", "fields": [field]})[0].dataType
    except PySparkException as error:
        raise NotNative(reasons.FILE_COLUMN_TYPE, f"{text} in ORC") from error


# ---- Reading


def schema_select(
    schema: pa.Schema, files: Sequence[LeafFile], wanted: StructType, request: Request
) -> tuple[str, str, Any]:
    """The SELECT over the files of one schema, the name it reads from, and the Arrow dataset to register there."""
    fields = tuple(column(field, schema, request) for field in wanted.fields)
    used = {field.source for field in fields}
    ordered = largest_first(files)
    read = pa.schema([each for each in schema if each.name in used] + partition_fields(request))
    name = f"orc_{digest(ordered, read)}"
    return duck_select(fields, name), name, dataset(ordered, read, request)


def digest(files: Sequence[LeafFile], schema: pa.Schema) -> str:
    text = json.dumps([[leaf.path, leaf.size, leaf.modified_ns] for leaf in files]) + str(schema)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def partition_fields(request: Request) -> list[pa.Field]:
    return [pa.field(PARTITION.format(at), pa.string()) for at in range(len(request.partitioning.directory_names))]


def dataset(files: Sequence[LeafFile], schema: pa.Schema, request: Request) -> Any:
    """pyarrow adds partition values as string columns that are constant in a file."""
    from pyarrow import dataset as ds  # imports pandas, so it is imported only when ORC files are read

    format, local = ds.OrcFileFormat(), fs.LocalFileSystem()
    fragments = [format.make_fragment(leaf.path, local, partition_values(leaf, request)) for leaf in files]
    return ds.FileSystemDataset(fragments, schema, format, local)


def partition_values(leaf: LeafFile, request: Request) -> Any:
    condition = pc.scalar(True)
    if not request.partitioning.directory_names:
        return condition
    for at, (_, value) in enumerate(directory_values(leaf.directory, request.listing.base_paths)):
        held = pc.field(PARTITION.format(at))
        condition = condition & (held.is_null() if value == DEFAULT_PARTITION else held == unescape(value))
    return condition


def column(field: StructField, schema: pa.Schema, request: Request) -> Field:
    if field.name in request.partitioning.schema.names:
        at = request.partitioning.schema.names.index(field.name)
        held = Same() if isinstance(field.dataType, StringType) else Cast(field.dataType)
        return Field(field.name, PARTITION.format(at), held)
    found = file_column(field.name, schema, request.context.case_sensitive)
    if found is None:
        return Field(field.name, None, Missing(field.dataType))
    return Field(field.name, found.name, reshape_of(found, field.dataType))


def file_column(name: str, schema: pa.Schema, case_sensitive: bool) -> pa.Field | None:
    if all(each.startswith("_col") for each in schema.names) and name not in schema.names:
        raise NotNative(reasons.ORC_LAYOUT, "files of Hive without column names")
    alike = [each for each in schema if each.name.lower() == name.lower()]
    if len(alike) > 1:
        raise NotNative(reasons.FILE_COLUMN_NAMES, f"ORC columns that differ from {name} only in case")
    if alike and case_sensitive and alike[0].name != name:
        return None
    return alike[0] if alike else None


def reshape_of(held: pa.Field, wanted: DataType) -> Reshape:
    """How a value becomes the required type, which must be equal; conversions of ORC's readers fall back to Spark."""
    if not same_type(spark_type(held), as_nullable(wanted)):
        raise NotNative(
            reasons.FILE_SCHEMA_MISMATCH,
            f"{spark_type(held).simpleString()} in an ORC file read as {wanted.simpleString()}",
        )
    return reshape_nested(held, wanted)


def reshape_nested(held: pa.Field, wanted: DataType) -> Reshape:
    match wanted:
        case ArrayType():
            return simplify(Elements(reshape_nested(held.type.value_field, wanted.elementType)))
        case MapType():
            key, value = held.type.key_field, held.type.item_field
            return simplify(Entries(reshape_nested(key, wanted.keyType), reshape_nested(value, wanted.valueType)))
        case StructType():
            pairs = zip(held.type, wanted.fields, strict=True)
            fields = tuple(Field(field.name, own.name, reshape_nested(own, field.dataType)) for own, field in pairs)
            return simplify(Fields(fields))
        case TimestampType():
            return Nanoseconds()
        case TimestampNTZType():
            return Microseconds()
    return Same()
