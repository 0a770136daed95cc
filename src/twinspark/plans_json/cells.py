"""Converts columns of JSON values to Arrow arrays; a value that does not fit its type raises and never becomes null."""

import base64
import binascii
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VarcharType,
)

NOT_NUMBERS = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "-infinity": float("-inf"),
    "inf": float("inf"),
    "-inf": float("-inf"),
}
Values = Sequence[Any]


class BadCell(ValueError):
    """The value at `index` of the column does not fit its type; `message` says why."""

    def __init__(self, index: int, message: str) -> None:
        self.index, self.message = index, message
        super().__init__(message)


def arrow_column(values: Values, type: DataType, zone: str) -> pa.Array:
    """Converts one column; timestamps without a zone are in the session time zone, as in Spark."""
    for types, build in BUILDERS:
        if isinstance(type, types):
            return build(values, type, zone)
    raise BadCell(0, f"cells cannot be written for the type {type.simpleString()}")


def check_cells(values: Values, type: DataType, *accepted: type) -> Values:
    """Raises BadCell unless all values are null or of these Python types; fast, without a Python loop."""
    strange = set(map(_type, values)) - {*accepted, _NONE}
    for index, value in enumerate(values if strange else ()):
        if _type(value) in strange:
            raise BadCell(index, f"{value!r} does not fit the type {type.simpleString()}")
    return values


_type, _NONE = type, type(None)


def convert_each(values: Values, type: DataType, convert: Callable[[Any], Any]) -> list[Any]:
    """Converts value by value; only for texts that Arrow cannot parse."""
    converted = []
    for index, value in enumerate(values):
        try:
            converted.append(None if value is None else convert(value))
        except (ValueError, ArithmeticError, TypeError, LookupError) as error:
            raise BadCell(index, f"{value!r} does not fit the type {type.simpleString()}") from error
    return converted


def convert_in_arrow(values: Values, type: DataType, arrow: pa.DataType) -> pa.Array:
    """Arrow's own conversion, which checks ranges; if it raises, the first bad value is searched for."""
    try:
        return pa.array(values, arrow)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        convert_each(values, type, lambda value: pa.scalar(value, arrow))
        raise


def integers(values: Values, type: DataType, zone: str) -> pa.Array:
    """Accepts 3.0 for 3, which some JSON writers produce, but no fractions."""
    if float in set(map(_type, check_cells(values, type, int, float))):
        values = convert_each(values, type, whole)
    return convert_in_arrow(values, type, to_arrow_type(type))


def whole(value: Any) -> int:
    if value != int(value):
        raise ValueError(value)
    return int(value)


def fractions(values: Values, type: DataType, zone: str) -> pa.Array:
    if str in set(map(_type, values)):
        values = convert_each(
            values, type, lambda value: NOT_NUMBERS[value.lower()] if isinstance(value, str) else value
        )
    numbers = [None if value is None else float(value) for value in check_cells(values, type, int, float, Decimal)]
    return pa.array(numbers, pa.float64()).cast(to_arrow_type(type), safe=False)


def booleans(values: Values, type: DataType, zone: str) -> pa.Array:
    return pa.array(check_cells(values, type, bool), pa.bool_())


def strings(values: Values, type: DataType, zone: str) -> pa.Array:
    """Numbers and booleans become strings as in PySpark's createDataFrame."""
    if set(map(_type, values)) - {str, _NONE}:
        values = convert_each(check_cells(values, type, str, int, float, bool, Decimal), type, spark_text)
    return pa.array(values, pa.string())


def spark_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def decimals(values: Values, type: DataType, zone: str) -> pa.Array:
    assert isinstance(type, DecimalType)
    exact = convert_each(
        check_cells(values, type, int, float, str, Decimal), type, lambda value: exact_decimal(value, type)
    )
    return convert_in_arrow(exact, type, to_arrow_type(type))


def exact_decimal(value: Any, type: DecimalType) -> Decimal:
    number = Decimal(str(value))
    if not number.is_finite() or number != round(number, type.scale):
        raise InvalidOperation
    return number


def dates(values: Values, type: DataType, zone: str) -> pa.Array:
    kinds = set(map(_type, check_cells(values, type, str, date)))
    if kinds <= {str, _NONE}:
        values = convert_each(values, type, date.fromisoformat)
    elif str in kinds:
        values = convert_each(
            values, type, lambda value: date.fromisoformat(value) if isinstance(value, str) else value
        )
    return pa.array(values, pa.date32())


def timestamps(values: Values, type: DataType, zone: str) -> pa.Array:
    check_cells(values, type, str, datetime)
    try:
        local = pa.array(values).cast(pa.timestamp("us"))
        return pc.assume_timezone(local, zone, ambiguous="earliest").cast(pa.timestamp("us", "UTC"))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        # Texts with zones, local times in a gap and other ISO formats are parsed in Python, one by one.
        tz = ZoneInfo(zone)
        return pa.array(convert_each(values, type, lambda value: instant(value, tz)), pa.timestamp("us", "UTC"))


def instant(value: Any, zone: ZoneInfo) -> datetime:
    read = datetime.fromisoformat(value) if isinstance(value, str) else value
    # fold 0 is java.time's rule too: the earlier one of two instants, and the offset before a gap.
    return read if read.tzinfo else read.replace(tzinfo=zone)


