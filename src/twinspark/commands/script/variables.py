"""Session variables: DECLARE, SET VARIABLE, DROP, and the evaluation of their values."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import frame_of
from twinspark.commands.names import parts_of, quoted, with_position
from twinspark.commands.results import Answer, answer
from twinspark.compile.query import stream_rows
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import can_cast, can_store
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk import Walk, read_query
from twinspark.sessions.services import Services
from twinspark.sessions.variables import HOME, PLAIN, Variable
from twinspark.types import (
    ArrayType,
    DataType,
    DateType,
    StructType,
    TimestampNTZType,
    TimestampType,
    is_integral,
    is_string,
)


def evaluate(expression: Expression, type: DataType, context: Context, services: Services) -> Any:
    """The value that a variable of this type gets, as constants store it. If the types can only be cast explicitly,
    Spark's
    error has a position that is not the expression's."""
    storable = can_store(expression.type, type)
    if not storable and not (context.settings.ansi and can_cast(expression.type, type, "ansi")):
        raise NotNative(reasons.SQL_VARIABLE, "the value has another type than the variable")
    made = (build.implicit_cast if storable else build.cast)(expression, type, context.settings)
    try:
        return value_as(made, context, services)
    except SparkError as error:
        if storable and not error.condition.startswith("NUMERIC_VALUE_OUT_OF_RANGE"):
            raise
        raise NotNative(
            reasons.ERROR_MESSAGE, "the type of a variable cannot hold its value", likely_error=error
        ) from error


def value_as(cast: Expression, context: Context, services: Services) -> Any:
    return one_value(rows_of(frame_of(OneRow()), [cast], context, services).column(0), cast.type)


def rows_of(frame: Any, expressions: Sequence[Expression], context: Context, services: Services) -> pa.Table:
    from twinspark.analysis.relations.basics import Named, project

    plan = project(frame, [Named(each, f"c{at}") for at, each in enumerate(expressions)]).plain()
    cursor = services.native.cursor()
    try:
        return stream_rows(plan, context, cursor).read_all()
    finally:
        cursor.close()


def one_value(column: Any, type: DataType) -> Any:
    """Dates as days and timestamps as microseconds, as constants of a plan store them."""
    return constant_value(column[0], type)


def constant_value(value: Any, type: DataType) -> Any:
    if not value.is_valid:
        return None
    if isinstance(type, ArrayType):
        return [constant_value(each, type.elementType) for each in value.values]
    if isinstance(type, StructType):
        return [constant_value(value[at], field.dataType) for at, field in enumerate(type.fields)]
    if not (is_integral(type) or is_string(type) or isinstance(type, PLAIN)):
        raise NotNative(reasons.SQL_VARIABLE, f"the type {type.simpleString()}")
    if isinstance(type, DateType):
        return value.cast(pa.int32()).as_py()
    if isinstance(type, TimestampType | TimestampNTZType):
        return value.cast(pa.int64()).as_py()
    return value.as_py()


# ---- DECLARE and DROP


def create_variable(statement: Any, source: str, context: Context, services: Services) -> Any:
    names = [session_name(name, source, context, services) for name in statement.names]
    walk = Walk(source, context)
    default = statement.default
    made = None if default is None else walk.read(default, walk.scope(frame_of(OneRow())))
    if made is not None and has_query(default):
        raise NotNative(reasons.SQL_VARIABLE, "the default value is a query")
    type = statement.type if statement.type is not None else made.type if made is not None else None
    if type is None:
        raise NotNative(reasons.SQL_VARIABLE, "neither type nor default value")

    for at, name in enumerate(names):
        if name in names[:at]:
            raise SparkError("DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", variableName=quoted((*HOME, name)))

    def create() -> Answer:
        value = None if made is None else evaluate(made, type, context, services)
        for name in names:
            if not statement.replace and services.variables.get(name) is not None:
                raise SparkError("VARIABLE_ALREADY_EXISTS", variableName=quoted((*HOME, name)))
            services.variables.put(Variable(name, type, value, default, source))
        return answer()

    return create


def has_query(node: Any) -> bool:
    return any(isinstance(each, tree.Query) for each in tree_nodes(node))


def session_name(node: Any, source: str, context: Context, services: Services) -> str:
    parts = parts_of(node, source, context, services)
    if tuple(part.lower() for part in parts[:-1]) not in ((), HOME[1:], HOME):
        problem = SparkError("UNRESOLVED_VARIABLE", variableName=quoted(parts), searchPath=f"[{quoted(HOME)}]")
        raise with_position(problem, node, source)
    return parts[-1].lower()


