"""HTML of a notebook's outputs: rows, the engine that computed them, progress, errors. Everything is escaped."""

from collections.abc import Sequence
from html import escape

import pyarrow as pa
from pyspark.sql import types as t

from twinspark.cli.shell.session import Decision
from twinspark.doors.thrift.value_text import HIVE, text_of

BADGE = "display:inline-block;padding:1px 8px;border-radius:9px;font-size:85%;color:#fff;background:{0}"
COLOURS = {"duckdb": "#1b7f4b", "spark": "#b4510b"}
NUMBER = ' style="text-align:right"'


def badge(decision: Decision, seconds: float, rows: str) -> str:
    """The engine with its reason as a tooltip and, if it is Spark, as text."""
    if not decision.engine:
        return f"<div>{escape(rows)} in {seconds:.3f} s</div>"
    style = BADGE.format(COLOURS.get(decision.engine, "#555"))
    reason = f"[{decision.code}] {decision.reason}"
    shown = f" {escape(reason)}" if decision.engine == "spark" else ""
    engine = f'<span style="{style}" title="{escape(reason)}">{escape(decision.engine)}</span>'
    return f'<div class="twinspark-badge">{engine} {escape(rows)} in {seconds:.3f} s{shown}</div>'


def table(rows: pa.Table, schema: t.StructType) -> str:
    """All rows of the table, as texts that Spark would print."""
    head = "".join(f"<th>{escape(name)}</th>" for name in schema.names)
    columns = [column_texts(rows.column(at), field.dataType) for at, field in enumerate(schema.fields)]
    marks = [NUMBER if isinstance(field.dataType, t.NumericType) else "" for field in schema.fields]
    lines = [row_html(cells, marks) for cells in zip(*columns, strict=True)]
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def column_texts(column: pa.ChunkedArray, kind: t.DataType) -> list[str]:
    texts = [text for chunk in column.chunks for text in text_of(chunk, kind, HIVE).to_pylist()]
    return ["<em>null</em>" if text is None else escape(text) for text in texts]


def row_html(cells: Sequence[str], marks: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td{mark}>{cell}</td>' for cell, mark in zip(cells, marks, strict=True))}</tr>"


def progress(done: float, tasks: int) -> str:
    return f'<progress value="{done:.2f}" max="1"></progress> {done:.0%} of {tasks} tasks'


def error(message: str) -> str:
    return f'<pre style="color:#b00020;white-space:pre-wrap">{escape(message)}</pre>'
