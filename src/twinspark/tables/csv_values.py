"""Text values in CSV files: what type CSVInferSchema finds in them, and how UnivocityParser reads them as a type."""

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


def fits(value: str, pattern: str) -> str:
    return f"regexp_full_match({value}, {literal(pattern)}, 's')"


def is_odd(value: str) -> str:
    """Digits of other scripts are digits to Java, and its floating-point numbers may be hexadecimal."""
    foreign = f"regexp_matches(translate({value}, '0123456789', ''), '\\p{{Nd}}')"
    return f"({foreign} OR {fits(value, HEXADECIMAL)})"


# ---- the type of a column

CLASSES = ("integer", "long", "decimal", "double", "date", "timestamp", "boolean", "string", "odd")


def class_of(value: str, zone: str) -> str:
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
        fits(value, WORD): "'string'",
        fits(value, FRACTION): "'double'",
        fits(value, BOOLEAN): "'boolean'",
        f"({fits(value, DATE)} AND TRY_CAST({value} AS DATE) IS NOT NULL)": "'date'",
        f"({fits(value, MOMENT)} AND TRY_CAST({value} AS TIMESTAMP) IS NOT NULL)": "'timestamp'",
        fits(value, INTEGER): whole,
        fits(value, NUMBER): f"CASE WHEN {scale} = 0 THEN 'decimal' ELSE 'double' END",
        f"({fits(value, DOUBLE)} OR {value} IN {NAMED_DOUBLES})": "'double'",
        is_odd(value): "'odd'",
        f"{timestamp_sql(value, zone)} IS NOT NULL": "'timestamp'",
    }
    return f"CASE {' '.join(f'WHEN {test} THEN {found}' for test, found in cases.items())} ELSE 'string' END"


def class_counts(width: int, zone: str, rows: str) -> str:
    """How many values of each column are of each class, one count after the other."""
    classes = ", ".join(f"{class_of(f'c{at}', zone)} AS k{at}" for at in range(width))
    counts = ", ".join(f"count(*) FILTER (WHERE k{at} = '{name}')" for at in range(width) for name in CLASSES)
    return f"SELECT {counts} FROM (SELECT {classes} FROM {rows})"


def inferred_type(counts: Sequence[int], at: int, in_one_partition: bool) -> DataType:
    """CSVInferSchema's answer for one column; where the order of rows or partitions would decide, Spark is asked."""
    found = zip(CLASSES, counts[at * len(CLASSES) : (at + 1) * len(CLASSES)], strict=True)
    kinds = frozenset(name for name, count in found if count)
    if "string" in kinds:
        return StringType()  # whatever else there is, and in whatever order
    if in_one_partition and "boolean" in kinds and len(kinds) > 1 and "odd" not in kinds:
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


def timestamp_sql(value: str, zone: str) -> str:
    return f"spark_string_to_timestamp({value}, {literal(zone)})"


def value_sql(value: str, type: DataType, zone: str) -> str:
    """The value, or NULL where it does not fit: UnivocityParser's answer in the mode PERMISSIVE."""
    if isinstance(type, StringType):
        return value
    if isinstance(type, DateType):
        return f"spark_string_to_date({value})"
    if isinstance(type, TimestampType):
        return timestamp_sql(value, zone)
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