def local_timestamps(values: Values, type: DataType, zone: str) -> pa.Array:
    check_cells(values, type, str, datetime)
    return convert_in_arrow(convert_each(values, type, without_zone), type, pa.timestamp("us"))


def without_zone(value: Any) -> datetime:
    read = datetime.fromisoformat(value) if isinstance(value, str) else value
    if read.tzinfo:
        raise ValueError("a timestamp_ntz has no zone")
    return read


def times(values: Values, type: DataType, zone: str) -> pa.Array:
    read = convert_each(
        check_cells(values, type, str, time),
        type,
        lambda value: time.fromisoformat(value) if isinstance(value, str) else value,
    )
    return pa.array(read, pa.time64("ns"))


def durations(values: Values, type: DataType, zone: str) -> pa.Array:
    """Seconds, or a Python timedelta."""
    read = convert_each(
        check_cells(values, type, int, float, timedelta),
        type,
        lambda value: value if isinstance(value, timedelta) else timedelta(seconds=value),
    )
    return pa.array(read, pa.duration("us"))


def binaries(values: Values, type: DataType, zone: str) -> pa.Array:
    """Bytes, or base64 text, which is how Spark writes binary values in JSON."""
    return pa.array(convert_each(check_cells(values, type, str, bytes, bytearray), type, decode_binary), pa.binary())


def decode_binary(value: Any) -> bytes:
    if not isinstance(value, str):
        return bytes(value)
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError(value) from error


def nulls(values: Values, type: DataType, zone: str) -> pa.Array:
    return pa.nulls(len(check_cells(values, type)))


def arrays(values: Values, type: DataType, zone: str) -> pa.Array:
    assert isinstance(type, ArrayType)
    check_cells(values, type, list, tuple)
    offsets = offsets_of(values)
    flat = [element for value in values if value is not None for element in value]
    element = nested_array(flat, type.elementType, zone, offsets)
    return pa.ListArray.from_arrays(arrow_offsets(values, offsets), element)


def maps(values: Values, type: DataType, zone: str) -> pa.Array:
    """An object, or a list of pairs for keys that are not strings."""
    assert isinstance(type, MapType)
    pairs = [
        list(value.items()) if isinstance(value, dict) else value
        for value in check_cells(values, type, dict, list, tuple)
    ]
    offsets = offsets_of(pairs)
    flat = [pair for value in pairs if value is not None for pair in value]
    keys = nested_array([read_key(pair[0], type.keyType) for pair in flat], type.keyType, zone, offsets)
    items = nested_array([pair[1] for pair in flat], type.valueType, zone, offsets)
    return pa.MapArray.from_arrays(arrow_offsets(pairs, offsets), keys, items)


def read_key(key: Any, type: DataType) -> Any:
    """Parses the key of a JSON object, which is always a string."""
    numeric = isinstance(key, str) and isinstance(type, ByteType | ShortType | IntegerType | LongType)
    return int(key) if numeric and key.lstrip("-").isdigit() else key


def structs(values: Values, type: DataType, zone: str) -> pa.Array:
    """An object with field names as keys, or a list in the order of the fields."""
    assert isinstance(type, StructType)
    check_cells(values, type, dict, list, tuple)
    columns = [
        arrow_column([field_cell(value, at, field.name) for value in values], field.dataType, zone)
        for at, field in enumerate(type.fields)
    ]
    missing = pa.array([value is None for value in values], pa.bool_())
    fields = [pa.field(field.name, column.type) for field, column in zip(type.fields, columns, strict=True)]
    return pa.StructArray.from_arrays(columns, fields=fields, mask=missing)


def field_cell(value: Any, position: int, name: str) -> Any:
    if value is None:
        return None
    return value.get(name) if isinstance(value, dict) else value[position]


def offsets_of(values: Values) -> list[int]:
    return list(accumulate((0 if value is None else len(value) for value in values), initial=0))


def arrow_offsets(values: Values, offsets: list[int]) -> pa.Array:
    """A null offset marks a null list."""
    marked = [None if value is None else offset for value, offset in zip(values, offsets, strict=False)]
    return pa.array([*marked, offsets[-1]], pa.int32())


def nested_array(flat: list[Any], type: DataType, zone: str, offsets: list[int]) -> pa.Array:
    """Converts the elements of all rows; a bad element is reported with the index of its row."""
    try:
        return arrow_column(flat, type, zone)
    except BadCell as error:
        raise BadCell(bisect_right(offsets, error.index) - 1, error.message) from error


BUILDERS: list[tuple[Any, Callable[[Values, Any, str], pa.Array]]] = [
    ((ByteType, ShortType, IntegerType, LongType), integers),
    ((FloatType, DoubleType), fractions),
    (BooleanType, booleans),
    ((StringType, CharType, VarcharType), strings),
    (DecimalType, decimals),
    (DateType, dates),
    (TimestampType, timestamps),
    (TimestampNTZType, local_timestamps),
    (TimeType, times),
    (DayTimeIntervalType, durations),
    (BinaryType, binaries),
    (NullType, nulls),
    (ArrayType, arrays),
    (MapType, maps),
    (StructType, structs),
]
