"""Functions that need more than a call by name: those only PySpark has, and those that only JSON plans have."""

from collections.abc import Callable
from typing import Any, Protocol

from pyspark.sql.types import ArrayType, DataType, DecimalType, DoubleType, FloatType, LongType, MapType

from twinspark.plans_json.tree import Call, Expression, Literal, Name

MAX_PRECISION = 38


class Scope(Protocol):
    """The part of columns.Scope that these functions use."""

    @property
    def functions(self) -> Any: ...
    def column(self, expression: Expression) -> Any: ...
    def columns(self, expressions: tuple[Expression, ...]) -> list[Any]: ...
    def type_of(self, expression: Expression) -> DataType: ...


def by_pyspark(call: Call, scope: Scope) -> Any:
    """A function that PySpark has, but Spark's function registry has not."""
    return getattr(scope.functions, call.name)(*scope.columns(call.args))


def sql_text(call: Call, scope: Scope) -> Any:
    return scope.functions.expr(literal(call, 0))


def with_unit(call: Call, scope: Scope) -> Any:
    """timestamp_add and timestamp_diff take their unit as a plain string."""
    unit, *others = call.args
    named = unit.value if isinstance(unit, Literal) else getattr(unit, "name", unit)
    return getattr(scope.functions, call.name)(named, *scope.columns(tuple(others)))


def literal(call: Call, position: int) -> Any:
    argument = call.args[position]
    return argument.value if isinstance(argument, Literal) else None


def interval(call: Call, scope: Scope) -> Any:
    """`days(n)`: an interval for a number; for a column, Spark's partition transform, which is an error in a query."""
    if not isinstance(call.args[0], Literal) and call.name != "minutes":
        return by_pyspark(call, scope)
    amount, zero = scope.column(call.args[0]), scope.functions.lit(0)
    if call.name in ("years", "months"):
        parts = [amount] if call.name == "years" else [zero, amount]
        return scope.functions.call_function("make_ym_interval", *parts)
    parts = [zero] * ["days", "hours", "minutes"].index(call.name) + [amount]
    return scope.functions.call_function("make_dt_interval", *parts)


def with_field(call: Call, scope: Scope) -> Any:
    return scope.column(call.args[0]).withField(literal(call, 1), scope.column(call.args[2]))


def drop_fields(call: Call, scope: Scope) -> Any:
    return scope.column(call.args[0]).dropFields(*(literal(call, at) for at in range(1, len(call.args))))


def create_map(call: Call, scope: Scope) -> Any:
    return scope.functions.call_function("map", *scope.columns(call.args))


def get(call: Call, scope: Scope) -> Any:
    """Spark's `get` is for arrays; plans use it for maps too."""
    if isinstance(scope.type_of(call.args[0]), MapType):
        return scope.column(call.args[0])[scope.column(call.args[1])]
    return scope.functions.call_function("get", *scope.columns(call.args))


def array_sum(call: Call, scope: Scope) -> Any:
    """The sum of the elements as Spark's `sum` computes it: ignores nulls, null for no elements, same result type."""
    input = scope.column(call.args[0])
    type = scope.type_of(call.args[0])
    total = sum_type(type.elementType if isinstance(type, ArrayType) else type)
    functions = scope.functions
    values = functions.filter(input, lambda element: element.isNotNull())
    added = functions.aggregate(values, functions.lit(0).cast(total), lambda sum, value: (sum + value).cast(total))
    named = call.args[0].name if isinstance(call.args[0], Name) else "…"
    return functions.when(functions.size(values) > 0, added).alias(f"array_sum({named})")


def sum_type(element: DataType) -> DataType:
    if isinstance(element, DecimalType):
        return DecimalType(min(element.precision + 10, MAX_PRECISION), element.scale)
    return DoubleType() if isinstance(element, FloatType | DoubleType) else LongType()


SPECIAL_FUNCTIONS: dict[str, Callable[[Call, Scope], Any]] = {
    **dict.fromkeys(
        ["count_distinct", "sum_distinct", "listagg_distinct", "string_agg_distinct", "product", "unwrap_udt"],
        by_pyspark,
    ),
    **dict.fromkeys(["years", "months", "days", "hours", "minutes"], interval),
    **dict.fromkeys(["timestamp_add", "timestamp_diff"], with_unit),
    "array_sum": array_sum,
    "bucket": by_pyspark,
    "create_map": create_map,
    "drop_fields": drop_fields,
    "expr": sql_text,
    "get": get,
    "with_field": with_field,
}
