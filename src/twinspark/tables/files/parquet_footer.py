"""Reads Parquet footers with DuckDB and converts their schemas to Spark's."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb
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

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.user_types import type_of_json
from twinspark.tables.files.listing import LeafFile
from twinspark.types.duckdb import duck_texts

SPARK_SCHEMA = "org.apache.spark.sql.parquet.row.metadata"
LEGACY_KEYS = ("org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96")
SPARK_VERSION = "org.apache.spark.version"

Annotation = tuple[str, str]
INTEGERS: Mapping[Annotation, DataType] = {
    ("INT32", ""): IntegerType(),
    ("INT32", "INT_8"): ByteType(),
    ("INT32", "INT_16"): ShortType(),
    ("INT32", "INT_32"): IntegerType(),
    ("INT32", "UINT_8"): ShortType(),
    ("INT32", "UINT_16"): IntegerType(),
    ("INT32", "UINT_32"): LongType(),
    ("INT32", "DATE"): DateType(),
    ("INT64", ""): LongType(),
    ("INT64", "INT_64"): LongType(),
    ("INT64", "UINT_64"): DecimalType(20, 0),
    ("INT64", "TIMESTAMP_MICROS"): TimestampType(),
    ("INT64", "TIMESTAMP_MILLIS"): TimestampType(),
    ("INT96", ""): TimestampType(),
    ("BOOLEAN", ""): BooleanType(),
    ("FLOAT", ""): FloatType(),
    ("DOUBLE", ""): DoubleType(),
    ("BYTE_ARRAY", ""): BinaryType(),
    ("BYTE_ARRAY", "UTF8"): StringType(),
    ("BYTE_ARRAY", "ENUM"): StringType(),
    ("BYTE_ARRAY", "JSON"): StringType(),
    ("BYTE_ARRAY", "BSON"): BinaryType(),
    ("FIXED_LEN_BYTE_ARRAY", ""): BinaryType(),
}


@dataclass(frozen=True)
class Node:
    """One element of a Parquet schema."""

    name: str
    physical: str
    repetition: str
    converted: str
    logical: str
    precision: int
    scale: int
    duck: str
    children: tuple["Node", ...]

    @cached_property
    def by_name(self) -> dict[str, list["Node"]]:
        """The children by lower-case name."""
        found: dict[str, list[Node]] = {}
        for child in self.children:
            found.setdefault(child.name.lower(), []).append(child)
        return found


@dataclass(frozen=True)
class Footer:
    """A file's schema, and Spark's schema if Spark wrote the file."""

    root: Node
    spark_schema: str | None
    rebased: bool

    @property
    def schema(self) -> StructType:
        physical = StructType([field_of(child) for child in self.root.children])
        return physical if self.spark_schema is None else checked_spark_schema(self.spark_schema)


FileKey = tuple[str, int, int]
_footers: dict[FileKey, Footer] = {}
_CACHED_FOOTERS = 100_000


def footers_of(files: Sequence[LeafFile], connection: Any) -> dict[Footer, list[LeafFile]]:
    """The files by footer, in the files' order; footers are cached by path, size and modification time."""
    unknown = [leaf for leaf in files if key_of(leaf) not in _footers]
    if unknown:
        if len(_footers) > _CACHED_FOOTERS:
            _footers.clear()
        read = read_footers([leaf.path for leaf in unknown], connection)
        _footers.update({key_of(leaf): read[leaf.path] for leaf in unknown})
    groups: dict[Footer, list[LeafFile]] = {}
    for leaf in files:
        groups.setdefault(_footers[key_of(leaf)], []).append(leaf)
    return groups


def key_of(leaf: LeafFile) -> FileKey:
    return (leaf.path, leaf.size, leaf.modified_ns)


def read_footers(paths: Sequence[str], connection: Any) -> dict[str, Footer]:
    """Groups equal footers in DuckDB, so that Python decodes each schema once."""
    shapes = run_query(
        connection,
        f"""SELECT list(file_name), shape FROM (
              SELECT file_name, list(struct_pack(name, type, repetition_type, num_children, converted_type,
                logical_type, precision, scale, duckdb_type) ORDER BY column_id) AS shape
              FROM parquet_schema({duck_texts(paths)}) GROUP BY file_name) GROUP BY shape""",
    )
    keys = [SPARK_SCHEMA, SPARK_VERSION, *LEGACY_KEYS]
    said = connection.execute(
        f"""SELECT file_name, map_from_entries(list(struct_pack(k := decode(key), v := decode(value))))
            FROM parquet_kv_metadata({duck_texts(paths)}) WHERE decode(key) IN {tuple(keys)} GROUP BY file_name"""
    ).fetchall()
    words = dict(said)
    roots = {name: root for names, shape in shapes for root in [node_of(iter(shape))] for name in names}
    return {path: footer_of(roots[path], words.get(path, {})) for path in paths}


