"""Aggregate functions: count, sum, avg, min, max, first, bits; {distinct} and {suffix} (FILTER, OVER) are
placeholders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.decimal_sql import sql_decimal_average, sql_decimal_sum
from twinspark.functions.notation.error_sql import error, not_native
from twinspark.functions.notation.registry import AGGREGATE, fn
from twinspark.functions.notation.sql_text import is_ordered_window, is_window, not_null
from twinspark.functions.notation.typing import Call, Typed, unexpected_input_type, value_out_of_range
from twinspark.types import (
    BYTE,
    DOUBLE,
    INT,
    INTERVAL,
    LONG,
    ArrayType,
    ByteType,
    CalendarIntervalType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    YearMonthIntervalType,
    bounded_decimal,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    nested_types,
)
from twinspark.types.duckdb import cast_to, duck_type

NUMERIC_OR_INTERVAL = '"NUMERIC" or "ANSI INTERVAL"'
NESTED = (ArrayType, StructType, MapType)


def aggregate(signature: str, writer: Any, *aliases: str, **facts: Any) -> None:
    fn(signature, writer, *aliases, kind=AGGREGATE, **facts)


# ---- counting


def write_count(call: Any, *arguments: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Counts the rows in which no argument is null; a constant argument counts all rows."""
    if len(arguments) == 1:
        return f"count({distinct}{arguments[0]}){suffix}"
    filled = " AND ".join(f"{a} IS NOT NULL" for a in arguments)
    inner = f"CASE WHEN {filled} THEN ROW({', '.join(arguments)}) END"
    return f"count({distinct}{inner}){suffix}"


aggregate("count(any...+) -> bigint!", write_count)
aggregate("count_if(boolean?) -> bigint!", "coalesce(CAST(count_if({distinct}{0}){suffix} AS BIGINT), 0)")


# ---- sums and averages


def sum_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision + 10, type.scale), True)
    if is_integral(type):
        return Typed(LONG, True)
    if is_summed_as_double(type):
        return Typed(DOUBLE, True, (DOUBLE,))
    if isinstance(type, INTERVAL):
        return Typed(type, True, writer=write_interval_sum)
    raise unexpected_input_type(call, 0, NUMERIC_OR_INTERVAL)


