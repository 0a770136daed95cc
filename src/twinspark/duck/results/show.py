"""Formats the first rows of a result as text, as Dataset.showString does."""

from __future__ import annotations

import re
from html.entities import codepoint2name

import pyarrow as pa

from twinspark.plan.relations import ShowString

ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b", "\v": "\\v", "\a": "\\a"}
# Full-width characters: the blocks of Spark's Utils.fullWidthRegex.
WIDE = re.compile("[ᄀ-ᅟ⺀-꓏가-힣豈-\ufaff︐-︙︰-\ufe6f\uff00-｠￠-￦]")
MINIMUM_WIDTH = 3


def show_string(reader: pa.RecordBatchReader, plan: ShowString) -> pa.RecordBatchReader:
    """One row with the text; reads one row more than shown to know whether there are more."""
    cells = read_cells(reader, plan)
    text = draw_html(plan, cells) if plan.html else draw(plan, cells)
    schema = pa.schema([pa.field(plan.fields[0].name, pa.utf8(), nullable=False)])
    batch = pa.RecordBatch.from_arrays([pa.array([text], pa.utf8())], schema=schema)
    return pa.RecordBatchReader.from_batches(schema, [batch])


def read_cells(reader: pa.RecordBatchReader, plan: ShowString) -> list[list[str]]:
    table = reader.read_all()
    columns = [column.to_pylist() for column in table.columns]
    return [[shorten(escape(c[i]), plan.truncate) for c in columns] for i in range(table.num_rows)]


def escape(text: str) -> str:
    return "".join(ESCAPES.get(c, c) for c in text)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def shorten(text: str, truncate: int) -> str:
    if truncate <= 0 or utf16_length(text) <= truncate:
        return text
    return cut(text, truncate) if truncate < 4 else cut(text, truncate - 3) + "..."


def cut(text: str, length: int) -> str:
    return text.encode("utf-16-le")[: 2 * length].decode("utf-16-le", "replace")


def width(text: str) -> int:
    return utf16_length(text) + len(WIDE.findall(text))


def pad(text: str, size: int, right: bool = False) -> str:
    space = " " * (size - width(text))
    return text + space if right else space + text


def draw(plan: ShowString, cells: list[list[str]]) -> str:
    names = [escape(name) for name in plan.names]
    shown = cells[: plan.rows]
    text = draw_records(names, shown) if plan.vertical else draw_table(names, shown, plan.truncate > 0)
    if plan.vertical and not shown:
        return text + "(0 rows)"
    if len(cells) > plan.rows:
        return text + f"only showing top {plan.rows} {'row' if plan.rows == 1 else 'rows'}"
    return text


def draw_table(names: list[str], rows: list[list[str]], right: bool) -> str:
    widths = [max([MINIMUM_WIDTH, *(width(row[i]) for row in [names, *rows])]) for i in range(len(names))]
    line = "+" + "+".join("-" * w for w in widths) + "+\n"
    drawn_rows = [
        "|" + "|".join(pad(cell, w, not right) for cell, w in zip(row, widths, strict=True)) + "|\n"
        for row in [names, *rows]
    ]
    return line + drawn_rows[0] + line + "".join(drawn_rows[1:]) + line


def draw_records(names: list[str], rows: list[list[str]]) -> str:
    name_width = max([MINIMUM_WIDTH, *map(width, names)])
    data_width = max([MINIMUM_WIDTH, *(width(cell) for row in rows for cell in row)])
    out = []
    for number, row in enumerate(rows):
        out.append(f"-RECORD {number}".ljust(name_width + data_width + 5, "-") + "\n")
        out += [
            f" {pad(name, name_width, True)} | {pad(cell, data_width, True)} \n"
            for name, cell in zip(names, row, strict=True)
        ]
    return "".join(out)


def entities(text: str) -> str:
    """Escapes all named HTML 4 entities (commons-text's escapeHtml4)."""
    return "".join(f"&{codepoint2name[ord(c)]};" if ord(c) in codepoint2name else c for c in text)


def draw_html(plan: ShowString, cells: list[list[str]]) -> str:
    def line(row: list[str], tag: str) -> str:
        shown = f"</{tag}><{tag}>".join(entities(c) for c in row)
        return f"<tr><{tag}>{shown}</{tag}></tr>\n"

    rows = "".join(line(row, "td") for row in cells[: plan.rows])
    text = f"<table border='1'>\n{line([escape(n) for n in plan.names], 'th')}{rows}</table>\n"
    if len(cells) > plan.rows:
        text += f"only showing top {plan.rows} {'row' if plan.rows == 1 else 'rows'}\n"
    return text
