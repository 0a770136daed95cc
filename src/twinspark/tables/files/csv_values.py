"""Types of CSV values as CSVInferSchema infers them, and their conversion as in UnivocityParser."""

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

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.decimal_sql import sql_string_to_decimal
from twinspark.functions.notation.error_sql import not_native
from twinspark.tables.column_types import column_type
from twinspark.types.duckdb import duck_text

INTEGER = r"[+-]?[0-9]+"
MANTISSA = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
EXPONENT = r"[eE]([+-]?[0-9]+)"
NUMBER = rf"{MANTISSA}({EXPONENT})?"  # as java.math.BigDecimal parses it
# java.lang.Double.parseDouble trims, and accepts a type suffix after the number.
DOUBLE = rf"[\x00-\x20]*({NUMBER}[dDfF]?|[+-]?(NaN|Infinity))[\x00-\x20]*"
NAMED_DOUBLES = ("NaN", "Inf", "-Inf")  # the options nanValue, positiveInf and negativeInf
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
BOOLEAN = r"(?i:true|false)"
HEXADECIMAL = r"[\x00-\x20]*[+-]?0[xX].*"
INTEGRAL = (ByteType, ShortType, IntegerType, LongType)


# Date patterns of java.time: year, month and day in any order, with separators.
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
            raise NotNative(reasons.CSV_VALUE, "this dateFormat")


def fits(value: str, pattern: str) -> str:
    return f"regexp_full_match({value}, {duck_text(pattern)}, 's')"


def is_odd(value: str) -> str:
    """Values that Java may parse differently: digits of other scripts, hexadecimal floating-point numbers."""
    foreign = f"regexp_matches(translate({value}, '0123456789', ''), '\\p{{Nd}}')"
    return f"({foreign} OR {fits(value, HEXADECIMAL)})"


# ---- the type of a column

# The bits of csv_types.c, in their order.
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
    """The type that CSVInferSchema.inferField infers from one value, as a bit; NULL is 0."""
    kind = f"spark_csv_kind({value}, {int(bool(formats.date or formats.timestamp))})"
    cases = " ".join(f"WHEN {test} THEN {found}" for test, found in closer_tests(value, formats).items())
    return f"CASE WHEN coalesce({kind}, 0) >= 0 THEN coalesce({kind}, 0) {cases} ELSE {bit('string')} END"


def bit(kind: str) -> int:
    return 1 << KINDS.index(kind)


def closer_tests(value: str, formats: Formats) -> dict[str, Any]:
    scale = (
        rf"length(regexp_extract({value}, '\.([0-9]*)', 1))"
        f" - coalesce(TRY_CAST(nullif(regexp_extract({value}, {duck_text(EXPONENT)}, 1), '') AS INTEGER), 0)"
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
    """The types of the values in each column, as bits."""
    kinds = ", ".join(f"bit_or({kind_sql(f'c{at}', formats)})" for at in range(width))
    return f"SELECT {kinds} FROM {rows}"


def inferred_type(found: int | None, in_one_partition: bool, formats: Formats) -> DataType:
    """CSVInferSchema's type of a column; falls back to Spark if it depends on the order of rows or partitions."""
    kinds = frozenset(name for name in KINDS if (found or 0) & bit(name))
    if "string" in kinds:
        return StringType()  # one string makes the column a string in any order
    if in_one_partition and "boolean" in kinds and len(kinds) > 1 and "odd" not in kinds:
        return StringType()
    if kinds == {"date", "timestamp"} and formats.timestamp:
        raise NotNative(reasons.CSV_VALUE, "a column with dates and timestamps, with timestampFormat")
    if kinds == {"date", "timestamp"} and formats.date not in ALSO_TIMESTAMPS:
        return StringType()
    if kinds not in TYPE_OF:
        raise NotNative(reasons.CSV_VALUE, f"a column with {' and '.join(sorted(kinds))} values")
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
        return f"CAST(spark_parse_timestamp_ntz({value}, {duck_text(formats.date)}) AS DATE)"
    return f"spark_string_to_date({value})"


def timestamp_sql(value: str, formats: Formats) -> str:
    if formats.timestamp:
        return f"spark_parse_timestamp({value}, {duck_text(formats.timestamp)}, {duck_text(formats.zone)})"
    return f"spark_string_to_timestamp({value}, {duck_text(formats.zone)})"


def value_sql(value: str, type: DataType, formats: Formats) -> str:
    """The converted value, or NULL if it is invalid: UnivocityParser in the mode PERMISSIVE."""
    if isinstance(type, StringType):
        return value
    if isinstance(type, DateType):
        return date_sql(value, formats)
    if isinstance(type, TimestampType):
        return timestamp_sql(value, formats)
    if isinstance(type, BooleanType):
        return f"CASE lower({value}) WHEN 'true' THEN true WHEN 'false' THEN false END"
    odd = not_native(reasons.CSV_VALUE, "digits outside ASCII")
    return f"CASE WHEN {number_form(value, type)} WHEN {is_odd(value)} THEN {odd} END"


def number_form(value: str, type: DataType) -> str:
    """`test THEN number` for a CASE expression of a numeric type."""
    if isinstance(type, INTEGRAL):
        return f"{fits(value, INTEGER)} THEN TRY_CAST({value} AS {column_type(type)})"
    if isinstance(type, DecimalType):
        value = f"replace({value}, ',', '')"  # ExprUtils.getDecimalParser
        return f"{fits(value, NUMBER)} THEN {sql_string_to_decimal(value, (type.precision, type.scale), False)}"
    if isinstance(type, FloatType | DoubleType):
        named = f"CASE {value} WHEN 'Inf' THEN 'Infinity' WHEN '-Inf' THEN '-Infinity' ELSE {value} END"
        cast = f"spark_string_to_{type.typeName()}({named})"
        return f"{fits(value, DOUBLE)} OR {value} IN {NAMED_DOUBLES} THEN {cast}"
    raise NotNative(reasons.FILE_COLUMN_TYPE, f"{type.simpleString()} in CSV")
