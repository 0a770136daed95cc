"""Writes conditions and values of DELETE, UPDATE and MERGE as DuckDB SQL over aliased rows."""

from collections.abc import Sequence
from typing import Any

from twinspark.analysis.context import Context
from twinspark.duck import run
from twinspark.duck.expressions import Writer
from twinspark.duck.relations import RelationWriter
from twinspark.duck.select import Select
from twinspark.duck.statement import Statement
from twinspark.plan.expressions import Expression
from twinspark.types.duckdb import duck_name


class Texts:
    """Writes expressions of one command; `bind` then registers on a cursor what their SQL refers to."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._statement = Statement()

    def write(self, expression: Expression, columns: Sequence[str]) -> str:
        """`columns` are the SQL expressions of the input's columns."""
        writer: Writer = RelationWriter(self._statement).expressions(Select("", tuple(columns)))
        return f"({writer.write(expression)})"

    def bind(self, cursor: Any) -> None:
        run.prepare(cursor, self._statement, self._context.settings)
        for query in self._statement.queries:
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE {query.replace(' AS (', ' AS SELECT * FROM (', 1)}")


def columns_of(alias: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{alias}.{duck_name(name)}" for name in names)
