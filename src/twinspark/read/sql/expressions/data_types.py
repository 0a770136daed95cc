"""Parses data types in SQL text: INT, DECIMAL(10, 2), ARRAY<…>, STRUCT<a: INT COMMENT 'x'>, and column lists."""

from pyspark.errors import IllegalArgumentException
from pyspark.sql import types as spark

from twinspark.errors import NotNative, reasons
from twinspark.functions.strings.collations import normalize_name
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.identifiers import parse_captured_identifier, parse_identifier, parse_multipart_identifier
from twinspark.read.sql.lexer.strings import is_marker, parse_marker, parse_string_value
from twinspark.types.text import DAY_TIME_UNITS, SIMPLE_NAMES, YEAR_MONTH_UNITS

_TRIVIAL = {name.upper(): type for name, type in SIMPLE_NAMES.items()}
_DAY_TIME = {unit.upper(): number for number, unit in enumerate(DAY_TIME_UNITS)}
_YEAR_MONTH = {unit.upper(): number for number, unit in enumerate(YEAR_MONTH_UNITS)}


def is_type_start(kind: str) -> bool:
    """Whether the token is a keyword that begins a data type."""
    return kind in _TRIVIAL or kind in _RULES


def parse_data_type(cursor: Cursor) -> spark.DataType:
    kind = cursor.kinds[cursor.at]
    trivial = _TRIVIAL.get(kind)
    if trivial is not None:
        if cursor.kinds[cursor.at + 1] == "(" and cursor.kinds[cursor.at + 2] == "integer":
            return _reject_type(cursor)
        cursor.at += 1
        return trivial
    rule = _RULES.get(kind)
    return rule(cursor) if rule is not None else _reject_type(cursor)


# ------------------------------------------------------------ complex types
def _parse_array_type(cursor: Cursor) -> spark.DataType:
    start = cursor.start
    cursor.expect("ARRAY")
    if not cursor.take("<"):
        return _reject_incomplete_type(cursor, "ARRAY", start, elementType="<INT>")
    element = parse_data_type(cursor)
    cursor.expect(">")
    return spark.ArrayType(element)


def _parse_map_type(cursor: Cursor) -> spark.DataType:
    start = cursor.start
    cursor.expect("MAP")
    if not cursor.take("<"):
        return _reject_incomplete_type(cursor, "MAP", start)
    key = parse_data_type(cursor)
    cursor.expect(",")
    value = parse_data_type(cursor)
    cursor.expect(">")
    return spark.MapType(key, value)


def _parse_struct_type(cursor: Cursor) -> spark.DataType:
    start = cursor.start
    cursor.expect("STRUCT")
    if cursor.take("<>"):
        return spark.StructType([])
    if not cursor.take("<"):
        return _reject_incomplete_type(cursor, "STRUCT", start)
    fields = () if cursor.peek(">") else cursor.list_of(_parse_struct_field)
    cursor.expect(">")
    return spark.StructType(list(fields))


def _parse_struct_field(cursor: Cursor) -> spark.StructField:
    name = parse_captured_identifier(cursor)
    cursor.take(":")
    return _parse_field(cursor, name)


def parse_column_type(cursor: Cursor) -> spark.StructField:
    """name type [NOT NULL] [COMMENT '…']"""
    return _parse_field(cursor, parse_captured_identifier(cursor))


def _parse_field(cursor: Cursor, name: str) -> spark.StructField:
    data_type = parse_data_type(cursor)
    nullable = not parse_not_null(cursor)
    metadata = {"comment": parse_string_value(cursor)} if cursor.take("COMMENT") else {}
    return spark.StructField(name, data_type, nullable, metadata)


def parse_not_null(cursor: Cursor) -> bool:
    at = cursor.at
    taken = cursor.take("NOT", "NULL") or cursor.take("!", "NULL")
    if taken:
        cursor.check_bang(at)
    return taken


def parse_column_types(cursor: Cursor) -> spark.StructType:
    return spark.StructType(list(cursor.list_of(parse_column_type)))


def _reject_incomplete_type(cursor: Cursor, name: str, start: int, **parameters: object) -> spark.DataType:
    cursor.defer_error(f"INCOMPLETE_TYPE_DEFINITION.{name}", start, cursor.stop, **parameters)
    return spark.NullType()


# ------------------------------------------------------------ types with parameters
def _parse_string_type(cursor: Cursor) -> spark.DataType:
    cursor.expect("STRING")
    collation = _parse_collation(cursor)
    return spark.StringType(collation) if collation else spark.StringType()


def _parse_collation(cursor: Cursor) -> str:
    """The normalized name if Spark knows the collation; analysis rejects other names."""
    return normalize_name(".".join(parse_multipart_identifier(cursor).parts)) if cursor.take("COLLATE") else ""


def _parse_char_type(cursor: Cursor) -> spark.DataType:
    start, kind, name = cursor.start, cursor.kinds[cursor.at], cursor.tokens.word(cursor.at)
    cursor.at += 1
    length = _parse_type_parameters(cursor, 1)
    if _parse_collation(cursor) not in ("", "UTF8_BINARY"):
        raise NotNative(reasons.COLLATION_STORAGE, f"the type {name} with a collation")
    if not length:
        cursor.defer_error("DATATYPE_MISSING_SIZE", start, cursor.stop, type=f'"{name.upper()}"')
        return spark.NullType()
    return spark.VarcharType(length[0]) if kind == "VARCHAR" else spark.CharType(length[0])


