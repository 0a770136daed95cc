"""Reads aggregates: the items of `aggs` in groupBy, rollup, cube and agg."""

from typing import Any

from twinspark.plans_json.read.call import read_function
from twinspark.plans_json.read.expression import read_alias, read_expression, read_expressions
from twinspark.plans_json.read.values import MISSING, Notes, first_of, show_value
from twinspark.plans_json.tree import Cast, Expression, SessionCall

AGGREGATES = ("aggs", "aggregations", "agg")
AGGREGATE = ("agg", "func")
TAKES_IGNORE_NULLS = ("first", "last", "any_value", "first_value", "last_value")


def read_aggregates(payload: dict[str, Any], path: str, notes: Notes, needed: bool) -> tuple[Expression, ...]:
    written = first_of(payload, AGGREGATES)
    if written is MISSING and not needed:
        return ()
    listed = notes.items(written, f"{path}.aggs", "aggregates")
    if needed and not listed:
        notes.wrong(f"{path}.aggs", "expected at least one aggregate")
    return tuple(read_aggregate(item, f"{path}.aggs[{at}]", notes) for at, item in enumerate(listed))


def read_aggregate(written: object, path: str, notes: Notes) -> Expression:
    """`{"agg": name, "column": …, "alias": …, "cast": …}`, `{"expr": e}`, or a bare expression."""
    if not isinstance(written, dict):
        return notes.wrong(path, f'expected {{"agg": name, "column": …}}, not {show_value(written)}')
    name = first_of(written, AGGREGATE)
    if name is MISSING:
        return read_expression(written, path, notes)
    return finish_aggregate(
        read_named(notes.text(name, f"{path}.agg", "an aggregate's name"), written, path, notes), written, path, notes
    )


def read_named(name: str, written: dict[str, Any], path: str, notes: Notes) -> Expression:
    if name == "python_grouped_udf":
        return read_grouped_udf(written, path, notes)
    args = read_inputs(written)
    if written.get("ignorenulls", written.get("ignoreNulls")) is True:
        if name not in TAKES_IGNORE_NULLS:
            return notes.wrong(path, f"ignorenulls goes with {', '.join(TAKES_IGNORE_NULLS)}, not with {name}")
        args = [*args, True]
    return read_function(name, {"args": args, **{k: v for k, v in written.items() if k == "distinct"}}, path, notes)


def read_inputs(written: dict[str, Any]) -> list[Any]:
    """`column` (or `columns`) comes first, then further arguments; count of nothing or of `*` counts rows."""
    column = first_of(written, ("column", "col", "columns"), None)
    columns = column if isinstance(column, list) else [] if column in (None, "", "*") else [column]
    further = written.get("args", [])
    return [*columns, *(further if isinstance(further, list) else [further])]


def read_grouped_udf(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """A UDF that is registered in the session as a grouped aggregate; `return_type` is the type the plan declares."""
    name = notes.text(written.get("udf", MISSING), f"{path}.udf", "the name of a registered UDF")
    call = SessionCall(name, read_expressions(written.get("args", []), f"{path}.args", notes))
    if "return_type" not in written:
        return call
    return Cast(call, notes.type(written["return_type"], f"{path}.return_type"))


def finish_aggregate(found: Expression, written: dict[str, Any], path: str, notes: Notes) -> Expression:
    declared = first_of(written, ("cast", "cast_type"), None)
    if declared is not None:
        found = Cast(found, notes.type(declared, f"{path}.cast"))
    alias = first_of(written, ("alias", "name"), None)
    return found if alias is None else read_alias(found, alias, f"{path}.alias", notes)
