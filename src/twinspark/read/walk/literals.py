"""Reads literals of the syntax tree."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from twinspark.analysis.collations.coercion import with_collation
from twinspark.analysis.expressions import build
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import clock_of
from twinspark.functions.strings.java_numbers import as_float
from twinspark.plan.expressions import Expression
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk, walks
from twinspark.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    YearMonthIntervalType,
)

WHOLE: dict[str, DataType] = {"bigint": LONG, "smallint": SHORT, "tinyint": BYTE}


@walks(tree.NullLiteral)
def walk_null(node: tree.NullLiteral, scope: Scope, walk: Walk) -> Expression:
    return build.literal(None)


@walks(tree.BooleanLiteral)
def walk_boolean(node: tree.BooleanLiteral, scope: Scope, walk: Walk) -> Expression:
    return build.literal(node.value)


@walks(tree.StringLiteral)
def walk_string(node: tree.StringLiteral, scope: Scope, walk: Walk) -> Expression:
    made = build.literal(node.value)
    collation = walk.context.default_collation
    return with_collation(made, collation, walk.settings) if collation else made


@walks(tree.NumberLiteral)
def walk_number(node: tree.NumberLiteral, scope: Scope, walk: Walk) -> Expression:
    if node.kind == "integer":
        return integer(node.text)
    if node.kind in WHOLE:
        return build.literal(int(node.text), WHOLE[node.kind])
    if node.kind in ("exponent", "double"):
        return build.literal(float(node.text), DOUBLE)
    if node.kind == "float":
        return build.literal(as_float(float(node.text)), FLOAT)
    return exact_decimal(node.text)


def integer(text: str) -> Expression:
    """The narrowest of int, bigint and decimal."""
    value = int(text)
    for type, bits in ((INT, 31), (LONG, 63)):
        if -(1 << bits) <= value < 1 << bits:
            return build.literal(value, type)
    return exact_decimal(text)


def exact_decimal(text: str) -> Expression:
    made = build.literal(Decimal(text))
    assert isinstance(made.type, DecimalType)
    if made.type.precision > 38:
        raise SparkError("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", precision=made.type.precision, maxPrecision=38)
    return made


@walks(tree.TypedLiteral)
def walk_typed(node: tree.TypedLiteral, scope: Scope, walk: Walk) -> Expression:
    value = node.value
    if isinstance(value, bytes):
        return build.literal(value)
    if isinstance(value, str):
        raise NotNative(reasons.LITERAL, f"{node.type_name} '{node.text}'")
    if node.type_name in ("DATE", "TIME"):
        return build.literal(value, DATE if node.type_name == "DATE" else TIME, walk.settings)
    return timestamp(node, value, walk)


def timestamp(node: tree.TypedLiteral, value: int, walk: Walk) -> Expression:
    """A TIMESTAMP literal without an offset is local time, of the type in spark.sql.timestampType; with an offset it is
    a TIMESTAMP_LTZ."""
    plain = node.type_name == "TIMESTAMP" and walk.settings.timestamp_type == "TIMESTAMP_NTZ" and not node.zoned
    if node.type_name == "TIMESTAMP_NTZ" or plain:
        return build.literal(value, TIMESTAMP_NTZ, walk.settings)
    micros = value if node.zoned else instant(value, walk.settings.zone)
    return build.literal(micros, TIMESTAMP, walk.settings)


FIRST_LOCAL, LAST_LOCAL = -62_135_596_800_000_000, 253_402_300_800_000_000  # the range of Python's datetime


def instant(local: int, zone: str) -> int:
    """The earlier instant where a local time occurs twice, as in java.time."""
    if not FIRST_LOCAL <= local < LAST_LOCAL:
        raise NotNative(reasons.DATETIME_RANGE, "a TIMESTAMP_NTZ constant outside the years 1 to 9999")
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=local)
    try:
        offset = moment.replace(tzinfo=clock_of(zone), fold=0).utcoffset() or dt.timedelta()
    except (KeyError, ValueError) as error:
        raise NotNative(reasons.TIME_ZONE, zone) from error
    return local - round(offset.total_seconds() * 1_000_000)


@walks(tree.DayTimeInterval)
def walk_day_time(node: tree.DayTimeInterval, scope: Scope, walk: Walk) -> Expression:
    return build.literal(node.microseconds, DayTimeIntervalType(node.unit_from, node.unit_to))


@walks(tree.YearMonthInterval)
def walk_year_month(node: tree.YearMonthInterval, scope: Scope, walk: Walk) -> Expression:
    return build.literal(node.months, YearMonthIntervalType(node.unit_from, node.unit_to))
