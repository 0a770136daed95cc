"""EXPLAIN and DataFrame.explain for DuckDB plans: Spark's headings over the typed plan and DuckDB's SQL."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql.connect.proto import relations_pb2
from pyspark.sql.types import StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.results import answer
from twinspark.compile.describe import describe, draw, sql_of
from twinspark.compile.query import CompiledQuery
from twinspark.errors import NotNative, reasons
from twinspark.plan.relations import LocalData, Relation, Scan
from twinspark.read.sql import tree
from twinspark.sessions.engine_choice import NATIVE, is_spark_available
from twinspark.sessions.services import Services

PLAN = StructType([StructField("plan", StringType(), True)])
# Which sections a mode prints; the physical plan is always the last.
LOGICAL = {
    "EXTENDED": ("Parsed Logical Plan", "Analyzed Logical Plan", "Optimized Logical Plan"),
    "COST": ("Optimized Logical Plan",),
}


def explain_statement(statement: Any, source: str, context: Context, services: Services) -> Any:
    """If a Spark is available, Spark explains its own plan."""
    if services.engine_wanted != "duckdb" and is_spark_available(services.settings):
        raise NotNative(reasons.SQL_STATEMENT, "EXPLAIN, which shows Spark's plan")
    inner = statement.statement
    if not isinstance(inner, tree.Query):
        text = f"== Physical Plan ==\nExecute {type(inner).__name__}\n\n"
        return lambda: answer(PLAN, [(text,)])
    message = relations_pb2.Relation()
    message.sql.query = source[inner.start : inner.stop]
    query = CompiledQuery.read(message, context, services.native.cursor())
    return lambda: answer(PLAN, [(explain_text(query, statement.mode) + "\n",)])


def explain_text(query: CompiledQuery, mode: str = "") -> str:
    sections = [(name, "\n".join(plan_lines(query.plan, name, mode))) for name in LOGICAL.get(mode, ())]
    operators = "\n".join(draw(query.plan, operator))
    sections.append(("Physical Plan", f"{operators}\n\nDuckDB: {NATIVE}\n{sql_of(query.compiled)}"))
    return "\n\n".join(f"== {name} ==\n{text}" for name, text in sections) + "\n"


def plan_lines(plan: Relation, section: str, mode: str) -> Iterator[str]:
    """The analyzed plan starts with its columns, as in Spark; costs are the sizes of the files read."""
    if section == "Analyzed Logical Plan":
        yield ", ".join(f"{field.name}: {field.type.simpleString()}" for field in plan.fields)
    yield from draw(plan, describe_cost if mode == "COST" else describe)


def describe_cost(plan: Relation) -> str:
    """The size of the files read; of local rows their size in memory."""
    return f"{describe(plan)}, Statistics(sizeInBytes={size_of(plan)} B)"


def size_of(plan: Relation) -> int:
    match plan:
        case Scan(size_in_bytes=size):
            return size
        case LocalData(table=table):
            return int(table.nbytes)
        case _:
            return sum(map(size_of, plan.inputs))


def operator(plan: Relation) -> str:
    """Scans have Spark's operator names; other operators are in DuckDB's SQL, which follows."""
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
            return describe(plan)
