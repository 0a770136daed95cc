"""Statistical aggregates: moments, correlation and regression, percentiles, the commonest value, estimates."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.aggregates import NESTED, aggregate, average_of, average_sql, distinct_word
from twinspark.functions.hashes import SEED, hash_of
from twinspark.functions.registry import SPARK
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    DOUBLE,
    LONG,
    CalendarIntervalType,
    DataType,
    StructType,
    VariantType,
    is_null,
    is_numeric,
    is_string,
)

# ---- moments: duck/native/moments.c takes Spark's very steps, and so gives its very doubles for rows in one partition.
# Spark merges partitions as they come in, so that its own last bits change from run to run, as those of sum do.


def moment(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """In a window with an order DuckDB merges parts of the frame where Spark adds row by row (window_moments.c)."""
    if distinct:
        raise NotNative(f"{call.name} of distinct values")
    if len(values) == 1 and is_short_frame(suffix):
        return f"list_aggregate(list({values[0]}){suffix}, 'spark_{call.name}')"
    kind = "spark_window" if "ORDER BY" in suffix.partition(" OVER (")[2] else "spark"
    return f"{kind}_{call.name}({', '.join(values)}){suffix}"


FRAME = re.compile(r" ROWS BETWEEN (\d+ PRECEDING|\d+ FOLLOWING|CURRENT ROW) AND (\d+ \w+|CURRENT ROW)\)$")
FEW = 1000  # rows of a frame: each is gathered anew, as Spark does it


def is_short_frame(suffix: str) -> bool:
    found = FRAME.search(suffix)
    numbers = [int(bound.split()[0]) for bound in found.groups() if bound[0].isdigit()] if found else [FEW + 1]
    return " OVER (" in suffix and sum(numbers) <= FEW


def squares(index: int) -> Any:
    """Of one column, where the other is there as well."""

    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        value = f"CASE WHEN {values[1 - index]} IS NOT NULL THEN {values[index]} END"
        return moment(call, value, distinct=distinct, suffix=suffix).replace(call.name, "moment2", 1)

    return write


ALIASES = {"stddev_samp": ("stddev", "std"), "var_samp": ("variance",)}
for name in ("stddev_samp", "stddev_pop", "var_samp", "var_pop", "skewness"):
    aggregate(f"{name}(double) -> double?", moment, *ALIASES.get(name, ()), keeps_alias=True)
# Its last bits change with the partitions even for the smallest whole numbers: PySpark's own example tells.
aggregate("kurtosis(double) -> double?", SPARK, reason="the last bits depend on how Spark splits the rows")

for name in ("corr", "covar_pop", "covar_samp", "regr_sxy", "regr_r2", "regr_slope", "regr_intercept"):
    aggregate(f"{name}(double, double) -> double?", moment)
aggregate("regr_sxx(double, double) -> double?", squares(1))
aggregate("regr_syy(double, double) -> double?", squares(0))


def number_or_double(type: DataType) -> DataType:
    return type if is_numeric(type) else DOUBLE


def check_numbers(call: Call) -> None:
    for index, type in enumerate(call.types):
        if not (is_numeric(type) or is_string(type) or is_null(type)):
            raise unexpected_input_type(call, index, '"NUMERIC"')


def pairs_counted(call: Call) -> Typed:
    check_numbers(call)
    return Typed(LONG, False, [number_or_double(type) for type in call.types])


aggregate(
    "regr_count(any, any)",
    "count(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN 1 END){suffix}",
    rule=pairs_counted,
)


def average_of_pairs(index: int) -> Any:
    def rule(call: Call) -> Typed:
        check_numbers(call)
        typed = average_of(call, index)
        return Typed(typed.type, True, [number_or_double(type) for type in call.types])

    return rule


def pairs_averaged(index: int) -> Any:
    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if distinct:
            raise NotNative(f"{call.name} of distinct pairs")
        value = f"CASE WHEN {values[1 - index]} IS NOT NULL THEN {values[index]} END"
        return average_sql(call.arguments[index].type, value, call.settings.ansi, "", suffix)

    return write


aggregate("regr_avgx(any, any)", pairs_averaged(1), rule=average_of_pairs(1))
aggregate("regr_avgy(any, any)", pairs_averaged(0), rule=average_of_pairs(0))


# ---- estimates


def approximate_count_type(call: Call) -> Typed:
    """The relative error stays out of the name."""
    text = f"{call.name}({distinct_word(call)}{call.arguments[0].text})"
    type = call.types[0]
    exact = is_struct_of_plain(type) or is_plain(type)
    if len(call.arguments) > 1:
        precision_of(call.arguments[1])
    return Typed(LONG, False, writer=None if exact else SPARK, text=text)


def is_plain(type: DataType) -> bool:
    return not isinstance(type, (*NESTED, VariantType, CalendarIntervalType)) and not is_null(type)


def is_struct_of_plain(type: DataType) -> bool:
    return isinstance(type, StructType) and all(is_plain(field.dataType) for field in type.fields)


def precision_of(argument: Any) -> int:
    """How many bits of the hash choose a register."""
    value = getattr(argument, "value", None)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 < value < 1:
        raise NotNative("approx_count_distinct with a relative error that is no constant")
    return math.ceil(2.0 * math.log(1.106 / float(value)) / math.log(2.0))


def approximate_count(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    bits = precision_of(call.arguments[1]) if len(call.arguments) > 1 else 9
    if distinct:
        raise NotNative("approx_count_distinct of distinct values")
    type = call.arguments[0].type
    if isinstance(type, StructType):
        hash = hash_of("spark_xxhash64", type, value, f"CAST({SEED} AS BIGINT)")
        return f"spark_approx_count_hashes(CASE WHEN {value} IS NOT NULL THEN {hash} END, {bits}){suffix}"
    # A query over no rows that DuckDB makes a join of gives null, but for its own count.
    return f"coalesce(spark_approx_count_distinct({value}, {bits}){suffix}, CAST(0 AS BIGINT))"


aggregate("approx_count_distinct(any, any = 0.05)", approximate_count, rule=approximate_count_type)
