"""Writes generators: explode and its kin as lateral UNNEST."""

from __future__ import annotations

from dataclasses import replace

from twinspark.duck.expressions import Writer
from twinspark.duck.select import Select
from twinspark.errors import NotNative
from twinspark.plan.expressions import Call
from twinspark.plan.relations import Generate
from twinspark.types import ArrayType, MapType


def generator_sql(relation: Generate, select: Select, writer: Writer, alias: str) -> Select:
    call = relation.generator
    assert isinstance(call, Call)
    if call.name.removesuffix("_outer") not in ("explode", "posexplode"):
        raise NotNative(f"function {call.name}")
    rows, columns = exploded(call, writer.write(call.arguments[0]), alias)
    join = "LEFT JOIN" if relation.outer else "INNER JOIN"
    source = f"{select.source} {join} LATERAL (SELECT {rows}) AS {alias} ON true"
    return replace(select, source=source, columns=(*select.columns, *columns), is_plain=False)


def exploded(call: Call, sql: str, alias: str) -> tuple[str, tuple[str, ...]]:
    """The lateral SELECT's list, and the generated columns over it; rows stay in the array's order."""
    type = call.arguments[0].type
    values = f"map_entries({sql})" if isinstance(type, MapType) else sql
    assert isinstance(type, ArrayType | MapType)
    rows = f"unnest({values}) AS item, generate_subscripts({values}, 1) AS position"
    items = (f"{alias}.item.key", f"{alias}.item.value") if isinstance(type, MapType) else (f"{alias}.item",)
    if call.name.startswith("pos"):
        return rows, (f"CAST({alias}.position - 1 AS INTEGER)", *items)
    return rows, items
