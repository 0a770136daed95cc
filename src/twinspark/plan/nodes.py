"""Defines the base classes of a typed plan: expressions with a type and nullability, relations with a schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from twinspark.errors import QueryContext
from twinspark.types import DataType, StructField, StructType


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """`text` is the pretty SQL that Spark uses as the column name; it is not compared."""

    type: DataType
    nullable: bool
    text: str = field(default="", compare=False)
    origin: QueryContext | None = field(default=None, compare=False, repr=False)  # its source position in the SQL


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Expression):
    """A column of the input, by its index."""

    index: int


@dataclass(frozen=True)
class Field:
    name: str
    type: DataType
    nullable: bool
    metadata: tuple[tuple[str, Any], ...] = ()

    def struct_field(self) -> StructField:
        return StructField(self.name, self.type, self.nullable, dict(self.metadata))


Fields = tuple[Field, ...]


@dataclass(frozen=True, kw_only=True)
class Relation:
    fields: Fields

    @cached_property
    def schema(self) -> StructType:
        return StructType([f.struct_field() for f in self.fields])

    def column(self, index: int) -> Column:
        found = self.fields[index]
        return Column(type=found.type, nullable=found.nullable, index=index, text=found.name)

    def columns(self) -> tuple[Column, ...]:
        return tuple(map(self.column, range(len(self.fields))))

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()
