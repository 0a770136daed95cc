"""Assigns rows to files: each of Spark's tasks writes one file, and later reads start with the largest."""

from __future__ import annotations

from twinspark.compile.query import CompiledQuery
from twinspark.plan.relations import Project, Range, Relation, Repartition
from twinspark.tables.files.write import FileRows
from twinspark.types.duckdb import duck_name

TASK = "twinspark_task"


def named_rows(query: CompiledQuery) -> FileRows:
    """Rows under the schema's column names instead of c0, c1, ..."""
    query.bind()
    columns = ", ".join(map(duck_name, [*query.plan.schema.names, *([TASK] if query.has_tasks else [])]))
    parts = TASK if query.has_tasks else parts_of(query.plan)
    return FileRows(f"SELECT * FROM ({query.text}) AS rows({columns})", parts)


def parts_of(plan: Relation) -> str:
    """Explicit partitions of the query become files: a range in slices, or rows distributed round-robin."""
    while isinstance(plan, Project):
        plan = plan.input
    number = "row_number() OVER () - 1"
    match plan:
        case Range(partitions=count) if count > 1:
            rows = max(len(range(plan.start, plan.end, plan.step)), 1)
            return f"((({number}) + 1) * {count} + {rows} - 1) // {rows} - 1"
        case Repartition(how="rounds", count=count) if count > 1:
            return f"({number}) % {count}"
        case _:
            return ""
