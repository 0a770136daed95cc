"""What every node of the SQL syntax tree has: where its text starts and stops."""

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Node:
    """`text[node.start:node.stop]` is the fragment Spark would name in a query context; nodes compare without it."""

    start: int = field(compare=False, repr=False)
    stop: int = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """A scalar expression, as written: nothing is resolved, folded or renamed."""


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """Something that stands in a FROM clause."""


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A whole statement: a query, a change of data, a command or a script."""


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A multi-part name, unquoted: `db`.`t` is ("db", "t")."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IdentifierClause(Expression):
    """IDENTIFIER(expression): a name that is computed."""

    expression: Expression


Identifier: TypeAlias = Name | IdentifierClause


@dataclass(frozen=True, slots=True)
class Command(Statement):
    """A statement that is no query; `text` is all of it, so that it can be given to Spark as it stands."""

    text: str = field(compare=False, repr=False)
