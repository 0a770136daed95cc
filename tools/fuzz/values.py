"""Random values of every Spark type: everyday ones, edges, and plain noise."""

import math
import random
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, localcontext
from typing import Any

from pyspark.sql import types as t

ALPHABETS = [
    "abcXYZ019 ",
    " \t\n\r_-%.,;:'\"\\/()[]{}$^*+?|<>=&#@!~`",
    "äÖßéıİſΣςσǆǅﬁ",
    "😀👍🏽𝒳中文字\u0301\u200d\u00a0",
    "0123456789+-.eE ",
    "2024-01-31T23:59:60 .Z+",
]
NULL_SHARE = 0.06
FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9999, 12, 31)


def random_value(kind: t.DataType, chance: random.Random, nullable: bool = True) -> Any:
    if nullable and chance.random() < NULL_SHARE:
        return None
    make = next(make for known, make in MAKERS.items() if isinstance(kind, known))
    return make(kind, chance)


def can_make(kind: t.DataType) -> bool:
    if isinstance(kind, t.ArrayType):
        return can_make(kind.elementType)
    if isinstance(kind, t.MapType):
        return can_make(kind.keyType) and can_make(kind.valueType)
    if isinstance(kind, t.StructType):
        return all(can_make(field.dataType) for field in kind.fields)
    return any(isinstance(kind, known) for known in MAKERS)


def integer(bits: int) -> Callable[[t.DataType, random.Random], int]:
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def make(_: t.DataType, chance: random.Random) -> int:
        small = chance.randint(-12, 12)
        wide = chance.randint(least, most) >> chance.randrange(bits)
        return chance.choice([small, small, wide, chance.choice([least, most, 0, -1, 1, most - 1])])

    return make


def double(_: t.DataType, chance: random.Random) -> float:
    edges = [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 0.5, -2.5, 1e15, 1e16]
    noise: float = struct.unpack("<d", chance.randbytes(8))[0]
    plain = round(chance.uniform(-1000, 1000), chance.randrange(6))
    return chance.choice(
        [plain, plain, chance.gauss(0, 1), float(chance.randint(-50, 50)), noise, chance.choice(edges)]
    )


def single(kind: t.DataType, chance: random.Random) -> float:
    value = double(kind, chance)
    if math.isfinite(value) and abs(value) > 3.4028234663852886e38:
        return math.copysign(3.4028234663852886e38, value)
    found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return found


def decimal(kind: t.DecimalType, chance: random.Random) -> Decimal:
    digits = chance.choice([kind.precision, chance.randint(1, kind.precision)])
    unscaled = chance.randint(0, 10**digits - 1) * chance.choice([1, -1])
    with localcontext() as exact:
        exact.prec = 40
        return Decimal(unscaled).scaleb(-kind.scale)


def text(_: t.DataType, chance: random.Random) -> str:
    alphabet = chance.choice([*ALPHABETS, "".join(ALPHABETS)])
    return "".join(chance.choices(alphabet, k=chance.choice([0, 1, 2, 3, 5, 8, 13, 40])))


def binary(_: t.DataType, chance: random.Random) -> bytes:
    return chance.choice([chance.randbytes(chance.randrange(9)), text(_, chance).encode()])


def day(_: t.DataType, chance: random.Random) -> date:
    anywhere = FIRST_DAY + timedelta(chance.randrange((LAST_DAY - FIRST_DAY).days + 1))
    recent = date(1960, 1, 1) + timedelta(chance.randrange(30000))
    leap = date(2024, 2, 26) + timedelta(chance.randrange(8))
    return chance.choice([recent, recent, anywhere, leap, chance.choice([FIRST_DAY, LAST_DAY, date(1582, 10, 15)])])


def moment(kind: t.DataType, chance: random.Random) -> datetime:
    """In UTC; many near the changes of clocks in America/Los_Angeles."""
    switch = chance.choice([datetime(2024, 3, 10, 8), datetime(2024, 11, 3, 7)]) + timedelta(
        minutes=chance.randrange(240)
    )
    other = datetime.combine(day(kind, chance), datetime.min.time()) + timedelta(
        microseconds=chance.randrange(86_400_000_000)
    )
    return chance.choice([switch, other.replace(microsecond=0), other])


def zoned_moment(kind: t.DataType, chance: random.Random) -> datetime:
    return moment(kind, chance).replace(tzinfo=UTC)


def duration(_: t.DataType, chance: random.Random) -> timedelta:
    return timedelta(microseconds=chance.randint(-(10**12), 10**12) * chance.choice([1, 10**6]))


def clock(_: t.DataType, chance: random.Random) -> time:
    micros = chance.choice([chance.randrange(86_400_000_000), chance.randrange(86_400) * 1_000_000, 0, 86_399_999_999])
    return (datetime.min + timedelta(microseconds=micros)).time()


def array(kind: t.ArrayType, chance: random.Random) -> list[Any]:
    return [random_value(kind.elementType, chance, kind.containsNull) for _ in range(chance.choice([0, 1, 2, 3, 5]))]


def entries(kind: t.MapType, chance: random.Random) -> list[tuple[Any, Any]]:
    keys = {repr(k): k for k in (random_value(kind.keyType, chance, False) for _ in range(chance.randrange(4)))}
    return [(key, random_value(kind.valueType, chance, kind.valueContainsNull)) for key in keys.values()]


def record(kind: t.StructType, chance: random.Random) -> dict[str, Any]:
    return {field.name: random_value(field.dataType, chance, field.nullable) for field in kind.fields}


MAKERS: dict[type[t.DataType], Callable[[Any, random.Random], Any]] = {
    t.BooleanType: lambda _, chance: chance.random() < 0.5,
    t.ByteType: integer(8),
    t.ShortType: integer(16),
    t.IntegerType: integer(32),
    t.LongType: integer(64),
    t.FloatType: single,
    t.DoubleType: double,
    t.DecimalType: decimal,
    t.StringType: text,
    t.BinaryType: binary,
    t.DateType: day,
    t.TimestampType: zoned_moment,
    t.TimestampNTZType: moment,
    t.DayTimeIntervalType: duration,
    t.TimeType: clock,
    t.ArrayType: array,
    t.MapType: entries,
    t.StructType: record,
}
