"""Cases of seeded random numbers: the n-th row of one partition."""

import random

import pyarrow as pa

from native_cases.case import case, table


def places(rng: random.Random, rows: int) -> pa.Table:
    return table(a=(pa.int64(), range(rows)))


for seed in [0, 42, -7, 2**62]:
    tag = str(seed).replace("-", "minus_")
    case(f"rand_{tag}", places, f"rand({seed}L)", f"spark_rand({seed}, a)")
    case(f"randn_{tag}", places, f"randn({seed}L)", f"spark_randn({seed}, a)")
