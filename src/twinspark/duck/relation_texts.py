"""Helpers for writing relations as SQL: JOIN and GROUP BY clauses, and tests of their expressions."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression, Subquery, WindowCall
from twinspark.plan.relations import Aggregate
from twinspark.plan.rewrite import walk
from twinspark.types import ArrayType, DataType, DoubleType, FloatType, MapType, StructType, has_variant, nested_types
from twinspark.types.duckdb import duck_type

KEYWORDS = {
    "inner": "INNER JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "SEMI JOIN",
    "anti": "ANTI JOIN",
    "cross": "CROSS JOIN",
}


def join_text(kind: str, left: str, right: str, condition: str, lateral: bool) -> str:
    right = f"({right})" if " JOIN " in right and not right.startswith("(") else right
    right = f"LATERAL {right}" if lateral else right
    if not condition and kind in ("inner", "cross"):
        return f"{left} CROSS JOIN {right}"
    keyword = KEYWORDS["inner" if kind == "cross" else kind]
    return f"{left} {keyword} {right} ON {condition or 'true'}"


def grouping_text(keys: Sequence[str], sets: tuple[tuple[int, ...], ...] | None) -> str:
    if sets is None:
        return ", ".join(keys)
    shown = ", ".join("(" + ", ".join(keys[i] for i in one) + ")" for one in sets)
    return f"GROUPING SETS ({shown})"


def groups_of_rows(relation: Aggregate) -> tuple[str, ...]:
    """Without rows Spark returns no group, not even the grand total of grouping sets: it expands rows, then groups."""
    total = relation.grouping and relation.grouping_sets is not None and () in relation.grouping_sets
    return ("count(*) > 0",) if total else ()


def is_used(index: int, sets: tuple[tuple[int, ...], ...] | None) -> bool:
    return sets is None or any(index in one for one in sets)


def null_of(expression: Expression) -> str:
    return f"CAST(NULL AS {duck_type(expression.type)})"


def check_plain_doubles(type: DataType, what: str) -> None:
    """Inside nested values DuckDB distinguishes 0.0 and -0.0, which are equal in Spark."""
    if has_variant(type):
        raise NotNative(reasons.TYPE_NOT_COMPARABLE, f"grouping by {what} variants")
    if has_nested_doubles(type):
        raise NotNative(reasons.NESTED_FLOATS, f"{what} them")


def has_nested_doubles(type: DataType) -> bool:
    nested = isinstance(type, ArrayType | StructType | MapType)
    return nested and any(isinstance(part, FloatType | DoubleType) for part in nested_types(type))


def normal_zero(sql: str, type: object) -> str:
    return f"CAST({sql} + 0 AS {duck_type(type)})" if isinstance(type, FloatType | DoubleType) else sql


def has_window(expression: Expression) -> bool:
    return any(isinstance(node, WindowCall) for node in walk(expression))


def has_subquery(expression: Expression) -> bool:
    return any(isinstance(node, Subquery) for node in walk(expression))


def is_volatile(expression: Expression) -> bool:
    return any(not getattr(node, "signature", STABLE).deterministic for node in walk(expression))


class _Stable:
    deterministic = True


STABLE = _Stable()
