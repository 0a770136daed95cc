"""Reads sort keys: the elements of orderBy and of a window's order_by."""

import re
from typing import Any

from twinspark.plans_json.read import expression as expressions
from twinspark.plans_json.read.values import MISSING, Notes, first_of, show_value
from twinspark.plans_json.tree import Expression, Name, Order

WRITTEN = re.compile(r"\s*(?P<name>.*?)(?:\s+(?P<way>asc|desc))?(?:\s+nulls\s+(?P<nulls>first|last))?\s*", re.I | re.S)
DESCENDING_WORDS = ("desc", "descending")
ASCENDING_WORDS = ("asc", "ascending")


def read_order(payload: dict[str, Any], path: str, notes: Notes) -> tuple[Order, ...]:
    """`columns` with the lists `ascending`, `nulls_first` and `nulls_last` beside them (or one value for all)."""
    columns = notes.items(payload.get("columns"), f"{path}.columns", "sort keys")
    beside = {
        key: read_flags(payload, key, len(columns), path, notes) for key in ("ascending", "nulls_first", "nulls_last")
    }
    keys = [read_key(key, f"{path}.columns[{at}]", notes) for at, key in enumerate(columns)]
    return tuple(override_key(key, {name: flags[at] for name, flags in beside.items()}) for at, key in enumerate(keys))


def read_flags(payload: dict[str, Any], key: str, count: int, path: str, notes: Notes) -> list[bool | None]:
    camel = re.sub("_(.)", lambda found: found[1].upper(), key)
    written = first_of(payload, (key, camel), None)
    if written is None:
        return [None] * count
    if not isinstance(written, list):
        return [notes.flag(bool(written) if written in (0, 1) else written, f"{path}.{key}")] * count
    if len(written) != count:
        notes.wrong(f"{path}.{key}", f"expected {count} values, one for each sort key, not {len(written)}")
    flags = [
        None if flag is None else notes.flag(bool(flag) if flag in (0, 1) else flag, f"{path}.{key}[{at}]")
        for at, flag in enumerate(written)
    ]
    return (flags + [None] * count)[:count]


def override_key(key: Order, flags: dict[str, bool | None]) -> Order:
    ascending = key.ascending if flags["ascending"] is None else flags["ascending"]
    nulls_first = key.nulls_first
    if flags["nulls_first"] is not None:
        nulls_first = flags["nulls_first"]
    elif flags["nulls_last"] is not None:
        nulls_first = not flags["nulls_last"]
    return Order(key.input, ascending, nulls_first)


def read_key(written: object, path: str, notes: Notes) -> Order:
    """`"c"`, `"c DESC"`, `"c ASC NULLS LAST"`, `{"col": c, "ascending": false}`, or an expression."""
    if isinstance(written, str):
        return read_key_text(written)
    if not isinstance(written, dict):
        return Order(notes.wrong(path, f"expected a sort key, not {show_value(written)}"))
    input: Expression = expressions.read_expression(written, path, notes)
    if isinstance(input, Order):
        return input
    return Order(input, not read_descending(written, path, notes), read_nulls(written, path, notes))


def read_key_text(written: str) -> Order:
    found = WRITTEN.fullmatch(written)
    assert found is not None  # every group of the pattern may be empty
    nulls = found["nulls"]
    return Order(
        Name(found["name"]), (found["way"] or "").lower() != "desc", None if nulls is None else nulls.lower() == "first"
    )


def read_descending(written: dict[str, Any], path: str, notes: Notes) -> bool:
    for key in ASCENDING_WORDS:
        if key in written:
            return not notes.flag(written[key], f"{path}.{key}")
    for key in DESCENDING_WORDS:
        if key in written:
            return notes.flag(written[key], f"{path}.{key}")
    way = first_of(written, ("direction", "order"))
    if way is MISSING:
        return False
    if str(way).lower() not in DESCENDING_WORDS + ASCENDING_WORDS:
        notes.wrong(path, f"expected 'asc' or 'desc', not {show_value(way)}")
    return str(way).lower() in DESCENDING_WORDS


def read_nulls(written: dict[str, Any], path: str, notes: Notes) -> bool | None:
    for key, first in (("nulls_first", True), ("nullsFirst", True), ("nulls_last", False), ("nullsLast", False)):
        if written.get(key) is not None:
            return notes.flag(written[key], f"{path}.{key}") is first
    nulls = written.get("nulls")
    return None if nulls is None else str(nulls).lower() == "first"


expressions.READERS["order"] = read_order
