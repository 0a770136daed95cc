"""Writes generators: explode and its kin as UNNEST in a SELECT, which keeps rows and elements in order."""

from __future__ import annotations

from twinspark.duck.expressions import Writer
from twinspark.duck.select import Select
from twinspark.errors import NotNative
from twinspark.plan.expressions import Call
from twinspark.plan.relations import Generate
from twinspark.types import ArrayType, MapType


def generator_sql(relation: Generate, select: Select, writer: Writer, alias: str) -> Select:
    """`select` is a plain subquery; the generated columns come after its own."""
    call = relation.generator
    assert isinstance(call, Call)
    if call.name.removesuffix("_outer") not in ("explode", "posexplode"):
        raise NotNative(f"function {call.name}")
    items, position = exploded(call, writer.write(call.arguments[0]), relation.outer)
    own = [f"{column} AS c{i}" for i, column in enumerate(select.columns)]
    parts = ", ".join([*own, f"{items} AS item", f"{position} AS position"])
    generated = f"(SELECT {parts} FROM {select.source}) AS {alias}"
    before = tuple(f"{alias}.c{i}" for i in range(len(select.columns)))
    return Select(generated, (*before, *generated_columns(call, alias)))


def exploded(call: Call, sql: str, outer: bool) -> tuple[str, str]:
    """UNNEST of the values, and of their positions; the outer form has one null for no elements."""
    type = call.arguments[0].type
    assert isinstance(type, ArrayType | MapType)
    values = f"map_entries({sql})" if isinstance(type, MapType) else sql
    positions = f"range(len({values}))"
    if not outer:
        return f"unnest({values})", f"unnest({positions})"
    filled = f"coalesce(len({values}), 0) > 0"
    return (
        f"unnest(CASE WHEN {filled} THEN {values} ELSE [NULL] END)",
        f"unnest(CASE WHEN {filled} THEN {positions} ELSE [NULL] END)",
    )


def generated_columns(call: Call, alias: str) -> tuple[str, ...]:
    is_map = isinstance(call.arguments[0].type, MapType)
    items = (f"{alias}.item.key", f"{alias}.item.value") if is_map else (f"{alias}.item",)
    return (f"CAST({alias}.position AS INTEGER)", *items) if call.name.startswith("pos") else items
