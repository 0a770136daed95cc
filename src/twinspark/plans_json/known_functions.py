"""Lists the functions that a JSON plan may call: their names, synonyms, and numbers of arguments.

`functions.json` is recorded from a running Spark (tests/plans_json/record.py functions): name -> [fewest, most].
"""

import inspect
import json
import re
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

import pyspark.sql.functions

# Synonyms that programs write for functions of Spark.
ALIASES = {
    "approxcountdistinct": "approx_count_distinct",
    "array_slice": "slice",
    "astype": "cast",
    "bitwisenot": "bitwise_not",
    "collectlist": "collect_list",
    "collectset": "collect_set",
    "column": "col",
    "countdistinct": "count_distinct",
    "createmap": "create_map",
    "eqnullsafe": "equal_null",
    "getfield": "getitem",
    "get_field": "getitem",
    "get_item": "getitem",
    "keys": "map_keys",
    "negate": "negative",
    "shift_left": "shiftleft",
    "shift_right": "shiftright",
    "shift_right_unsigned": "shiftrightunsigned",
    "struct_": "struct",
    "sumdistinct": "sum_distinct",
    "timestampadd": "timestamp_add",
    "timestampdiff": "timestamp_diff",
    "to_degrees": "degrees",
    "to_radians": "radians",
    "todegrees": "degrees",
    "toradians": "radians",
    "withfield": "with_field",
    "dropfields": "drop_fields",
}

# PySpark's own functions and Column methods, which Spark's function registry does not list: [fewest, most] arguments.
BESIDES: dict[str, tuple[int, int | None]] = {
    "alias": (2, None),
    "array_sum": (1, 1),
    "asc": (1, 1),
    "asc_nulls_first": (1, 1),
    "asc_nulls_last": (1, 1),
    "bitwise_not": (1, 1),
    "bucket": (2, 2),
    "call_function": (1, None),
    "call_udf": (1, None),
    "cast": (2, 2),
    "col": (1, 1),
    "count_distinct": (1, None),
    "create_map": (0, None),
    "days": (1, 1),
    "desc": (1, 1),
    "desc_nulls_first": (1, 1),
    "desc_nulls_last": (1, 1),
    "drop_fields": (2, None),
    "expr": (1, 1),
    "getitem": (2, 2),
    "hours": (1, 1),
    "isin": (1, None),
    "listagg_distinct": (1, 2),
    "lit": (1, 1),
    "minutes": (1, 1),
    "months": (1, 1),
    "product": (1, 1),
    "string_agg_distinct": (1, 2),
    "sum_distinct": (1, 1),
    "timestamp_add": (3, 3),
    "timestamp_diff": (3, 3),
    "try_cast": (2, 2),
    "unwrap_udt": (1, 1),
    "with_field": (3, 3),
    "years": (1, 1),
}


@cache
def arities() -> dict[str, tuple[int, int | None]]:
    recorded = json.loads(files("twinspark.plans_json").joinpath("functions.json").read_text())
    return {name: (fewest, most) for name, (fewest, most) in recorded.items()} | BESIDES


@cache
def function_name(written: str) -> str | None:
    """Spark's name of a function that a plan names in any case or in camelCase; None if there is no such function."""
    for name in (written.lower(), snake_case(written)):
        name = ALIASES.get(name, name)
        if name in arities():
            return name
    return None


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def near_names(name: str, known: list[str]) -> str:
    by_lower = {other.lower(): other for other in known}
    found = [by_lower[near] for near in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)]
    return f"; did you mean {', '.join(found)}?" if found else ""


def unknown_function(name: str) -> str:
    return f"unknown function {name!r}{near_names(name, sorted(arities()))}"


def arity_problem(name: str, count: int) -> str | None:
    """The error message for a wrong number of arguments, or None."""
    fewest, most = arities()[name]
    if count >= fewest and (most is None or count <= most):
        return None
    exact = str(fewest) if fewest == most else f"{fewest} to {most}"
    wanted = exact if most is not None else f"at least {fewest}"
    return f"{name} takes {wanted} argument{'' if wanted == '1' else 's'}, not {count}"


@cache
def literal_positions(name: str) -> frozenset[int]:
    """Positions of arguments for which PySpark's function takes a plain string: there a bare string is a literal."""
    function = getattr(pyspark.sql.functions, name, None)
    if not inspect.isfunction(function):
        return frozenset()
    positions: set[int] = set()
    for position, parameter in enumerate(inspect.signature(function).parameters.values()):
        if takes_strings(str(parameter.annotation)):
            every = parameter.kind is inspect.Parameter.VAR_POSITIONAL
            positions |= set(range(position, 64)) if every else {position}
    return frozenset(positions)


def takes_strings(annotation: str) -> bool:
    return "ColumnOrName" not in annotation and re.search(r"\bstr\b", annotation) is not None
