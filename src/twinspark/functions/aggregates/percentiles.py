"""Aggregates over sorted values: percentile, median, percentile_approx, mode."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.aggregates.aggregates import NESTED, aggregate, distinct_keyword, is_summed_as_double
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.functions.notation.sql_text import not_null
from twinspark.functions.notation.typing import Call, Typed, is_foldable, non_foldable_argument, unexpected_input_type
from twinspark.functions.numbers.rounding import saturate_bigint
from twinspark.types import (
    BOOLEAN,
    DOUBLE,
    INTERVAL,
    STRING,
    ArrayType,
    CalendarIntervalType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LongType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    is_null,
    is_numeric,
    is_string,
)
from twinspark.types.duckdb import cast_to, duck_type

FLOATING = FloatType | DoubleType
BOTH_ZEROS = not_native(reasons.SIGNED_ZEROS, "percentile")


# ---- the requested percentages: constants


def percentages(argument: Any) -> list[float]:
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
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "the percentage, from 0 to 1")
    return float(value)


def several(type: DataType, argument: Any) -> DataType:
    """The result type: an array of percentages returns an array."""
    return ArrayType(type, False) if isinstance(argument.type, ArrayType) else type


def answers(call: Any, picked: list[str]) -> str:
    """No percentages give NULL and no empty array (Percentile.generateOutput, ApproximatePercentile.eval)."""
    if not picked:
        return f"CAST(NULL AS {duck_type(call.type)})"
    return f"[{', '.join(picked)}]" if isinstance(call.type, ArrayType) else picked[0]


def over_sorted(value: str, body: str, distinct: str, suffix: str, descending: bool = False) -> str:
    """Evaluates `body` over `sorted`, the list of the sorted values."""
    if "OVER" in suffix:
        raise NotNative(reasons.WINDOW_FUNCTION, "percentile")
    sort = "list_reverse_sort" if descending else "list_sort"
    values = f"{sort}(list({distinct}{value}){not_null(value, suffix)})"
    return f"list_transform([{values}], lambda sorted: CASE WHEN len(sorted) > 0 THEN {body} END)[1]"


def constant(value: float) -> str:
    return f"CAST('{value!r}' AS DOUBLE)"


# ---- percentile, median, percentile_cont, percentile_disc


def percentile_element(call: Call) -> tuple[DataType, DataType | None]:
    """The result type, and the type that the values are cast to."""
    type = call.types[0]
    if isinstance(type, INTERVAL):
        return type.__class__(), None
    if not is_summed_as_double(type) or isinstance(type, TimestampType):
        raise unexpected_input_type(call, 0, '"NUMERIC"')
    return DOUBLE, None if is_numeric(type) else DOUBLE


def percentile_type(call: Call) -> Typed:
    """percentile(value, percentage or array of them, frequency)."""
    shown = [a.text for a in call.arguments] + ["1"][len(call.arguments) - 2 :]
    text = f"{call.name}({distinct_keyword(call)}{', '.join(shown)})"
    element, cast = percentile_element(call)
    if len(call.arguments) > 2 and getattr(call.arguments[2], "value", None) != 1:
        return Typed(several(element, call.arguments[1]), True, writer=SPARK, text=text)
    percentages(call.arguments[1])
    return Typed(several(element, call.arguments[1]), True, (cast,), text=text)


def percentile(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    requested = percentages(call.arguments[1])
    if isinstance(call.type, DoubleType) and is_injective_to_double(call.arguments[0].type):
        return write_selection(call, "cont", value, requested[0], distinct, suffix)
    return over_sorted(value, answers(call, [interpolate(call, p) for p in requested]), distinct, suffix)


def is_injective_to_double(type: DataType) -> bool:
    """Whether different values of the type are different doubles."""
    if isinstance(type, DecimalType):
        return type.precision <= 15
    return is_numeric(type) and not isinstance(type, LongType)


def write_selection(call: Any, kind: str, value: str, percentage: float, distinct: str, suffix: str) -> str:
    """One percentile of values that are exact as doubles, found without sorting (percentile.c)."""
    if "OVER" in suffix:
        raise NotNative(reasons.WINDOW_FUNCTION, "percentile")
    return f"spark_percentile_{kind}({distinct}{as_double(call, value)}, {constant(percentage)}){suffix}"


def median_type(call: Call) -> Typed:
    element, cast = percentile_element(call)
    return Typed(element, True, (cast,))


def median(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if is_injective_to_double(call.arguments[0].type):
        return write_selection(call, "cont", value, 0.5, distinct, suffix)
    return over_sorted(value, interpolate(call, 0.5), distinct, suffix)


def interpolate(call: Any, percentage: float) -> str:
    """Spark weights both neighbours; DuckDB's quantile_cont adds a fraction of their difference, which rounds
    differently."""
    position = f"((len(sorted) - 1) * {constant(percentage)})"
    lower, higher = (f"sorted[CAST({way}({position}) AS BIGINT) + 1]" for way in ("floor", "ceil"))
    low, high = (as_double(call, sql) for sql in (lower, higher))
    weighed = f"(ceil({position}) - {position}) * {low} + ({position} - floor({position})) * {high}"
    found = as_result(call, f"CASE WHEN {lower} = {higher} THEN {low} ELSE {weighed} END")
    return check_zero_signs(call.arguments[0].type, f"{lower} * {higher}", found)


def check_zero_signs(type: DataType, zero: str, found: str) -> str:
    """Falls back for a result between zeros of both signs, since a hash table decides which comes first in Spark."""
    if not isinstance(type, FLOATING):
        return found
    negative = "len(list_filter(sorted, lambda zero_: zero_ = 0 AND signbit(zero_))) > 0"
    return f"CASE WHEN {zero} = 0 AND {negative} THEN {BOTH_ZEROS} ELSE {found} END"


def as_double(call: Any, sql: str) -> str:
    source = call.arguments[0].type
    if isinstance(source, INTERVAL):
        return f"CAST({sql} AS DOUBLE)"
    return cast_sql(sql, source, DOUBLE, "ansi", call.settings)


def as_result(call: Any, sql: str) -> str:
    """Intervals are truncated to whole months or microseconds."""
    kind = call.type.elementType if isinstance(call.type, ArrayType) else call.type
    return cast_to(f"trunc({sql})", kind) if isinstance(kind, INTERVAL) else sql


aggregate("percentile(any, any, any = 1)", percentile, rule=percentile_type)
aggregate("median(any)", median, rule=median_type)


def ordered_set_type(call: Call) -> Typed:
    """The value is that of WITHIN GROUP (ORDER BY value); the argument is the percentage."""
    if len(call.ordering) != 1:
        raise NotNative(reasons.AGGREGATE_ORDER, f"{call.name} without WITHIN GROUP")
    value, argument = call.arguments
    text = (
        f"{call.name}({argument.text}) WITHIN GROUP"
        f" (ORDER BY {value.text}{'' if call.ordering[0].ascending else ' DESC'})"
    )
    element, cast = percentile_element(call)
    percentages(argument)
    return Typed(several(element, argument), True, (cast,), text=text)


def ordered_set(pick: Any, ascending: str | None, descending: str | None) -> Any:
    """Uses the selection function if one is given; otherwise sorts all values."""

    def write(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        requested = percentages(call.arguments[1])
        kind = ascending if call.ordering[0].ascending else descending
        if kind is not None and isinstance(call.type, DoubleType) and is_injective_to_double(call.arguments[0].type):
            return write_selection(call, kind, value, requested[0], distinct, suffix)
        picked = [pick(call, p) for p in requested]
        return over_sorted(value, answers(call, picked), distinct, suffix, not call.ordering[0].ascending)

    return write


def discrete_value(call: Any, percentage: float) -> str:
    """The first value whose cumulative share of the rows reaches the percentage."""
    position = f"greatest(CAST(ceil(len(sorted) * {constant(percentage)}) AS BIGINT), 1)"
    found = as_result(call, as_double(call, f"sorted[{position}]"))
    return check_zero_signs(call.arguments[0].type, f"sorted[{position}]", found)


aggregate("percentile_cont(any, any)", ordered_set(interpolate, "cont", None), rule=ordered_set_type)
aggregate("percentile_disc(any, any)", ordered_set(discrete_value, "disc", "disc_descending"), rule=ordered_set_type)


# ---- percentile_approx: Spark's sketch is exact while twice the number of rows is below the accuracy; else falls back

ACCURACY = 10000
APPROXIMATE = (*INTERVAL, DateType, TimestampType, TimestampNTZType)


def approximate_type(call: Call) -> Typed:
    type = call.types[0]
    if not (is_numeric(type) or isinstance(type, APPROXIMATE)):
        if not (is_string(type) or is_null(type)):
            raise unexpected_input_type(call, 0, APPROXIMATE_INPUT)
        type = DOUBLE
    percentages(call.arguments[1])
    accuracy_of(call)
    shown = [a.text for a in call.arguments] + [str(ACCURACY)][len(call.arguments) - 2 :]
    text = f"{call.name}({distinct_keyword(call)}{', '.join(shown)})"
    lossy = isinstance(type, DecimalType) and type.precision > 15
    writer = SPARK if lossy else None
    return Typed(several(type, call.arguments[1]), True, (type,), writer=writer, text=text)


APPROXIMATE_INPUT = (
    '("NUMERIC" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")'
)


def accuracy_of(call: Any) -> int:
    value = getattr(call.arguments[2], "value", None) if len(call.arguments) > 2 else ACCURACY
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 31:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "the accuracy")
    return value


def approximate(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    accuracy = accuracy_of(call)
    picked = [found_rank(call, p, accuracy) for p in percentages(call.arguments[1])]
    many = not_native(reasons.FLOAT_PRECISION, "so many rows that the sketch of percentile_approx drops some")
    body = f"CASE WHEN len(sorted) * 2 >= {accuracy} THEN {many} ELSE {answers(call, picked)} END"
    return over_sorted(value, body, distinct, suffix)


def found_rank(call: Any, percentage: float, accuracy: int) -> str:
    """The rank that QuantileSummaries.query returns while the sketch holds every row."""
    if percentage <= 1.0 / accuracy:
        rank = "1"
    elif percentage >= 1 - 1.0 / accuracy:
        rank = "len(sorted)"
    else:
        rank = f"least(greatest(CAST(ceil({constant(percentage)} * len(sorted)) AS BIGINT), 1), len(sorted))"
    return through_double(call.arguments[0].type, f"sorted[{rank}]")


def through_double(type: DataType, found: str) -> str:
    """The sketch stores doubles: longer values lose digits, and zeros keep their sign."""
    if isinstance(type, LongType):
        return saturate_bigint(f"CAST({found} AS DOUBLE)")
    if isinstance(type, FLOATING):
        last = not_native(reasons.FLOAT_PRECISION, "percentile_approx over NaN")
        return f"CASE WHEN isnan(sorted[len(sorted)]) THEN {last} ELSE {check_zero_signs(type, found, found)} END"
    if isinstance(type, TimestampType | TimestampNTZType):
        far = not_native(reasons.FLOAT_PRECISION, "percentile_approx over timestamps beyond the precision of a double")
        return f"CASE WHEN abs(epoch_us({found})) > 9007199254740992 THEN {far} ELSE {found} END"
    return found


aggregate(
    "percentile_approx(any, any, any = 10000)",
    approximate,
    "approx_percentile",
    rule=approximate_type,
    keeps_alias=True,
)


def decimal_text(call: Any, found: str) -> str:
    """The text of a decimal that Spark made from the sketch's double with Decimal(double): it has the digits of the
    double, not those of its type, until it is projected."""
    far = not_native(reasons.FLOAT_PRECISION, "a very large or small decimal from percentile_approx, written as text")
    shown = cast_sql(found, DOUBLE, STRING, "ansi", call.settings)
    return f"CASE WHEN {found} <> 0 AND NOT abs({found}) BETWEEN 0.001 AND 9999999 THEN {far} ELSE {shown} END"


fn("decimal_percentile_text(double) -> string", decimal_text)


# ---- mode: the most common value


def mode_type(call: Call) -> Typed:
    """mode(value, deterministic): with `true` the smallest of equally common values; WITHIN GROUP the smallest or the
    largest."""
    type = call.types[0]
    within = is_ordered(call)
    exact = not isinstance(type, (*NESTED, VariantType, CalendarIntervalType)) and not is_null(type)
    text = f"mode({call.arguments[0].text})"
    if within is not None:
        text = f"mode() WITHIN GROUP (ORDER BY {call.arguments[0].text}{' DESC' if within else ''})"
    return Typed(type, True, writer=None if exact else SPARK, text=text)


def is_ordered(call: Any) -> bool | None:
    """True or False if the smallest or the largest of equally common values is returned; None if any of them."""
    if call.ordering:
        return bool(call.ordering[0].ascending)
    if len(call.arguments) < 2:
        return None
    value = getattr(call.arguments[1], "value", None)
    if not is_foldable(call.arguments[1]):
        raise non_foldable_argument("mode", "deterministic", BOOLEAN)
    if not isinstance(value, bool):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "mode: the second argument")
    return True if value else None


def mode(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    if distinct or "OVER" in suffix:
        raise NotNative(reasons.AGGREGATE_DISTINCT, "mode of DISTINCT values or over a window")
    if isinstance(call.type, FLOATING):
        value = f"({value} + 0)"  # makes -0.0 equal to 0.0
    counts = f"map_entries(histogram({value}){suffix})"
    smallest = is_ordered(call)
    if smallest is not None:
        return most_common_value(counts, smallest)
    tie = not_native(reasons.AGGREGATE_TIES, "mode")
    best = f"list_reverse_sort(list_transform({counts}, lambda entry_: entry_.value))"
    equal = f"list_transform([{best}], lambda counts: len(counts) > 1 AND counts[1] = counts[2])[1]"
    return f"CASE WHEN {equal} THEN {tie} ELSE mode({value}){suffix} END"


def most_common_value(counts: str, smallest: bool) -> str:
    sign, sort = ("-", "list_sort") if smallest else ("", "list_reverse_sort")
    keyed = f"list_transform({counts}, lambda entry_: {{'c': {sign}CAST(entry_.value AS BIGINT), 'k': entry_.key}})"
    return f"{sort}({keyed})[1].k"


aggregate("mode(any, any = false)", mode, rule=mode_type)
