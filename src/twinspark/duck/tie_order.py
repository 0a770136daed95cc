"""Writes the SQL that computes the order in which Spark's sort returns ties (native/order/tie_order.c)."""

from __future__ import annotations

from twinspark.duck.expressions import Writer, direction
from twinspark.duck.select import Select
from twinspark.duck.statement import Statement
from twinspark.plan.relations import TieOrder

MOST_TASKS = 1_048_573  # task numbers are distinguished modulo this prime; those of unions are far apart


def tie_ordered_rows(relation: TieOrder, select: Select, writer: Writer, statement: Statement) -> str:
    """The name of a CTE with the columns of `select`, the last of which is the tie order."""
    arrived, width = arrivals(relation, select, writer, statement), len(select.columns)
    if relation.in_tasks:
        return tie_order_by_task(arrived, width, statement)
    turns = f"(SELECT {tie_positions(relation, f'c{width - 2}')} FROM {arrived})[arrival]"
    kept = ", ".join(f"c{i}" for i in range(width - 1))
    return materialized_query(statement, f"SELECT {kept}, {turns} AS c{width - 1} FROM {arrived}")


def tie_order_by_task(arrived: str, width: int, statement: Statement) -> str:
    """The same with a separate tie order in each task; the rows are numbered over all tasks."""
    task, kept = f"c{width - 2}", ", ".join(f"c{i}" for i in range(width - 1))
    turns = "spark_sort_turns(list(is_null ORDER BY arrival)) AS turns, min(arrival) AS first"
    each = materialized_query(statement, f"SELECT {task} AS task, {turns} FROM {arrived} GROUP BY {task}")
    turn = f"turns[arrival - first + 1] AS c{width - 1}"
    return materialized_query(statement, f"SELECT {kept}, {turn} FROM {arrived} JOIN {each} ON {task} = task")


def tie_positions(relation: TieOrder, task: str) -> str:
    if not relation.first:
        return "spark_sort_turns(list(is_null ORDER BY arrival))"
    tasks = f"list(CAST({task} % {MOST_TASKS} AS INTEGER) ORDER BY arrival)"
    return f"spark_first_turns({tasks}, list(part ORDER BY arrival), {relation.first})"


def arrivals(relation: TieOrder, select: Select, writer: Writer, statement: Statement) -> str:
    """A CTE of the rows numbered in the order in which they reach the sort: by task, then by shuffle partition."""
    rows = materialized_query(statement, rows_with_parts(relation, select, writer))
    if relation.ranges:
        parts = f"(SELECT spark_range_parts(list(part ORDER BY part), {relation.ranges}) FROM {rows})[part]"
        rows = materialized_query(statement, f"SELECT * REPLACE ({parts} AS part) FROM {rows}")
    task, place = (f"c{len(select.columns) - i}" for i in (2, 1))
    order = (task, place) if relation.first else (task, "part", place)
    number = f"row_number() OVER (ORDER BY {', '.join(order)}) AS arrival"
    return materialized_query(statement, f"SELECT *, {number} FROM {rows}")


def rows_with_parts(relation: TieOrder, select: Select, writer: Writer) -> str:
    """The rows with `is_null` of the first key and the shuffle partition, or the rank among all rows."""
    columns = ", ".join(f"{column} AS c{i}" for i, column in enumerate(select.columns))
    is_null = f"CAST({writer.write(relation.keys[0].child)} IS NULL AS INTEGER) AS is_null"
    rows = f"SELECT {columns}, {is_null}"
    if relation.ranges or relation.first:
        return rank_rows(relation, rows, select.source, writer)
    part = "0" if relation.partition is None else writer.write(relation.partition)
    return f"{rows}, {part} AS part FROM {select.source}"


def rank_rows(relation: TieOrder, rows: str, source: str, writer: Writer) -> str:
    """The sort keys are computed below the window: DuckDB rejects functions that may raise an error inside OVER."""
    names = [f"key_{i}" for i in range(len(relation.keys))]
    keys = ", ".join(f"{writer.sort_value(key)} AS {name}" for name, key in zip(names, relation.keys, strict=True))
    order = ", ".join(f"{name} {direction(key)}" for name, key in zip(names, relation.keys, strict=True))
    rank = f"CAST(dense_rank() OVER (ORDER BY {order}) AS INTEGER) AS part"
    return f"SELECT * EXCLUDE ({', '.join(names)}), {rank} FROM ({rows}, {keys} FROM {source})"


def materialized_query(statement: Statement, text: str) -> str:
    """Adds a materialized CTE: it is read twice, and its row numbers must be the same."""
    name = f"turned_{len(statement.queries)}"
    statement.queries.append(f"{name} AS MATERIALIZED ({text})")
    return name
