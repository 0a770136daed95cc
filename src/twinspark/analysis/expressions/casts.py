"""Builds casts: explicit ones, and those that type coercion adds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from twinspark.analysis.plan_limits import check_type_levels
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import can_cast, can_legacy_cast, can_try_cast
from twinspark.functions.casts.common_types import can_up_cast, force_nullable
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.plan.expressions import Call, Cast, Expression, Literal, OuterColumn, children_of
from twinspark.types import (
    NESTED,
    ArrayType,
    BinaryType,
    DataType,
    DateType,
    DecimalType,
    MapType,
    StructType,
    TimestampNTZType,
    TimestampType,
    UserType,
    VariantType,
    has_geospatial,
    has_time,
    has_user_type,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    plain_type,
    same_spelling,
    same_type,
    sql_name,
    stored_type,
)


def cast(
    child: Expression, target: DataType, settings: Settings, mode: str | None = None, *, shown: bool = True
) -> Expression:
    """An explicit cast; `mode` defaults to the session's; a cast to CHAR(n) is one to STRING."""
    if isinstance(target, NESTED):
        check_type_levels(target)
    target = plain_type(target)
    mode = mode or ("ansi" if settings.ansi else "legacy")
    hidden = not shown or isinstance(target, ArrayType | MapType | StructType)  # Cast.sql does not show these
    text = child.text if hidden else f"{'TRY_CAST' if mode == 'try' else 'CAST'}({child.text} AS {sql_name(target)})"
    check_time(target, settings)
    if has_geospatial(child.type) or has_geospatial(target):
        raise NotNative(reasons.GEOMETRY, "a cast from or to a geometry")
    if has_user_type(child.type) or has_user_type(target):
        return cast_user_type(child, target, text, settings, mode)
    if (isinstance(child.type, VariantType) and has_time(target)) or (
        isinstance(target, VariantType) and has_time(child.type)
    ):
        raise NotNative(reasons.CAST, "between TIME and VARIANT")
    if not can_cast(child.type, target, mode):
        raise cast_mismatch(child, target, text, mode)
    check_special(child, target)
    return Cast(
        child=child,
        type=target,
        nullable=cast_nullable(child, target, mode),
        text=text,
        mode=mode,
        settings=settings,
    )


def cast_user_type(child: Expression, target: DataType, text: str, settings: Settings, mode: str) -> Expression:
    """Casts of user-defined types that have a JVM class fall back: the class decides how its values are shown as
    text."""
    if same_type(child.type, target):
        return child
    if isinstance(child.type, UserType) and isinstance(target, UserType):
        raise NotNative(
            reasons.ERROR_MESSAGE,
            "a cast between user-defined types",
            likely_error=cast_mismatch(child, target, text, mode),
        )
    if is_string(target) and isinstance(child.type, UserType) and not child.type.jvm_class:
        return replace(cast(unwrap(child), target, settings, mode), text=text)
    raise NotNative(reasons.USER_DEFINED_TYPE, "a cast from or to a user-defined type")


def unwrap(child: Expression) -> Expression:
    """The same values under the storage type of the user-defined type."""
    return replace(child, type=stored_type(child.type))


def check_time(target: DataType, settings: Settings) -> None:
    """Casts to TIME raise where the type is disabled, TIME literals do not (TypeUtils)."""
    if not settings.time_type and has_time(target):
        raise SparkError("UNSUPPORTED_TIME_TYPE")


SPECIAL = re.compile(r"\s*(epoch|now|today|tomorrow|yesterday)\b.*", re.I | re.S)


def check_special(child: Expression, target: DataType) -> None:
    """Literals such as 'now' are resolved when they are cast (SpecialDatetimeValues)."""
    moment = isinstance(target, DateType | TimestampType | TimestampNTZType)
    value = child.value if moment and isinstance(child, Literal) else None
    if isinstance(value, str) and SPECIAL.fullmatch(value):
        raise NotNative(reasons.DATETIME_SPECIAL, "a cast of a string such as 'now' or 'today'")


def implicit_cast(child: Expression, target: DataType, settings: Settings) -> Expression:
    """A cast that type coercion adds: not shown in names, omitted when only nullability differs."""
    if child.type == target:
        return child
    check_time(target, settings)
    if is_null(child.type):
        kept = may_raise(child) or isinstance(child, OuterColumn)  # a subquery's name shows its outer columns
        return cast(child, target, settings, shown=False) if kept else null_of_type(child, target)
    if same_spelling(child.type, target):
        return child
    if isinstance(child.type, VariantType):
        raise NotNative(reasons.CAST, f"a variant to {target.simpleString()}")
    return cast(child, target, settings, shown=False)


def may_raise(child: Expression) -> bool:
    """Expressions of VOID type other than NULL: raise_error, assert_true, elements of empty arrays, and conditions over
    them."""
    if isinstance(child, Call) and child.name in ("raise_error", "assert_true", "element_at", "getarrayitem"):
        return True
    return any(map(may_raise, children_of(child)))


def null_of_type(child: Expression, target: DataType) -> Expression:
    return Literal(value=None, type=target, nullable=True, text=child.text)


def cast_nullable(child: Expression, target: DataType, mode: str) -> bool:
    if mode != "try":
        return child.nullable or force_nullable(child.type, target)
    if is_string(child.type) and isinstance(target, BinaryType):
        return child.nullable
    if isinstance(child.type, VariantType):
        return child.nullable or not isinstance(target, VariantType)
    if isinstance(child.type, DecimalType) and is_integral(target):
        return True
    return child.nullable or not can_up_cast(child.type, target)


def cast_mismatch(child: Expression, target: DataType, text: str, mode: str) -> SparkError:
    names = suggested_functions(child.type, target)
    common: dict[str, Any] = {
        "sqlExpr": quote_expression(text),
        "srcType": type_text(child.type),
        "targetType": type_text(target),
    }
    if isinstance(child.type, ArrayType | MapType | StructType):
        raise NotNative(reasons.ERROR_MESSAGE, "a cast between nested types that Spark rejects")
    if mode == "legacy":
        return SparkError("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", **common)
    if names:
        return SparkError("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", functionNames=names, **common)
    if mode == "ansi" and can_legacy_cast(child.type, target):
        return SparkError(
            "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION",
            config='"spark.sql.ansi.enabled"',
            configVal="'false'",
            **common,
        )
    if can_try_cast(child.type, target):
        return SparkError("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", functionNames="`try_cast`", **common)
    return SparkError("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", **common)


def suggested_functions(source: DataType, target: DataType) -> str:
    if is_numeric(source) and isinstance(target, DateType):
        return "`DATE_FROM_UNIX_DATE`"
    if isinstance(source, DateType) and is_numeric(target):
        return "`UNIX_DATE`"
    if is_numeric(source) and isinstance(target, TimestampType):
        return "`TIMESTAMP_SECONDS`/`TIMESTAMP_MILLIS`/`TIMESTAMP_MICROS`"
    if isinstance(source, TimestampType) and is_numeric(target):
        return "`UNIX_SECONDS`/`UNIX_MILLIS`/`UNIX_MICROS`"
    return ""
