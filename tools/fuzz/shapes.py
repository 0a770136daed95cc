"""Which calls to fuzz: the lines of the topic tables, with each argument a column of random and of chosen values."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t
from pyspark.sql.pandas.types import to_arrow_type

from tools.cases.connect import Connection, ServerError, sql_relation
from tools.fuzz.values import NULL_SHARE, can_make, random_value
from tools.record.grid import HERE, HOLE, WORD, WORDS, hole_pools, topic_names
from tools.replay.run import function_of

CHOSEN_SHARE = 0.4


@dataclass(frozen=True)
class Shape:
    """A template of a call, and for each of its holes the values worth trying."""

    template: str
    pools: tuple[tuple[str, ...], ...]

    def filled(self, arguments: list[str]) -> str:
        pieces = HOLE.split(self.template)[::3]
        return "".join(piece + value for piece, value in zip(pieces, [*arguments, ""], strict=True))


@dataclass(frozen=True)
class Domain:
    """The values of one argument: those of its pool and random ones of the same type, or what its maker makes."""

    kind: t.DataType
    chosen: tuple[Any, ...]
    make: Callable[[random.Random], Any] | None = None

    def column(self, rows: int, chance: random.Random) -> pa.Array:
        values = [self.value(chance) for _ in range(rows)]
        return pa.array(values, to_arrow_type(self.kind, timezone="UTC"))

    def value(self, chance: random.Random) -> Any:
        if self.make is not None:
            return None if chance.random() < NULL_SHARE else self.make(chance)
        chosen = self.chosen and chance.random() < CHOSEN_SHARE
        return chance.choice(self.chosen) if chosen else random_value(self.kind, chance)


def shapes_of(function: str) -> list[Shape]:
    """The lines about a function; both spellings of the tables become templates."""
    found = [
        Shape(template, tuple(tuple(pool) for pool in hole_pools(template)))
        for topic in topic_names()
        for line in (HERE / "topics" / f"{topic}.txt").read_text().splitlines()
        for template in templates_of(line, function)
    ]
    return [shape for shape in dict.fromkeys(found) if shape.pools]


def templates_of(line: str, function: str) -> Iterator[str]:
    words = WORDS.fullmatch(line)
    if words is not None:
        if function in words[1].split(","):
            yield f"{function}({', '.join('{' + word + '}' for word in WORD.findall(words[2]))})"
    elif not line.startswith(("#", "from ")) and function_of(HOLE.sub("x", line)) == function:
        yield line.strip()


@cache
def domains_of(remote: str, shape: Shape) -> list[Domain | None]:
    """Read in UTC: Python has no moments outside its years, which other zones would reach."""
    with Connection(remote) as oracle:
        return [domain_of(oracle, pool) for pool in shape.pools]


def domain_of(oracle: Connection, pool: tuple[str, ...]) -> Domain | None:
    """The pool as Spark itself understands it: one column; none when its values have no common type."""
    rows = ", ".join(f"({value})" for value in pool)
    try:
        result = oracle.execute(sql_relation(f"SELECT * FROM VALUES {rows} AS pool(x)"))
    except ServerError:
        return None
    kind = result.schema.fields[0].dataType
    try:
        return Domain(kind, tuple(result.rows.column(0).to_pylist())) if can_make(kind) else None
    except UnicodeDecodeError:  # bytes that are no UTF-8, as a string: Python has no such text
        return None
