"""Typed expressions: frozen values that know their type, nullability and the text Spark would name them by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twinspark.errors import QueryContext
from twinspark.functions.registry import Signature
from twinspark.functions.settings import Settings
from twinspark.plan.python_functions import PythonFunction, Workers
from twinspark.types import DataType

if TYPE_CHECKING:
    from twinspark.plan.relations import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """`text` is Spark's pretty SQL of the expression (the automatic column name); it takes no part in equality."""

    type: DataType
    nullable: bool
    text: str = field(default="", compare=False)
    origin: QueryContext | None = field(default=None, compare=False, repr=False)  # where it stands in the SQL


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Expression):
    """The input's column at a position."""

    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterColumn(Expression):
    """A column of the relation around a subquery; depth 1 is the nearest one."""

    index: int
    depth: int = 1
    name: str = field(default="", compare=False)  # without its qualifier, which `text` shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Expression):
    """A constant. Values are Python's: int, float, Decimal, str, bytes, bool, None, list, dict as pairs, tuple for
    structs; dates are days, timestamps micros since the epoch, intervals micros or months."""

    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(Expression):
    """mode: ansi (raises), legacy (null or wrap-around), try (null)."""

    child: Expression
    mode: str
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Expression):
    """A call of a scalar function; its name and arguments say which overload it is."""

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
    """A scalar Python function over arguments, some of them by name."""

    function: PythonFunction
    arguments: tuple[Expression, ...]
    keys: tuple[str | None, ...]
    workers: Workers = field(compare=False, repr=False)
    once: int = 0  # of a function that may answer otherwise the next time: which call this is


@dataclass(frozen=True, slots=True, kw_only=True)
class SortOrder:
    child: Expression
    ascending: bool = True
    nulls_first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A window frame; bounds are None (unbounded), 0 (current row), a number, or an expression."""

    rows: bool
    lower: Expression | int | None
    upper: Expression | int | None
    text: str = field(default="", compare=False)  # as it was written, where it was


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCall(Expression):
    function: Call
    partition: tuple[Expression, ...]
    ordering: tuple[SortOrder, ...]
    frame: Frame | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Expression):
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetField(Expression):
    """A struct's field by position."""

    child: Expression
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeStruct(Expression):
    """A struct of the values, named by the type's fields."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Expression):
    """A lambda's parameter; `key` is its unique name in the plan."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lambda(Expression):
    """`type` and `nullable` are those of the body."""

    parameters: tuple[Variable, ...]
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery(Expression):
    """kind: scalar, exists, in (with `values` on the left)."""

    kind: str
    relation: Relation
    values: tuple[Expression, ...] = ()
    negated: bool = False


def children_of(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case WindowCall(function=function, partition=partition, ordering=ordering):
            return (function, *partition, *(order.child for order in ordering))
        case AggregateCall(arguments=arguments, filter=filter, ordering=ordering):
            more = (filter,) if filter is not None else ()
            return (*arguments, *more, *(order.child for order in ordering))
        case Call(arguments=arguments) | PythonCall(arguments=arguments):
            return arguments
        case Cast(child=child) | GetField(child=child):
            return (child,)
        case Case(branches=branches, otherwise=otherwise):
            last = (otherwise,) if otherwise is not None else ()
            return tuple(part for branch in branches for part in branch) + last
        case MakeStruct(values=values) | Subquery(values=values):
            return values
        case Lambda(body=body):
            return (body,)
        case _:
            return ()
