"""Text values in CSV files: what type CSVInferSchema finds in them, and how UnivocityParser reads them as a type."""

import re
from dataclasses import dataclass
from typing import Any

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

# The bits of csv_kinds.c, in their order.
KINDS = (
    "integer",
    "long",
    "decimal",
    "double",
    "date",
    "timestamp",
    "boolean",
    "string",
    "odd",
)


def kind_sql(value: str, formats: Formats) -> str:
    """What CSVInferSchema.inferField would find in one value alone, as a bit; NULL is 0."""
    told = f"spark_csv_kind({value}, {int(bool(formats.date or formats.timestamp))})"
    cases = " ".join(f"WHEN {test} THEN {found}" for test, found in closer_tests(value, formats).items())
    return f"CASE WHEN coalesce({told}, 0) >= 0 THEN coalesce({told}, 0) {cases} ELSE {bit('string')} END"


def bit(kind: str) -> int:
    return 1 << KINDS.index(kind)


def closer_tests(value: str, formats: Formats) -> dict[str, Any]:
    scale = (
        rf"length(regexp_extract({value}, '\.([0-9]*)', 1))"
        f" - coalesce(TRY_CAST(nullif(regexp_extract({value}, {literal(EXPONENT)}, 1), '') AS INTEGER), 0)"
    )
    whole = f"CASE WHEN TRY_CAST({value} AS INTEGER) IS NOT NULL THEN {bit('integer')}"
    whole += f" WHEN TRY_CAST({value} AS BIGINT) IS NOT NULL THEN {bit('long')} ELSE {bit('decimal')} END"
    return {
        fits(value, INTEGER): whole,
        fits(value, NUMBER): f"CASE WHEN {scale} = 0 THEN {bit('decimal')} ELSE {bit('double')} END",
        f"({fits(value, DOUBLE)} OR {value} IN {NAMED_DOUBLES})": bit("double"),
        is_odd(value): bit("odd"),
        day_test(value, formats): bit("date"),
        f"{timestamp_sql(value, formats)} IS NOT NULL": bit("timestamp"),
        fits(value, BOOLEAN): bit("boolean"),
    }


def day_test(value: str, formats: Formats) -> str:
    by_pattern = f"{date_sql(value, formats)} IS NOT NULL"
    return by_pattern if formats.date else f"({fits(value, DATE)} AND TRY_CAST({value} AS DATE) IS NOT NULL)"


def kinds_found(width: int, formats: Formats, rows: str) -> str:
    """The kinds of values in each column, as bits."""
    kinds = ", ".join(f"bit_or({kind_sql(f'c{at}', formats)})" for at in range(width))
    return f"SELECT {kinds} FROM {rows}"


def inferred_type(found: int | None, in_one_partition: bool, formats: Formats) -> DataType:
    """CSVInferSchema's answer for one column; where the order of rows or partitions would decide, Spark is asked."""
    kinds = frozenset(name for name in KINDS if (found or 0) & bit(name))
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
