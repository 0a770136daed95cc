"""Checks that need no Spark: two ways to ask the native engine for the same rows must give the same rows.

Queries are random (tools/queries). Partitioned predicates (TLP): the rows of `p`, of `NOT p` and of `p IS NULL` are all
rows. NoREC: a filter keeps as many rows as its condition is true for. A DataFrame program equals its SQL form; rows in
the engine's own order equal those in Spark's order; cached rows and rows of files equal those computed from local data.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException

from tools.hunt.answers import Answer, ask, condition_of
from tools.hunt.verdicts import BY_ORDER, EQUAL, NATIVE_NOT, UNTRIED, are_close
from tools.queries.deeper import Deeper
from tools.queries.texts import TABLES

SECONDS = 20
SOURCES = (
    "t1",
    "t2",
    "t3",
    "t1 join t2 on t1.k = t2.k",
    "t1 left join t2 on t1.k = t2.k",
    "t1 full join t2 on t1.k = t2.k",
)
Rows = tuple[str, ...]
Session = Callable[[], Any]


@dataclass(frozen=True)
class Pair:
    """What was asked, and two answers that must be the same rows in any order."""

    name: str
    text: str
    one: Answer
    other: Answer

    @property
    def verdict(self) -> str:
        if self.one.is_error or self.other.is_error:
            same = self.one.condition == self.other.condition
            return NATIVE_NOT if same else UNTRIED  # which rows a condition is evaluated for is not promised
        if sorted(self.one.rows) == sorted(self.other.rows) or are_close(self.one.rows, self.other.rows):
            return EQUAL
        return UNTRIED if BY_ORDER.search(self.text) else "rows"


class Metamorphic:
    """Sessions over the same tables: local rows, the engine's order, cached rows, files."""

    def __init__(self, new_session: Session, seed: int) -> None:
        self.texts = Deeper(seed)
        tables = self.texts.tables()
        self.plain, self.unordered, self.cached, self.files = (new_session() for _ in range(4))
        self.unordered.conf.set("twinspark.rowOrder", "engine")
        for spark in (self.plain, self.unordered, self.cached, self.files):
            for statement in tables:
                spark.sql(statement)
        for name in TABLES:
            self.cached.sql(f"CACHE TABLE {name}")
            self.files.sql(f"CREATE TABLE {name}_rows USING parquet AS SELECT * FROM {name}")
            self.files.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM {name}_rows")

    def pairs(self) -> Iterator[Pair]:
        """All checks, once each."""
        source = self.texts.chance.choice(SOURCES)
        yield from self.predicate_pairs(source)
        query = self.texts.query()
        one = ask(self.plain, query, SECONDS)
        for name, spark in (("row order", self.unordered), ("cached", self.cached), ("files", self.files)):
            yield Pair(name, query, one, ask(spark, query, SECONDS))

    def predicate_pairs(self, source: str) -> Iterator[Pair]:
        columns = {
            f"{name}.{column}": type for name in TABLES if name in source for column, type in TABLES[name].items()
        }
        test = self.texts.parts.expression("boolean", columns, 2)
        everything = f"select {', '.join(columns)} from {source}"
        parts = (test, f"not ({test})", f"({test}) is null")
        partitioned = " union all ".join(f"{everything} where {part}" for part in parts)
        yield Pair("TLP", partitioned, self.ask(everything), self.ask(partitioned))
        counted = f"select count(*) from {source} where {test}"
        summed = f"select coalesce(sum(case when {test} then 1 else 0 end), 0) from {source}"
        yield Pair("NoREC", counted, values_of(self.ask(counted)), values_of(self.ask(summed)))
        yield Pair(
            "DataFrame", f"{everything} where {test}", self.ask(f"{everything} where {test}"), self.frame(source, test)
        )

    def ask(self, text: str) -> Answer:
        return ask(self.plain, text, SECONDS)

    def frame(self, source: str, test: str) -> Answer:
        """The same filter as a DataFrame program."""
        try:
            rows = self.plain.sql(f"select * from {source}").where(test).collect()
            return Answer(rows=tuple(map(repr, rows)))
        except PySparkException as error:
            return Answer(condition=condition_of(error))

    def close(self) -> None:
        for name in TABLES:
            self.files.sql(f"DROP TABLE IF EXISTS {name}_rows")
        for spark in (self.plain, self.unordered, self.cached, self.files):
            spark.stop()


def values_of(answer: Answer) -> Answer:
    """A single number without the name of its column."""
    return Answer(rows=tuple(row.rpartition("=")[2] for row in answer.rows), condition=answer.condition)


def check(new_session: Session, seed: int, count: int) -> tuple[Counter[str], list[Pair]]:
    """The verdicts of `count` rounds, and the pairs that differ."""
    checks = Metamorphic(new_session, seed)
    pairs = [pair for _ in range(count) for pair in checks.pairs()]
    checks.close()
    return Counter(pair.verdict for pair in pairs), [pair for pair in pairs if pair.verdict == "rows"]
