"""Detects analysis errors whose message shows arguments that Spark has rewritten before it checks their types."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.errors import SparkError
from twinspark.plan.expressions import Call, Expression
from twinspark.plan.rewrite import walk
from twinspark.types import ByteType, IntegerType, ShortType


def differs_in_spark(name: str, error: SparkError, arguments: Sequence[Expression]) -> bool:
    return shows_aliases(error, arguments) or (name == "div" and has_small_numbers(arguments))


def shows_aliases(error: SparkError, arguments: Sequence[Expression]) -> bool:
    """Spark removes aliases inside expressions (CleanupAliases)."""
    return " AS " in error.parameters.get("sqlExpr", "") and any(
        isinstance(node, Call) and node.name == "struct" and " AS " in node.text
        for argument in arguments
        for node in walk(argument)
    )


def has_small_numbers(arguments: Sequence[Expression]) -> bool:
    """`div` casts small integers to bigint (IntegralDivision)."""
    return any(isinstance(argument.type, ByteType | ShortType | IntegerType) for argument in arguments)
