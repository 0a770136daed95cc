"""Reads expressions of JSON plans, in every form that programs write."""

import math
from collections.abc import Callable
from typing import Any

from twinspark.plans_json.literals import literal_problem
from twinspark.plans_json.read.values import MISSING, Notes, first_of, show_value
from twinspark.plans_json.tree import Alias, Expression, Lambda, Literal, Name, Over, WindowFrame

COLUMN = ("col", "column")
FUNCTION = ("fn", "function")
OPERATOR = ("op", "operator")
WINDOW = ("window", "over")
EXPECTED = 'an expression: a column name, a value, or an object with "col", "lit", "op", "fn" or "udf"'
UNBOUNDED = -(2**63)
BOUNDS = {"unboundedpreceding": UNBOUNDED, "unboundedfollowing": -UNBOUNDED - 1, "currentrow": 0}


# Readers of calls and sort keys register here: expressions contain them, and they contain expressions.
READERS: dict[str, Callable[[dict[str, Any], str, Notes], Any]] = {}


def read_expression(written: object, path: str, notes: Notes) -> Expression:
    if isinstance(written, str):
        return Name(written)
    if isinstance(written, dict):
        return read_decorated(written, path, notes)
    if isinstance(written, bool | int | float) or written is None:
        return read_value(written, path, notes)
    return notes.wrong(path, f"expected {EXPECTED}, not {show_value(written)}")


def read_expressions(written: object, path: str, notes: Notes) -> tuple[Expression, ...]:
    listed = notes.items(written, path, "expressions")
    return tuple(read_expression(item, f"{path}[{at}]", notes) for at, item in enumerate(listed))


def read_decorated(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """An expression with the window and the alias that the same JSON object may contain."""
    found = read_plain(written, path, notes)
    window = first_of(written, WINDOW)
    if window is not MISSING:
        found = read_window(found, window, f"{path}.window", notes)
    if "alias" in written:
        found = read_alias(found, written["alias"], f"{path}.alias", notes)
    return found


def read_plain(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    if "expr" in written:
        inner = read_expression(written["expr"], f"{path}.expr", notes)
        return read_alias(inner, written["name"], f"{path}.name", notes) if "name" in written else inner
    if "lit" in written:
        return read_literal(written, written["lit"], f"{path}.lit", notes)
    if "lambda" in written:
        return read_lambda(written, path, notes)
    if any(key in written for key in (*FUNCTION, *OPERATOR, "udf")):
        return READERS["call"](written, path, notes)
    return read_reference(written, path, notes)


def read_reference(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """`{"col": n}`, `{"column": n}`, `{"var": n}`, `{"name": n}`, `{"type": "column", …}`, `{"type": "literal", …}`."""
    if written.get("type") in ("literal", "lit") and "value" in written:
        return read_value(written["value"], f"{path}.value", notes)
    name = first_of(written, (*COLUMN, "var", "name"))
    if name is MISSING:
        return notes.wrong(path, f"expected {EXPECTED}; found the keys {sorted(written)}")
    side = written.get("side")
    if side not in (None, "left", "right"):
        notes.wrong(f"{path}.side", f"expected 'left' or 'right', not {show_value(side)}")
    return Name(notes.text(name, path, "a column name"), side)


def read_literal(written: dict[str, Any], value: object, path: str, notes: Notes) -> Expression:
    declared = first_of(written, ("type", "dataType"))
    if declared in (MISSING, "literal", "lit"):
        return read_value(value, path, notes)
    type = notes.type(declared, path.removesuffix(".lit") + ".type")
    problem = literal_problem(value, type)
    return notes.wrong(path, problem) if problem else Literal(value, type)


def read_value(value: object, path: str, notes: Notes) -> Expression:
    """A JSON value for PySpark's `lit`: integers are int or bigint by size, a list is an array."""
    if isinstance(value, list):
        parts = [read_value(part, f"{path}[{at}]", notes) for at, part in enumerate(value)]
        return Literal([part.value for part in parts if isinstance(part, Literal)])
    if isinstance(value, bool | str | float) or value is None:
        return Literal(value)
    if isinstance(value, int):
        fits = -(2**63) <= value < 2**63
        return Literal(value) if fits else notes.wrong(path, f"{value} does not fit a bigint")
    return notes.wrong(path, f"expected a value (number, string, true, false, null or a list), not {show_value(value)}")


def read_lambda(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """`{"lambda": ["x"], "body": e}`; inside the body, the parameters are referred to like columns."""
    listed = notes.items(written["lambda"], f"{path}.lambda", "parameter names")
    names = tuple(notes.text(name, f"{path}.lambda", "a parameter name") for name in listed)
    if not 1 <= len(names) <= 3:
        notes.wrong(f"{path}.lambda", f"a lambda takes 1 to 3 parameters, not {len(names)}")
    return Lambda(names, read_expression(written.get("body"), f"{path}.body", notes))


def read_alias(input: Expression, names: object, path: str, notes: Notes) -> Expression:
    """One name, or one for each column of a generator."""
    listed = names if isinstance(names, list) else [names]
    return Alias(input, tuple(notes.text(name, path, "an output name") for name in listed))


def read_window(function: Expression, written: object, path: str, notes: Notes) -> Expression:
    if not isinstance(written, dict):
        return notes.wrong(path, f'expected {{"partition_by": […], "order_by": […]}}, not {show_value(written)}')
    partition = as_list(first_of(written, ("partition_by", "partitionBy"), []))
    return Over(
        function,
        read_expressions(partition, f"{path}.partition_by", notes),
        READERS["order"](
            {"columns": as_list(first_of(written, ("order_by", "orderBy"), []))}, f"{path}.order_by", notes
        ),
        read_frame(written, path, notes),
    )


def as_list(value: object) -> object:
    if value is None:
        return []
    return [value] if isinstance(value, str | dict) else value


def read_frame(written: dict[str, Any], path: str, notes: Notes) -> WindowFrame | None:
    for kind in ("rows", "range"):
        bounds = first_of(written, (f"{kind}_between", f"{kind}Between"))
        if bounds is not MISSING:
            pair = notes.items(bounds, f"{path}.{kind}_between", "two bounds")
            written = {"frame": {"type": kind, **dict(zip(("start", "end"), pair, strict=False))}}
    frame = written.get("frame")
    if frame is None:
        return None
    path = f"{path}.frame"
    kind = str(frame.get("type", "")).lower() if isinstance(frame, dict) else ""
    if kind not in ("rows", "row", "range"):
        notes.wrong(path, f'expected {{"type": "rows" or "range", "start": …, "end": …}}, not {show_value(frame)}')
        return None
    start = read_bound(frame.get("start"), UNBOUNDED, f"{path}.start", notes)
    return WindowFrame(kind != "range", start, read_bound(frame.get("end"), 0, f"{path}.end", notes))


def read_bound(written: object, otherwise: int, path: str, notes: Notes) -> int:
    """Rows before (negative) or after; also by name, `unboundedPreceding`, `UNBOUNDED FOLLOWING`, `current_row`."""
    if written is None:
        return otherwise
    if isinstance(written, str):
        word = written.lower().replace("_", "").replace(" ", "")
        if word == "unbounded":
            return UNBOUNDED if path.endswith(".start") else -UNBOUNDED - 1
        if word in BOUNDS:
            return BOUNDS[word]
    elif isinstance(written, int) and not isinstance(written, bool) and math.isfinite(written):
        return written
    names = "'unboundedPreceding', 'unboundedFollowing' or 'currentRow'"
    notes.wrong(path, f"expected a number of rows, {names}, not {show_value(written)}")
    return otherwise
