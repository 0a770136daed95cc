"""Parses the text of a data type outside SQL statements: `decimal(18,4)`, `ARRAY<STRUCT<a: INT>>`, `interval day`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pyspark.sql.types import (
    ArrayType,
    CharType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimeType,
    VarcharType,
    YearMonthIntervalType,
)

from twinspark.types.values import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DAY_TIME,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    YEAR_MONTH,
)

Item = TypeVar("Item")

# Type names that take no parameters; each line lists the synonyms of one type. The SQL parser uses the same names.
SIMPLE_NAMES: dict[str, DataType] = {
    **dict.fromkeys(["boolean"], BOOLEAN),
    **dict.fromkeys(["tinyint", "byte"], BYTE),
    **dict.fromkeys(["smallint", "short"], SHORT),
    **dict.fromkeys(["int", "integer"], INT),
    **dict.fromkeys(["bigint", "long"], LONG),
    **dict.fromkeys(["float", "real"], FLOAT),
    **dict.fromkeys(["double"], DOUBLE),
    **dict.fromkeys(["date"], DATE),
    **dict.fromkeys(["timestamp_ltz"], TIMESTAMP),
    **dict.fromkeys(["timestamp_ntz"], TIMESTAMP_NTZ),
    **dict.fromkeys(["binary"], BINARY),
    **dict.fromkeys(["void"], NULL),
    **dict.fromkeys(["variant"], VARIANT),
}
# Type names that may be followed by parameters or further keywords, with the type that they mean alone.
BARE_NAMES: dict[str, DataType] = {
    "string": STRING,
    "timestamp": TIMESTAMP,
    "time": TIME,
    "interval": CALENDAR_INTERVAL,
    **dict.fromkeys(["decimal", "dec", "numeric"], DecimalType(10, 0)),
}
DAY_TIME_UNITS = ("day", "hour", "minute", "second")
YEAR_MONTH_UNITS = ("year", "month")
TOKEN = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|[\w.\-$]+|[<>(),:]")
PLAIN_NAME = re.compile(r"[^\W\d]\w*")


class TypeTextError(ValueError):
    """The text does not name a Spark type."""


@dataclass(frozen=True)
class Dialect:
    """The known type names, and whether struct field names are unquoted, as in simpleString: `struct<a b:int>`."""

    names: Mapping[str, DataType]
    is_reported: bool = False


SPARK = Dialect({**SIMPLE_NAMES, **BARE_NAMES})
# The type names that Spark, Hive and other servers report over JDBC and Thrift.
REPORTED = Dialect(
    {
        **SPARK.names,
        "bool": BOOLEAN,
        "null": NULL,
        "interval_year_month": YEAR_MONTH,
        "interval_day_time": DAY_TIME,
        "calendar_interval": CALENDAR_INTERVAL,
        **dict.fromkeys(["char", "character", "varchar"], STRING),
    },
    is_reported=True,
)


def parse_type(text: str, dialect: Dialect = SPARK) -> DataType:
    """`DECIMAL(18,4)`, `array<struct<a:int>>`, `INTERVAL DAY TO SECOND`, in any case and spacing."""
    return TypeText(text, dialect).parse_all(TypeText.type)


def parse_reported_type(text: str) -> DataType:
    """Parses a type as servers report it, with unquoted field names and type names of other systems."""
    return parse_type(text, REPORTED)


def parse_fields(text: str, dialect: Dialect = SPARK) -> StructType:
    """Parses a list of columns such as `a INT, b STRING NOT NULL COMMENT 'x'`."""
    return StructType(TypeText(text, dialect).parse_all(TypeText.fields))


class TypeText:
    """A recursive-descent parser over the tokens of one text."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.tokens = TOKEN.findall(text)
        self.at = 0
        if TOKEN.sub("", text).strip():
            raise self.error()

    def error(self) -> TypeTextError:
        return TypeTextError(f"{self.text!r} is not a Spark type")

    def parse_all(self, rule: Callable[["TypeText"], Item]) -> Item:
        found = rule(self)
        if self.at != len(self.tokens):
            raise self.error()
        return found

    def peek(self) -> str:
        return self.tokens[self.at].lower() if self.at < len(self.tokens) else ""

    def take(self) -> str:
        if self.at == len(self.tokens):
            raise self.error()
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self, *words: str) -> bool:
        """Consumes these words if they come next."""
        ahead = tuple(word.lower() for word in self.tokens[self.at : self.at + len(words)])
        if ahead != words:
            return False
        self.at += len(words)
        return True

    def expect(self, word: str) -> None:
        if not self.skip(word):
            raise self.error()

    def comma_separated(self, rule: Callable[[], Item]) -> list[Item]:
        found = [rule()]
        while self.skip(","):
            found.append(rule())
        return found

    # ---- types

    def type(self) -> DataType:
        name = self.take().lower()
        if name in ("array", "map", "struct") and self.peek() == "<":
            return self.nested_type(name)
        if name == "interval" and self.peek() in DAY_TIME_UNITS + YEAR_MONTH_UNITS:
            return self.interval()
        if name == "double":
            self.skip("precision")
        if self.skip("("):
            return self.parameterized_type(name)
        if name not in self.dialect.names:
            raise self.error()
        return self.collated_string() if name == "string" and self.skip("collate") else self.named_type(name)

    def named_type(self, name: str) -> DataType:
        if name == "timestamp" and self.skip("without", "time", "zone"):
            return TIMESTAMP_NTZ
        if name == "timestamp":
            self.skip("with", "local", "time", "zone")
        return self.dialect.names[name]

    def collated_string(self) -> DataType:
        return StringType(unquote_name(self.take()))

    def nested_type(self, name: str) -> DataType:
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

    def parameterized_type(self, name: str) -> DataType:
        sizes = self.comma_separated(self.number)
        self.expect(")")
        made = sized_type(name, sizes)
        if made is None or (min(sizes) < 0 and not self.dialect.is_reported):
            raise self.error()
        return made

    def number(self) -> int:
        word = self.take()
        if not re.fullmatch(r"-?[0-9]+", word):
            raise self.error()
        return int(word)

    def interval(self) -> DataType:
        start = self.take().lower()
        end = self.take().lower() if self.skip("to") else start
        made = interval_type(start, end)
        if made is None:
            raise self.error()
        return made

    # ---- fields

    def fields(self) -> list[StructField]:
        return self.comma_separated(self.field)

    def field(self) -> StructField:
        name = self.reported_name() if self.dialect.is_reported else self.written_name()
        type = self.type()
        nullable = not self.skip("not", "null")
        metadata = {"comment": comment_text(self.take())} if self.skip("comment") else None
        return StructField(name, type, nullable, metadata)

    def written_name(self) -> str:
        name = self.take()
        if not name.startswith("`") and not PLAIN_NAME.fullmatch(name):
            raise self.error()
        self.skip(":")
        return unquote_name(name)

    def reported_name(self) -> str:
        """Reads everything up to the colon: simpleString does not quote field names, whatever they contain."""
        parts = []
        while self.peek() not in (":", ""):
            parts.append(self.take())
        self.expect(":")
        return unquote_name(" ".join(parts))


