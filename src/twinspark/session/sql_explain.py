"""EXPLAIN and DataFrame.explain on the embedded engine: Spark's headings over the typed plan and DuckDB's SQL."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import relations_pb2
from pyspark.sql.types import StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.plan.relations import Relation, own_expressions
from twinspark.read.sql import tree
from twinspark.session.choose import NATIVE
from twinspark.session.native import Query
from twinspark.session.sql_results import answer

if TYPE_CHECKING:
    from twinspark.session.session import Session

PLAN = StructType([StructField("plan", StringType(), True)])
# Which sections a mode shows; the physical plan is always the last.
LOGICAL = {
    "EXTENDED": ("Parsed Logical Plan", "Analyzed Logical Plan", "Optimized Logical Plan"),
    "COST": ("Optimized Logical Plan",),
}


def explain_statement(statement: Any, source: str, context: Context, session: "Session") -> Any:
    """With a Spark at hand, its own plan is the answer."""
    if session.engine_wanted != "duckdb":
        raise NotNative("SQL: EXPLAIN shows Spark's plan")
    inner = statement.statement
    if not isinstance(inner, tree.Query):
        text = f"== Physical Plan ==\nExecute {type(inner).__name__}\n\n"
        return lambda: answer(PLAN, [(text,)])
    message = relations_pb2.Relation()
    message.sql.query = source[inner.start : inner.stop]
    query = Query.read(message, context, session.shared.native.cursor())
    return lambda: answer(PLAN, [(explained(query, statement.mode) + "\n",)])


def explained(query: Query, mode: str = "") -> str:
    sections = [(name, "\n".join(plan_lines(query.plan, name))) for name in LOGICAL.get(mode, ())]
    sections.append(("Physical Plan", f"DuckDB: {NATIVE}\n{query.text}"))
    return "\n\n".join(f"== {name} ==\n{text}" for name, text in sections) + "\n"


def plan_lines(plan: Relation, section: str) -> Iterator[str]:
    """The analyzed plan starts with its columns, as Spark's does."""
    if section == "Analyzed Logical Plan":
        yield ", ".join(f"{field.name}: {field.type.simpleString()}" for field in plan.fields)
    yield from drawn(plan)


def drawn(plan: Relation, indent: str = "") -> Iterator[str]:
    shown = ", ".join(each.text for each in own_expressions(plan))
    yield f"{indent}{type(plan).__name__} [{shown}]"
    inner = f"{indent[:-3]}   +- " if indent.endswith("+- ") else "+- "
    for each in plan.inputs:
        yield from drawn(each, inner)