def _parse_decimal_type(cursor: Cursor) -> spark.DataType:
    start = cursor.start
    cursor.at += 1
    precision, scale = (*_parse_type_parameters(cursor, 2), 0, 0)[:2] if cursor.peek("(") else (10, 0)
    if scale > precision:
        error = ParseError("_LEGACY_ERROR_TEMP_1228", cursor.text, start, scale=scale, precision=precision)
        error.has_position = False
        cursor.deferred_errors.append(error)
    elif precision > 38:
        problem = "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"
        cursor.defer_plain_error(problem, "SparkArithmeticException", start, precision=precision, maxPrecision=38)
    return spark.DecimalType(precision, scale)


def _parse_type_parameters(cursor: Cursor, most: int) -> tuple[int, ...]:
    if not cursor.take("("):
        return ()
    values = cursor.list_of(parse_integer_value)
    if len(values) > most:
        raise cursor.fail()
    cursor.expect(")")
    return values


def parse_integer_value(cursor: Cursor) -> int:
    """A number; a parameter marker in its position must be bound before the text is parsed."""
    if is_marker(cursor, cursor.at):
        if not cursor.looks_for_markers:
            raise NotNative(reasons.PARAMETER, "a parameter marker in a type")
        parse_marker(cursor)
        return 1
    cursor.expect("integer")
    return int(cursor.tokens.word(cursor.at - 1))


def _parse_timestamp_type(cursor: Cursor) -> spark.DataType:
    cursor.expect("TIMESTAMP")
    if cursor.take("WITH", "LOCAL", "TIME", "ZONE"):
        return spark.TimestampType()
    if cursor.take("WITHOUT", "TIME", "ZONE") or cursor.config.timestamp_ntz:
        return spark.TimestampNTZType()
    return spark.TimestampType()


def _parse_time_type(cursor: Cursor) -> spark.DataType:
    cursor.expect("TIME")
    precision = (*_parse_type_parameters(cursor, 1), 6)[0]
    cursor.take("WITHOUT", "TIME", "ZONE")
    return spark.TimeType(precision)


def _parse_interval_type(cursor: Cursor) -> spark.DataType:
    start = cursor.start
    cursor.expect("INTERVAL")
    first = cursor.take_any("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
    if not first:
        return spark.CalendarIntervalType()
    fields = _YEAR_MONTH if first in _YEAR_MONTH else _DAY_TIME
    last = cursor.expect_any("MONTH", "HOUR", "MINUTE", "SECOND") if cursor.take("TO") else first
    if last not in fields:
        raise cursor.fail(cursor.at - 1)
    if (last != first and fields[last] <= fields[first]) or (last == first and cursor.kinds[cursor.at - 2] == "TO"):
        cursor.defer_error(
            "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
            start,
            cursor.stop,
            input="",
            **{"from": first.lower(), "to": last.lower()},
        )
        return spark.NullType()
    kind = spark.YearMonthIntervalType if fields is _YEAR_MONTH else spark.DayTimeIntervalType
    return kind(fields[first], fields[last])


def _parse_spatial_type(cursor: Cursor) -> spark.DataType:
    if cursor.kinds[cursor.at + 1] != "(":
        return _reject_type(cursor)
    kind = cursor.kinds[cursor.at]
    cursor.at += 2
    start = cursor.start
    srid: int | str = "ANY" if cursor.take("ANY") else parse_integer_value(cursor)
    cursor.expect(")")
    try:
        return spark.GeographyType(srid) if kind == "GEOGRAPHY" else spark.GeometryType(srid)
    except IllegalArgumentException:
        cursor.defer_plain_error("ST_INVALID_SRID_VALUE", "SparkIllegalArgumentException", start, srid=str(srid))
        return spark.NullType()


def _reject_type(cursor: Cursor) -> spark.DataType:
    start = cursor.start
    name = parse_identifier(cursor)
    parameters = _parse_type_parameters(cursor, 99)
    written = f"{name}({','.join(map(str, parameters))})" if parameters else name
    cursor.defer_error("UNSUPPORTED_DATATYPE", start, cursor.stop, typeName=f'"{written.upper()}"')
    return spark.NullType()


_RULES = {
    "ARRAY": _parse_array_type,
    "MAP": _parse_map_type,
    "STRUCT": _parse_struct_type,
    "STRING": _parse_string_type,
    "CHAR": _parse_char_type,
    "CHARACTER": _parse_char_type,
    "VARCHAR": _parse_char_type,
    "DECIMAL": _parse_decimal_type,
    "DEC": _parse_decimal_type,
    "NUMERIC": _parse_decimal_type,
    "INTERVAL": _parse_interval_type,
    "TIMESTAMP": _parse_timestamp_type,
    "TIME": _parse_time_type,
    "GEOGRAPHY": _parse_spatial_type,
    "GEOMETRY": _parse_spatial_type,
}
