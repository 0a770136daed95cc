"""A SELECT under construction, into which adjacent relations are merged as far as SQL's order of clauses allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from twinspark.functions.notation.sql_text import ColumnName
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.rewrite import walk

PLAIN_LENGTH = 200  # shorter expressions may be repeated: DuckDB eliminates common subexpressions
REPEATED_LIMIT = 300  # measured: 200 columns, each computed from the one before, take 0.6 s; in one SELECT 100 s
GROWTH_LIMIT = 20_000


@dataclass(frozen=True)
class Select:
    """`columns` are SQL texts over `source`; the relation above writes its expressions over these texts."""

    source: str
    columns: tuple[str, ...]
    where: tuple[str, ...] = ()
    group: str = ""
    having: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    limit: str = ""
    distinct: str = ""
    has_windows: bool = False
    is_volatile: bool = False
    is_plain: bool = field(default=False)  # the columns are those of the source

    @property
    def is_cut(self) -> bool:
        """Whether it has a LIMIT, DISTINCT or GROUP BY, which must be applied before what comes above."""
        return bool(self.limit or self.distinct)

    @property
    def is_source(self) -> bool:
        """Whether it is only a FROM clause, which a join can use without a subquery."""
        return not (self.where or self.group or self.order or self.is_cut or self.has_windows or self.is_volatile)

    def text(self, names: Sequence[str] | None = None) -> str:
        named = names or [f"c{i}" for i in range(len(self.columns))]
        shown = ", ".join(f"{column} AS {name}" for column, name in zip(self.columns, named, strict=True))
        parts = [f"SELECT {self.distinct}{shown or '1 AS c_none'}"]
        if self.source:
            parts.append(f"FROM {self.source}")
        if self.where:
            parts.append("WHERE " + " AND ".join(self.where))
        if self.group:
            parts.append(f"GROUP BY {self.group}")
        if self.having:
            parts.append("HAVING " + " AND ".join(self.having))
        if self.order:
            parts.append("ORDER BY " + ", ".join(self.order))
        return " ".join([*parts, *([self.limit] if self.limit else [])])

    def with_columns(self, columns: Sequence[str]) -> Select:
        return replace(self, columns=tuple(columns), is_plain=False)


def wrap(select: Select, alias: str) -> Select:
    """The SELECT as a subquery, whose columns are plain names."""
    return Select(f"({select.text()}) AS {alias}", column_names(alias, len(select.columns)), is_plain=True)


def column_names(alias: str, count: int) -> tuple[ColumnName, ...]:
    """The names of a subquery's columns c0, c1 …"""
    return tuple(ColumnName(f"{alias}.c{i}") for i in range(count))


def repeats_too_much(select: Select, expressions: Sequence[Expression]) -> bool:
    """Whether long expressions are used several times: they are then computed once in a subquery, as in Spark's
    CollapseProject."""
    lengths = {index: len(text) for index, text in enumerate(select.columns) if len(text) > PLAIN_LENGTH}
    if not lengths:
        return False
    uses = Counter(n.index for each in expressions for n in walk(each) if n.__class__ is Column and n.index in lengths)
    return sum((times - 1) * lengths[index] for index, times in uses.items()) > REPEATED_LIMIT


def grows_too_much(select: Select, columns: Sequence[str]) -> bool:
    """Whether substituting expressions would make the text grow exponentially, as in chains of columns."""
    before = sum(map(len, select.columns))
    after = sum(map(len, columns))
    return after > GROWTH_LIMIT and after > 2 * before
