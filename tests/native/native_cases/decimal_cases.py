"""Cases of decimal arithmetic and of sum and avg over decimals."""

import random
from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa

from native_cases.case import case, table
from twinspark.functions.notation import decimal_sql


def unscaled_decimal(unscaled: int, scale: int) -> Decimal:
    """unscaled * 10^-scale, whatever precision Python's decimal context has."""
    return Decimal((int(unscaled < 0), tuple(int(d) for d in str(abs(unscaled))), -scale))


def decimal_value(rng: random.Random, precision: int, scale: int) -> Decimal | None:
    """Anything that fits: often short, often near the limit, sometimes a tie, zero or NULL."""
    kind = rng.random()
    if kind < 0.04:
        return None
    if kind < 0.08:
        return unscaled_decimal(0, scale)
    digits = rng.randint(1, precision) if kind < 0.8 else precision
    unscaled = rng.randrange(10**digits)
    if kind > 0.95:
        unscaled = 10**precision - rng.randint(1, 3)
    if 0.5 < kind < 0.6:
        unscaled = unscaled // 10 * 10 + 5
    return unscaled_decimal(unscaled if rng.random() < 0.5 else -unscaled, scale)


def decimal_inputs(left: tuple[int, int], right: tuple[int, int]) -> Callable[[random.Random, int], pa.Table]:
    def make(rng: random.Random, rows: int) -> pa.Table:
        return table(
            a=(pa.decimal128(*left), [decimal_value(rng, *left) for _ in range(rows)]),
            b=(pa.decimal128(*right), [decimal_value(rng, *right) for _ in range(rows)]),
        )

    return make


def adjust(precision: int, scale: int) -> tuple[int, int]:
    """Spark's DecimalType.adjustPrecisionScale."""
    if precision <= 38:
        return precision, scale
    return 38, max(38 - (precision - scale), min(scale, 6))


def divide_type(p1: int, s1: int, p2: int, s2: int) -> tuple[int, int]:
    scale = max(6, s1 + p2 + 1)
    return adjust(p1 - s1 + s2 + scale, scale)


def remainder_type(p1: int, s1: int, p2: int, s2: int) -> tuple[int, int]:
    scale = max(s1, s2)
    return adjust(min(p1 - s1, p2 - s2) + scale, scale)


PAIRS = [
    ((10, 2), (10, 2)), ((5, 1), (3, 3)), ((15, 2), (15, 2)), ((18, 6), (18, 0)), ((20, 10), (20, 10)),
    ((38, 10), (38, 10)), ((38, 0), (38, 38)), ((38, 38), (38, 0)), ((38, 18), (38, 2)), ((38, 0), (38, 0)),
    ((38, 37), (5, 2)), ((19, 19), (38, 5)),
]  # fmt: skip

for left, right in PAIRS:
    tag = f"{left[0]}_{left[1]}__{right[0]}_{right[1]}"
    inputs = decimal_inputs(left, right)
    of = ("a", left, "b", right)
    sum_of = adjust(*decimal_sql.sum_type(left, right))
    product = adjust(left[0] + right[0] + 1, left[1] + right[1])
    case(
        f"decimal_divide_{tag}",
        inputs,
        "try_divide(a, b)",
        decimal_sql.sql_decimal_divide(*of, divide_type(*left, *right), False),
    )
    case(f"decimal_multiply_{tag}", inputs, "try_multiply(a, b)", decimal_sql.sql_decimal_multiply(*of, product, False))
    case(f"decimal_add_{tag}", inputs, "try_add(a, b)", decimal_sql.sql_decimal_add(*of, sum_of, False))
    case(f"decimal_subtract_{tag}", inputs, "try_subtract(a, b)", decimal_sql.sql_decimal_subtract(*of, sum_of, False))
for left, right in PAIRS[:6] + PAIRS[9:10]:
    tag = f"{left[0]}_{left[1]}__{right[0]}_{right[1]}"
    of = ("a", left, "b", right)
    inputs = decimal_inputs(left, right)
    case(
        f"decimal_mod_{tag}",
        inputs,
        "try_mod(a, b)",
        decimal_sql.sql_decimal_remainder(*of, remainder_type(*left, *right), False),
    )
    case(f"decimal_div_{tag}", inputs, "if(b = 0, null, a div b)", decimal_sql.sql_decimal_integral_divide(*of, False))


def grouped_decimals(of: tuple[int, int], largest: int) -> Callable[[random.Random, int], pa.Table]:
    def make(rng: random.Random, rows: int) -> pa.Table:
        group = 0
        groups: list[int] = []
        values: list[Decimal | None] = []
        while len(groups) < rows:
            size = rng.choice([1, 2, 3, 6, 7, 8, 9, 16, 40])
            groups += [group] * size
            made = [decimal_value(rng, min(of[0], largest), of[1]) for _ in range(size)]
            values += [one if one is None or largest < 38 else one.copy_abs() for one in made]  # see left_to_spark
            group += 1
        return table(g=(pa.int32(), groups), a=(pa.decimal128(*of), values))

    return make


for kind, largest in [
    ((5, 2), 5),
    ((10, 2), 10),
    ((11, 6), 11),
    ((12, 2), 12),
    ((20, 4), 20),
    ((30, 10), 30),
    ((38, 18), 34),
    ((38, 2), 38),
]:
    tag = f"{kind[0]}_{kind[1]}"
    inputs = grouped_decimals(kind, largest)
    case(f"decimal_avg_{tag}", inputs, "try_avg(a)", decimal_sql.sql_decimal_average("a", kind, False), aggregate=True)
    case(f"decimal_sum_{tag}", inputs, "try_sum(a)", decimal_sql.sql_decimal_sum("a", kind, False), aggregate=True)
