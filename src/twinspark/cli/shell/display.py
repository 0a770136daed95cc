"""Prints results as a table, CSV or JSON lines, or writes them to a Parquet file; a column at a time."""

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from pyspark.sql import types as t

from twinspark.cli.shell.session import Answer
from twinspark.doors.thrift.results import backend_schema
from twinspark.doors.thrift.value_text import HIVE, JSON, text_of

Align = Callable[[str, int], str]
NULL = "NULL"
SHOWN_ROWS = 1000
MOST_WIDTH = 60  # of a column in a table; longer values are cut
CONTROL = [("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")]


def columns_of(batch: pa.RecordBatch, schema: t.StructType, style: str) -> list[pa.Array]:
    return [text_of(column, field.dataType, style) for column, field in zip(batch.columns, schema.fields, strict=True)]


# ---- tables


def table_lines(answer: Answer, most: int = SHOWN_ROWS) -> Iterator[str]:
    """The first rows, with a line that says so if there are more."""
    batches, is_cut = first_rows(answer.batches, most)
    texts = [columns_of(batch, answer.schema, HIVE) for batch in batches]
    columns = [cell_texts([part[at] for part in texts]) for at in range(len(answer.schema.fields))]
    names = [one_line(name) for name in answer.schema.names]
    widths = [max(map(len, [name, *cells])) for name, cells in zip(names, columns, strict=True)]
    aligned = [alignment(field.dataType) for field in answer.schema.fields]
    yield join_cells(names, widths, [align_left] * len(names))
    yield "-+-".join("-" * width for width in widths)
    yield from (join_cells(cells, widths, aligned) for cells in zip(*columns, strict=True))
    if is_cut:
        yield f"… more rows: only the first {most} are shown (.rows N, or .mode csv)"


def first_rows(batches: Iterator[pa.RecordBatch], most: int) -> tuple[list[pa.RecordBatch], bool]:
    found, left = [], most
    for batch in batches:
        found.append(batch.slice(0, left))
        if batch.num_rows > left:
            return found, True
        left -= batch.num_rows
    return found, False


def cell_texts(parts: list[pa.Array]) -> list[str]:
    whole = pc.fill_null(pa.chunked_array(parts, pa.string()), NULL)
    for raw, shown in CONTROL:
        whole = pc.replace_substring(whole, raw, shown)
    return [text if len(text) <= MOST_WIDTH else text[: MOST_WIDTH - 1] + "…" for text in whole.to_pylist()]


def one_line(text: str) -> str:
    return " ".join(text.split())


def alignment(kind: t.DataType) -> Align:
    return align_right if isinstance(kind, t.NumericType) else align_left


def align_left(text: str, width: int) -> str:
    return text.ljust(width)


def align_right(text: str, width: int) -> str:
    return text.rjust(width)


def join_cells(cells: Iterable[str], widths: list[int], aligns: Iterable[Align]) -> str:
    return " | ".join(align(cell, width) for cell, width, align in zip(cells, widths, aligns, strict=True)).rstrip()


# ---- files and pipes


def csv_lines(answer: Answer) -> Iterator[str]:
    """With a header; null is an empty field."""
    yield csv_text([answer.schema.names])
    for batch in answer.batches:
        texts = columns_of(batch, answer.schema, HIVE)
        yield csv_text(zip(*(column.to_pylist() for column in texts), strict=True))


def csv_text(rows: object) -> str:
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n", quoting=csv.QUOTE_MINIMAL).writerows(rows)  # type: ignore[arg-type]
    return sink.getvalue().removesuffix("\n")


def json_lines(answer: Answer) -> Iterator[str]:
    """One object for each row."""
    for batch in answer.batches:
        fields = [pa.field(name, column.type) for name, column in zip(answer.schema.names, batch.columns, strict=True)]
        rows = pa.StructArray.from_arrays(batch.columns, fields=fields)
        yield from text_of(rows, answer.schema, JSON).to_pylist()


def write_parquet(answer: Answer, path: str) -> int:
    """The number of rows written."""
    count = 0
    first = next(answer.batches, None)
    schema = first.schema if first is not None else backend_schema(answer.schema)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for batch in chain([] if first is None else [first], answer.batches):
            writer.write_batch(batch)
            count += batch.num_rows
    return count


LINES: dict[str, Callable[[Answer], Iterator[str]]] = {"table": table_lines, "csv": csv_lines, "json": json_lines}
FORMATS = (*LINES, "parquet")


def print_lines(lines: Iterator[str], out: TextIO | None = None) -> None:
    target = out or sys.stdout
    for line in lines:
        if line:
            target.write(line + "\n")
    target.flush()
