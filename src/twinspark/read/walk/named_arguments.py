"""Named arguments of built-in functions (`mask(str => x)`): puts them into their positions."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.errors import NotNative, reasons
from twinspark.read.sql import parse_expression, tree

# Parameters in order, those with a default last: (name, SQL of the default). Other functions have no named arguments.
SKETCH = (("lgNomEntries", "12"), ("mode", "'sum'"))
PAIR = (("first", ""), ("second", ""), *SKETCH)
PARAMETERS: dict[str, tuple[tuple[str, str], ...]] = {
    "mask": (("str", ""), ("upperChar", "'X'"), ("lowerChar", "'x'"), ("digitChar", "'n'"), ("otherChar", "NULL")),
    "count_min_sketch": (("column", ""), ("epsilon", ""), ("confidence", ""), ("seed", "")),
    **dict.fromkeys(("explode", "explode_outer", "posexplode", "posexplode_outer"), (("collection", ""),)),
    **dict.fromkeys(("inline", "inline_outer", "variant_explode", "variant_explode_outer"), (("input", ""),)),
    **{f"tuple_sketch_agg_{kind}": (("key", ""), ("summary", ""), *SKETCH) for kind in ("double", "integer")},
    **{f"tuple_union_agg_{kind}": (("child", ""), *SKETCH) for kind in ("double", "integer")},
    **{f"tuple_union{with_theta}_{kind}": PAIR for with_theta in ("", "_theta") for kind in ("double", "integer")},
}


def by_position(name: str, arguments: Sequence[tree.Expression]) -> tuple[tree.Expression, ...]:
    """The arguments in order of the parameters, with defaults for missing ones; invalid ones fall back to Spark."""
    if not any(isinstance(argument, tree.NamedArgument) for argument in arguments):
        return tuple(arguments)
    parameters = PARAMETERS.get(name, ())
    by_place = [argument for argument in arguments if not isinstance(argument, tree.NamedArgument)]
    by_name = {a.name.lower(): a.value for a in arguments if isinstance(a, tree.NamedArgument)}
    is_clear = len(by_place) + len(by_name) == len(arguments) and not any(
        isinstance(argument, tree.NamedArgument) for argument in arguments[: len(by_place)]
    )
    made = tuple(by_place)
    for parameter, default in parameters[len(by_place) :]:
        given = by_name.pop(parameter.lower(), None)
        if given is None and not default:
            raise NotNative(reasons.FUNCTION_NAMED_ARGUMENTS, name)
        made = (*made, parse_expression(default) if given is None else given)
    if by_name or not is_clear or len(made) != len(parameters):
        raise NotNative(reasons.FUNCTION_NAMED_ARGUMENTS, name)
    return made
