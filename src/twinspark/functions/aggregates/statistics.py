"""Statistical aggregates: variance, correlation, covariance, regression, approx_count_distinct."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from twinspark.errors import Cause, NotNative, reasons
from twinspark.functions.aggregates.aggregates import NESTED, aggregate, average_of, average_sql, distinct_keyword
from twinspark.functions.notation.registry import SPARK
from twinspark.functions.notation.sql_text import is_ordered_window, over_of
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type
from twinspark.functions.strings.hashes import SEED, hash_of
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

# ---- moments: moments.c performs the same steps as Spark, so its doubles are equal for rows in one partition. Spark
# merges partitions as they arrive, so its last bits differ from run to run, as those of sum do.


def moment(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Over an ordered window DuckDB merges parts of the frame, while Spark adds row by row, so window_moments.c is
    used."""
    if distinct:
        raise NotNative(reasons.AGGREGATE_DISTINCT, call.name)
    if len(values) == 1 and is_short_frame(suffix):
        return f"list_aggregate(list({values[0]}){suffix}, 'spark_{call.name}')"
    if is_ordered_window(suffix):
        return f"spark_window_{call.name}({', '.join(values)}, spark_operation()){suffix}"
    return f"spark_{call.name}({', '.join(values)}){suffix}"


FEW = 1000  # rows of a frame that is short enough to be computed anew for each row, as Spark does


def is_short_frame(suffix: str) -> bool:
    over = over_of(suffix)
    return over is not None and over.frame_rows is not None and over.frame_rows <= FEW


def squares(index: int) -> Any:
    """The moment of one column, over the rows in which the other column is not null."""

    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        value = f"CASE WHEN {values[1 - index]} IS NOT NULL THEN {values[index]} END"
        return moment(call, value, distinct=distinct, suffix=suffix).replace(call.name, "moment2", 1)

    return write


ALIASES = {"stddev_samp": ("stddev", "std"), "var_samp": ("variance",)}
for name in ("stddev_samp", "stddev_pop", "var_samp", "var_pop", "skewness"):
    aggregate(f"{name}(double) -> double?", moment, *ALIASES.get(name, ()), keeps_alias=True)
# The last bits depend on the partitions even for small whole numbers, as PySpark's own example shows.
aggregate(
    "kurtosis(double) -> double?",
    SPARK,
    cause=Cause(reasons.FLOAT_PRECISION, "they depend on how Spark splits the rows"),
)

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


def regr_count_type(call: Call) -> Typed:
    check_numbers(call)
    return Typed(LONG, False, [number_or_double(type) for type in call.types])


aggregate(
    "regr_count(any, any)",
    "count(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN 1 END){suffix}",
    rule=regr_count_type,
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
            raise NotNative(reasons.AGGREGATE_DISTINCT, call.name)
        value = f"CASE WHEN {values[1 - index]} IS NOT NULL THEN {values[index]} END"
        return average_sql(call.arguments[index].type, value, call.settings.ansi, "", suffix)

    return write


aggregate("regr_avgx(any, any)", pairs_averaged(1), rule=average_of_pairs(1))
aggregate("regr_avgy(any, any)", pairs_averaged(0), rule=average_of_pairs(0))


# ---- estimates


def approximate_count_type(call: Call) -> Typed:
    """The column name does not show the relative error."""
    text = f"{call.name}({distinct_keyword(call)}{call.arguments[0].text})"
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
    """The number of hash bits that choose a register."""
    value = getattr(argument, "value", None)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 < value < 1:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "approx_count_distinct: the relative error")
    return math.ceil(2.0 * math.log(1.106 / float(value)) / math.log(2.0))


def approximate_count(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    bits = precision_of(call.arguments[1]) if len(call.arguments) > 1 else 9
    if distinct:
        raise NotNative(reasons.AGGREGATE_DISTINCT, "approx_count_distinct")
    type = call.arguments[0].type
    if isinstance(type, StructType):
        hash = hash_of("spark_xxhash64", type, value, f"CAST({SEED} AS BIGINT)")
        return f"spark_approx_count_hashes(CASE WHEN {value} IS NOT NULL THEN {hash} END, {bits}){suffix}"
    # DuckDB may turn a query over no rows into a join that returns null for aggregates other than its own count.
    return f"coalesce(spark_approx_count_distinct({value}, {bits}){suffix}, CAST(0 AS BIGINT))"


aggregate("approx_count_distinct(any, any = 0.05)", approximate_count, rule=approximate_count_type)
