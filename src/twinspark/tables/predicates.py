"""Predicates by which tables prune files: comparisons of columns with literals, AND and OR."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

Value = bool | int | float | str | bytes | Decimal | date | datetime
ColumnPath = tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """`operator` is one of = <> < <= > >=; comparisons with null are not true."""

    operator: str
    column: ColumnPath
    value: Value


@dataclass(frozen=True)
class In:
    column: ColumnPath
    values: tuple[Value, ...]


@dataclass(frozen=True)
class IsNull:
    column: ColumnPath


@dataclass(frozen=True)
class IsNotNull:
    column: ColumnPath


@dataclass(frozen=True)
class StartsWith:
    column: ColumnPath
    prefix: str


@dataclass(frozen=True)
class And:
    parts: tuple["Predicate", ...]


@dataclass(frozen=True)
class Or:
    parts: tuple["Predicate", ...]


Predicate = Comparison | In | IsNull | IsNotNull | StartsWith | And | Or
