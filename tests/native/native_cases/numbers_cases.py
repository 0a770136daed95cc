"""Cases of casts between text and numbers, and of rounding."""

import math
import random
import re
import struct

import pyarrow as pa

from native_cases.case import case, table, text_inputs
from twinspark.functions.notation import decimal_sql

_WORDS = """|inf|Infinity|-Infinity|NaN|nan|+inf|-nan|1d|2.5F|0x1.8p3|1e400|4.9e-324|-0|0.0|.|-|+|1e|.5|5.|true|T|yes
no|False|0e50|1_000|1,5|00012"""
WORDS = re.split(r"[|\n]", _WORDS)


def number_word(rng: random.Random) -> str:
    limits = [2**7, 2**15, 2**31, 2**63, 10**38, 10**10, 10**8]
    kind = rng.random()
    if kind < 0.3:
        return str(rng.choice([-1, 1]) * (rng.choice(limits) + rng.randint(-2, 2)))
    if kind < 0.5:
        return str(rng.randint(-(10 ** rng.randint(1, 20)), 10 ** rng.randint(1, 20)))
    if kind < 0.7:
        return repr(rng.uniform(-1, 1) * 10 ** rng.randint(-12, 12))
    if kind < 0.8:
        return f"{rng.randint(0, 10**9)}e{rng.randint(-50, 50)}"
    if kind < 0.9:
        return f"{rng.randint(0, 10 ** rng.randint(1, 40))}.{rng.randint(0, 10 ** rng.randint(1, 40))}"
    return rng.choice(WORDS)


NUMBERS = text_inputs(number_word, "0123456789.eE+-dDfFxX \u0663,_")
for name in ["tinyint", "smallint", "int", "bigint", "float", "double"]:
    case(f"string_to_{name}", NUMBERS, f"try_cast(a AS {name})", f"spark_string_to_{name}(a)")
for name in ["tinyint", "smallint", "int", "bigint"]:
    case(f"string_to_{name}_legacy", NUMBERS, f"cast(a AS {name})", f"spark_string_to_{name}_legacy(a)")
BOOLEANS = ["t", "true", "y", "yes", "1", "f", "false", "n", "no", "0", "on", "off", "TRUE", "No"]
case(
    "string_to_boolean",
    text_inputs(lambda rng: rng.choice(BOOLEANS), "tTrRuUeEyYsSnNoOfF01 "),
    "try_cast(a AS boolean)",
    "spark_string_to_boolean(a)",
)
DECIMALS = [(10, 2), (38, 18), (38, 0), (38, 38), (5, 5), (18, 6)]
for kind in DECIMALS:
    tag = f"{kind[0]}_{kind[1]}"
    case(
        f"string_to_decimal_{tag}",
        NUMBERS,
        f"try_cast(a AS decimal({kind[0]},{kind[1]}))",
        decimal_sql.sql_string_to_decimal("a", kind, False),
    )


def double_value(rng: random.Random) -> float | None:
    """Values people have, ties, limits, and any bits."""
    kind = rng.random()
    if kind < 0.02:
        return None
    if kind < 0.1:
        return rng.choice(
            [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 0.5, 1e7, 1e-3, 2e23]
        )
    if kind < 0.4:
        return rng.randint(-(10 ** rng.randint(1, 12)), 10 ** rng.randint(1, 12)) / 10 ** rng.randint(0, 6)
    if kind < 0.6:
        return (rng.randint(-(10**6), 10**6) * 10 + 5) / 10 ** rng.randint(1, 8)
    if kind < 0.7:
        bits: float = struct.unpack("<d", rng.randbytes(8))[0]
        return bits
    return rng.uniform(-1, 1) * 10 ** rng.randint(-20, 20)


def double_inputs(rng: random.Random, rows: int) -> pa.Table:
    return table(a=(pa.float64(), [double_value(rng) for _ in range(rows)]))


def float_value(rng: random.Random) -> float | None:
    kind = rng.random()
    if kind < 0.1:
        return rng.choice([None, 0.0, -0.0, math.nan, math.inf, -math.inf, 0.5, 1e7, 16777216.0])
    if kind < 0.5:
        return rng.randint(-(10**6), 10**6) / 10 ** rng.randint(0, 6)
    bits: float = struct.unpack("<f", rng.randbytes(4))[0]
    return bits


def float_inputs(rng: random.Random, rows: int) -> pa.Table:
    return table(a=(pa.float32(), [float_value(rng) for _ in range(rows)]))


case("double_to_string", double_inputs, "cast(a AS string)", "spark_double_to_string(a)")
case("float_to_string", float_inputs, "cast(a AS string)", "spark_float_to_string(a)")
for digits in [0, 1, 2, 5, 10, -1, -3]:
    tag = str(digits).replace("-", "minus_")
    case(f"round_{tag}", double_inputs, f"round(a, {digits})", f"spark_round(a, {digits})")
    case(f"bround_{tag}", double_inputs, f"bround(a, {digits})", f"spark_bround(a, {digits})")
for digits in [0, 2, -1]:
    tag = str(digits).replace("-", "minus_")
    case(f"round_float_{tag}", float_inputs, f"round(a, {digits})", f"spark_round_float(a, {digits})")
for kind in DECIMALS:
    tag = f"{kind[0]}_{kind[1]}"
    to = f"try_cast(a AS decimal({kind[0]},{kind[1]}))"
    case(f"double_to_decimal_{tag}", double_inputs, to, decimal_sql.sql_double_to_decimal("a", kind, False))
case(
    "float_to_decimal",
    float_inputs,
    "try_cast(a AS decimal(20,9))",
    decimal_sql.sql_double_to_decimal("a", (20, 9), False),
)
