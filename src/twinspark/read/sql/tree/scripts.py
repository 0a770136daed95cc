"""Nodes of SQL scripts: BEGIN … END, loops, branches, handlers."""

from dataclasses import dataclass

from twinspark.read.sql.tree.base import Command, Expression, Name, Node, Statement
from twinspark.read.sql.tree.queries import Query


@dataclass(frozen=True, slots=True)
class Compound(Command):
    """BEGIN … END."""

    label: str | None
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class DeclareCondition(Command):
    name: str
    sqlstate: str


@dataclass(frozen=True, slots=True)
class HandledCondition(Node):
    """SQLSTATE '…', SQLEXCEPTION, NOT FOUND, or a condition by name (`kind` empty)."""

    kind: str
    value: str | Name


@dataclass(frozen=True, slots=True)
class DeclareHandler(Command):
    """`kind` is CONTINUE or EXIT."""

    kind: str
    conditions: tuple[HandledCondition, ...]
    body: Statement


@dataclass(frozen=True, slots=True)
class IfElse(Command):
    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CaseStatement(Command):
    """`value` is None for the searched form."""

    value: Expression | None
    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Command):
    label: str | None
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Command):
    label: str | None
    body: tuple[Statement, ...]
    until: Expression


@dataclass(frozen=True, slots=True)
class Loop(Command):
    label: str | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Command):
    label: str | None
    variable: str | None
    query: Query
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Leave(Command):
    label: str


@dataclass(frozen=True, slots=True)
class Iterate(Command):
    label: str
