"""Decides the type of each column of a result from the result's metadata, never from the version of the server.

The type on the wire is that of arrowSchema, or the kind of TColumn. The Spark type is, in this order: the type in the
metadata of the Arrow field, the Spark type of a native Arrow type, the answer to DESCRIBE QUERY, TTypeDesc.
"""

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t

from twinspark.driver.errors import InterfaceError, TypeFallbackWarning
from twinspark.driver.nested_text import NESTED, from_nested_text
from twinspark.driver.text_values import from_text
from twinspark.types.arrow import arrow_type
from twinspark.types.text import TypeTextError, parse_reported_type
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import JSON_TYPE_KEY, SQL_NAME_KEY, ResultFormat
from twinspark.wire.thrift.type_descriptions import type_of_desc

Zone = Callable[[], str]


@dataclass(frozen=True)
class ResultColumn:
    """A column of the result: its Arrow field, its Spark type, and the conversion of the arrays that were sent."""

    field: pa.Field
    kind: t.DataType
    convert: Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class ResultTypes:
    """All columns, and the schema of the record batches if the server sends Arrow."""

    columns: list[ResultColumn]
    wire: pa.Schema | None
    lz4: bool

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([column.field for column in self.columns])

    def batch(self, arrays: list[pa.Array]) -> pa.RecordBatch:
        if len(arrays) != len(self.columns):
            raise InterfaceError(f"{len(arrays)} columns came where {len(self.columns)} were announced")
        converted = [column.convert(array) for column, array in zip(self.columns, arrays, strict=True)]
        return pa.RecordBatch.from_arrays(converted, schema=self.schema)


def decide(metadata: Message, described: Mapping[int, t.DataType], zone: Zone) -> ResultTypes:
    descriptions = metadata.get("schema", {}).get("columns", [])
    wire = wire_schema(metadata)
    if wire is None:
        columns = [text_column(desc, described.get(index), zone) for index, desc in enumerate(descriptions)]
    else:
        columns = [arrow_column(field, desc, zone) for field, desc in pairs(wire, descriptions)]
    return ResultTypes(columns, wire, bool(metadata.get("lz4Compressed")))


def wire_schema(metadata: Message) -> pa.Schema | None:
    """Raises for a schema that cannot be read if the result is Arrow, since its batches cannot be read either."""
    raw = metadata.get("arrowSchema")
    if not raw:
        return None
    try:
        return pa.ipc.read_schema(pa.py_buffer(raw))
    except (pa.ArrowInvalid, OSError) as error:
        if metadata.get("resultFormat") in (ResultFormat.COLUMN, ResultFormat.ROW):
            warn(f"the server's arrowSchema cannot be read ({error}); types come from TTypeDesc")
            return None
        raise InterfaceError(f"the server's arrowSchema cannot be read: {error}", "08P01") from error


def pairs(wire: pa.Schema, descriptions: list[Message]) -> list[tuple[pa.Field, Message]]:
    if len(wire) != len(descriptions):
        warn(f"arrowSchema has {len(wire)} columns and the table schema {len(descriptions)}; arrowSchema is believed")
        return [(field, {}) for field in wire]
    return list(zip(wire, descriptions, strict=True))


def warn(message: str) -> None:
    warnings.warn(message, TypeFallbackWarning, stacklevel=3)


def arrow_column(field: pa.Field, desc: Message, zone: Zone) -> ResultColumn:
    kind = declared_kind(field) or (None if carries_text(field.type) else from_arrow(field.type))
    kind = kind or type_of_desc(desc.get("typeDesc", {})) or t.StringType()
    name = desc.get("columnName", field.name)
    if not carries_text(field.type):
        return native_column(name, field, kind)
    if not has_text_form(kind):
        return plain_text_column(name, kind, field.nullable)
    return converted_column(name, kind, zone, field.nullable, hive=False)


def carries_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def has_text_form(kind: t.DataType) -> bool:
    return not isinstance(kind, t.VariantType | t.NullType)


def declared_kind(field: pa.Field) -> t.DataType | None:
    """The Spark type in the field's metadata: JSON, which is exact, or the SQL name; both may be missing or invalid."""
    metadata = field.metadata or {}
    readers: list[tuple[bytes, Callable[[str], t.DataType]]] = [
        (JSON_TYPE_KEY, lambda text: t._parse_datatype_json_value(json.loads(text))),
        (SQL_NAME_KEY, parse_reported_type),
    ]
    for key, read in readers:
        if key in metadata:
            try:
                return read(metadata[key].decode())
            except (ValueError, KeyError, TypeError, TypeTextError) as error:
                warn(f"column {field.name!r}: {key.decode()} is not understood ({error})")
    return None


