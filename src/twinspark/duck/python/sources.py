"""Writes Python relations as named Arrow sources in SQL, whose rows a worker streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.duck.expressions import sort_key
from twinspark.duck.results.arrow import arrow_schema
from twinspark.duck.select import Select
from twinspark.duck.statement import Source, SourceInput, Statement
from twinspark.errors import NotNative, reasons
from twinspark.plan.python_relations import (
    PythonAggregate,
    PythonCoGroups,
    PythonGroups,
    PythonRelation,
    PythonScan,
    PythonWindow,
)
from twinspark.plan.relations import RecursionReference, Relation, relations_in
from twinspark.types import (
    ArrayType,
    DataType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    StructType,
    TimeType,
    UserDefinedType,
    VariantType,
    has_collation,
    nested_types,
)
from twinspark.types.duckdb import cast_to

AnyPython: TypeAlias = PythonRelation | PythonCoGroups | PythonScan
NO_KEYS = (ArrayType, MapType, NullType, VariantType, UserDefinedType)
FLOATS = (FloatType, DoubleType)
Write: TypeAlias = Callable[[Relation], tuple[str, Statement]]


def source_of(relation: AnyPython, statement: Statement, write: Write) -> Select:
    """The inputs are separate statements that run concurrently on cursors of their own."""
    if any(has_collation(field.type) for each in (relation, *relation.inputs) for field in each.fields):
        raise NotNative(reasons.COLLATION_FUNCTION, "a Python function")
    inputs = tuple(source_input(relation, place, write) for place in range(len(relation.inputs)))
    arrow_schema(relation.schema, "UTC")  # raises NotNative if Arrow does not have a type
    own = StructType(relation.schema.fields[getattr(relation, "width", 0) :])
    if any(isinstance(part, TimeType) and part.precision != 6 for part in nested_types(own)):
        # Arrow's type does not contain the precision.
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "TIME values with less than nanosecond precision")
    name = f"python_{len(statement.sources)}"
    statement.sources[name] = Source(inputs, relation)
    alias = statement.alias()
    columns = tuple(typed_column(f"{alias}.c{place}", field.type) for place, field in enumerate(relation.fields))
    return Select(f"{name} AS {alias}", columns)


def typed_column(sql: str, type: DataType) -> str:
    """A struct without fields is a null of another type inside DuckDB."""
    return sql if isinstance(type, StructType) and not type.fields else cast_to(sql, type)


def source_input(relation: AnyPython, place: int, write: Write) -> SourceInput:
    input = relation.inputs[place]
    if any(outer_columns(input)) or any(isinstance(each, RecursionReference) for each in relations_in(input)):
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "a correlated subquery")
    text, statement = write(input)
    first = getattr(relation, "width", 0)  # columns before are not sent to the worker
    arrow_schema(StructType(input.schema.fields[first:]), "UTC")
    merged = isinstance(relation, PythonCoGroups)
    return SourceInput(order_groups(text, order_of(relation, place), input, merged), statement, input, first)


def order_of(relation: AnyPython, place: int) -> tuple[int, ...] | None:
    if isinstance(relation, PythonCoGroups):
        return relation.orders[place]
    if isinstance(relation, PythonWindow):
        return (*relation.partition, relation.width - 1)
    if isinstance(relation, PythonAggregate):
        return tuple(range(relation.width))
    return relation.order if isinstance(relation, PythonGroups) else None


def order_groups(text: str, order: tuple[int, ...] | None, input: Relation, merged: bool) -> str:
    """Sorts rows by group; inside a group they keep their order."""
    if order is None:
        return text
    for place in order:
        check_key(input.fields[place].type, merged)
    keys = ", ".join([*(f"{sort_key(f'c{at}', input.fields[at].type)} ASC NULLS FIRST" for at in order), "place"])
    names = ", ".join(f"c{place}" for place in range(len(input.fields)))
    return f"SELECT {names} FROM (SELECT *, row_number() OVER () AS place FROM ({text})) ORDER BY {keys}"


def check_key(type: DataType, merged: bool) -> None:
    """Nested doubles fall back: 0.0 and -0.0, and all NaNs, must be one key."""
    inner = list(nested_types(type))
    is_nested = len(inner) > 1 or isinstance(type, StructType)
    odd = (*NO_KEYS, *FLOATS) if is_nested or merged else NO_KEYS
    if (is_nested and merged) or any(isinstance(each, odd) for each in inner):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, f"grouping by {type.simpleString()}")
