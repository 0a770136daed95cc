"""Text values in CSV files: what type CSVInferSchema finds in them, and how UnivocityParser reads them as a type."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
from twinspark.functions.casts import not_native
from twinspark.functions.native_spelling import sql_string_to_decimal
from twinspark.tables.ducktext import duck_type, literal

INTEGER = r"[+-]?[0-9]+"
MANTISSA = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
EXPONENT = r"[eE]([+-]?[0-9]+)"
NUMBER = rf"{MANTISSA}({EXPONENT})?"  # as java.math.BigDecimal takes it
# java.lang.Double.parseDouble trims, and knows a letter behind a number.
DOUBLE = rf"[\x00-\x20]*({NUMBER}[dDfF]?|[+-]?(NaN|Infinity))[\x00-\x20]*"
NAMED_DOUBLES = ("NaN", "Inf", "-Inf")  # the options nanValue, positiveInf and negativeInf
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
BOOLEAN = r"(?i:true|false)"
# What most columns are full of, told at once.
SHORT_INTEGER = r"[+-]?[0-9]{1,9}"
FRACTION = r"[+-]?[0-9]*\.[0-9]+"
WORD = r"[A-EG-HJ-MO-SU-Za-eg-su-z_].*"
MOMENT = rf"{DATE}[ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?Z?"
HEXADECIMAL = r"[\x00-\x20]*[+-]?0[xX].*"
INTEGRAL = (ByteType, ShortType, IntegerType, LongType)
ODD_DIGITS = "csv values with digits that only Java reads"


# Patterns of dates by java.time: a year, a month and a day in any order, and what stands between them.
DATE_LETTERS = re.compile(r"(?=.*yyyy)(?=.*M)(?=.*d)(?:yyyy|M{1,4}|d{1,2}|[-/., ])+")
# Dates of these forms are read as timestamps, too (CSVInferSchema).
ALSO_TIMESTAMPS = ("", "yyyy-MM-dd")


@dataclass(frozen=True)
class Formats:
    """The session's zone, and the options dateFormat and timestampFormat where they are set."""

    zone: str
    date: str = ""
    timestamp: str = ""

    def __post_init__(self) -> None:
        if self.date and not DATE_LETTERS.fullmatch(self.date):
            raise NotNative("a csv dateFormat of another kind")


def fits(value: str, pattern: str) -> str:
    return f"regexp_full_match({value}, {literal(pattern)}, 's')"


def is_odd(value: str) -> str:
    """Digits of other scripts are digits to Java, and its floating-point numbers may be hexadecimal."""
    foreign = f"regexp_matches(translate({value}, '0123456789', ''), '\\p{{Nd}}')"
    return f"({foreign} OR {fits(value, HEXADECIMAL)})"


# ---- the type of a column

CLASSES = ("integer", "long", "decimal", "double", "date", "timestamp", "boolean", "string", "odd")


def class_of(value: str, formats: Formats) -> str:
    """What CSVInferSchema.inferField would find in one value alone, which is not NULL."""
    scale = (
        rf"length(regexp_extract({value}, '\.([0-9]*)', 1))"
        f" - coalesce(TRY_CAST(nullif(regexp_extract({value}, {literal(EXPONENT)}, 1), '') AS INTEGER), 0)"
    )
    whole = f"CASE WHEN TRY_CAST({value} AS INTEGER) IS NOT NULL THEN 'integer'"
    whole += f" WHEN TRY_CAST({value} AS BIGINT) IS NOT NULL THEN 'long' ELSE 'decimal' END"
    cases = {
        f"{value} IS NULL": "NULL",
        fits(value, SHORT_INTEGER): "'integer'",
        **quickly_told(value, formats),
        fits(value, INTEGER): whole,
        fits(value, NUMBER): f"CASE WHEN {scale} = 0 THEN 'decimal' ELSE 'double' END",
        f"({fits(value, DOUBLE)} OR {value} IN {NAMED_DOUBLES})": "'double'",
        is_odd(value): "'odd'",
        **({f"{date_sql(value, formats)} IS NOT NULL": "'date'"} if formats.date else {}),
        f"{timestamp_sql(value, formats)} IS NOT NULL": "'timestamp'",
        fits(value, BOOLEAN): "'boolean'",
    }
    return f"CASE {' '.join(f'WHEN {test} THEN {found}' for test, found in cases.items())} ELSE 'string' END"