def drop_variable(statement: Any, source: str, context: Context, services: Services) -> Any:
    name = session_name(statement.name, source, context, services)

    services.variables.get(name)

    def drop() -> Answer:
        if not services.variables.drop(name) and not statement.if_exists:
            raise SparkError("VARIABLE_NOT_FOUND", variableName=quoted((*HOME, name)))
        return answer()

    return drop


# ---- SET VARIABLE


def set_variable(statement: Any, source: str, context: Context, services: Services) -> Any:
    return assignment(
        statement,
        source,
        context,
        services,
        lambda name: find_variable(name, source, context, services),
        services.variables.put,
    )


def assignment(
    statement: Any,
    source: str,
    context: Context,
    services: Services,
    target_of: Callable[[Any], Variable],
    put: Callable[[Variable], None],
) -> Any:
    """SET of variables of a session or script: `target_of` finds one by its name, `put` stores its new value."""
    if statement.query is not None:
        targets = [target_of(name) for name in statement.targets]
        return set_from_query(targets, statement.query, source, context, services, put)
    targets = [target_of(name) for name, _ in statement.assignments]
    check_distinct(targets)
    walk = Walk(source, context)
    scope = walk.scope(frame_of(OneRow()))
    made = [
        read_value(value, target, walk, scope)
        for (_, value), target in zip(statement.assignments, targets, strict=True)
    ]

    def change() -> Answer:
        values = [evaluate(one, target.type, context, services) for one, target in zip(made, targets, strict=True)]
        for value, target in zip(values, targets, strict=True):
            put(replace(target, value=value))
        return answer()

    return change


def read_value(value: Any, target: Variable, walk: Walk, scope: Any) -> Expression:
    """DEFAULT is the default of the variable's declaration, evaluated again."""
    if isinstance(value, tree.Column) and [part.upper() for part in value.parts] == ["DEFAULT"]:
        if target.default is None:
            return build.literal(None, target.type)
        return replace(walk, text=target.default_source).read(target.default, scope)
    return walk.read(value, scope)


def find_variable(node: Any, source: str, context: Context, services: Services) -> Variable:
    parts = node.parts if isinstance(node, tree.Column | tree.Name) else parts_of(node, source, context, services)
    found = services.variables.get(parts[-1])
    if found is None or tuple(part.lower() for part in parts[:-1]) not in ((), HOME[1:], HOME):
        path = f"[`system`.`builtin`, `system`.`session`, {quoted((context.catalog, context.database))}]"
        raise with_position(
            SparkError("UNRESOLVED_VARIABLE", variableName=quoted(parts), searchPath=path), node, source
        )
    return found


def check_distinct(targets: Sequence[Variable]) -> None:
    names = [target.name for target in targets]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise SparkError("DUPLICATE_ASSIGNMENTS", nameList=", ".join(quoted((name,)) for name in dict.fromkeys(twice)))


def set_from_query(
    targets: Sequence[Variable],
    query: Any,
    source: str,
    context: Context,
    services: Services,
    put: Callable[[Variable], None],
) -> Any:
    check_distinct(targets)
    if any(isinstance(each, tree.Column) and each.parts[-1].upper() == "DEFAULT" for each in tree_nodes(query)):
        raise NotNative(reasons.SQL_VARIABLE, "DEFAULT in the query of SET VARIABLE")
    frame = frame_of(read_query(query, Walk(source, context)).plain())
    if len(frame.attributes) != len(targets):
        raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numTarget=len(targets), numExpr=len(frame.attributes))
    pairs = list(zip(frame.attributes, targets, strict=True))
    if not all(can_store(a.type, target.type) for a, target in pairs):
        raise NotNative(reasons.SQL_VARIABLE, "the value has another type than the variable")
    casts = [build.implicit_cast(frame.column(a), target.type, context.settings) for a, target in pairs]
    return lambda: set_to_row(rows_of(frame, casts, context, services), targets, put)


def set_to_row(rows: pa.Table, targets: Sequence[Variable], put: Callable[[Variable], None]) -> Answer:
    if rows.num_rows > 1:
        raise SparkError("ROW_SUBQUERY_TOO_MANY_ROWS")
    for column, target in zip(rows.columns, targets, strict=True):
        value = one_value(column, target.type) if rows.num_rows else None
        put(replace(target, value=value))
    return answer()
