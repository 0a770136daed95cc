"""Conditions and values of DELETE, UPDATE and MERGE as DuckDB SQL over rows that have a name in that SQL."""

from collections.abc import Sequence
from typing import Any

from twinspark.analysis.context import Context
from twinspark.duck import native, run
from twinspark.duck.expressions import Writer
from twinspark.duck.relations import RelationWriter
from twinspark.duck.select import Select
from twinspark.duck.statement import Statement
from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.tables.ducktext import identifier


class Texts:
    """Writes expressions of one command; `bind` then gives a cursor all that their SQL needs besides itself."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._statement = Statement()

    def write(self, expression: Expression, columns: Sequence[str]) -> str:
        """`columns` are the SQL of the input's columns."""
        writer: Writer = RelationWriter(self._statement).expressions(Select("", tuple(columns)))
        text = writer.write(expression)
        for name in run.NATIVE_NAME.findall(text):
            if name not in native.FUNCTIONS:
                raise NotNative(f"the native function {name} is not built")
        return f"({text})"

    def bind(self, cursor: Any) -> None:
        run.prepare(cursor, self._statement, self._context.settings)
        for query in self._statement.queries:
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE {query.replace(' AS (', ' AS SELECT * FROM (', 1)}")


def columns_of(alias: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{alias}.{identifier(name)}" for name in names)
