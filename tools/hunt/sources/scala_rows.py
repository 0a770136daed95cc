"""`Seq((1, "a"), …).toDF("x", "y")` of Scala programs as SQL: `SELECT * FROM VALUES …`."""

import re

from tools.hunt.sources.scala_text import closing, split_arguments, unescape

NUMBER = re.compile(r"-?\d+(\.\d+)?([eE]-?\d+)?")
PLAIN = {"null": "NULL", "None": "NULL", "true": "true", "false": "false"}
DATED = {"Date": "DATE", "Timestamp": "TIMESTAMP", "LocalDate": "DATE"}
TEMPORAL = re.compile(r'(?:java\.(?:sql|time)\.)?(Date|Timestamp|LocalDate)\.(?:valueOf|parse)\("([^"]*)"\)')
WRAPPED = re.compile(r"(?s)(Some|Option|Tuple1|Seq|Array|List|Map|BigDecimal|Row)?\s*\((.*)\)")


class NotRegular(Exception):
    """A value that this transcription does not know."""


def rows_sql(inner: str, names: list[str]) -> str:
    """The rows between the brackets of `Seq(…)`, as a query."""
    rows = [row_sql(row, len(names)) for row in split_arguments(inner)]
    if not rows or not names:
        raise NotRegular(inner)
    columns = ", ".join(f"`{name}`" for name in names)
    return f"SELECT * FROM VALUES {', '.join(rows)} AS rows({columns})"


def row_sql(row: str, width: int) -> str:
    values = split_arrow(row) if "->" in row and not row.startswith("(") else None
    if values is None:
        found = WRAPPED.fullmatch(row)
        is_tuple = found is not None and found[1] in (None, "Tuple1") and closing(row, row.index("(")) == len(row) - 1
        values = split_arguments(found[2]) if found and is_tuple else [row]
    if len(values) != width:
        raise NotRegular(row)
    return f"({', '.join(map(value_sql, values))})"


def split_arrow(text: str) -> list[str]:
    parts = re.split(r"\s*->\s*", text)
    if len(parts) != 2:
        raise NotRegular(text)
    return parts


def value_sql(text: str) -> str:
    text = text.strip()
    if text in PLAIN:
        return PLAIN[text]
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return string_sql(unescape(text.strip('"')))
    if found := TEMPORAL.fullmatch(text):
        return f"{DATED[found[1]]} '{found[2]}'"
    return number_sql(text) if NUMBER.match(text) else nested_sql(text)


def string_sql(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return f"'{quoted}'"


def number_sql(text: str) -> str:
    number, kind = text.rstrip("lLdDfF"), text[-1].upper()
    if not NUMBER.fullmatch(number):
        raise NotRegular(text)
    if kind in "LDF":
        return number + kind
    return number + "D" if "." in number or "e" in number.lower() else number


def nested_sql(text: str) -> str:
    found = WRAPPED.fullmatch(text)
    if not found or found[1] in (None, "Row", "Tuple1"):
        raise NotRegular(text)
    values = split_arguments(found[2])
    if found[1] in ("Some", "Option"):
        return value_sql(found[2])
    if found[1] == "BigDecimal":
        return f"CAST({found[2].replace(chr(34), chr(39))} AS DECIMAL(38,18))"
    if found[1] == "Map":
        return f"map({', '.join(value_sql(one) for value in values for one in split_arrow(value))})"
    return f"array({', '.join(map(value_sql, values))})"
