"""Structs made of columns: their fields are named as the columns are, and keep what is known of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis.relations import Metadata, Named
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.types import StructField, StructType


def struct_of(fields: Sequence[Named], settings: Settings) -> Expression:
    parts = [part for field in fields for part in (build.literal(field.name), field.expression)]
    return with_metadata(build.call("struct", parts, settings), [field.told for field in fields])


def with_metadata(made: Expression, metadata: Sequence[Metadata]) -> Expression:
    """CreateNamedStruct.dataType."""
    if not any(metadata) or not isinstance(made.type, StructType):
        return made
    fields = [
        StructField(field.name, field.dataType, field.nullable, dict(known))
        for field, known in zip(made.type.fields, metadata, strict=True)
    ]
    return replace(made, type=StructType(fields))
