"""Text values in CSV files: which forms both engines parse alike, and what type Spark infers from them."""

from collections.abc import Sequence

from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampType,
)

from twinspark.errors import NotNative
from twinspark.tables.ducktext import duck_type, literal

INTEGER = r"[+-]?[0-9]+"
FRACTION = r"[+-]?[0-9]*\.[0-9]+"
MANTISSA = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
EXPONENT = r"[eE]([+-]?[0-9]{1,3})"
NUMBER = rf"{MANTISSA}([eE][+-]?[0-9]{{1,2}})?|NaN"
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIMESTAMP = rf"{DATE}[ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?Z?"
BOOLEAN = r"(?i:true|false)"
# What no number, date or time begins with: a year has four digits or more, an hour is followed by a colon, and digits of
# every script are digits to Java.
CERTAIN_STRING = "|".join(
    [
        r"[^\p{Nd}\s+\-.].*",
        r"[+-]?[0-9]{1,3}[^\p{Nd}:.eEdDfFxX\s].*",
        r"[+-]?[0-9]{4,}[^\p{Nd}\-:.eEdDfFT\s].*",
        r"[+-]?[0-9]*\.[0-9]*[^\p{Nd}eEdDfF\s].*",
        r"[0-9]{1,3}\s+[^\s:].*",
        r"[+-]([^\p{Nd}.NI\s].*)?",
        r"\.",
    ]
)
MAYBE_STRING = r"T[0-9].*|NaN|Inf|Infinity|(?i:true|false)|.*\s"
INTEGRAL = (ByteType, ShortType, IntegerType, LongType)


def fits(value: str, pattern: str) -> str:
    return f"regexp_full_match({value}, {literal(pattern)}, 's')"


def fits_type(value: str, pattern: str, type: str) -> str:
    """Of this form, and valid (in range, a day of the calendar)."""
    return f"({fits(value, pattern)} AND TRY_CAST({value} AS {type}) IS NOT NULL)"


def is_double(value: str) -> str:
    """No whole number without a fraction (1.25e2 is 125, a decimal); one with spaces around it is no other number."""
    fraction = f"length(regexp_extract({value}, '\\.([0-9]*)', 1))"
    exponent = f"TRY_CAST(regexp_extract({value}, {literal(EXPONENT)}, 1) AS INTEGER)"
    scaled = f"({fits(value, MANTISSA + EXPONENT)} AND {fraction} <> {exponent})"
    spaced = fits(value, rf" +{MANTISSA} *|{MANTISSA} +")
    return f"({fits(value, FRACTION)} OR {value} = 'NaN' OR {scaled} OR {spaced})"


CLASSES = ("integer", "long", "double", "date", "timestamp", "boolean", "string", "present")


def class_tests(value: str) -> list[str]:
    return [
        fits_type(value, INTEGER, "INTEGER"),
        f"({fits_type(value, INTEGER, 'BIGINT')} AND TRY_CAST({value} AS INTEGER) IS NULL)",
        is_double(value),
        fits_type(value, DATE, "DATE"),
        fits_type(value, TIMESTAMP, "TIMESTAMP"),
        fits(value, BOOLEAN),
        f"({fits(value, CERTAIN_STRING)} AND NOT {fits(value, MAYBE_STRING)})",
        f"{value} IS NOT NULL",
    ]


def class_counts(width: int) -> str:
    """How many values of each column are of each class, one count after the other."""
    return ", ".join(f"count(*) FILTER (WHERE {test})" for at in range(width) for test in class_tests(f'"c{at}"'))


def inferred_type(counts: Sequence[int], at: int) -> DataType:
    """CSVInferSchema's answer for one column; where the order of rows would decide, Spark is asked."""
    found = dict(zip(CLASSES, counts[at * len(CLASSES) : (at + 1) * len(CLASSES)], strict=True))
    present = found.pop("present")
    if found["string"]:
        return StringType()  # whatever else there is, and in whatever order
    kinds = frozenset(name for name, count in found.items() if count)
    if sum(found.values()) != present or kinds not in TYPE_OF:
        raise NotNative("csv values whose type only Spark can tell")
    return TYPE_OF[kinds]


TYPE_OF: dict[frozenset[str], DataType] = {
    frozenset(): StringType(),
    frozenset({"integer"}): IntegerType(),
    frozenset({"long"}): LongType(),
    frozenset({"integer", "long"}): LongType(),
    frozenset({"double"}): DoubleType(),
    frozenset({"integer", "double"}): DoubleType(),
    frozenset({"long", "double"}): DoubleType(),
    frozenset({"integer", "long", "double"}): DoubleType(),
    frozenset({"date"}): DateType(),
    frozenset({"timestamp"}): TimestampType(),
    frozenset({"date", "timestamp"}): TimestampType(),
    frozenset({"boolean"}): BooleanType(),
}


def checked_value(value: str, type: DataType) -> str:
    """SQL that is true for values which UnivocityParser and our cast read alike."""
    if isinstance(type, StringType):
        return "true"
    if isinstance(type, INTEGRAL):
        return fits_type(value, INTEGER, duck_type(type))
    if isinstance(type, FloatType | DoubleType):
        return fits(value, rf" *({NUMBER}) *")
    if isinstance(type, DateType):
        return fits_type(value, DATE, "DATE")
    if isinstance(type, TimestampType):
        return fits_type(value, f"{DATE}|{TIMESTAMP}", "TIMESTAMP")
    if isinstance(type, BooleanType):
        return fits(value, BOOLEAN)
    if isinstance(type, DecimalType):
        whole = type.precision - type.scale
        return fits(value, rf"[+-]?[0-9]{{1,{max(whole, 1)}}}(\.[0-9]{{0,{type.scale}}})?") if whole else "false"
    raise NotNative(f"csv columns of type {type.simpleString()}")


def value_sql(value: str, type: DataType) -> str:
    """The value in the column's type; `checked_value` held."""
    if isinstance(type, StringType):
        return value
    if isinstance(type, TimestampType):
        return f"make_timestamptz(epoch_us(CAST({value} AS TIMESTAMP)))"
    if isinstance(type, BooleanType):
        return f"(lower({value}) = 'true')"
    if isinstance(type, FloatType | DoubleType):
        value = f"trim({value})"
    return f"CAST({value} AS {duck_type(type)})"
