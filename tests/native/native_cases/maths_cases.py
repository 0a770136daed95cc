"""Cases of the elementary functions, of hashes and of digests."""

import math
import random
import struct

import pyarrow as pa

from native_cases.case import case, table
from native_cases.decimal_cases import decimal_value

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    math.nan,
    math.inf,
    -math.inf,
    5e-324,
    1.7976931348623157e308,
    709.78,
    -745.2,
]


def real(rng: random.Random) -> float | None:
    kind = rng.random()
    if kind < 0.02:
        return None
    if kind < 0.12:
        return rng.choice(SPECIAL)
    if kind < 0.3:
        value: float = struct.unpack("<d", rng.randbytes(8))[0]
        return value
    if kind < 0.6:
        return rng.uniform(-1.2, 1.2)
    return rng.uniform(-1, 1) * 10 ** rng.randint(-5, 3)


def reals(rng: random.Random, rows: int) -> pa.Table:
    first, second = [[real(rng) for _ in range(rows)] for _ in range(2)]
    return table(a=(pa.float64(), first), b=(pa.float64(), second))


UNARY = [
    "exp",
    "expm1",
    "ln",
    "log10",
    "log2",
    "log1p",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "cbrt",
]
for name in UNARY:
    case(f"math_{name}", reals, f"{name}(a)", f"spark_{name}(a)")
for name in ["pow", "atan2", "hypot", "log"]:
    case(f"math_{name}", reals, f"{name}(a, b)", f"spark_{name}(a, b)")


def word(rng: random.Random) -> str | None:
    if rng.random() < 0.05:
        return None
    letters = "abcdefghijklmnopqrstuvwxyz ABC0123é\u00df\u4e2d\U0001f600"
    return "".join(
        rng.choice(letters) for _ in range(rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 31, 32, 33, 64, 100, 130]))
    )


def anything(rng: random.Random, rows: int) -> pa.Table:
    def maybe(value: object) -> object:
        return None if rng.random() < 0.1 else value

    def column(make: object) -> list[object]:
        assert callable(make)
        return [maybe(make()) for _ in range(rows)]

    return table(
        b=(pa.bool_(), column(lambda: rng.random() < 0.5)),
        t=(pa.int8(), column(lambda: rng.randint(-128, 127))),
        s=(pa.int16(), column(lambda: rng.randint(-32768, 32767))),
        i=(pa.int32(), column(lambda: rng.randint(-(2**31), 2**31 - 1))),
        l=(pa.int64(), column(lambda: rng.randint(-(2**63), 2**63 - 1))),
        f=(pa.float32(), column(lambda: rng.choice([0.0, -0.0, math.nan, math.inf, rng.uniform(-1e6, 1e6)]))),
        d=(pa.float64(), column(lambda: real(rng))),
        p=(pa.decimal128(9, 2), column(lambda: decimal_value(rng, 9, 2))),
        q=(pa.decimal128(18, 6), column(lambda: decimal_value(rng, 18, 6))),
        r=(pa.decimal128(38, 10), column(lambda: decimal_value(rng, 38, 10))),
        v=(pa.string(), column(lambda: word(rng))),
        x=(pa.binary(), column(lambda: rng.randbytes(rng.randint(0, 70)))),
        y=(pa.date32(), column(lambda: rng.randint(-100000, 100000))),
    )


for name in "btsilfdpqrvxy":
    case(f"hash_{name}", anything, f"hash({name})", f"spark_hash({name}, 42)")
    case(f"xxhash64_{name}", anything, f"xxhash64({name})", f"spark_xxhash64({name}, 42)")
case("hash_several", anything, "hash(i, v, r, d)", "spark_hash(d, spark_hash(r, spark_hash(v, spark_hash(i, 42))))")
case("xxhash64_several", anything, "xxhash64(i, v, l)", "spark_xxhash64(l, spark_xxhash64(v, spark_xxhash64(i, 42)))")
case("hash_timestamp", anything, "hash(timestamp_micros(l))", "spark_hash(l, 42)")
for name in "vx":
    case(f"crc32_{name}", anything, f"crc32({name})", f"spark_crc32({name})")
    for bits in [0, 224, 256, 384, 512]:
        case(f"sha2_{name}_{bits}", anything, f"sha2({name}, {bits})", f"spark_sha2({name}, {bits})")
