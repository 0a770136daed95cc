"""SQL of rand, spark_partition_id and other functions of a row's partition and position, where both are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from twinspark.functions.notation.registry import Signature

# {0} the seed; {1} the row's number, {2} the first number, {3} their step; {4} rows in {5} partitions
ROW = "(({1} - {2}) // {3})"
PARTITION = f"((({ROW} + 1) * {{5}} + {{4}} - 1) // {{4}} - 1)"  # Spark splits a range at i * rows / partitions
PLACE = f"({ROW} - {PARTITION} * {{4}} // {{5}})"
ORDER = f"string_split(spark_shuffle_order({{0}} + {PARTITION}, {PLACE}, CAST(len({{6}}) AS INTEGER)), ',')"
SHUFFLED = (
    "(CASE WHEN len({6}) <= 1 OR {6} IS NULL THEN {6} "
    f"ELSE list_transform({ORDER}, lambda place_: {{6}}[CAST(place_ AS INTEGER)]) END)"
)
SPELLINGS = {
    "rand": f"spark_rand({{0}} + {PARTITION}, {PLACE})",
    "randn": f"spark_randn({{0}} + {PARTITION}, {PLACE})",
    "randstr": f"spark_randstr({{0}} + {PARTITION}, {PLACE}, {{6}})",
    "shuffle": SHUFFLED,
    "spark_partition_id": f"CAST({PARTITION} AS INTEGER)",
    "monotonically_increasing_id": f"({PARTITION} * 8589934592 + {PLACE})",
}


@cache
def by_row_number(signature: Signature) -> Signature:
    return replace(signature, writer=SPELLINGS[signature.function])


@cache
def by_task_position(signature: Signature) -> Signature:
    """rand and similar with the task of the row and its position in the task."""
    return replace(signature, writer="spark_rand({0} + {1}, {2})")


IN_PARTITION = {  # {0} the seed, {1} the partition, {2} the row's position in it
    "rand": "spark_rand({0} + {1}, {2})",
    "randn": "spark_randn({0} + {1}, {2})",
    "spark_partition_id": "CAST({1} AS INTEGER)",
    "monotonically_increasing_id": "({1} * 8589934592 + {2})",
}


@cache
def in_partition(signature: Signature) -> Signature:
    return replace(signature, writer=IN_PARTITION[signature.function])


TASK_AGGREGATES = frozenset(["sum", "avg", "stddev_samp", "stddev_pop", "var_samp", "var_pop", "skewness", "kurtosis"])
PAIR_AGGREGATES = frozenset(
    ["corr", "covar_pop", "covar_samp", "regr_sxy", "regr_r2", "regr_slope", "regr_intercept", "regr_sxx", "regr_syy"]
)
PAIRS = "spark_{name}_of_tasks({{0}}, {{1}}, {{2}} ORDER BY {{3}}){{suffix}}"
SQUARES = {  # moments of one column over the rows in which the other one is not null
    "regr_sxx": "spark_moment2_of_tasks(CASE WHEN {0} IS NOT NULL THEN {1} END, {2} ORDER BY {3}){suffix}",
    "regr_syy": "spark_moment2_of_tasks(CASE WHEN {1} IS NOT NULL THEN {0} END, {2} ORDER BY {3}){suffix}",
}


@cache
def of_tasks(signature: Signature) -> Signature:
    """An aggregate of doubles with the task of each row: the last bits depend on which rows Spark adds in one task and
    which partial results it merges. The position of the row is needed too, since several files are read at once."""
    name = signature.function
    if name in PAIR_AGGREGATES:
        return replace(signature, writer=SQUARES.get(name) or PAIRS.format(name=name))
    return replace(signature, writer=f"spark_{name}_of_tasks(CAST({{0}} AS DOUBLE), {{1}} ORDER BY {{2}}){{suffix}}")
