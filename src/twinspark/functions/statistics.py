"""Statistical aggregates: moments, correlation and regression, percentiles, the commonest value, estimates."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.aggregates import NESTED, aggregate, average_of, average_sql, goes_as_double
from twinspark.functions.casts import not_native
from twinspark.functions.registry import SPARK
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    DOUBLE,
    INTERVAL,
    LONG,
    ArrayType,
    CalendarIntervalType,
    DataType,
    DoubleType,
    FloatType,
    TimestampType,
    VariantType,
    is_null,
    is_numeric,
    is_string,
)

# ---- moments: duck/native/moments.c takes Spark's very steps, and so gives its very doubles for rows in one partition.
# Spark merges partitions as they come in, so that its own last bits change from run to run; where a recorded answer
# shows that, the function is Spark's, and SPARK is all that stands between it and spark_<name>({0}).

MERGED = "the last bits depend on how Spark splits the rows"
ALIASES = {"stddev_samp": ("stddev", "std"), "var_samp": ("variance",)}
for moment in ("stddev_samp", "stddev_pop", "var_samp", "var_pop", "skewness", "kurtosis"):
    aggregate(f"{moment}(double) -> double?", SPARK, *ALIASES.get(moment, ()), keeps_alias=True, reason=MERGED)

for pair in ("corr", "covar_pop", "covar_samp", "regr_sxx", "regr_sxy", "regr_syy", "regr_r2"):
    aggregate(f"{pair}(double, double) -> double?", SPARK, reason=MERGED)


def line(call: Any, y: str, x: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """In a window DuckDB merges parts of the frame where Spark adds row by row."""
    if distinct or " OVER " in suffix:
        raise NotNative(f"{call.name} of distinct pairs or in a window")
    return f"spark_{call.name}({y}, {x}){suffix}"


aggregate("regr_slope(double, double) -> double?", line)
aggregate("regr_intercept(double, double) -> double?", line)


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


# ---- percentiles


def percentile_type(call: Call) -> Typed:
    """percentile(value, percentage or array of them, frequency)."""
    shown = [a.text for a in call.arguments] + ["1"][len(call.arguments) - 2 :]
    text = f"{call.name}({', '.join(shown)})"
    is_several = isinstance(call.types[1], ArrayType)
    element, writer = percentile_element(call)
    result = ArrayType(element, False) if is_several else element
    if len(call.arguments) > 2:
        return Typed(result, True, writer=SPARK, text=text)
    percentages(call.arguments[1])
    return Typed(result, True, (DOUBLE,), writer=writer, text=text)


def percentile_element(call: Call) -> tuple[DataType, Any]:
    type = call.types[0]
    if isinstance(type, INTERVAL):
        return type.__class__(), SPARK
    if not goes_as_double(type) or isinstance(type, TimestampType):
        raise unexpected_input_type(call, 0, '"NUMERIC"')
    return DOUBLE, None


def percentages(argument: Any) -> list[float]:
    """The constants of the second argument."""
    if getattr(argument, "name", "") == "array":
        return [percentage for element in argument.arguments for percentage in percentages(element)]
    while hasattr(argument, "child"):
        argument = argument.child
    value = getattr(argument, "value", None)
    if isinstance(value, list):
        return [percentage(v) for v in value]
    return [percentage(value)]


def percentage(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 <= value <= 1:
        raise NotNative("a percentage that is no constant from 0 to 1")
    return float(value)


def percentile(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    asked = percentages(call.arguments[1])
    picked = [interpolated(p) for p in asked]
    body = f"[{', '.join(picked)}]" if isinstance(call.type, ArrayType) else picked[0]
    return over_sorted(value, body, distinct, suffix)


def median_type(call: Call) -> Typed:
    element, writer = percentile_element(call)
    return Typed(element, True, (DOUBLE,), writer=writer)


def median(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    return over_sorted(value, interpolated(0.5), distinct, suffix)


def over_sorted(value: str, body: str, distinct: str, suffix: str) -> str:
    """`body` looks at `sorted`, the values in order."""
    if "OVER" in suffix:
        raise NotNative("a percentile in a window")
    values = f"list_sort(list_filter(list({distinct}{value}){suffix}, lambda kept: kept IS NOT NULL))"
    return f"list_transform([{values}], lambda sorted: CASE WHEN len(sorted) > 0 THEN {body} END)[1]"


def interpolated(percentage: float) -> str:
    """Spark weighs both neighbours; DuckDB's quantile_cont adds a part of their difference, which rounds otherwise."""
    position = f"((len(sorted) - 1) * CAST('{percentage!r}' AS DOUBLE))"
    lower, higher = (f"sorted[CAST({way}({position}) AS BIGINT) + 1]" for way in ("floor", "ceil"))
    weighed = f"(ceil({position}) - {position}) * {lower} + ({position} - floor({position})) * {higher}"
    return f"CASE WHEN {lower} = {higher} THEN {lower} ELSE {weighed} END"


aggregate("percentile(any, any, any = 1)", percentile, rule=percentile_type)
aggregate("median(any)", median, rule=median_type)


# ---- the commonest value


def mode_type(call: Call) -> Typed:
    type = call.types[0]
    if len(call.arguments) > 1:
        raise NotNative("mode with an order")
    exact = not isinstance(type, (*NESTED, FloatType, DoubleType, VariantType, CalendarIntervalType)) and not is_null(
        type
    )
    return Typed(type, True, writer=None if exact else SPARK)


def mode(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Of equally common values Spark takes one by its hash table, so those go to Spark."""
    if distinct or "OVER" in suffix:
        raise NotNative("mode of distinct values or in a window")
    counts = f"list_reverse_sort(map_values(histogram({value}){suffix}))"
    tie = f"list_transform([{counts}], lambda counts: len(counts) > 1 AND counts[1] = counts[2])[1]"
    return f"CASE WHEN {tie} THEN {not_native('mode of equally common values')} ELSE mode({value}){suffix} END"


aggregate("mode(any, any = false)", mode, rule=mode_type)


# ---- estimates


def approximate_count_type(call: Call) -> Typed:
    """The relative error stays out of the name."""
    text = f"{call.name}({call.arguments[0].text})"
    type = call.types[0]
    exact = not isinstance(type, (*NESTED, VariantType, CalendarIntervalType)) and not is_null(type)
    if len(call.arguments) > 1:
        precision_of(call.arguments[1])
    return Typed(LONG, False, writer=None if exact else SPARK, text=text)


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
    return f"spark_approx_count_distinct({value}, {bits}){suffix}"


aggregate("approx_count_distinct(any, any = 0.05)", approximate_count, rule=approximate_count_type)
