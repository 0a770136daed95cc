"""One type, four spellings: Spark's DataType, its SQL name, Thrift's TTypeDesc; arrow_types.py has the fourth."""

import re
from collections.abc import Callable

from pyspark.sql import types as t

from twinspark.driver.messages import Message
from twinspark.driver.protocol import TypeId

TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`(?:[^`]|``)*`)|(?P<text>'(?:[^'\\]|\\.)*')|(?P<word>[\w.\-$]+)|(?P<mark>[<>(),:]))", re.UNICODE
)
YEAR, MONTH = t.YearMonthIntervalType.YEAR, t.YearMonthIntervalType.MONTH
DAY, HOUR, MINUTE, SECOND = range(4)
UNITS = {"day": DAY, "hour": HOUR, "minute": MINUTE, "second": SECOND}
# Every spelling met in the field, in lower case; the last of each group is what Spark itself writes.
SIMPLE: dict[str, Callable[[], t.DataType]] = {
    "bool": t.BooleanType,
    "boolean": t.BooleanType,
    "byte": t.ByteType,
    "tinyint": t.ByteType,
    "short": t.ShortType,
    "smallint": t.ShortType,
    "integer": t.IntegerType,
    "int": t.IntegerType,
    "long": t.LongType,
    "bigint": t.LongType,
    "real": t.FloatType,
    "float": t.FloatType,
    "double": t.DoubleType,
    "string": t.StringType,
    "binary": t.BinaryType,
    "date": t.DateType,
    "timestamp_ltz": t.TimestampType,
    "timestamp": t.TimestampType,
    "timestamp_ntz": t.TimestampNTZType,
    "null": t.NullType,
    "void": t.NullType,
    "variant": t.VariantType,
    "interval_year_month": lambda: t.YearMonthIntervalType(YEAR, MONTH),
    "interval_day_time": lambda: t.DayTimeIntervalType(DAY, SECOND),
    "calendar_interval": t.CalendarIntervalType,
}


class TypeNameError(ValueError):
    """Not the name of a Spark type."""


def parse_type_name(text: str) -> t.DataType:
    """`DECIMAL(18,4)`, `array<struct<a:int>>`, `INTERVAL DAY TO SECOND`, in any case and spacing."""
    parser = Parser(text)
    found = parser.type()
    if parser.tokens[parser.at :] != [""]:
        raise TypeNameError(f"not a Spark type: {text!r}")
    return found


class Parser:
    """Recursive descent over the tokens of one type name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*tokens_of(text), ""]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at].lower()

    def next(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, *words: str) -> bool:
        end = self.at + len(words)
        if [token.lower() for token in self.tokens[self.at : end]] != list(words):
            return False
        self.at = end
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise TypeNameError(f"not a Spark type: {self.text!r} ({word!r} expected at {self.peek()!r})")

    def type(self) -> t.DataType:
        word = self.next().lower()
        if word in NESTED:
            return NESTED[word](self)
        if word not in SIMPLE:
            raise TypeNameError(f"not a Spark type: {self.text!r}")
        if word == "string" and self.accept("collate"):
            return t.StringType(self.next())
        return SIMPLE[word]()

    def numbers(self) -> list[int]:
        """`(18, 4)`, or nothing."""
        found: list[int] = []
        while self.accept(",") if found else self.accept("("):
            word = self.next()
            if not re.fullmatch(r"-?\d+", word):
                raise TypeNameError(f"not a Spark type: {self.text!r} ({word!r} is not a number)")
            found.append(int(word))
        if found:
            self.expect(")")
        return found

    def decimal(self) -> t.DataType:
        numbers = self.numbers()
        return t.DecimalType(numbers[0] if numbers else 10, numbers[1] if len(numbers) > 1 else 0)

    def sized(self, kind: Callable[[int], t.DataType]) -> t.DataType:
        numbers = self.numbers()
        return kind(numbers[0]) if numbers else t.StringType()

    def time(self) -> t.DataType:
        numbers = self.numbers()
        return t.TimeType(numbers[0] if numbers else 6)

    def array(self) -> t.DataType:
        self.expect("<")
        element = self.type()
        self.expect(">")
        return t.ArrayType(element)

    def map(self) -> t.DataType:
        self.expect("<")
        key = self.type()
        self.expect(",")
        value = self.type()
        self.expect(">")
        return t.MapType(key, value)

    def struct(self) -> t.DataType:
        self.expect("<")
        fields: list[t.StructField] = []
        while not self.accept(">"):
            if fields:
                self.expect(",")
            fields.append(self.field())
        return t.StructType(fields)

    def field(self) -> t.StructField:
        name = self.field_name()
        kind = self.type()
        nullable = not self.accept("not", "null")
        if self.accept("comment"):
            self.next()
        return t.StructField(name, kind, nullable)

    def field_name(self) -> str:
        """Spark quotes odd names in SQL names only; simpleString leaves them bare, so all up to the colon counts."""
        parts = []
        while self.peek() not in (":", ""):
            parts.append(self.next())
        self.expect(":")
        only = parts[0] if len(parts) == 1 else " ".join(parts)
        return only[1:-1].replace("``", "`") if only.startswith("`") else only

    def interval(self) -> t.DataType:
        start = self.peek()
        if start not in ("year", "month", *UNITS):
            return t.CalendarIntervalType()
        end = (self.next(), self.next(), self.next())[2].lower() if self.to_follows() else self.next().lower()
        return interval_type(start, end, self.text)

    def to_follows(self) -> bool:
        return self.tokens[self.at + 1].lower() == "to"


def tokens_of(text: str) -> list[str]:
    found, position = [], 0
    while text[position:].strip():
        token = TOKEN.match(text, position)
        if token is None:
            raise TypeNameError(f"not a Spark type: {text!r}")
        found.append(token[0].strip())
        position = token.end()
    return found


def interval_type(start: str, end: str, text: str) -> t.DataType:
    months = {"year": YEAR, "month": MONTH}
    if start in months and end in months:
        return t.YearMonthIntervalType(months[start], months[end])
    if start in UNITS and end in UNITS:
        return t.DayTimeIntervalType(UNITS[start], UNITS[end])
    raise TypeNameError(f"not a Spark type: {text!r}")


NESTED: dict[str, Callable[[Parser], t.DataType]] = {
    "decimal": Parser.decimal,
    "dec": Parser.decimal,
    "numeric": Parser.decimal,
    "char": lambda parser: parser.sized(t.CharType),
    "character": lambda parser: parser.sized(t.CharType),
    "varchar": lambda parser: parser.sized(t.VarcharType),
    "time": Parser.time,
    "array": Parser.array,
    "map": Parser.map,
    "struct": Parser.struct,
    "interval": Parser.interval,
}


def sql_name(kind: t.DataType) -> str:
    """What Spark's `dataType.sql` says."""
    if isinstance(kind, t.ArrayType):
        return f"ARRAY<{sql_name(kind.elementType)}>"
    if isinstance(kind, t.MapType):
        return f"MAP<{sql_name(kind.keyType)}, {sql_name(kind.valueType)}>"
    if isinstance(kind, t.StructType):
        return f"STRUCT<{', '.join(map(field_sql, kind.fields))}>"
    if isinstance(kind, t.StringType) and not isinstance(kind, t.CharType | t.VarcharType) and kind.collation:
        return "STRING" if kind.collation == "UTF8_BINARY" else f"STRING COLLATE {kind.collation}"
    return str(kind.simpleString()).upper()


def field_sql(field: t.StructField) -> str:
    name = field.name if re.fullmatch(r"[A-Za-z_]\w*", field.name) else "`" + field.name.replace("`", "``") + "`"
    return f"{name}: {sql_name(field.dataType)}" + ("" if field.nullable else " NOT NULL")


