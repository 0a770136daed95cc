"""Type names as plans write them: Spark's DDL, the other names emitters use, and Spark's JSON form."""

import re
from collections.abc import Callable
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
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
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VarcharType,
    VariantType,
    YearMonthIntervalType,
    _parse_datatype_json_value,
)

PLAIN: dict[str, Callable[[], DataType]] = {
    **dict.fromkeys(["boolean", "bool"], BooleanType),
    **dict.fromkeys(["tinyint", "byte"], ByteType),
    **dict.fromkeys(["smallint", "short"], ShortType),
    **dict.fromkeys(["int", "integer"], IntegerType),
    **dict.fromkeys(["bigint", "long"], LongType),
    **dict.fromkeys(["float", "real"], FloatType),
    **dict.fromkeys(["double", "double_precision", "double precision"], DoubleType),
    **dict.fromkeys(["string", "str", "varchar", "text"], StringType),
    **dict.fromkeys(["timestamp", "datetime", "timestamp_ltz"], TimestampType),
    **dict.fromkeys(["void", "null"], NullType),
    **dict.fromkeys(["decimal", "dec", "numeric"], DecimalType),
    "date": DateType,
    "timestamp_ntz": TimestampNTZType,
    "time": TimeType,
    "binary": BinaryType,
    "variant": VariantType,
    "interval": CalendarIntervalType,
}
DAY_TIME = ("day", "hour", "minute", "second")
YEAR_MONTH = ("year", "month")
TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|[^\W\d]\w*|\d+|[<>(),:])", re.UNICODE)


class BadType(ValueError):
    """The text is no Spark type; says why."""


def type_of(written: object) -> DataType:
    """A type from its DDL text, from `{"typeName": …}`, or from Spark's own JSON form."""
    if isinstance(written, DataType):
        return written
    if isinstance(written, dict) and isinstance(written.get("typeName"), str):
        return type_of(written["typeName"])
    if isinstance(written, dict):
        return type_of_json(written)
    if not isinstance(written, str):
        raise BadType(f"a type is a name such as 'bigint', not {written!r}")
    return Tokens(written).whole_type()


def type_of_json(written: dict[str, Any]) -> DataType:
    try:
        found: DataType = _parse_datatype_json_value(written)
    except (KeyError, TypeError, AssertionError, ValueError) as error:
        raise BadType(f"{written!r} is not a type in Spark's JSON form") from error
    return found


class Tokens:
    """The words of one type text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = TOKEN.findall(text)
        self.at = 0
        if TOKEN.sub("", text).strip() or not self.words:
            raise self.error()

    def error(self) -> BadType:
        return BadType(f"{self.text!r} is not a Spark type")

    def peek(self) -> str:
        return self.words[self.at].lower() if self.at < len(self.words) else ""

    def take(self) -> str:
        if self.at == len(self.words):
            raise self.error()
        self.at += 1
        return self.words[self.at - 1]

    def skip(self, *words: str) -> bool:
        """Take these words if they come next."""
        ahead = tuple(word.lower() for word in self.words[self.at : self.at + len(words)])
        if ahead != words:
            return False
        self.at += len(words)
        return True

    def expect(self, word: str) -> None:
        if not self.skip(word):
            raise self.error()

    def whole_type(self) -> DataType:
        found = self.type()
        if self.at != len(self.words):
            raise self.error()
        return found

    def whole_schema(self) -> StructType:
        fields = [self.field()]
        while self.skip(","):
            fields.append(self.field())
        if self.at != len(self.words):
            raise self.error()
        return StructType(fields)

    def type(self) -> DataType:
        name = self.take().lower()
        if name in ("array", "map", "struct") and self.peek() == "<":
            return self.nested(name)
        if name == "interval" and self.peek() in DAY_TIME + YEAR_MONTH:
            return self.interval()
        if name == "double":
            self.skip("precision")
        if self.peek() == "(":
            return self.sized(name)
        if name not in PLAIN:
            raise self.error()
        return self.collated() if name == "string" and self.skip("collate") else self.zoned(name)

    def zoned(self, name: str) -> DataType:
        if name == "timestamp" and self.skip("without", "time", "zone"):
            return TimestampNTZType()
        if name == "timestamp":
            self.skip("with", "local", "time", "zone")
        return PLAIN[name]()

    def collated(self) -> DataType:
        return StringType(unquoted(self.take()))

    def nested(self, name: str) -> DataType:
        self.expect("<")
        made: DataType
        if name == "array":
            made = ArrayType(self.type())
        elif name == "map":
            key = self.type()
            self.expect(",")
            made = MapType(key, self.type())
        else:
            made = StructType([] if self.peek() == ">" else self.fields())
        self.expect(">")
        return made

    def fields(self) -> list[StructField]:
        fields = [self.field()]
        while self.skip(","):
            fields.append(self.field())
        return fields

    def field(self) -> StructField:
        name = unquoted(self.take())
        self.skip(":")
        type = self.type()
        nullable = not self.skip("not", "null")
        metadata = {"comment": self.take()[1:-1]} if self.skip("comment") else None
        return StructField(name, type, nullable, metadata)

    def sized(self, name: str) -> DataType:
        self.expect("(")
        sizes = [self.number()]
        while self.skip(","):
            sizes.append(self.number())
        self.expect(")")
        return sized_type(name, sizes, self.error())

    def number(self) -> int:
        word = self.take()
        if not word.isdigit():
            raise self.error()
        return int(word)

    def interval(self) -> DataType:
        start = self.take().lower()
        end = self.take().lower() if self.skip("to") else start
        for units, made in ((DAY_TIME, DayTimeIntervalType), (YEAR_MONTH, YearMonthIntervalType)):
            if start in units and end in units and units.index(start) <= units.index(end):
                interval: DataType = made(units.index(start), units.index(end))
                return interval
        raise self.error()


def sized_type(name: str, sizes: list[int], error: BadType) -> DataType:
    match name, sizes:
        case "decimal" | "dec" | "numeric", [precision] if 0 < precision <= 38:
            return DecimalType(precision, 0)
        case "decimal" | "dec" | "numeric", [precision, scale] if 0 < precision <= 38 and scale <= precision:
            return DecimalType(precision, scale)
        case "char" | "character", [length] if length > 0:
            return CharType(length)
        case "varchar", [length] if length > 0:
            return VarcharType(length)
        case "time", [precision] if precision <= 6:
            return TimeType(precision)
    raise error


def unquoted(word: str) -> str:
    return word[1:-1].replace("``", "`") if word.startswith("`") else word


def schema_of(written: object) -> StructType:
    """A schema from `[{"name", "type"}, …]`, a DDL text, Spark's JSON form, or a StructType."""
    if isinstance(written, StructType):
        return written
    if isinstance(written, str):
        return Tokens(written).whole_schema()
    if isinstance(written, dict) and "fields" in written:
        return schema_of(written["fields"])
    if not isinstance(written, list | tuple):
        raise BadType('a schema is a list of {"name": …, "type": …}')
    return StructType([field_of(field, position) for position, field in enumerate(written)])


def field_of(written: object, position: int) -> StructField:
    if isinstance(written, list | tuple) and len(written) == 2:
        written = {"name": written[0], "type": written[1]}
    if not isinstance(written, dict):
        raise BadType(f'column {position} of the schema is not {{"name": …, "type": …}}')
    name = written.get("name", written.get("fieldName"))
    type = written.get("type", written.get("dataType"))
    if not isinstance(name, str) or type is None:
        raise BadType(f'column {position} of the schema needs "name" and "type"')
    return StructField(name, type_of(type), written.get("nullable") is not False)
