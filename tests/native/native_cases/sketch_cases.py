"""Cases of approximate aggregates."""

import random

import pyarrow as pa

from native_cases.case import case, table


def groups(rng: random.Random, rows: int) -> pa.Table:
    """Groups of very different numbers of distinct values, as numbers and as text."""
    group, keys, values = 0, list[int](), list[int | None]()
    while len(keys) < rows:
        distinct = int(10 ** rng.uniform(0, 4.5))
        size = min(distinct * rng.choice([1, 1, 2]), max(rows // 4, 10))
        keys += [group] * size
        values += [None if rng.random() < 0.01 else rng.randrange(distinct) for _ in range(size)]
        group += 1
    texts = [None if value is None else f"value {value}" for value in values]
    halves = [None if value is None else value / 2 for value in values]
    return table(g=(pa.int32(), keys), a=(pa.int64(), values), s=(pa.string(), texts), d=(pa.float64(), halves))


for name in ["a", "s", "d"]:
    case(
        f"approx_count_distinct_{name}",
        groups,
        f"approx_count_distinct({name})",
        f"spark_approx_count_distinct({name}, 9)",
        aggregate=True,
    )
for bits, deviation in [(7, 0.1), (12, 0.02), (14, 0.01)]:
    case(
        f"approx_count_distinct_bits_{bits}",
        groups,
        f"approx_count_distinct(a, {deviation})",
        f"spark_approx_count_distinct(a, {bits})",
        aggregate=True,
    )
