"""The SQL of rows that a sort by one key meets in turns of its own: see native/sort_turns.c for which."""

from __future__ import annotations

from twinspark.duck.expressions import Writer
from twinspark.duck.select import Select
from twinspark.duck.statement import Statement
from twinspark.plan.relations import Turned

MOST_TASKS = 1_048_573  # numbers of tasks that are told apart, those of unions too, which are far from each other


def turned_rows(relation: Turned, select: Select, writer: Writer, statement: Statement) -> str:
    """The name of a query of the statement, whose columns are those of `select`, the last one made anew."""
    arrived, width = arrivals(relation, select, writer, statement), len(select.columns)
    turns = f"(SELECT {turns_of(relation, f'c{width - 2}')} FROM {arrived})[arrival]"
    kept = ", ".join(f"c{i}" for i in range(width - 1))
    return kept_query(statement, f"SELECT {kept}, {turns} AS c{width - 1} FROM {arrived}")


def turns_of(relation: Turned, task: str) -> str:
    if not relation.first:
        return "spark_sort_turns(list(is_null ORDER BY arrival))"
    tasks = f"list(CAST({task} % {MOST_TASKS} AS INTEGER) ORDER BY arrival)"
    return f"spark_first_turns({tasks}, list(part ORDER BY arrival), {relation.first})"


def arrivals(relation: Turned, select: Select, writer: Writer, statement: Statement) -> str:
    """Rows numbered as they come to the sort: task by task, of each task part by part."""
    columns = ", ".join(f"{column} AS c{i}" for i, column in enumerate(select.columns))
    is_null = f"CAST({writer.write(relation.keys[0].child)} IS NULL AS INTEGER) AS is_null"
    part = "0" if relation.part is None else writer.write(relation.part)
    if relation.ranges or relation.first:
        part = f"CAST(dense_rank() OVER ({writer.order(relation.keys).strip()}) AS INTEGER)"
    rows = kept_query(statement, f"SELECT {columns}, {is_null}, {part} AS part FROM {select.source}")
    if relation.ranges:
        parts = f"(SELECT spark_range_parts(list(part ORDER BY part), {relation.ranges}) FROM {rows})[part]"
        rows = kept_query(statement, f"SELECT * REPLACE ({parts} AS part) FROM {rows}")
    task, place = (f"c{len(select.columns) - i}" for i in (2, 1))
    order = (task, place) if relation.first else (task, "part", place)
    number = f"row_number() OVER (ORDER BY {', '.join(order)}) AS arrival"
    return kept_query(statement, f"SELECT *, {number} FROM {rows}")


def kept_query(statement: Statement, text: str) -> str:
    """Made once, though it is read twice: numbers of rows have to be the same."""
    name = f"turned_{len(statement.queries)}"
    statement.queries.append(f"{name} AS MATERIALIZED ({text})")
    return name
