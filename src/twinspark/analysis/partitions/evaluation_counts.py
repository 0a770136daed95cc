"""Finds the calls that Spark does not evaluate exactly once for each row: the next number of a random sequence, and the
next id, depend on how often the call was evaluated before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twinspark.plan.expressions import Call, Case, Expression, Lambda, children_of

# Of these Spark evaluates the first argument always, the others depending on it.
FIRST_ONLY = frozenset({"if", "iff", "coalesce", "nvl", "ifnull", "nvl2", "and", "or", "in"})
# These evaluate all their arguments, nulls or not.
ALL = frozenset(
    ["array", "struct", "named_struct", "map", "concat", "concat_ws", "greatest", "least", "hash", "xxhash64"]
)
# The divisor is evaluated first (DivModLike.eval).
LAST_FIRST = frozenset({"/", "%", "mod", "div", "pmod", "try_divide", "try_mod"})


def calls_skipped_or_repeated(expression: Expression, is_one_row: bool = False) -> list[Expression]:
    """The nodes that some rows do not evaluate, or evaluate several times. Of a single row (`is_one_row`) it does not
    matter whether it evaluates a node, only whether it does so several times: inside lambda functions."""
    return list(irregular_nodes(expression, True, is_one_row))


def irregular_nodes(node: Expression, once: bool, is_one_row: bool) -> Iterator[Expression]:
    if not once:
        yield node
    regular = children_of(node) if is_one_row and not isinstance(node, Lambda) else regular_children(node)
    for child in children_of(node):
        is_regular = any(child is each for each in regular)
        yield from irregular_nodes(child, once and is_regular, is_one_row)


def regular_children(node: Expression) -> Sequence[Expression]:
    if isinstance(node, Lambda):
        return ()
    if isinstance(node, Case):
        return (node.branches[0][0],)
    if not isinstance(node, Call):
        return tuple(children_of(node))
    if node.name == "nullif":  # its first argument stands twice in what Spark replaces it with
        return ()
    if node.name in FIRST_ONLY:
        return node.arguments[:1]
    if node.name in ALL:
        return node.arguments
    return until_null(node.arguments[::-1] if node.name in LAST_FIRST else node.arguments)


def until_null(arguments: Sequence[Expression]) -> Sequence[Expression]:
    """A call evaluates no argument after one that is null (BinaryExpression.eval, nullSafeCodeGen)."""
    first_nullable = next((place for place, each in enumerate(arguments) if each.nullable), len(arguments))
    return arguments[: first_nullable + 1]
