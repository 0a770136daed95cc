"""The base classes of syntax tree nodes, with their start and stop offsets in the text."""

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Node:
    """`text[node.start:node.stop]` is the fragment in Spark's query context; comparison of nodes ignores it."""

    start: int = field(compare=False, repr=False)
    stop: int = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """A scalar expression as written: nothing is resolved, folded or renamed."""


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """A relation in a FROM clause."""


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A whole statement: a query, a DML statement, a command or a script."""


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A multi-part name, unquoted: `db`.`t` is ("db", "t")."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IdentifierClause(Expression):
    """IDENTIFIER(expression): a computed name."""

    expression: Expression


Identifier: TypeAlias = Name | IdentifierClause


@dataclass(frozen=True, slots=True)
class Command(Statement):
    """A statement that is not a query; `text` is its whole text, so that it can be sent to Spark unchanged."""

    text: str = field(compare=False, repr=False)
