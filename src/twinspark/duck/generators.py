"""Writes generators such as explode as UNNEST in a SELECT, which keeps the order of rows and elements."""

from __future__ import annotations

from twinspark.duck.expressions import Writer
from twinspark.duck.select import Select, column_names
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.value_memory import room_unfolded
from twinspark.plan.expressions import Call, Expression, Literal
from twinspark.plan.relations import Generate
from twinspark.types import MapType, StructType
from twinspark.types.duckdb import duck_name, duck_type

NULL_CELL_BYTES = 64  # of a cell without a value, in the list and in the rows made of it


def generator_sql(relation: Generate, select: Select, writer: Writer, alias: str) -> Select:
    """`select` is a plain subquery; the generated columns come after its own."""
    call = relation.generator
    assert isinstance(call, Call)
    items, position = generated_value(call, writer, relation.outer)
    own = [f"{column} AS c{i}" for i, column in enumerate(select.columns)]
    places = [f"{position} AS position"] if call.name.startswith("pos") else []
    parts = ", ".join([*own, f"{items} AS item", *places])
    source = f" FROM {select.source}" if select.source else ""
    before = column_names(alias, len(select.columns))
    return Select(f"(SELECT {parts}{source}) AS {alias}", (*before, *generated_columns(call, alias)))


def generated_value(call: Call, writer: Writer, outer: bool) -> tuple[str, str]:
    """SQL of the generated value and of its position; json_tuple generates one row."""
    if call.name.removesuffix("_outer") == "json_tuple":
        json, *names = map(writer.write, call.arguments)
        return f"spark_json_tuple_{len(names)}({json}, [{', '.join(names)}])", "0"
    return unnest(values_of(call, writer), outer and not has_elements(call.arguments[0]))


def has_elements(values: Expression) -> bool:
    """Whether it is an array constructor with elements, which is neither null nor empty."""
    return isinstance(values, Call) and values.name == "array" and bool(values.arguments)


def values_of(call: Call, writer: Writer) -> str:
    """The list that a generator unnests."""
    name = call.name.removesuffix("_outer")
    if name == "stack":
        return stack_rows(call, writer)
    if name == "variant_explode":
        return variant_members(writer.write(call.arguments[0]))
    if name not in ("explode", "posexplode", "inline"):
        raise NotNative(reasons.FUNCTION_SPARK_ONLY, call.name)
    values = writer.write(call.arguments[0])
    return f"map_entries({values})" if isinstance(call.arguments[0].type, MapType) else values


def variant_members(variant: str) -> str:
    """The members of a variant with their positions and keys."""
    parts = f"struct_pack(members := spark_variant_members({variant}), keys := spark_variant_keys({variant}))"
    member = "struct_pack(pos := i_, key := p_.keys[i_ + 1], value := p_.members[i_ + 1])"
    return f"list_transform([{parts}], lambda p_: list_transform(range(len(p_.members)), lambda i_: {member}))[1]"


def stack_rows(call: Call, writer: Writer) -> str:
    assert isinstance(call.type, StructType)
    width = len(call.type.fields)
    types = [duck_type(f.dataType) for f in call.type.fields]
    cells = [writer.write(value) for value in call.arguments[1:]]
    cells += ["NULL"] * (-len(cells) % width)
    rows = [cells[i : i + width] for i in range(0, len(cells), width)]
    shown = (", ".join(f"f{i} := CAST({c} AS {types[i]})" for i, c in enumerate(row)) for row in rows)
    given = "[" + ", ".join(f"struct_pack({row})" for row in shown) + "]"
    return given if stack_count(call) <= len(rows) else with_null_rows(given, stack_count(call), width)


def with_null_rows(rows: str, count: int, width: int) -> str:
    """The count may be any number, so rows without values are not written out."""
    return f"list_resize({rows}, {room_unfolded(str(count), str(NULL_CELL_BYTES * width * count))})"


def stack_count(call: Call) -> int:
    count = call.arguments[0]
    assert isinstance(count, Literal)
    return int(count.value)


def unnest(values: str, outer: bool) -> tuple[str, str]:
    """UNNEST of the values, and of their positions; the outer form has one null for no elements."""
    positions = f"range(len({values}))"
    if not outer:
        return f"unnest({values})", f"unnest({positions})"
    filled = f"len({values}) > 0"  # not true for a null
    return (
        f"unnest(CASE WHEN {filled} THEN {values} ELSE [NULL] END)",
        f"unnest(CASE WHEN {filled} THEN {positions} ELSE [NULL] END)",
    )


def generated_columns(call: Call, alias: str) -> tuple[str, ...]:
    name = call.name.removesuffix("_outer")
    if name == "stack":
        assert isinstance(call.type, StructType)
        return tuple(f"{alias}.item.f{i}" for i in range(len(call.type.fields)))
    if name == "inline":
        assert isinstance(call.type, StructType)
        return tuple(f"{alias}.item.{duck_name(f.name)}" for f in call.type.fields)
    if name == "variant_explode":
        return f"CAST({alias}.item.pos AS INTEGER)", f"{alias}.item.key", f"{alias}.item.value"
    if name == "json_tuple":
        return tuple(f"struct_extract_at({alias}.item, {i})" for i in range(1, len(call.arguments)))
    is_map = isinstance(call.arguments[0].type, MapType)
    items = (f"{alias}.item.key", f"{alias}.item.value") if is_map else (f"{alias}.item",)
    return (f"CAST({alias}.position AS INTEGER)", *items) if name == "posexplode" else items