# What Spark's own Thrift server answers: both timestamps share one id; text stands in for what Hive has no name for.
TYPE_IDS: list[tuple[type[t.DataType], TypeId]] = [
    (t.NullType, TypeId.NULL),
    (t.BooleanType, TypeId.BOOLEAN),
    (t.ByteType, TypeId.TINYINT),
    (t.ShortType, TypeId.SMALLINT),
    (t.IntegerType, TypeId.INT),
    (t.LongType, TypeId.BIGINT),
    (t.FloatType, TypeId.FLOAT),
    (t.DoubleType, TypeId.DOUBLE),
    (t.DecimalType, TypeId.DECIMAL),
    (t.CharType, TypeId.CHAR),
    (t.VarcharType, TypeId.VARCHAR),
    (t.DateType, TypeId.DATE),
    (t.TimestampType, TypeId.TIMESTAMP),
    (t.TimestampNTZType, TypeId.TIMESTAMP),
    (t.BinaryType, TypeId.BINARY),
    (t.DayTimeIntervalType, TypeId.INTERVAL_DAY_TIME),
    (t.YearMonthIntervalType, TypeId.INTERVAL_YEAR_MONTH),
    (t.ArrayType, TypeId.ARRAY),
    (t.MapType, TypeId.MAP),
    (t.StructType, TypeId.STRUCT),
]


