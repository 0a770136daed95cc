"""DEFAULT COLLATION of a view: string literals and casts in its query get that collation (ApplyDefaultCollation)."""

from __future__ import annotations

from twinspark.errors import NotNative, reasons
from twinspark.functions.strings.collations import collated_type
from twinspark.types import DataType, StringType, has_collation, has_inner


def with_default_collation(type: DataType, collation: str) -> DataType:
    """The type of a cast; strings with a collation of their own keep it."""
    if not collation or not has_inner(type, StringType):
        return type
    if has_collation(type) and not isinstance(type, StringType):
        raise NotNative(reasons.COLLATION_CONFLICT, "a cast to strings of several collations")
    return type if has_collation(type) else collated_type(type, collation)
