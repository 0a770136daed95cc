"""EXPLAIN and DataFrame.explain on the embedded engine: Spark's headings over the typed plan and DuckDB's SQL."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import relations_pb2
from pyspark.sql.types import StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.plan.relations import LocalData, Relation, Scan, own_expressions
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
    sections = [(name, "\n".join(plan_lines(query.plan, name, mode))) for name in LOGICAL.get(mode, ())]
    operators = "\n".join(drawn(query.plan, operator))
    sections.append(("Physical Plan", f"{operators}\n\nDuckDB: {NATIVE}\n{query.text}"))
    return "\n\n".join(f"== {name} ==\n{text}" for name, text in sections) + "\n"


def plan_lines(plan: Relation, section: str, mode: str) -> Iterator[str]:
    """The analyzed plan starts with its columns, as Spark's does; costs are what is known of the files read."""
    if section == "Analyzed Logical Plan":
        yield ", ".join(f"{field.name}: {field.type.simpleString()}" for field in plan.fields)
    yield from drawn(plan, costed if mode == "COST" else described)


def drawn(plan: Relation, line: Callable[[Relation], str], indent: str = "") -> Iterator[str]:
    yield f"{indent}{line(plan)}"
    inner = f"{indent[:-3]}   +- " if indent.endswith("+- ") else "+- "
    for each in plan.inputs:
        yield from drawn(each, line, inner)


def described(plan: Relation) -> str:
    shown = ", ".join(each.text for each in own_expressions(plan))
    return f"{type(plan).__name__} [{shown}]"


def costed(plan: Relation) -> str:
    """Bytes that the files below have, of local rows what they take in memory."""
    return f"{described(plan)}, Statistics(sizeInBytes={size_of(plan)} B)"


def size_of(plan: Relation) -> int:
    match plan:
        case Scan(size_in_bytes=size):
            return size
        case LocalData(table=table):
            return int(table.nbytes)
        case _:
            return sum(map(size_of, plan.inputs))


def operator(plan: Relation) -> str:
    """Where rows come from is called as Spark calls it; what is done with them is DuckDB's SQL, further below."""
    columns = ", ".join(field.name for field in plan.fields)
    match plan:
        case Scan(sql=sql) if sql.startswith('"kept '):
            return f"InMemoryTableScan [{columns}]"
        case Scan(sql=sql) if sql.startswith('"checkpoint '):
            return f"Scan ExistingRDD [{columns}]"
        case Scan():
            return f"FileScan [{columns}]"
        case LocalData():
            return f"LocalTableScan [{columns}]"
        case _:
            return described(plan)
