"""Reads calls in Connect messages: functions by name, conditions, structs, lambdas and windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import expressions_pb2

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.lambdas import (
    call_with_lambdas,
    is_higher_order,
    lambda_of,
    parameter_names,
)
from twinspark.analysis.expressions.structs import struct_of
from twinspark.analysis.expressions.windows import check_longs, window_call
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.generators import is_generator
from twinspark.analysis.scope.names import LATERAL, Scope, fields_of
from twinspark.errors import NotNative, reasons
from twinspark.functions import overloads
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.plan.expressions import Call, Column, Expression, GetField, Lambda, Literal, WindowFrame
from twinspark.read.proto.expressions import (
    EXPRESSIONS,
    read_column,
    read_expression,
    read_orders,
    read_regex,
    read_star,
    with_alias,
)
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.subqueries import is_in, read_in
from twinspark.read.sql_text import is_aliased
from twinspark.spark_order.sequence_ids import NAME as SEQUENCE_ID
from twinspark.spark_order.sequence_ids import sequence_id


@EXPRESSIONS.handles("unresolved_function")
def read_function(message: expressions_pb2.Expression.UnresolvedFunction, scope: Scope) -> Expression:
    name = message.function_name.lower()
    if message.is_user_defined_function:
        raise NotNative(reasons.FUNCTION_UNKNOWN, f"{name} is a user-defined function")
    registered = registered_function((message.function_name,), scope)
    if registered is not None and not message.is_distinct:
        return call_registered(registered, message.arguments, scope)
    return read_call(name, message.arguments, scope, message.is_distinct)


@EXPRESSIONS.handles("call_function")
def read_call_function(message: expressions_pb2.CallFunction, scope: Scope) -> Expression:
    registered = registered_function(attribute_parts(message.function_name), scope)
    if registered is not None:
        return call_registered(registered, message.arguments, scope)
    return read_call(message.function_name.lower().strip("`"), message.arguments, scope, False)


def registered_function(parts: tuple[str, ...], scope: Scope) -> Any:
    """A Python function of the session; built-in functions of the same name come first."""
    functions, name = scope.context.functions, parts[-1].lower()
    if functions is None or len(parts) > 1 or name in SPARK_FUNCTIONS or overloads(name):
        return None
    return functions.python(parts, scope.context) if functions.is_temporary(name) else None


def call_registered(function: Any, messages: Sequence[expressions_pb2.Expression], scope: Scope) -> Expression:
    made: Expression = function.invoke([read_argument(message, scope) for message in messages], scope.context)
    return made


def read_argument(message: expressions_pb2.Expression, scope: Scope) -> tuple[str | None, Expression]:
    """A value, and its name if it is a named argument."""
    if message.WhichOneof("expr_type") == "named_argument_expression":
        named = message.named_argument_expression
        return named.key, read_expression(named.value, scope)
    return None, read_expression(message, scope)


def read_call(name: str, messages: Sequence[expressions_pb2.Expression], scope: Scope, distinct: bool) -> Expression:
    if any(m.WhichOneof("expr_type") == "named_argument_expression" for m in messages):
        raise NotNative(reasons.FUNCTION_NAMED_ARGUMENTS, name)
    if is_higher_order(name, messages):
        return higher_order(name, messages, scope)
    if name == "not" and len(messages) == 1 and is_in(messages[0]):
        return read_in(messages[0].subquery_expression, scope, True)
    # the argument says whether Spark caches the rows
    if name == SEQUENCE_ID and all(m.literal.HasField("boolean") for m in messages):
        return sequence_id(scope.frame.relation, scope.context)
    if name == "when":
        return read_when(messages, scope)
    if name == "struct":
        return read_struct(messages, scope)
    arguments = read_arguments(name, messages, scope, distinct)
    if any(map(is_generator, arguments)):
        raise NotNative(reasons.GENERATOR_POSITION, "a generator inside an expression")
    return build.call(name, arguments, scope.settings, distinct=distinct)


def read_struct(messages: Sequence[expressions_pb2.Expression], scope: Scope) -> Expression:
    """The fields have the names and metadata of their columns."""
    fields: list[Named] = []
    for message in messages:
        kind = message.WhichOneof("expr_type")
        if kind == "unresolved_star" or is_star_text(message):
            fields += read_star(message.unresolved_star, scope)
        elif kind == "unresolved_regex":
            fields += read_regex(message.unresolved_regex, scope)
        else:
            fields.append(struct_field(read_column(message, scope), message, len(fields), scope))
    if any(is_generator(field.expression) for field in fields):
        raise NotNative(reasons.GENERATOR_POSITION, "a generator inside an expression")
    return struct_of(fields, scope.settings)


def read_arguments(
    name: str, messages: Sequence[expressions_pb2.Expression], scope: Scope, distinct: bool = False
) -> list[Expression]:
    """Expands stars, except in count(*), which is count(1)."""
    out: list[Expression] = []
    for message in messages:
        kind = message.WhichOneof("expr_type")
        if kind == "unresolved_star" or is_star_text(message):
            out += star_arguments(name, message.unresolved_star, scope, distinct)
        elif kind == "unresolved_regex":
            out += [column.expression for column in read_regex(message.unresolved_regex, scope)]
        else:
            out.append(read_expression(message, scope))
    return out


def is_star_text(message: expressions_pb2.Expression) -> bool:
    """Whether this is expr("*")."""
    return bool(message.expression_string.expression.strip() == "*")


def struct_field(named: Named, message: expressions_pb2.Expression, index: int, scope: Scope) -> Named:
    """A field is named by its column, struct field or alias; otherwise by its position, without metadata."""
    if message.WhichOneof("expr_type") == "alias":
        return replace(named, expression=with_alias(named))
    name = struct_name(named, message, scope)
    if name is None:
        return Named(named.expression, f"col{index + 1}", is_whole=True)
    return replace(named, name=name) if isinstance(named.expression, Column) else Named(named.expression, name)


def struct_name(named: Named, message: expressions_pb2.Expression, scope: Scope) -> str | None:
    """The name that CreateStruct derives from the resolved expression: map values and fields of arrays of structs have
    none."""
    match message.WhichOneof("expr_type"):
        case "unresolved_attribute":
            return None if isinstance(named.expression, Call) else named.name
        case "unresolved_named_lambda_variable":
            return str(message.unresolved_named_lambda_variable.name_parts[-1])
        case "unresolved_extract_value" if isinstance(named.expression, GetField):
            return str(message.unresolved_extract_value.extraction.literal.string)
        case "expression_string":
            return struct_text_name(named.expression, message.expression_string.expression, scope)
    return None


def struct_text_name(expression: Expression, text: str, scope: Scope) -> str | None:
    if is_aliased(text, scope):
        raise NotNative(reasons.COLUMN_NAME_GENERATED, "a constant string with an alias, inside struct")
    return expression.text.rpartition(".")[2] if isinstance(expression, GetField | Column) else None


def star_arguments(
    name: str, message: expressions_pb2.Expression.UnresolvedStar, scope: Scope, distinct: bool
) -> list[Expression]:
    if name == "count" and not message.HasField("unparsed_target") and not distinct:
        return [build.literal(1)]
    return [column.expression for column in read_star(message, scope)]


def read_when(messages: Sequence[expressions_pb2.Expression], scope: Scope) -> Expression:
    parts = [read_expression(message, scope) for message in messages]
    pairs = list(zip(parts[0::2], parts[1::2], strict=False))
    return build.case_when(pairs, parts[-1] if len(parts) % 2 else None, scope.settings)


# ---- lambdas


def higher_order(name: str, messages: Sequence[expressions_pb2.Expression], scope: Scope) -> Expression:
    """Reads the arguments first, then the lambdas, whose parameters take their types from the arguments."""

    def body(message: expressions_pb2.Expression.LambdaFunction) -> Any:
        def read(variables: list[Any]) -> Lambda:
            names = [v.name_parts[0] for v in message.arguments]
            parameter_names(names, scope.settings)
            inner = scope.within(dict(zip(names, variables, strict=False)))
            return lambda_of(read_expression(message.function, inner), variables[: len(names)])

        return read, len(message.arguments)

    arguments = [
        body(m.lambda_function) if m.WhichOneof("expr_type") == "lambda_function" else read_expression(m, scope)
        for m in messages
    ]
    return call_with_lambdas(name, arguments, scope.settings)


@EXPRESSIONS.handles("unresolved_named_lambda_variable")
def read_variable(message: expressions_pb2.Expression.UnresolvedNamedLambdaVariable, scope: Scope) -> Any:
    variable = scope.variables.get(message.name_parts[0]) if message.name_parts else None
    if variable is None:
        raise NotNative(reasons.LAMBDA, "a variable that no surrounding lambda function defines")
    return fields_of(variable, message.name_parts[0], tuple(message.name_parts[1:]), scope)


# ---- windows


@EXPRESSIONS.handles("window")
def read_window(message: expressions_pb2.Expression.Window, scope: Scope) -> Expression:
    function = read_expression(message.window_function, scope)
    partition = [read_expression(m, scope) for m in message.partition_spec]
    ordering = read_orders(message.order_spec, scope)
    frame = read_frame(message.frame_spec, scope) if message.HasField("frame_spec") else None
    if frame is not None and any(
        bound.value.literal.HasField("long") for bound in (message.frame_spec.lower, message.frame_spec.upper)
    ):
        check_longs(partition, ordering, frame)
    made = window_call(function, partition, ordering, frame, scope.settings)
    if f"{LATERAL}(" in made.text:
        raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "inside a window function")
    return made


def read_frame(message: expressions_pb2.Expression.Window.WindowFrame, scope: Scope) -> WindowFrame:
    """frame_type 1 is ROWS, 2 is RANGE."""
    rows = message.frame_type == 1
    return WindowFrame(rows=rows, lower=read_bound(message.lower, scope), upper=read_bound(message.upper, scope))


def read_bound(
    message: expressions_pb2.Expression.Window.WindowFrame.FrameBoundary, scope: Scope
) -> Expression | int | None:
    kind = message.WhichOneof("boundary")
    if kind == "unbounded":
        return None
    if kind == "current_row":
        return 0
    value = read_expression(message.value, scope)
    if isinstance(value, Literal) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    return value
