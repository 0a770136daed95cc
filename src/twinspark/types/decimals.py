"""Spark's rules for the precision and scale of decimal types."""

from functools import lru_cache

from pyspark.sql.types import ByteType, DataType, DecimalType, DoubleType, FloatType, IntegerType, LongType, ShortType

from twinspark.types.values import is_numeric

INTEGRAL_DIGITS = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 20}
MAX_PRECISION = 38
MINIMUM_ADJUSTED_SCALE = 6


@lru_cache(2048)
def decimal_type(precision: int, scale: int) -> DecimalType:
    """A cached DecimalType: types that are the same object compare fast."""
    return DecimalType(precision, scale)


def bounded_decimal(precision: int, scale: int) -> DecimalType:
    return decimal_type(min(precision, MAX_PRECISION), min(scale, MAX_PRECISION))


def adjusted_decimal(precision: int, scale: int) -> DecimalType:
    """A precision over 38 reduces the scale, but not below six (DecimalType.adjustPrecisionScale)."""
    if precision <= MAX_PRECISION:
        return decimal_type(precision, scale)
    if scale < 0:
        return decimal_type(MAX_PRECISION, scale)
    digits_before = precision - scale
    return decimal_type(MAX_PRECISION, max(MAX_PRECISION - digits_before, min(scale, MINIMUM_ADJUSTED_SCALE)))


def decimal_for(type: DataType) -> DecimalType:
    """The decimal type that can represent every value of a numeric type (DecimalType.forType)."""
    if isinstance(type, DecimalType):
        return type
    if isinstance(type, FloatType):
        return decimal_type(14, 7)
    if isinstance(type, DoubleType):
        return decimal_type(30, 15)
    return decimal_type(INTEGRAL_DIGITS[type.__class__], 0)


def wider_decimal(left: DecimalType, right: DecimalType) -> DecimalType:
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    return bounded_widest(whole + scale, scale)


def bounded_widest(precision: int, scale: int) -> DecimalType:
    """A precision over 38 reduces the scale, not the integral digits (DecimalType.boundedPreferIntegralDigits)."""
    if precision <= MAX_PRECISION:
        return DecimalType(precision, scale)
    return decimal_type(MAX_PRECISION, max(0, scale - (precision - MAX_PRECISION)))


def decimal_holds(decimal: DecimalType, other: DataType) -> bool:
    """Whether every value of `other` fits into the decimal type (DecimalType.isWiderThan)."""
    if not is_numeric(other) or isinstance(other, FloatType | DoubleType):
        return False
    wanted = decimal_for(other)
    return decimal.precision - decimal.scale >= wanted.precision - wanted.scale and decimal.scale >= wanted.scale
