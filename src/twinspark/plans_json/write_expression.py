"""Writes the expressions of a Connect DataFrame as JSON, so that the DataFrame can be stored as a JSON plan."""

import base64
import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pyspark.sql.connect.proto import expressions_pb2, types_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNBOUNDED = ("unboundedPreceding", "unboundedFollowing")
OPERATORS = {
    "==": "eq", "!=": "ne", ">": "gt", ">=": "ge", "<": "lt", "<=": "le", "<=>": "eq_null_safe",
    "and": "and", "or": "or", "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "power": "pow",
    "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor",
}  # fmt: skip
UNARY = {"!": "not", "not": "not", "~": "bitwise_not"}
DISTINCT = {
    "count": "count_distinct",
    "sum": "sum_distinct",
    "listagg": "listagg_distinct",
    "string_agg": "string_agg_distinct",
}
ORDERS = {1: "asc", 2: "desc"}
NULLS = {0: "", 1: "_nulls_first", 2: "_nulls_last"}
Attribute = Callable[[expressions_pb2.Expression.UnresolvedAttribute], dict[str, Any]]


class Unsayable(ValueError):
    """The JSON format cannot express this operation or expression of the DataFrame."""

    def __init__(self, what: str) -> None:
        super().__init__(f"a JSON plan cannot say {what}")


class ExpressionWriter:
    """Writes expressions; `attribute` writes a column reference, which differs inside join conditions."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute

    def write(self, message: expressions_pb2.Expression) -> dict[str, Any]:
        kind = message.WhichOneof("expr_type") or "an empty expression"
        writer = getattr(self, f"write_{kind}", None)
        if writer is None:
            raise Unsayable(kind.replace("_", " "))
        written: dict[str, Any] = writer(getattr(message, kind))
        return written

    def write_all(self, messages: Iterable[expressions_pb2.Expression]) -> list[dict[str, Any]]:
        return [self.write(message) for message in messages]

    def write_literal(self, message: expressions_pb2.Expression.Literal) -> dict[str, Any]:
        return literal_json(message)

    def write_unresolved_attribute(self, message: expressions_pb2.Expression.UnresolvedAttribute) -> dict[str, Any]:
        return self.attribute(message)

    def write_unresolved_star(self, message: expressions_pb2.Expression.UnresolvedStar) -> dict[str, Any]:
        return {"col": message.unparsed_target or "*"}

    def write_unresolved_named_lambda_variable(
        self, message: expressions_pb2.Expression.UnresolvedNamedLambdaVariable
    ) -> dict[str, Any]:
        return {"var": ".".join(message.name_parts)}

    def write_expression_string(self, message: expressions_pb2.Expression.ExpressionString) -> dict[str, Any]:
        return {"fn": "expr", "args": [{"lit": message.expression}]}

    def write_unresolved_function(self, message: expressions_pb2.Expression.UnresolvedFunction) -> dict[str, Any]:
        if message.is_user_defined_function:
            return {"udf": message.function_name, "args": self.write_all(message.arguments)}
        return self.call(message.function_name, message.arguments, message.is_distinct)

    def write_call_function(self, message: expressions_pb2.CallFunction) -> dict[str, Any]:
        return self.call(message.function_name, message.arguments, False)

    def call(self, name: str, messages: Sequence[expressions_pb2.Expression], distinct: bool) -> dict[str, Any]:
        if distinct and name not in DISTINCT:
            raise Unsayable(f"{name} of distinct values")
        if name == "count" and [m.WhichOneof("expr_type") for m in messages] == ["unresolved_star"]:
            return {"fn": "count", "args": [{"lit": 1}]}
        args = self.write_all(messages)
        if name in OPERATORS and len(args) == 2:
            return {"op": OPERATORS[name], "left": args[0], "right": args[1]}
        if name in UNARY and len(args) == 1:
            return {"op": UNARY[name], "arg": args[0]}
        if name == "in":
            return {"op": "isin", "left": args[0], "values": args[1:]}
        return {"fn": DISTINCT[name] if distinct else name, "args": args}

    def write_alias(self, message: expressions_pb2.Expression.Alias) -> dict[str, Any]:
        if message.metadata:
            raise Unsayable("column metadata")
        names = list(message.name)
        return {"name": names[0] if len(names) == 1 else names, "expr": self.write(message.expr)}

    def write_cast(self, message: expressions_pb2.Expression.Cast) -> dict[str, Any]:
        written = message.type_str if message.HasField("type_str") else type_json(data_type(message.type))
        name = "try_cast" if message.eval_mode == 3 else "cast"
        return {
            "fn": name,
            "args": [self.write(message.expr), {"lit": written} if isinstance(written, str) else written],
        }

    def write_unresolved_extract_value(
        self, message: expressions_pb2.Expression.UnresolvedExtractValue
    ) -> dict[str, Any]:
        return {"op": "getItem", "left": self.write(message.child), "right": self.write(message.extraction)}

    def write_update_fields(self, message: expressions_pb2.Expression.UpdateFields) -> dict[str, Any]:
        struct, field = self.write(message.struct_expression), {"lit": message.field_name}
        if message.HasField("value_expression"):
            return {"fn": "with_field", "args": [struct, field, self.write(message.value_expression)]}
        return {"fn": "drop_fields", "args": [struct, field]}

    def write_lambda_function(self, message: expressions_pb2.Expression.LambdaFunction) -> dict[str, Any]:
        names = [".".join(argument.name_parts) for argument in message.arguments]
        return {"lambda": names, "body": self.write(message.function)}

    def write_sort_order(self, message: expressions_pb2.Expression.SortOrder) -> dict[str, Any]:
        return {
            "fn": ORDERS[message.direction or 1] + NULLS[message.null_ordering],
            "args": [self.write(message.child)],
        }

    def write_window(self, message: expressions_pb2.Expression.Window) -> dict[str, Any]:
        window: dict[str, Any] = {
            "partition_by": self.write_all(message.partition_spec),
            "order_by": [self.write_sort_order(order) for order in message.order_spec],
        }
        if message.HasField("frame_spec"):
            window["frame"] = self.frame(message.frame_spec)
        return {**self.write(message.window_function), "window": window}

    def frame(self, message: expressions_pb2.Expression.Window.WindowFrame) -> dict[str, Any]:
        bounds = [self.bound(bound, at) for at, bound in enumerate((message.lower, message.upper))]
        return {"type": "rows" if message.frame_type == 1 else "range", "start": bounds[0], "end": bounds[1]}

    def bound(self, message: expressions_pb2.Expression.Window.WindowFrame.FrameBoundary, at: int) -> Any:
        kind = message.WhichOneof("boundary")
        if kind == "value":
            value = self.write(message.value)["lit"]
            if not isinstance(value, int):
                raise Unsayable("a window frame whose bounds are no whole numbers")
            return value
        return "currentRow" if kind == "current_row" else UNBOUNDED[at]


def data_type(message: types_pb2.DataType) -> Any:
    return proto_schema_to_pyspark_data_type(message)


def type_json(type: Any) -> Any:
    """The name of an atomic type; a nested type in Spark's JSON form, where field names need no quoting."""
    return type.jsonValue() if type.typeName() in ("struct", "array", "map") else type.simpleString()


