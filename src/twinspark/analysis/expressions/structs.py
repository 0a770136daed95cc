"""Builds structs from columns: fields take the columns' names and metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import Metadata, Named
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.types import StructField, StructType


def struct_of(fields: Sequence[Named], settings: Settings) -> Expression:
    parts = [part for field in fields for part in (build.literal(field.name), field.expression)]
    return with_metadata(build.call("struct", parts, settings), [field.output_metadata for field in fields])


def with_metadata(made: Expression, metadata: Sequence[Metadata]) -> Expression:
    """Adds metadata to the fields of a struct (CreateNamedStruct.dataType)."""
    if not any(metadata) or not isinstance(made.type, StructType):
        return made
    fields = [
        StructField(field.name, field.dataType, field.nullable, dict(known))
        for field, known in zip(made.type.fields, metadata, strict=True)
    ]
    return replace(made, type=StructType(fields))
