"""Typed expressions: frozen values that know their type, nullability and the text Spark would name them by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from twinspark.errors import QueryContext
from twinspark.functions.registry import Signature
from twinspark.functions.settings import Settings
from twinspark.plan.python_functions import PythonFunction, Workers
from twinspark.types import DataType

if TYPE_CHECKING:
    from twinspark.plan.relations import Relation

E = TypeVar("E", bound="Expression")


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
    """Asked of every node many times over: by a table of classes."""
    kind = expression.__class__
    read = CHILDREN.get(kind)
    if read is None:
        read = CHILDREN[kind] = next((CHILDREN[one] for one in kind.__mro__ if one in CHILDREN), without)
    return read(expression)


def without(leaf: Expression) -> tuple[Expression, ...]:
    return ()


def of_window(call: WindowCall) -> tuple[Expression, ...]:
    return (call.function, *call.partition, *(order.child for order in call.ordering))


def of_aggregate(call: AggregateCall) -> tuple[Expression, ...]:
    more = (call.filter,) if call.filter is not None else ()
    return (*call.arguments, *more, *(order.child for order in call.ordering))


def of_case(case: Case) -> tuple[Expression, ...]:
    last = (case.otherwise,) if case.otherwise is not None else ()
    return (*(part for branch in case.branches for part in branch), *last)


def of_child(expression: Cast | GetField) -> tuple[Expression, ...]:
    return (expression.child,)


CHILDREN: dict[type[Expression], Callable[[Any], tuple[Expression, ...]]] = {
    WindowCall: of_window,
    AggregateCall: of_aggregate,
    Call: attrgetter("arguments"),
    PythonCall: attrgetter("arguments"),
    Cast: of_child,
    GetField: of_child,
    Case: of_case,
    MakeStruct: attrgetter("values"),
    Subquery: attrgetter("values"),
    Lambda: lambda function: (function.body,),
}


# ---- copies that differ in what takes no part in equality


def with_text(expression: E, text: str) -> E:
    return expression if expression.text == text else copied(expression, TEXT, text)


def with_origin(expression: E, origin: QueryContext) -> E:
    return copied(expression, ORIGIN, origin)


def copied(expression: E, at: int, value: object) -> E:
    """dataclasses.replace of one field, three times as fast: nearly every node of a statement's tree is given its
    place in the text after it is made."""
    kind = expression.__class__
    known = PARTS.get(kind)
    if known is None:
        known = PARTS[kind] = parts_of(kind)
    read, writes = known
    values = list(read(expression))
    values[at] = value
    made = object.__new__(kind)
    for write, each in zip(writes, values, strict=True):
        write(made, each)
    return made


Parts = tuple[Callable[[Any], tuple[Any, ...]], list[Callable[[Any, Any], None]]]
PARTS: dict[type[Expression], Parts] = {}
NAMES = [part.name for part in fields(Expression)]
TEXT, ORIGIN = NAMES.index("text"), NAMES.index("origin")


def parts_of(kind: type[Expression]) -> Parts:
    """How all fields are read at once, and how each is written (the slots themselves: the classes are frozen)."""
    names = [part.name for part in fields(kind)]
    return attrgetter(*names), [getattr(kind, name).__set__ for name in names]
