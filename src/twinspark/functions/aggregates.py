"""Aggregate functions. {distinct} and {suffix} (FILTER, OVER) stand where DuckDB wants them, inside any cast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.native_spelling import sql_decimal_average, sql_decimal_sum
from twinspark.functions.registry import AGGREGATE, fn
from twinspark.functions.spelling import cast_to, duck_type, error
from twinspark.functions.typing import Call, Typed, unexpected_input_type
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

NUMERIC_OR_INTERVAL = '"NUMERIC" or "ANSI INTERVAL"'
NESTED = (ArrayType, StructType, MapType)


def aggregate(signature: str, writer: Any, *aliases: str, **facts: Any) -> None:
    fn(signature, writer, *aliases, kind=AGGREGATE, **facts)


# ---- counting


def counted(call: Any, *arguments: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Rows in which no argument is null; a constant counts rows."""
    if len(arguments) == 1:
        return f"count({distinct}{arguments[0]}){suffix}"
    filled = " AND ".join(f"{a} IS NOT NULL" for a in arguments)
    inner = f"CASE WHEN {filled} THEN ROW({', '.join(arguments)}) END"
    return f"count({distinct}{inner}){suffix}"


aggregate("count(any...+) -> bigint!", counted)
aggregate("count_if(boolean?) -> bigint!", "coalesce(CAST(count_if({distinct}{0}){suffix} AS BIGINT), 0)")


# ---- sums and averages


def summed_type(call: Call) -> Typed:
    (type,) = call.types
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision + 10, type.scale), True)
    if is_integral(type):
        return Typed(LONG, True)
    if goes_as_double(type):
        return Typed(DOUBLE, True, (DOUBLE,))
    if isinstance(type, INTERVAL):
        return Typed(type, True, writer=summed_interval)
    raise unexpected_input_type(call, 0, NUMERIC_OR_INTERVAL)