def run_query(connection: Any, query: str) -> Any:
    try:
        return connection.execute(query).fetchall()
    except duckdb.InvalidInputException as error:
        raise NotNative(reasons.PARQUET_LAYOUT, "a file that is not a valid Parquet file") from error


def footer_of(root: Node, words: Mapping[str, str]) -> Footer:
    legacy = any(key in words for key in LEGACY_KEYS) or words.get(SPARK_VERSION, "9") < "3.1"
    return Footer(root, words.get(SPARK_SCHEMA), legacy)


def node_of(elements: Iterator[Mapping[str, Any]]) -> Node:
    element = next(elements)
    children = tuple(node_of(elements) for _ in range(element["num_children"] or 0))
    return Node(
        element["name"],
        element["type"] or "GROUP",
        element["repetition_type"] or "REQUIRED",
        element["converted_type"] or "",
        element["logical_type"] or "",
        element["precision"] or 0,
        element["scale"] or 0,
        (element["duckdb_type"] or "").replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"),  # the spelling of duck_type
        children,
    )


def field_of(node: Node) -> StructField:
    return StructField(node.name, type_of(node), node.repetition == "OPTIONAL")


def type_of(node: Node) -> DataType:
    """ParquetToSparkSchemaConverter, for the layouts that both engines read alike."""
    if node.repetition == "REPEATED":
        raise NotNative(reasons.PARQUET_LAYOUT, "a repeated field outside a list")
    return group_type(node) if node.physical == "GROUP" else primitive_type(node)


def group_type(node: Node) -> DataType:
    if node.converted == "LIST":
        element = list_element(node)
        return ArrayType(type_of(element), element.repetition == "OPTIONAL")
    if node.converted in ("MAP", "MAP_KEY_VALUE"):
        key, value = map_entry(node)
        return MapType(type_of(key), type_of(value), value.repetition == "OPTIONAL")
    if node.converted or node.logical or not node.children:
        raise NotNative(reasons.PARQUET_LAYOUT, f"a group annotated {node.logical or node.converted}")
    return StructType([field_of(child) for child in node.children])


def list_element(node: Node) -> Node:
    """The element of a three-level list; older writers' two-level lists fall back to Spark."""
    repeated = node.children[0]
    two_level = repeated.name in ("array", f"{node.name}_tuple") or len(repeated.children) != 1
    if len(node.children) != 1 or repeated.repetition != "REPEATED" or two_level:
        raise NotNative(reasons.PARQUET_LAYOUT, "a list in an old layout")
    return repeated.children[0]


def map_entry(node: Node) -> tuple[Node, Node]:
    repeated = node.children[0]
    if len(node.children) != 1 or repeated.repetition != "REPEATED" or len(repeated.children) != 2:
        raise NotNative(reasons.PARQUET_LAYOUT, "a map in an old layout")
    return repeated.children[0], repeated.children[1]


def primitive_type(node: Node) -> DataType:
    if node.converted == "DECIMAL" or node.logical.startswith("DecimalType"):
        return DecimalType(node.precision, node.scale)
    if node.logical.startswith("TimestampType"):
        return timestamp_type(node)
    found = INTEGERS.get((node.physical, node.converted))
    if found is None or (not node.converted and node.logical):
        held = f"values of {node.physical} {node.logical or node.converted}".rstrip()
        raise NotNative(reasons.PARQUET_LAYOUT, held)
    return found


def timestamp_type(node: Node) -> DataType:
    if "NANOS=<null>" not in node.logical:
        raise NotNative(reasons.PARQUET_LAYOUT, "timestamps in nanoseconds")
    return TimestampType() if "isAdjustedToUTC=1" in node.logical else TimestampNTZType()


def checked_spark_schema(text: str) -> StructType:
    """The schema that Spark wrote to the footer; CHAR and VARCHAR fall back to Spark."""
    if "__CHAR_VARCHAR_TYPE_STRING" in text:
        raise NotNative(reasons.PARQUET_LAYOUT, "CHAR or VARCHAR in the schema")
    found = json.loads(text)
    schema = type_of_json(found) if '"udt"' in text else StructType.fromJson(found)
    assert isinstance(schema, StructType)
    return schema
