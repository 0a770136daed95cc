"""Expressions over keys of grouping sets: a key that some set leaves out may be null, and so may expressions over
it."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.casts import cast_nullable
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import (
    Call,
    Case,
    Cast,
    Expression,
    GetField,
    Lambda,
    PythonCall,
    WindowCall,
    children_of,
)
from twinspark.types import StructType, same_type


def typed_again(was: Expression, made: Expression) -> Expression:
    """`made` is `was` over other columns: Spark computes type and nullability only then."""
    pairs = zip(children_of(was), children_of(made), strict=True)
    if all(old.nullable == new.nullable and old.type == new.type for old, new in pairs):
        return made
    again = over_children(made)
    if not same_type(again.type, was.type):
        raise NotNative(reasons.GROUPING_SETS, "an expression over a grouping column that some grouping sets leave out")
    return replace(again, text=was.text, origin=was.origin)


def over_children(made: Expression) -> Expression:
    match made:
        case Cast():
            return replace(made, nullable=cast_nullable(made.child, made.type, made.mode))
        case Case():
            return replace(made, nullable=build.case_nullable(made.branches, made.otherwise))
        case GetField():
            return field_again(made)
        case PythonCall():
            return made
        case WindowCall():
            return replace(made, type=made.function.type, nullable=made.function.nullable)
        case Call() if not any(isinstance(argument, Lambda) for argument in made.arguments):
            return build.call(made.name, made.arguments, made.settings, text=made.text)
    raise NotNative(reasons.GROUPING_SETS, "an expression over a grouping column that some grouping sets leave out")


def field_again(made: GetField) -> Expression:
    assert isinstance(made.child.type, StructType)
    field = made.child.type.fields[made.ordinal]
    return replace(made, type=field.dataType, nullable=made.child.nullable or field.nullable)
