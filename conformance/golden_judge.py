"""Judges a statement's answer or error against the golden one.

match     schema and rows (or, for an expected error, condition, SQLSTATE, parameters and context) are equal
cond      the expected condition came; parameters, state or context differ
float     rows equal but for the last digits of floating point numbers
order     rows equal as a bag, but not in the golden order of a query with a top-level ORDER BY
schema    rows equal, schema string differs
ddl       a statement that answers nothing in Spark ran, but answered something
rows      rows differ             error    unexpected error      noerror  an error was expected, none came
wrongerr  another error came      timeout                        client   the Python client cannot hold the result
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from golden_files import normalize, ordered

NUMBER = re.compile(r"-?\d+\.\d+(?:E-?\d+)?")
PLACE = re.compile(r"\{warehouse_dir\}/[^\s\",\]]*")
Verdict = tuple[str, str]  # the word, and a note


@dataclass(frozen=True)
class ExpectedError:
    """A golden answer that is an exception: its class, its text, and its details where they are JSON."""

    name: str
    text: str
    details: dict[str, Any] | None

    @property
    def condition(self) -> str | None:
        return (self.details or {}).get("errorClass")


def expected_error(schema: str, output: str) -> ExpectedError | None:
    """None when rows are expected."""
    first, _, rest = output.partition("\n")
    if schema != "struct<>" or not re.match(r"(org|java|scala)\.[\w.$]+(Exception|Error)$", first):
        return None
    try:
        return ExpectedError(first, rest, json.loads(rest))
    except ValueError:
        return ExpectedError(first, rest, None)


def judge_error(want: ExpectedError, error: Any) -> Verdict:
    """Condition first, then everything that Spark says beside it."""
    condition = error.getCondition()
    if want.condition is None:
        same = want.text.strip() and want.text.strip() in str(error)
        note = f"want {want.name} {want.text[:200]} got {condition} {str(error)[:300]}"
        return ("match", "") if same else ("wrongerr", note)
    if condition != want.condition:
        return "wrongerr", f"want {want.condition} got {condition}: {str(error)[:300]}"
    got = error_details(error)
    for key, value in got.items():
        wanted = (want.details or {}).get(key, type(value)())
        if value != wanted:
            return "cond", f"{key}: want {wanted} got {value}"[:600]
    return "match", ""


def error_details(error: Any) -> dict[str, Any]:
    """As the golden files spell them; their positions count from 1."""
    contexts = [
        {
            "objectType": context.objectType(),
            "objectName": context.objectName(),
            "startIndex": context.startIndex() + 1,
            "stopIndex": context.stopIndex() + 1,
            "fragment": context.fragment(),
        }
        for context in error.getQueryContext() or []
    ]
    parameters = {key: re.sub(r"#\d+", "#x", value) for key, value in (error.getMessageParameters() or {}).items()}
    return {"sqlState": error.getSqlState(), "messageParameters": parameters, "queryContext": contexts}


def close(ours: str, golden: str) -> bool:
    """Equal but for the last digits of numbers with a point."""
    mine, theirs = NUMBER.findall(ours), NUMBER.findall(golden)
    if len(mine) != len(theirs) or NUMBER.sub("#", ours) != NUMBER.sub("#", golden):
        return False
    return all(near(float(a), float(b)) for a, b in zip(mine, theirs, strict=True))


def near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-6)


def plain(schema: str) -> str:
    """The Python client does not print the default collation."""
    return schema.replace(" collate UTF8_BINARY", "")


def without_places(text: str) -> str:
    """Where a managed table's files lie is each catalog's own affair."""
    return PLACE.sub("{warehouse_dir}", text)


def judge_rows(sql: str, want_schema: str, want: str, schema: str, rows: list[str]) -> Verdict:
    """Rows, their order where the statement sorts, then the schema."""
    want, rows = without_places(want), [without_places(row) for row in rows]
    got, in_order = normalize("\n".join(rows)), normalize("\n".join(sorted(rows)))
    same_bag = sorted(got.split("\n")) == sorted(want.split("\n"))
    if got != want and not same_bag and in_order != want:
        return judge_other_rows(want_schema, want, got, in_order)
    if got != want and ordered(sql):
        return ("order", "") if same_bag else judge_other_rows(want_schema, want, got, in_order)
    if schema != plain(want_schema):
        return "schema", f"want {want_schema[:300]} got {schema[:300]}"
    return "match", ""


def judge_other_rows(want_schema: str, want: str, got: str, in_order: str) -> Verdict:
    """How badly rows differ."""
    note = f"want {want[:300]!r} got {got[:300]!r}"
    if want_schema == "struct<>" and not want:
        return "ddl", note
    return ("float" if close(got, want) or close(in_order, want) else "rows"), note