def quickly_told(value: str, formats: Formats) -> dict[str, str]:
    """What most columns are full of, told at once; with formats of the user's own a word may be a date."""
    if formats.date or formats.timestamp:
        told = {fits(value, FRACTION): "'double'"}
    else:
        told = {fits(value, WORD): "'string'", fits(value, FRACTION): "'double'", fits(value, BOOLEAN): "'boolean'"}
    if not formats.date:
        told[f"({fits(value, DATE)} AND TRY_CAST({value} AS DATE) IS NOT NULL)"] = "'date'"
    if not formats.timestamp:
        told[f"({fits(value, MOMENT)} AND TRY_CAST({value} AS TIMESTAMP) IS NOT NULL)"] = "'timestamp'"
    return told


def class_counts(width: int, formats: Formats, rows: str) -> str:
    """How many values of each column are of each class, one count after the other."""
    texts = ", ".join(f"nullif(c{at}, '') AS c{at}" for at in range(width))
    rows = f"(SELECT {texts} FROM {rows})"
    classes = ", ".join(f"{class_of(f'c{at}', formats)} AS k{at}" for at in range(width))
    counts = ", ".join(f"count(*) FILTER (WHERE k{at} = '{name}')" for at in range(width) for name in CLASSES)
    return f"SELECT {counts} FROM (SELECT {classes} FROM {rows})"


def inferred_type(counts: Sequence[int], at: int, in_one_partition: bool, formats: Formats) -> DataType:
    """CSVInferSchema's answer for one column; where the order of rows or partitions would decide, Spark is asked."""
    found = zip(CLASSES, counts[at * len(CLASSES) : (at + 1) * len(CLASSES)], strict=True)
    kinds = frozenset(name for name, count in found if count)
    if "string" in kinds:
        return StringType()  # whatever else there is, and in whatever order
    if in_one_partition and "boolean" in kinds and len(kinds) > 1 and "odd" not in kinds:
        return StringType()
    if kinds == {"date", "timestamp"} and formats.timestamp:
        raise NotNative("a csv column of dates and timestamps, with a timestampFormat")
    if kinds == {"date", "timestamp"} and formats.date not in ALSO_TIMESTAMPS:
        return StringType()
    if kinds not in TYPE_OF:
        raise NotNative(f"a csv column of {' and '.join(sorted(kinds))} values")
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


# ---- a value in its column's type


def date_sql(value: str, formats: Formats) -> str:
    if formats.date:
        return f"CAST(spark_parse_timestamp_ntz({value}, {literal(formats.date)}) AS DATE)"
    return f"spark_string_to_date({value})"


def timestamp_sql(value: str, formats: Formats) -> str:
    if formats.timestamp:
        return f"spark_parse_timestamp({value}, {literal(formats.timestamp)}, {literal(formats.zone)})"
    return f"spark_string_to_timestamp({value}, {literal(formats.zone)})"


def value_sql(value: str, type: DataType, formats: Formats) -> str:
    """The value, or NULL where it does not fit: UnivocityParser's answer in the mode PERMISSIVE."""
    if isinstance(type, StringType):
        return value
    if isinstance(type, DateType):
        return date_sql(value, formats)
    if isinstance(type, TimestampType):
        return timestamp_sql(value, formats)
    if isinstance(type, BooleanType):
        return f"CASE lower({value}) WHEN 'true' THEN true WHEN 'false' THEN false END"
    return f"CASE WHEN {number_form(value, type)} WHEN {is_odd(value)} THEN {not_native(ODD_DIGITS)} END"


def number_form(value: str, type: DataType) -> str:
    """`test THEN number` of a numeric type."""
    if isinstance(type, INTEGRAL):
        return f"{fits(value, INTEGER)} THEN TRY_CAST({value} AS {duck_type(type)})"
    if isinstance(type, DecimalType):
        value = f"replace({value}, ',', '')"  # ExprUtils.getDecimalParser
        return f"{fits(value, NUMBER)} THEN {sql_string_to_decimal(value, (type.precision, type.scale), False)}"
    if isinstance(type, FloatType | DoubleType):
        named = f"CASE {value} WHEN 'Inf' THEN 'Infinity' WHEN '-Inf' THEN '-Infinity' ELSE {value} END"
        cast = f"spark_string_to_{type.typeName()}({named})"
        return f"{fits(value, DOUBLE)} OR {value} IN {NAMED_DOUBLES} THEN {cast}"
    raise NotNative(f"csv columns of type {type.simpleString()}")