def write_interval_sum(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Intervals are summed as whole months or microseconds. Falls back where only an intermediate sum may overflow."""
    whole = f"sum({distinct}CAST({value} AS HUGEINT)){suffix}"
    limit = 1 << 31 if isinstance(call.type, YearMonthIntervalType) else 1 << 63
    far = not_native(reasons.AGGREGATE_OVERFLOW, "a sum of intervals")
    most = f"greatest(abs(CAST(min({value}){suffix} AS HUGEINT)), CAST(max({value}){suffix} AS HUGEINT))"
    fits = f"{most} * count({value}){suffix} < {limit}::HUGEINT"  # no intermediate sum overflows, whatever the order
    beyond = f"{whole} NOT BETWEEN CAST('{-limit}' AS HUGEINT) AND CAST('{limit - 1}' AS HUGEINT)"
    return (
        f"CASE WHEN {fits} THEN {cast_to(whole, call.type)} WHEN {beyond} THEN {too_many_intervals(call)} "
        f"WHEN {whole} IS NOT NULL THEN {far} END"
    )


def too_many_intervals(call: Any) -> str:
    """The error of a final sum that does not fit, whatever the order of the rows."""
    overflow = error("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", functionName="`try_add`")
    return "NULL" if call.name.startswith("try_") else overflow


def is_summed_as_double(type: DataType) -> bool:
    return is_numeric(type) or is_string(type) or is_null(type) or isinstance(type, TimestampType)


def write_sum(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    type = call.arguments[0].type
    if isinstance(type, DecimalType):
        of = (type.precision, type.scale)
        return sql_decimal_sum(value, of, call.settings.ansi, bool(distinct), suffix)
    if not isinstance(call.type, LongType):
        return double_sum("sum", value, distinct, suffix)
    if not call.settings.ansi:
        return wrap_to_bigint(f"sum({distinct}{value}){suffix}")
    return write_checked_sum("CAST", value, distinct, suffix, type)


def write_checked_sum(cast: str, value: str, distinct: str, suffix: str, type: DataType) -> str:
    """Spark raises if an intermediate sum overflows, even if later rows would bring it back into range. That depends on
    the row order, so the plan falls back where it is possible."""
    whole = f"sum({distinct}{value}){suffix}"
    answer = f"{cast}({whole} AS BIGINT)"
    if not isinstance(type, LongType):
        return answer  # an overflow would need more than two billion rows
    if not is_window(suffix):
        # which checks for overflow itself (duck/native/aggregates/extremes.c)
        return f"{cast}(spark_{whole} AS BIGINT)"
    largest = f"greatest(abs(CAST(min({value}){suffix} AS HUGEINT)), CAST(max({value}){suffix} AS HUGEINT))"
    may_overflow = f"{largest} * count({value}){suffix} > 9223372036854775807"
    fits = f"{whole} BETWEEN -9223372036854775808 AND 9223372036854775807"
    fallback = not_native(reasons.AGGREGATE_OVERFLOW, "a sum of bigints")
    return f"CASE WHEN {may_overflow} AND {fits} THEN {fallback} ELSE {answer} END"


def double_sum(name: str, value: str, distinct: str, suffix: str) -> str:
    """Spark adds distinct values in the order of a hash table, so sums of distinct doubles fall back."""
    if distinct:
        raise NotNative(reasons.AGGREGATE_DISTINCT, f"{name} of floats or doubles")
    if not is_ordered_window(suffix):
        return f"{name}({value}){suffix}"
    added = f"spark_window_sum({value}, spark_operation()){suffix}"  # row by row in the window's order
    return added if name == "sum" else f"({added} / nullif(count({value}){suffix}, 0))"


def wrap_to_bigint(whole: str) -> str:
    """Wraps DuckDB's exact 128-bit sum around to 64 bits, as Java does."""
    half, mask = "9223372036854775808::HUGEINT", "18446744073709551615::HUGEINT"
    return f"CAST((({whole} + {half}) & {mask}) - {half} AS BIGINT)"


def write_try_sum(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Null if the sum overflows."""
    type = call.arguments[0].type
    if isinstance(type, DecimalType):
        return sql_decimal_sum(value, (type.precision, type.scale), False, bool(distinct), suffix)
    if isinstance(call.type, LongType):
        return write_checked_sum("TRY_CAST", value, distinct, suffix, type)
    return double_sum("sum", value, distinct, suffix)


aggregate("sum(any)", write_sum, rule=sum_type)
aggregate("product(double) -> double?", "product({0}){suffix}")
aggregate("try_sum(any)", write_try_sum, rule=sum_type)


def average_type(call: Call) -> Typed:
    return average_of(call, 0)


def average_of(call: Call, index: int) -> Typed:
    type = call.types[index]
    casts: list[DataType | None] = [None] * len(call.arguments)
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision + 4, type.scale + 4), True)
    if is_summed_as_double(type):
        casts[index] = type if is_integral(type) else DOUBLE
        return Typed(DOUBLE, True, casts)
    if isinstance(type, INTERVAL):
        return Typed(whole_interval(type), True, writer=write_interval_average)
    raise unexpected_input_type(call, index, NUMERIC_OR_INTERVAL)


def write_interval_average(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """The sum divided by the count, rounded HALF_UP."""
    whole, count = f"sum({distinct}CAST({value} AS HUGEINT)){suffix}", f"count({distinct}{value}){suffix}"
    limit = 1 << 31 if isinstance(call.type, YearMonthIntervalType) else 1 << 63
    half = f"(2 * abs({whole}) + {count}) // (2 * {count}) * sign({whole})"
    fits = f"{whole} BETWEEN {-limit}::HUGEINT AND {limit - 1}::HUGEINT"
    return (
        f"CASE WHEN {fits} THEN {cast_to(half, call.type)} WHEN {whole} IS NOT NULL THEN {too_many_intervals(call)} END"
    )


def whole_interval(type: DataType) -> DataType:
    """The type of an average of intervals, which has all fields of its kind."""
    return type.__class__()


def write_average(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Spark sums whole numbers as doubles; the result is the same while all partial sums are below 2^53."""
    return average_sql(call.arguments[0].type, value, call.settings.ansi, distinct, suffix)


def write_try_average(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    return average_sql(call.arguments[0].type, value, False, distinct, suffix)


def average_sql(type: DataType, value: str, ansi: bool, distinct: str, suffix: str) -> str:
    if isinstance(type, DecimalType):
        return sql_decimal_average(value, (type.precision, type.scale), ansi, bool(distinct), suffix)
    if is_integral(type) and not isinstance(type, LongType):
        return f"avg({distinct}{value}){suffix}"  # divides the sum as a whole number
    return double_sum("avg", f"CAST({value} AS DOUBLE)", distinct, suffix)


aggregate("avg(any)", write_average, "mean", rule=average_type, keeps_alias=True)
aggregate("try_avg(any)", write_try_average, rule=average_type)


# ---- smallest, largest, first


def ordered_type(call: Call) -> Typed:
    if isinstance(call.types[0], MapType | VariantType | CalendarIntervalType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of values that have no order")
    return Typed(call.types[0], True)


def same_type(call: Call) -> Typed:
    return Typed(call.types[0], True)


def nested_extreme(name: str, type: DataType, value: str, suffix: str) -> str:
    """Compares by keys that sort as in Spark. Falls back for values with both -0.0 and 0.0, where the first row
    decides."""
    if any(isinstance(inner, MapType | FloatType | DoubleType) for inner in nested_types(type)):
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE, f"{name} of nested values that contain maps or fractional numbers"
        )
    return f"arg_{name}({value}, spark_sort_key([{value}])){suffix}"


def plain(name: str) -> Any:
    def write(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if isinstance(call.arguments[0].type, NESTED):
            return nested_extreme(name, call.arguments[0].type, value, suffix)
        found = f"{name}({value}){suffix}"
        if not isinstance(call.arguments[0].type, FloatType | DoubleType):
            return found
        if is_window(suffix):
            return one_zero(found, value, name, suffix)
        kind = "float" if isinstance(call.arguments[0].type, FloatType) else "double"
        return f"spark_{name}_{kind}({value}){suffix}"  # which checks for zeros of both signs too

    return write


def one_zero(found: str, value: str, name: str, suffix: str) -> str:
    """0.0 and -0.0 are equal, and Spark returns the one of the first row, so values with both fall back."""
    kinds = f"bit_or(CASE WHEN {value} = 0 THEN CASE WHEN signbit({value}) THEN 1 ELSE 2 END END){suffix}"
    both = not_native(reasons.SIGNED_ZEROS, name)
    return f"CASE WHEN {found} = 0 AND {kinds} = 3 THEN {both} ELSE {found} END"


aggregate("min(any)", plain("min"), rule=ordered_type)
aggregate("max(any)", plain("max"), rule=ordered_type)


def best_type(call: Call) -> Typed:
    if isinstance(call.types[1], MapType | VariantType | CalendarIntervalType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} by values that have no order")
    if len(call.arguments) > 2:
        check_best_count(call)
        return Typed(ArrayType(call.types[0], True), True, writer=several_best, text=None)
    return Typed(call.types[0], True)


MOST_BEST = 100000


def check_best_count(call: Call) -> None:
    count = getattr(call.arguments[2], "value", None)
    if isinstance(call.types[2], IntegerType) and isinstance(count, int) and not 0 < count <= MOST_BEST:
        raise value_out_of_range(call, "`k`", f"[1, {MOST_BEST}]", count)


def several_best(
    call: Any, value: str, ordering: str, number: str, distinct: str = "", order: str = "", suffix: str = ""
) -> str:
    """max_by(value, ordering, k): the k best values in descending order; falls back if some are equally good."""
    count = getattr(call.arguments[2], "value", None)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 < count <= MOST_BEST:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the number of values")
    if distinct or is_window(suffix) or isinstance(call.arguments[1].type, (*NESTED, NullType, FloatType, DoubleType)):
        raise NotNative(
            reasons.FUNCTION_ARGUMENT_TYPE,
            f"{call.name} with a number of values, by nested values or doubles, of DISTINCT values, or over a window",
        )
    sort = "list_reverse_sort" if call.name == "max_by" else "list_sort"
    pairs = f"{sort}(list({{'o': {ordering}, 'v': {value}}}){not_null(ordering, suffix)})[1:{count + 1}]"
    tie = "len(best) > len(list_distinct(list_transform(best, lambda one_: one_.o)))"
    taken = f"list_transform(best[1:{count}], lambda one_: one_.v)"
    equals = not_native(reasons.AGGREGATE_TIES, call.name)
    return f"list_transform([{pairs}], lambda best: CASE WHEN {tie} THEN {equals} ELSE {taken} END)[1]"


def best(name: str, largest: str) -> Any:
    """If several rows are equally good, Spark's choice depends on the partitions, so these fall back."""

    def write(call: Any, value: str, ordering: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if isinstance(call.arguments[1].type, (*NESTED, NullType)) or is_window(suffix):
            raise NotNative(reasons.WINDOW_FUNCTION, f"{name} by nested values or over a window")
        found = restore_sign(call.type, lambda one: f"arg_{largest}_null({one}, {ordering}){suffix}", value)
        single = is_single(call.arguments[1].type, largest, ordering, suffix)
        return f"CASE WHEN {single} THEN {found} ELSE {not_native(reasons.AGGREGATE_TIES, name)} END"

    return write


COUNTED = ByteType | ShortType | IntegerType | LongType
TIMED = TimestampType | TimestampNTZType


def is_single(type: DataType, largest: str, ordering: str, suffix: str) -> str:
    """SQL of whether no other row is as good as the best one."""
    kind = "double" if isinstance(type, FloatType | DoubleType) else "bigint"
    if isinstance(type, COUNTED | FloatType | DoubleType):
        return f"spark_{largest}_is_single_{kind}(CAST({ordering} AS {kind.upper()})){suffix}"
    if isinstance(type, TIMED):
        return f"spark_{largest}_is_single_bigint(epoch_us({ordering})){suffix}"
    two = f"{largest}({ordering}, 2){suffix}"
    return f"(len({two}) = 2 AND {two}[1] = {two}[2]) IS NOT TRUE"


def holds_floats(type: DataType) -> bool:
    return isinstance(type, NESTED) and any(isinstance(each, FloatType | DoubleType) for each in nested_types(type))


def restore_sign(type: DataType, kept: Callable[[str], str], value: str) -> str:
    """DuckDB may return a value from its sort key, which is the same for -0.0 and 0.0; this restores the sign."""
    if holds_floats(type):
        raise NotNative(reasons.NESTED_FLOATS, "max_by or min_by over them")
    if not isinstance(type, FloatType | DoubleType):
        return kept(value)
    negative = f"CAST('-0.0' AS {duck_type(type)})"
    return f"CASE WHEN {kept(value)} = 0 AND {kept(f'signbit({value})')} THEN {negative} ELSE {kept(value)} END"


for name, largest in (("max_by", "max"), ("min_by", "min")):
    aggregate(f"{name}(any, any)", best(name, largest), rule=best_type)
    aggregate(f"{name}(any, any, any)", several_best, rule=best_type)


def first_value(name: str) -> Any:
    """The value of the first row, which may be null, in the order in which the rows arrive."""

    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        ignores = call.ignore_nulls or (len(values) > 1 and values[1] == "true")
        if is_window(suffix):
            word = " IGNORE NULLS" if ignores else ""
            return f"{name}_value({values[0]}{order}{word}){suffix}"
        chosen = not_null(values[0], suffix) if ignores else suffix
        if holds_floats(call.type):
            return f"(list({values[0]}{order}){chosen})[{1 if name == 'first' else -1}]"
        return f"{name}({values[0]}{order}){chosen}"

    return write


def distinct_keyword(call: Call) -> str:
    """The DISTINCT in the names of calls that do not show all arguments."""
    return "DISTINCT " if call.distinct else ""


def first_type(call: Call) -> Typed:
    """The column name does not show the second argument."""
    if len(call.arguments) > 1 and not isinstance(getattr(call.arguments[1], "value", None), bool):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the second argument")
    return Typed(call.types[0], True, text=f"{call.name}({distinct_keyword(call)}{call.arguments[0].text})")


aggregate("first(any, boolean = false)", first_value("first"), "first_value", rule=first_type)
aggregate("last(any, boolean = false)", first_value("last"), "last_value", rule=first_type)
aggregate("any_value(any, boolean = false)", first_value("first"), rule=first_type)


# ---- bits and booleans


def bits_type(call: Call) -> Typed:
    """An untyped null is an int."""
    (type,) = call.types
    if is_null(type):
        if not hasattr(call.arguments[0], "value"):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of untyped nulls")
        return Typed(INT, True, (INT,))
    if not is_integral(type):
        raise unexpected_input_type(call, 0, '"INTEGRAL"')
    return Typed(type, True)


for bits in ("bit_and", "bit_or", "bit_xor"):
    aggregate(f"{bits}(any)", f"{bits}({{distinct}}{{0}}){{suffix}}", rule=bits_type)

aggregate("bool_and(boolean) -> boolean?", "bool_and({0}){suffix}", "every", keeps_alias=True)
aggregate("bool_or(boolean) -> boolean?", "bool_or({0}){suffix}", "some", "any", keeps_alias=True)


# ---- grouping sets: analysis supplies the grouping keys

aggregate("grouping(any) -> tinyint!", "CAST(grouping({0}) AS TINYINT)", rule=lambda call: Typed(BYTE, False))
aggregate("grouping_id(any...) -> bigint!", "CAST(grouping({args}) AS BIGINT)", rule=lambda call: Typed(LONG, False))