def literal_json(message: expressions_pb2.Expression.Literal) -> dict[str, Any]:
    kind = message.WhichOneof("literal_type")
    if kind not in LITERALS:
        raise Unsayable(f"a literal of type {kind}")
    return LITERALS[kind](getattr(message, kind))


def null_literal(message: types_pb2.DataType) -> dict[str, Any]:
    type = data_type(message)
    return {"lit": None} if type.typeName() == "void" else {"lit": None, "type": type_json(type)}


def double_literal(value: float) -> dict[str, Any]:
    if math.isfinite(value):
        return {"lit": value}
    return {"lit": {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN"), "type": "double"}


def long_literal(value: int) -> dict[str, Any]:
    """PySpark's `lit` makes a bigint of a large number, so only small ones need a type."""
    return {"lit": value, "type": "bigint"} if -(2**31) <= value < 2**31 else {"lit": value}


def decimal_literal(message: expressions_pb2.Expression.Literal.Decimal) -> dict[str, Any]:
    """Spark widens the declared precision and scale to fit the value (PySpark declares 10 and 0)."""
    digits = message.value.lstrip("-").replace(".", "").lstrip("0")
    scale = max(message.scale, len(message.value.partition(".")[2]))
    precision = max(message.precision, len(digits), scale, 1)
    return {"lit": message.value, "type": f"decimal({precision},{scale})"}


def array_literal(message: expressions_pb2.Expression.Literal.Array) -> dict[str, Any]:
    parts = [literal_json(element) for element in message.elements]
    if any(set(part) != {"lit"} for part in parts):
        raise Unsayable("an array literal of such elements")
    return {"lit": [part["lit"] for part in parts]}


def specialized_array(message: expressions_pb2.Expression.Literal.SpecializedArray) -> dict[str, Any]:
    kind = message.WhichOneof("value_type")
    if kind not in ("bools", "ints", "doubles", "strings"):
        raise Unsayable(f"an array literal of {kind}")
    return {"lit": list(getattr(message, kind).values)}


def instant(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


LITERALS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "null": null_literal,
    "boolean": lambda value: {"lit": value},
    "string": lambda value: {"lit": value},
    "integer": lambda value: {"lit": value},
    "double": double_literal,
    "long": long_literal,
    "decimal": decimal_literal,
    "byte": lambda value: {"lit": value, "type": "tinyint"},
    "short": lambda value: {"lit": value, "type": "smallint"},
    "float": lambda value: {"lit": value, "type": "float"},
    "binary": lambda value: {"lit": base64.b64encode(value).decode(), "type": "binary"},
    "date": lambda days: {"lit": (date(1970, 1, 1) + timedelta(days)).isoformat(), "type": "date"},
    "timestamp": lambda micros: {"lit": instant(micros).isoformat(), "type": "timestamp"},
    "timestamp_ntz": lambda micros: {"lit": instant(micros).replace(tzinfo=None).isoformat(), "type": "timestamp_ntz"},
    "day_time_interval": lambda micros: {"lit": micros / 1_000_000, "type": "interval day to second"},
    "array": array_literal,
    "specialized_array": specialized_array,
}
