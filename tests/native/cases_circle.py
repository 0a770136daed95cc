"""Cases of HotSpot's sine and cosine, and of decimals rounded to any digit."""

import math
import random

import pyarrow as pa
from cases_decimal import decimal_value
from native_case import case, table

EDGES = [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 2.0**-252, 2.0**-253, 90111.99999999999, math.pi]


def angle(rng: random.Random) -> float | None:
    """What a circle is asked about: small numbers, steps of pi/64 and their neighbours, degrees, and all sizes."""
    kind = rng.random()
    if kind < 0.02:
        return None
    if kind < 0.1:
        return rng.choice(EDGES)
    if kind < 0.4:
        return rng.uniform(-10, 10)
    if kind < 0.6:
        return rng.randrange(-3000, 3000) * math.pi / 64 * (1 + rng.choice([0, 1e-16, -1e-15, 1e-9]))
    if kind < 0.8:
        return rng.choice([-1, 1]) * 2.0 ** rng.uniform(-260, 16)
    return rng.uniform(-90112, 90112)


def angles(rng: random.Random, rows: int) -> pa.Table:
    return table(a=(pa.float64(), [angle(rng) for _ in range(rows)]))


for name in ("sin", "cos", "sec", "csc"):
    case(f"circle_{name}", angles, f"{name}(a)", f"spark_{name}(a)")


def decimals(precision: int, scale: int):  # type: ignore[no-untyped-def]
    def inputs(rng: random.Random, rows: int) -> pa.Table:
        values = [decimal_value(rng, precision, scale) for _ in range(rows)]
        return table(a=(pa.decimal128(precision, scale), values))

    return inputs


for precision, scale in ((10, 2), (20, 10), (5, 5), (30, 0)):
    for digits in (-3, -1, 0, 1, 4):
        whole = precision - scale + 1
        kept = max(min(scale, digits), 0)
        size = whole + kept if digits >= 0 else max(whole, 1 - digits)
        for name in ("round", "bround", "ceil", "floor"):
            tag = f"{name}_{precision}_{scale}_{'minus_' if digits < 0 else ''}{abs(digits)}"
            ours = f"CAST(spark_decimal_{name}_{kept}(a, {digits}, {size}) AS DECIMAL({size},{kept}))"
            case(f"digits_{tag}", decimals(precision, scale), f"{name}(a, {digits})", ours)
