"""Defines typed expressions: immutable, with their type, nullability and the name that Spark would give a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar

from twinspark.errors import Cause, NotNative, QueryContext, reasons
from twinspark.functions.notation.registry import Signature
from twinspark.functions.notation.settings import Settings
from twinspark.plan.nodes import Column as Column
from twinspark.plan.nodes import Expression as Expression
from twinspark.plan.nodes import Relation
from twinspark.plan.python_functions import PythonFunction, Workers

E = TypeVar("E", bound="Expression")


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterColumn(Expression):
    """A column of a relation outside a subquery; depth 1 is the query that directly contains the subquery."""

    index: int
    depth: int = 1
    name: str = field(default="", compare=False)  # without the qualifier, which `text` contains


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Expression):
    """A constant as a Python value: int, float, Decimal, str, bytes, bool, None, list, pairs for maps, a tuple for
    structs; dates are days and timestamps microseconds since the epoch, intervals microseconds or months."""

    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(Expression):
    """mode: ansi (raises), legacy (null or wrap-around), try (null)."""

    child: Expression
    mode: str
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Expression):
    """A call of a scalar function; its name and argument types determine the overload."""

    name: str
    signature: Signature = field(compare=False)
    arguments: tuple[Expression, ...]
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateCall(Call):
    """A call of an aggregate function."""

    distinct: bool = False
    filter: Expression | None = None
    ordering: tuple[SortOrder, ...] = ()
    ignore_nulls: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall(Expression):
    """A call of a scalar Python function; `keys` are the names of arguments that are passed by name."""

    function: PythonFunction
    arguments: tuple[Expression, ...]
    keys: tuple[str | None, ...]
    workers: Workers = field(compare=False, repr=False)
    once: int = 0  # distinguishes the calls of a nondeterministic function


@dataclass(frozen=True, slots=True, kw_only=True)
class SortOrder:
    child: Expression
    ascending: bool = True
    nulls_first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFrame:
    """A window frame; bounds are None (unbounded), 0 (current row), a number, or an expression."""

    rows: bool
    lower: Expression | int | None
    upper: Expression | int | None
    text: str = field(default="", compare=False)  # as written in the query, if it was


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCall(Expression):
    function: Call
    partition: tuple[Expression, ...]
    ordering: tuple[SortOrder, ...]
    frame: WindowFrame | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Expression):
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetField(Expression):
    """A field of a struct, by its position."""

    child: Expression
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeStruct(Expression):
    """A struct of these values; the field names are those of its type."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Expression):
    """A parameter of a lambda function; `key` is its unique name in the plan."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lambda(Expression):
    """`type` and `nullable` are those of the body."""

    parameters: tuple[Variable, ...]
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery(Expression):
    """kind: scalar, exists, or in, with `values` on the left side of IN."""

    kind: str
    relation: Relation
    values: tuple[Expression, ...] = ()
    negated: bool = False


def spark_only(call: Call) -> NotNative:
    """Of a function that the native engine does not have."""
    cause = call.signature.cause or Cause(reasons.FUNCTION_SPARK_ONLY)
    return NotNative(cause.reason, f"{call.name}: {cause.detail}" if cause.detail else call.name)


def children_of(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly below; looked up in a table of classes, since it is called very often."""
    kind = expression.__class__
    read = CHILDREN.get(kind)
    if read is None:
        read = CHILDREN[kind] = next((CHILDREN[one] for one in kind.__mro__ if one in CHILDREN), no_children)
    return read(expression)


def no_children(leaf: Expression) -> tuple[Expression, ...]:
    return ()


def window_children(call: WindowCall) -> tuple[Expression, ...]:
    return (call.function, *call.partition, *(order.child for order in call.ordering))


def aggregate_children(call: AggregateCall) -> tuple[Expression, ...]:
    more = (call.filter,) if call.filter is not None else ()
    return (*call.arguments, *more, *(order.child for order in call.ordering))


def case_children(case: Case) -> tuple[Expression, ...]:
    last = (case.otherwise,) if case.otherwise is not None else ()
    return (*(part for branch in case.branches for part in branch), *last)


def only_child(expression: Cast | GetField) -> tuple[Expression, ...]:
    return (expression.child,)


CHILDREN: dict[type[Expression], Callable[[Any], tuple[Expression, ...]]] = {
    WindowCall: window_children,
    AggregateCall: aggregate_children,
    Call: attrgetter("arguments"),
    PythonCall: attrgetter("arguments"),
    Cast: only_child,
    GetField: only_child,
    Case: case_children,
    MakeStruct: attrgetter("values"),
    Subquery: attrgetter("values"),
    Lambda: lambda function: (function.body,),
}


# ---- copies that differ in fields that are not compared


def with_text(expression: E, text: str) -> E:
    return expression if expression.text == text else copy_with(expression, TEXT, text)


def with_origin(expression: E, origin: QueryContext) -> E:
    return copy_with(expression, ORIGIN, origin)


def copy_with(expression: E, at: int, value: object) -> E:
    """dataclasses.replace of one field, but three times as fast: nearly every expression of a SQL statement gets its
    source position after it is created."""
    kind = expression.__class__
    known = FIELD_ACCESS.get(kind)
    if known is None:
        known = FIELD_ACCESS[kind] = field_access(kind)
    read, writes = known
    values = list(read(expression))
    values[at] = value
    made = object.__new__(kind)
    for write, each in zip(writes, values, strict=True):
        write(made, each)
    return made


FieldAccess = tuple[Callable[[Any], tuple[Any, ...]], list[Callable[[Any, Any], None]]]
FIELD_ACCESS: dict[type[Expression], FieldAccess] = {}
NAMES = [part.name for part in fields(Expression)]
TEXT, ORIGIN = NAMES.index("text"), NAMES.index("origin")


def field_access(kind: type[Expression]) -> FieldAccess:
    """A function that reads all fields, and one for each field that sets it (its slot, since the class is frozen)."""
    names = [part.name for part in fields(kind)]
    return attrgetter(*names), [getattr(kind, name).__set__ for name in names]
