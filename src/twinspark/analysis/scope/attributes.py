"""Attributes: columns with an id, a name and a qualifier, and the lookup of attributes by name."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.plan.relations import Field
from twinspark.types import DataType

_ids = itertools.count(1)


def new_id() -> int:
    return next(_ids)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column with an id: equal ids are the same column, wherever it is used in the plan."""

    name: str
    type: DataType
    nullable: bool
    metadata: tuple[tuple[str, Any], ...] = ()
    qualifier: tuple[str, ...] = ()
    id: int = field(default_factory=new_id)
    # for a column that is passed on twice, the id of the first: a name that matches both is not ambiguous
    twin: int = 0

    @property
    def expr_id(self) -> int:
        """Spark's exprId: a column that a projection lists twice has one."""
        return self.twin or self.id

    def as_field(self) -> Field:
        return Field(self.name, self.type, self.nullable, self.metadata)

    def with_qualifier(self, qualifier: tuple[str, ...]) -> Attribute:
        return Attribute(self.name, self.type, self.nullable, self.metadata, qualifier, self.id, self.twin)

    def with_new_id(self) -> Attribute:
        return replace(self, id=new_id(), twin=self.twin or self.id)


Attributes = tuple[Attribute, ...]


class Names:
    """A lookup of attributes by name: linear for the first few names, then by an index."""

    __slots__ = ("_asked", "_attributes", "_index")

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._attributes = attributes
        self._asked = 0
        self._index: dict[str, list[Attribute]] = {}

    def find(self, name: str, case_sensitive: bool) -> list[Attribute]:
        self._asked += 1
        among = self._attributes if self._asked <= BEFORE_INDEX else self._alike(name.lower())
        return find_by_name(among, name, case_sensitive)

    def _alike(self, lowered: str) -> Sequence[Attribute]:
        if not self._index:
            for attribute in self._attributes:
                self._index.setdefault(attribute.name.lower(), []).append(attribute)
        return self._index.get(lowered, ())


BEFORE_INDEX = 3  # building the index costs as much as this many linear searches
Matches = tuple[list[Attribute], tuple[str, ...]]


def alike(case_sensitive: bool) -> Callable[[str, str], bool]:
    return (lambda a, b: a == b) if case_sensitive else (lambda a, b: a == b or a.lower() == b.lower())


def match(names: Names, parts: Sequence[str], case_sensitive: bool, hidden: bool = False) -> Matches:
    """The attributes that match a multi-part name and the remaining parts, which are nested fields; longest qualifier
    first."""
    same = alike(case_sensitive)
    for length in (3, 2, 1):
        if len(parts) > length:
            found = [
                a
                for a in names.find(parts[length], case_sensitive)
                if len(a.qualifier) >= length and all(map(same, a.qualifier[-length:], parts[:length]))
            ]
            if found:
                return found, tuple(parts[length + 1 :])
    if hidden:
        return [], ()
    return names.find(parts[0], case_sensitive), tuple(parts[1:])


def find_by_name(attributes: Sequence[Attribute], name: str, case_sensitive: bool) -> list[Attribute]:
    """Runs for each name over all columns of wide joins, so the loop calls nothing but `lower`."""
    if case_sensitive:
        return [a for a in attributes if a.name == name]
    lowered = name.lower()
    return [a for a in attributes if a.name == name or a.name.lower() == lowered]