def summed_interval(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Months and microseconds are whole numbers; what may overflow on the way only is left to Spark."""
    whole = f"sum({distinct}CAST({value} AS HUGEINT)){suffix}"
    limit = 1 << 31 if isinstance(call.type, YearMonthIntervalType) else 1 << 63
    far = not_native("a sum of intervals that overflows")
    most = f"greatest(abs(CAST(min({value}){suffix} AS HUGEINT)), CAST(max({value}){suffix} AS HUGEINT))"
    fits = f"{most} * count({value}){suffix} < {limit}::HUGEINT"  # on the way too, in whatever order
    beyond = f"{whole} NOT BETWEEN CAST('{-limit}' AS HUGEINT) AND CAST('{limit - 1}' AS HUGEINT)"
    return (
        f"CASE WHEN {fits} THEN {cast_to(whole, call.type)} WHEN {beyond} THEN {too_many_intervals(call)} "
        f"WHEN {whole} IS NOT NULL THEN {far} END"
    )


def too_many_intervals(call: Any) -> str:
    """Whatever the order of rows, the last sum does not fit."""
    overflow = error("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", functionName="`try_add`")
    return "NULL" if call.name.startswith("try_") else overflow


def goes_as_double(type: DataType) -> bool:
    return is_numeric(type) or is_string(type) or is_null(type) or isinstance(type, TimestampType)


def summed(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    type = call.arguments[0].type
    if isinstance(type, DecimalType):
        of = (type.precision, type.scale)
        return sql_decimal_sum(value, of, call.settings.ansi, bool(distinct), suffix)
    if not isinstance(call.type, LongType):
        return double_sum("sum", value, distinct, suffix)
    if not call.settings.ansi:
        return wrapped(f"sum({distinct}{value}){suffix}")
    return sure_sum("CAST", value, distinct, suffix, type)


def sure_sum(cast: str, value: str, distinct: str, suffix: str, type: DataType) -> str:
    """Spark overflows on the way where a later row would bring the sum back: by the order of rows, so it is asked."""
    whole = f"sum({distinct}{value}){suffix}"
    answer = f"{cast}({whole} AS BIGINT)"
    if not isinstance(type, LongType):
        return answer  # two thousand million rows would be needed
    if " OVER (" not in suffix:
        return f"{cast}(spark_{whole} AS BIGINT)"  # which looks itself (duck/native/extremes.c)
    largest = f"greatest(abs(CAST(min({value}){suffix} AS HUGEINT)), CAST(max({value}){suffix} AS HUGEINT))"
    may_overflow = f"{largest} * count({value}){suffix} > 9223372036854775807"
    fits = f"{whole} BETWEEN -9223372036854775808 AND 9223372036854775807"
    asked = not_native("a sum of bigints that may overflow on the way")
    return f"CASE WHEN {may_overflow} AND {fits} THEN {asked} ELSE {answer} END"


def double_sum(name: str, value: str, distinct: str, suffix: str) -> str:
    """The order in which distinct values are added is that of a hash table."""
    if distinct:
        raise NotNative(f"{name} of distinct doubles")
    if " OVER (" not in suffix or "ORDER BY" not in suffix.partition(" OVER (")[2]:
        return f"{name}({value}){suffix}"
    added = f"spark_window_sum({value}){suffix}"  # row after row, as the order says
    return added if name == "sum" else f"({added} / nullif(count({value}){suffix}, 0))"


def wrapped(whole: str) -> str:
    """A sum that Java keeps in 64 bits, from DuckDB's exact one in 128."""
    half, mask = "9223372036854775808::HUGEINT", "18446744073709551615::HUGEINT"
    return f"CAST((({whole} + {half}) & {mask}) - {half} AS BIGINT)"


def tried_sum(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Null where the sum overflows."""
    type = call.arguments[0].type
    if isinstance(type, DecimalType):
        return sql_decimal_sum(value, (type.precision, type.scale), False, bool(distinct), suffix)
    if isinstance(call.type, LongType):
        return sure_sum("TRY_CAST", value, distinct, suffix, type)
    return double_sum("sum", value, distinct, suffix)


aggregate("sum(any)", summed, rule=summed_type)
aggregate("product(double) -> double?", "product({0}){suffix}")
aggregate("try_sum(any)", tried_sum, rule=summed_type)


def averaged_type(call: Call) -> Typed:
    return average_of(call, 0)


def average_of(call: Call, index: int) -> Typed:
    type = call.types[index]
    casts: list[DataType | None] = [None] * len(call.arguments)
    if isinstance(type, DecimalType):
        return Typed(bounded_decimal(type.precision + 4, type.scale + 4), True)
    if goes_as_double(type):
        casts[index] = type if is_integral(type) else DOUBLE
        return Typed(DOUBLE, True, casts)
    if isinstance(type, INTERVAL):
        return Typed(whole_interval(type), True, writer=averaged_interval)
    raise unexpected_input_type(call, index, NUMERIC_OR_INTERVAL)


def averaged_interval(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """The sum over the count, rounded HALF_UP."""
    whole, count = f"sum({distinct}CAST({value} AS HUGEINT)){suffix}", f"count({distinct}{value}){suffix}"
    limit = 1 << 31 if isinstance(call.type, YearMonthIntervalType) else 1 << 63
    half = f"(2 * abs({whole}) + {count}) // (2 * {count}) * sign({whole})"
    fits = f"{whole} BETWEEN {-limit}::HUGEINT AND {limit - 1}::HUGEINT"
    return (
        f"CASE WHEN {fits} THEN {cast_to(half, call.type)} WHEN {whole} IS NOT NULL THEN {too_many_intervals(call)} END"
    )


def whole_interval(type: DataType) -> DataType:
    """An average is an interval of all the fields of its kind."""
    return type.__class__()


def averaged(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """Spark sums whole numbers as doubles; while all partial sums are below 2^53 both ways give the same."""
    return average_sql(call.arguments[0].type, value, call.settings.ansi, distinct, suffix)


def tried_average(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    return average_sql(call.arguments[0].type, value, False, distinct, suffix)


def average_sql(type: DataType, value: str, ansi: bool, distinct: str, suffix: str) -> str:
    if isinstance(type, DecimalType):
        return sql_decimal_average(value, (type.precision, type.scale), ansi, bool(distinct), suffix)
    if is_integral(type) and not isinstance(type, LongType):
        return f"avg({distinct}{value}){suffix}"  # of the sum as a whole number
    return double_sum("avg", f"CAST({value} AS DOUBLE)", distinct, suffix)


aggregate("avg(any)", averaged, "mean", rule=averaged_type, keeps_alias=True)
aggregate("try_avg(any)", tried_average, rule=averaged_type)


# ---- smallest, largest, first


def ordered_type(call: Call) -> Typed:
    if isinstance(call.types[0], MapType | VariantType | CalendarIntervalType):
        raise NotNative(f"{call.name} of values without an order")
    return Typed(call.types[0], True)


def same_type(call: Call) -> Typed:
    return Typed(call.types[0], True)


def nested_extreme(name: str, type: DataType, value: str, suffix: str) -> str:
    """By keys that sort as Spark does; among values with -0.0 and 0.0 it matters which comes first."""
    if any(isinstance(inner, MapType | FloatType | DoubleType) for inner in nested_types(type)):
        raise NotNative(f"{name} of nested values with maps or numbers that are no whole ones")
    return f"arg_{name}({value}, spark_sort_key([{value}])){suffix}"


def plain(name: str) -> Any:
    def write(call: Any, value: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if isinstance(call.arguments[0].type, NESTED):
            return nested_extreme(name, call.arguments[0].type, value, suffix)
        found = f"{name}({value}){suffix}"
        if not isinstance(call.arguments[0].type, FloatType | DoubleType):
            return found
        if " OVER (" in suffix:
            return one_zero(found, value, name, suffix)
        kind = "float" if isinstance(call.arguments[0].type, FloatType) else "double"
        return f"spark_{name}_{kind}({value}){suffix}"  # what is said of zeros there is checked too

    return write


def one_zero(found: str, value: str, name: str, suffix: str) -> str:
    """Of 0.0 and -0.0, which are equal, Spark shows the one that came first."""
    kinds = f"bit_or(CASE WHEN {value} = 0 THEN CASE WHEN signbit({value}) THEN 1 ELSE 2 END END){suffix}"
    both = not_native(f"{name} of 0.0 and -0.0")
    return f"CASE WHEN {found} = 0 AND {kinds} = 3 THEN {both} ELSE {found} END"


aggregate("min(any)", plain("min"), rule=ordered_type)
aggregate("max(any)", plain("max"), rule=ordered_type)


def best_type(call: Call) -> Typed:
    if isinstance(call.types[1], MapType | VariantType | CalendarIntervalType):
        raise NotNative(f"{call.name} by values without an order")
    if len(call.arguments) > 2:
        return Typed(ArrayType(call.types[0], True), True, writer=several_best, text=None)
    return Typed(call.types[0], True)


MOST_BEST = 100000


def several_best(
    call: Any, value: str, ordering: str, number: str, distinct: str = "", order: str = "", suffix: str = ""
) -> str:
    """max_by(value, ordering, k): the k best, the best first; equals among them go to Spark."""
    asked = getattr(call.arguments[2], "value", None)
    if not isinstance(asked, int) or isinstance(asked, bool) or not 0 < asked <= MOST_BEST:
        raise NotNative(f"{call.name} of a number of values that is no constant")
    if distinct or "OVER" in suffix or isinstance(call.arguments[1].type, (*NESTED, NullType, FloatType, DoubleType)):
        raise NotNative(f"the best of {call.name} by nested values or doubles, of distinct ones, or in a window")
    sort = "list_reverse_sort" if call.name == "max_by" else "list_sort"
    pairs = f"{sort}(list({{'o': {ordering}, 'v': {value}}}){not_null(ordering, suffix)})[1:{asked + 1}]"
    tie = "len(best) > len(list_distinct(list_transform(best, lambda one_: one_.o)))"
    taken = f"list_transform(best[1:{asked}], lambda one_: one_.v)"
    equals = not_native(f"{call.name} of equals")
    return f"list_transform([{pairs}], lambda best: CASE WHEN {tie} THEN {equals} ELSE {taken} END)[1]"


def best(name: str, largest: str) -> Any:
    """Of equal best rows Spark takes one by their order among the partitions, so those go to Spark."""

    def write(call: Any, value: str, ordering: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        if isinstance(call.arguments[1].type, (*NESTED, NullType)) or "OVER" in suffix:
            raise NotNative(f"{name} by nested values or in a window")
        found = signed(call.type, lambda one: f"arg_{largest}_null({one}, {ordering}){suffix}", value)
        single = is_single(call.arguments[1].type, largest, ordering, suffix)
        return f"CASE WHEN {single} THEN {found} ELSE {not_native(name + ' of equals')} END"

    return write


COUNTED = ByteType | ShortType | IntegerType | LongType
TIMED = TimestampType | TimestampNTZType


def is_single(type: DataType, largest: str, ordering: str, suffix: str) -> str:
    """Whether no other row is as good as the best."""
    kind = "double" if isinstance(type, FloatType | DoubleType) else "bigint"
    if isinstance(type, COUNTED | FloatType | DoubleType):
        return f"spark_{largest}_is_single_{kind}(CAST({ordering} AS {kind.upper()})){suffix}"
    if isinstance(type, TIMED):
        return f"spark_{largest}_is_single_bigint(epoch_us({ordering})){suffix}"
    two = f"{largest}({ordering}, 2){suffix}"
    return f"(len({two}) = 2 AND {two}[1] = {two}[2]) IS NOT TRUE"


def holds_floats(type: DataType) -> bool:
    return isinstance(type, NESTED) and any(isinstance(each, FloatType | DoubleType) for each in nested_types(type))


def signed(type: DataType, kept: Callable[[str], str], value: str) -> str:
    """DuckDB may keep a value as a key of its order, which does not tell -0.0 from 0.0."""
    if holds_floats(type):
        raise NotNative("nested doubles beside the best of another column")
    if not isinstance(type, FloatType | DoubleType):
        return kept(value)
    negative = f"CAST('-0.0' AS {duck_type(type)})"
    return f"CASE WHEN {kept(value)} = 0 AND {kept(f'signbit({value})')} THEN {negative} ELSE {kept(value)} END"


for name, largest in (("max_by", "max"), ("min_by", "min")):
    aggregate(f"{name}(any, any)", best(name, largest), rule=best_type)
    aggregate(f"{name}(any, any, any)", several_best, rule=best_type)


def first_value(name: str) -> Any:
    """The first row's value, nulls counted; the order is whatever the rows come in."""

    def write(call: Any, *values: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
        ignores = call.ignore_nulls or (len(values) > 1 and values[1] == "true")
        if "OVER" in suffix:
            word = " IGNORE NULLS" if ignores else ""
            return f"{name}_value({values[0]}{order}{word}){suffix}"
        chosen = not_null(values[0], suffix) if ignores else suffix
        if holds_floats(call.type):
            return f"(list({values[0]}{order}){chosen})[{1 if name == 'first' else -1}]"
        return f"{name}({values[0]}{order}){chosen}"

    return write


def not_null(value: str, suffix: str) -> str:
    """A FILTER that leaves nulls out as well."""
    if not suffix:
        return f" FILTER (WHERE {value} IS NOT NULL)"
    condition = suffix.removeprefix(" FILTER (WHERE ").removesuffix(")")
    return f" FILTER (WHERE ({condition}) AND {value} IS NOT NULL)"


def distinct_word(call: Call) -> str:
    """For the names of calls that do not show all their arguments."""
    return "DISTINCT " if call.distinct else ""


def first_type(call: Call) -> Typed:
    """Names leave the second argument out."""
    if len(call.arguments) > 1 and not isinstance(getattr(call.arguments[1], "value", None), bool):
        raise NotNative(f"{call.name} with a second argument that is no constant")
    return Typed(call.types[0], True, text=f"{call.name}({distinct_word(call)}{call.arguments[0].text})")


aggregate("first(any, boolean = false)", first_value("first"), "first_value", rule=first_type)
aggregate("last(any, boolean = false)", first_value("last"), "last_value", rule=first_type)
aggregate("any_value(any, boolean = false)", first_value("first"), rule=first_type)


# ---- bits and truths


def bits_type(call: Call) -> Typed:
    """A null is taken as an int."""
    (type,) = call.types
    if is_null(type):
        if not hasattr(call.arguments[0], "value"):
            raise NotNative(f"{call.name} of a void column")
        return Typed(INT, True, (INT,))
    if not is_integral(type):
        raise unexpected_input_type(call, 0, '"INTEGRAL"')
    return Typed(type, True)


for bits in ("bit_and", "bit_or", "bit_xor"):
    aggregate(f"{bits}(any)", f"{bits}({{distinct}}{{0}}){{suffix}}", rule=bits_type)

aggregate("bool_and(boolean) -> boolean?", "bool_and({0}){suffix}", "every", keeps_alias=True)
aggregate("bool_or(boolean) -> boolean?", "bool_or({0}){suffix}", "some", "any", keeps_alias=True)


# ---- grouping sets: analysis.aggregates gives the keys

aggregate("grouping(any) -> tinyint!", "CAST(grouping({0}) AS TINYINT)", rule=lambda call: Typed(BYTE, False))
aggregate("grouping_id(any...) -> bigint!", "CAST(grouping({args}) AS BIGINT)", rule=lambda call: Typed(LONG, False))