def sized_type(name: str, sizes: list[int]) -> DataType | None:
    """The type with these parameters, or None if there is no such type. Spark may report a decimal with a negative
    scale (spark.sql.legacy.allowNegativeScaleOfDecimal)."""
    match name, sizes:
        case "decimal" | "dec" | "numeric", [precision] if 0 < precision <= 38:
            return DecimalType(precision, 0)
        case "decimal" | "dec" | "numeric", [precision, scale] if 0 < precision <= 38 and scale <= precision:
            return DecimalType(precision, scale)
        case "char" | "character", [length] if length > 0:
            return CharType(length)
        case "varchar", [length] if length > 0:
            return VarcharType(length)
        case "time", [precision] if 0 <= precision <= 6:
            return TimeType(precision)
    return None


def interval_type(start: str, end: str) -> DataType | None:
    """`interval_type("day", "second")`; None if no interval type has these units."""
    for units, made in ((DAY_TIME_UNITS, DayTimeIntervalType), (YEAR_MONTH_UNITS, YearMonthIntervalType)):
        if start in units and end in units and units.index(start) <= units.index(end):
            interval: DataType = made(units.index(start), units.index(end))
            return interval
    return None


def unquote_name(word: str) -> str:
    return word[1:-1].replace("``", "`") if word.startswith("`") else word


def comment_text(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL)