def type_id(kind: t.DataType) -> TypeId:
    return next((found for known, found in TYPE_IDS if isinstance(kind, known)), TypeId.STRING)


def type_desc(kind: t.DataType) -> Message:
    entry: Message = {"type": type_id(kind), "typeQualifiers": {"qualifiers": qualifiers(kind)}}
    return {"types": [{"primitiveEntry": entry}]}


def qualifiers(kind: t.DataType) -> Message:
    if isinstance(kind, t.DecimalType):
        return {"precision": {"i32Value": kind.precision}, "scale": {"i32Value": kind.scale}}
    if isinstance(kind, t.CharType | t.VarcharType):
        return {"characterMaximumLength": {"i32Value": kind.length}}
    return {}


def type_of_desc(desc: Message) -> t.DataType | None:
    """As much as a TTypeDesc says; None for array, map and struct, whose element types it does not carry."""
    entry = next((item.get("primitiveEntry") for item in desc.get("types", [])), None)
    if entry is None:
        return None
    found = (entry.get("typeQualifiers") or {}).get("qualifiers", {})
    numbers = {name: value["i32Value"] for name, value in found.items() if "i32Value" in value}
    return from_type_id(entry.get("type", TypeId.STRING), numbers)


def from_type_id(identifier: int, numbers: dict[str, int]) -> t.DataType | None:
    if identifier == TypeId.DECIMAL:
        return t.DecimalType(numbers.get("precision", 38), numbers.get("scale", 18)) if numbers else None
    if identifier in (TypeId.CHAR, TypeId.VARCHAR):
        length = numbers.get("characterMaximumLength", 0)
        kind = t.CharType if identifier == TypeId.CHAR else t.VarcharType
        return kind(length) if length else t.StringType()
    if identifier == TypeId.INTERVAL_YEAR_MONTH:
        return t.YearMonthIntervalType(YEAR, MONTH)
    if identifier == TypeId.INTERVAL_DAY_TIME:
        return t.DayTimeIntervalType(DAY, SECOND)
    return PLAIN[identifier]() if identifier in PLAIN else None


PLAIN: dict[int, Callable[[], t.DataType]] = {
    TypeId.NULL: t.NullType,
    TypeId.BOOLEAN: t.BooleanType,
    TypeId.TINYINT: t.ByteType,
    TypeId.SMALLINT: t.ShortType,
    TypeId.INT: t.IntegerType,
    TypeId.BIGINT: t.LongType,
    TypeId.FLOAT: t.FloatType,
    TypeId.DOUBLE: t.DoubleType,
    TypeId.STRING: t.StringType,
    TypeId.DATE: t.DateType,
    TypeId.TIMESTAMP: t.TimestampType,
    TypeId.TIMESTAMPLOCALTZ: t.TimestampType,
    TypeId.BINARY: t.BinaryType,
}
