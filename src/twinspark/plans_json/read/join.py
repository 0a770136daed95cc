"""Reads joins, and the second input of joins and unions."""

from typing import Any

from twinspark.plans_json.read.expression import read_expression
from twinspark.plans_json.read.values import MISSING, Notes, first_of, show_value
from twinspark.plans_json.tree import Expression, Join, Name, Operator, Other, Step
from twinspark.plans_json.types import schema_of
from twinspark.types.text import TypeTextError

HOW = {
    "inner": ("inner",),
    "left": ("left", "leftouter", "left_outer"),
    "right": ("right", "rightouter", "right_outer"),
    "full": ("full", "outer", "full_outer", "fullouter"),
    "left_semi": ("left_semi", "leftsemi", "semi"),
    "left_anti": ("left_anti", "leftanti", "anti"),
    "cross": ("cross",),
}
KINDS = {spelling: kind for kind, spellings in HOW.items() for spelling in spellings}


def read_other(payload: Any, path: str, notes: Notes) -> Other:
    keyed = payload if isinstance(payload, dict) else {}
    data = first_of(keyed, ("other_data", "otherData"))
    if not isinstance(data, list | str):
        notes.wrong(f"{path}.other_data", f"expected a list of rows (or a path), not {show_value(data)}")
    schema = first_of(keyed, ("other_schema", "otherSchema"), None)
    if schema is None and not isinstance(data, str):
        notes.wrong(f"{path}.other_schema", 'expected a list of {"name": …, "type": …}, not nothing')
    try:
        return Other(data, None if schema is None else schema_of(schema))
    except TypeTextError as error:
        notes.wrong(f"{path}.other_schema", str(error))
        return Other([], None)


def read_join(payload: Any, path: str, notes: Notes) -> Step | None:
    if not isinstance(payload, dict):
        notes.wrong(path, f'expected {{"other_data", "other_schema", "on", "how"}}, not {show_value(payload)}')
        return None
    how = KINDS.get(str(first_of(payload, ("how", "type", "join_type", "joinType"), "inner")).lower())
    if how is None:
        notes.wrong(f"{path}.how", f"expected one of {', '.join(KINDS)}, not {show_value(payload.get('how'))}")
    using, condition = read_on(payload.get("on", MISSING), f"{path}.on", notes)
    if how != "cross" and not using and condition is None:
        notes.wrong(f"{path}.on", "expected the join's columns or a condition")
    return Join(read_other(payload, path, notes), using, condition, how or "inner")


def read_on(written: object, path: str, notes: Notes) -> tuple[tuple[str, ...], Expression | None]:
    """Names are USING columns; anything else is a condition, and a list of conditions is their conjunction."""
    if written is MISSING or written is None:
        return (), None
    items = written if isinstance(written, list) else [written]
    read = [with_sides(read_expression(item, f"{path}[{at}]", notes)) for at, item in enumerate(items)]
    names = tuple(part.name for part in read if isinstance(part, Name))
    if len(names) == len(read):
        return names, None
    if names:
        notes.wrong(path, "expected names only, or conditions only")
    return (), read[0] if len(read) == 1 else Operator("and", tuple(read))


def with_sides(condition: Expression) -> Expression:
    """In `id = id` the left operand is the column of the left input, the right operand that of the right input."""
    if not isinstance(condition, Operator):
        return condition
    match condition.args:
        case (Name(left, None), Name(right, None)) if left.lower() == right.lower():
            return Operator(condition.name, (Name(left, "left"), Name(right, "right")))
    return Operator(condition.name, tuple(map(with_sides, condition.args)))