def from_arrow(kind: pa.DataType) -> t.DataType | None:
    """The Spark type that has this Arrow type."""
    for spark in (t.BooleanType, t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType,
                  t.BinaryType, t.DateType, t.NullType, t.DayTimeIntervalType, t.CalendarIntervalType):  # fmt: skip
        if arrow_type(spark()) == kind:
            return spark()
    if pa.types.is_decimal(kind):
        return t.DecimalType(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return t.TimestampType() if kind.tz else t.TimestampNTZType()
    return nested_from_arrow(kind)


def nested_from_arrow(kind: pa.DataType) -> t.DataType | None:
    if pa.types.is_list(kind):
        return t.ArrayType(from_arrow(kind.value_type) or t.StringType())
    if pa.types.is_map(kind):
        return t.MapType(from_arrow(kind.key_type) or t.StringType(), from_arrow(kind.item_type) or t.StringType())
    if pa.types.is_struct(kind):
        return t.StructType([t.StructField(f.name, from_arrow(f.type) or t.StringType(), f.nullable) for f in kind])
    return t.StringType() if carries_text(kind) else None


def native_column(name: str, field: pa.Field, kind: t.DataType) -> ResultColumn:
    """A column whose Arrow type is used as it is; a declared type that contradicts it is ignored with a warning."""
    expected = arrow_type(kind, getattr(field.type, "tz", None) or "UTC")
    bare = pa.field(name, field.type, field.nullable)
    if field.type == expected or same_shape(field.type, expected):
        return ResultColumn(bare, kind, lambda array: array)
    if pa.types.is_timestamp(field.type) and pa.types.is_timestamp(expected):
        return ResultColumn(pa.field(name, expected, field.nullable), kind, lambda array: array.cast(expected))
    warn(f"column {name!r} is called {kind.simpleString()} but arrives as {field.type}; the data is believed")
    return ResultColumn(bare, from_arrow(field.type) or kind, lambda array: array)


def same_shape(left: pa.DataType, right: pa.DataType) -> bool:
    """Whether both types are equal, ignoring names of list elements, time zones and inner nullability."""
    if left.num_fields and left.num_fields == right.num_fields and left.id == right.id:
        return all(same_shape(left.field(i).type, right.field(i).type) for i in range(left.num_fields))
    return bool(left == right or (pa.types.is_timestamp(left) and pa.types.is_timestamp(right)))


def text_column(desc: Message, described: t.DataType | None, zone: Zone) -> ResultColumn:
    """A column from a server without Arrow, with the type of DESCRIBE QUERY or else of TTypeDesc."""
    kind = described or type_of_desc(desc.get("typeDesc", {}))
    if kind is None or not has_text_form(kind):
        return plain_text_column(desc["columnName"], kind or t.StringType())
    return converted_column(desc["columnName"], kind, zone, True, hive=True)


def plain_text_column(name: str, kind: t.DataType, nullable: bool = True) -> ResultColumn:
    if isinstance(kind, t.NullType):
        return ResultColumn(pa.field(name, pa.null()), kind, lambda array: only_nulls(array, name))
    return ResultColumn(pa.field(name, pa.string(), nullable), kind, lambda array: array.cast(pa.string()))


def only_nulls(array: pa.Array, name: str) -> pa.Array:
    if array.null_count < len(array):
        raise InterfaceError(f"column {name!r} is declared as VOID, but has values")
    return pa.nulls(len(array))


def converted_column(name: str, kind: t.DataType, zone: Zone, nullable: bool, hive: bool) -> ResultColumn:
    where = zone() if mentions_timestamp(kind) else "UTC"
    target = arrow_type(kind, where)

    def convert(array: pa.Array) -> pa.Array:
        if not carries_text(array.type):
            return pc.cast(array, target) if array.type != target else array
        if isinstance(kind, NESTED):
            return from_nested_text(array, kind, where, name, hive)
        texts = strip_quotes(array) if hive and is_collated(kind) else array
        return from_text(texts, kind, where, name).cast(target)

    return ResultColumn(pa.field(name, target, nullable), kind, convert)


def mentions_timestamp(kind: t.DataType) -> bool:
    return "timestamp" in kind.simpleString().replace("timestamp_ntz", "")


def is_collated(kind: t.DataType) -> bool:
    return isinstance(kind, t.StringType) and type(kind) is t.StringType and kind.collation != "UTF8_BINARY"


def strip_quotes(array: pa.Array) -> pa.Array:
    """Removes the quotes that Spark's Thrift server puts around collated strings in columns, but not in rows."""
    quoted = pc.and_(pc.starts_with(array, '"'), pc.ends_with(array, '"'))
    return pc.utf8_slice_codeunits(array, 1, -1) if pc.all(quoted).as_py() else array
