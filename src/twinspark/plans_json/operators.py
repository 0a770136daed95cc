"""The operators of expression trees: their spellings, and the Column operation of each."""

from collections.abc import Callable
from functools import reduce
from typing import Any

BINARY: dict[str, tuple[str, ...]] = {
    "eq": ("==", "=", "equalTo"),
    "ne": ("!=", "<>", "notEqual", "neq"),
    "gt": (">",),
    "ge": (">=", "gte", "geq"),
    "lt": ("<",),
    "le": ("<=", "lte", "leq"),
    "eq_null_safe": ("<=>", "eqNullSafe"),
    "and": ("&", "&&"),
    "or": ("|", "||"),
    "add": ("+", "plus"),
    "sub": ("-", "minus", "subtract"),
    "mul": ("*", "multiply"),
    "div": ("/", "divide"),
    "mod": ("%", "remainder"),
    "pow": ("**", "power"),
    "startswith": ("startsWith", "starts_with"),
    "endswith": ("endsWith", "ends_with"),
    "contains": (),
    "like": (),
    "ilike": (),
    "rlike": (),
    "getItem": ("getitem", "get_item", "getField", "get_field"),
    "bitwise_and": ("bitwiseAND",),
    "bitwise_or": ("bitwiseOR",),
    "bitwise_xor": ("bitwiseXOR", "^"),
}
UNARY: dict[str, tuple[str, ...]] = {
    "not": ("!", "~"),
    "bitwise_not": ("bitwiseNOT",),
    "is_null": ("isnull", "isNull"),
    "is_not_null": ("isnotnull", "isNotNull"),
    "negative": ("neg", "negate", "unary_minus"),
}
SPELLINGS = {spelling: name for name, others in {**BINARY, **UNARY}.items() for spelling in (name, *others)} | {
    "between": "between",
    "isin": "isin",
    "in": "isin",
}


def join_operands(join: Callable[[Any, Any], Any], parts: tuple[Any, ...]) -> Any:
    """Combines a few operands from left to right, like PySpark's operators, and many as a balanced tree."""
    if len(parts) <= 16:
        return reduce(join, parts)
    middle = len(parts) // 2
    return join(join_operands(join, parts[:middle]), join_operands(join, parts[middle:]))


COLUMN_OPERATIONS: dict[str, Callable[..., Any]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "eq_null_safe": lambda left, right: left.eqNullSafe(right),
    "and": lambda *all: join_operands(lambda left, right: left & right, all),
    "or": lambda *any: join_operands(lambda left, right: left | right, any),
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
    "div": lambda left, right: left / right,
    "mod": lambda left, right: left % right,
    "pow": lambda left, right: left**right,
    "startswith": lambda left, right: left.startswith(right),
    "endswith": lambda left, right: left.endswith(right),
    "contains": lambda left, right: left.contains(right),
    "bitwise_and": lambda left, right: left.bitwiseAND(right),
    "bitwise_or": lambda left, right: left.bitwiseOR(right),
    "bitwise_xor": lambda left, right: left.bitwiseXOR(right),
    "not": lambda input: ~input,
    "is_null": lambda input: input.isNull(),
    "is_not_null": lambda input: input.isNotNull(),
    "negative": lambda input: -input,
    "between": lambda input, lower, upper: input.between(lower, upper),
    "isin": lambda input, *values: input.isin(*values),
}
