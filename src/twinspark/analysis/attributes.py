"""A column as names see it, and the columns that a name may mean."""

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
    """A column as names see it. Equal ids are the same column wherever it has gone to."""

    name: str
    type: DataType
    nullable: bool
    metadata: tuple[tuple[str, Any], ...] = ()
    qualifier: tuple[str, ...] = ()
    id: int = field(default_factory=new_id)
    twin: int = 0  # of a column passed on twice, the first one: a name that means both is not ambiguous

    def as_field(self) -> Field:
        return Field(self.name, self.type, self.nullable, self.metadata)

    def qualified(self, qualifier: tuple[str, ...]) -> Attribute:
        return Attribute(self.name, self.type, self.nullable, self.metadata, qualifier, self.id, self.twin)

    def renewed(self) -> Attribute:
        return replace(self, id=new_id(), twin=self.twin or self.id)


Attributes = tuple[Attribute, ...]


class Names:
    """Attributes by their names: one after the other for the first few, by an index where many names are asked."""

    __slots__ = ("_asked", "_attributes", "_index")

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._attributes = attributes
        self._asked = 0
        self._index: dict[str, list[Attribute]] = {}

    def called(self, name: str, case_sensitive: bool) -> list[Attribute]:
        self._asked += 1
        among = self._attributes if self._asked <= BEFORE_INDEX else self._alike(name.lower())
        return called(among, name, case_sensitive)

    def _alike(self, lowered: str) -> Sequence[Attribute]:
        if not self._index:
            for attribute in self._attributes:
                self._index.setdefault(attribute.name.lower(), []).append(attribute)
        return self._index.get(lowered, ())


BEFORE_INDEX = 3  # an index costs as much as looking this often
Matches = tuple[list[Attribute], tuple[str, ...]]


def alike(case_sensitive: bool) -> Callable[[str, str], bool]:
    return (lambda a, b: a == b) if case_sensitive else (lambda a, b: a == b or a.lower() == b.lower())


def match(names: Names, parts: Sequence[str], case_sensitive: bool, hidden: bool = False) -> Matches:
    """The attributes a name may mean and the parts left over as fields: the longest qualifier first."""
    same = alike(case_sensitive)
    for length in (3, 2, 1):
        if len(parts) > length:
            found = [
                a
                for a in names.called(parts[length], case_sensitive)
                if len(a.qualifier) >= length and all(map(same, a.qualifier[-length:], parts[:length]))
            ]
            if found:
                return found, tuple(parts[length + 1 :])
    if hidden:
        return [], ()
    return names.called(parts[0], case_sensitive), tuple(parts[1:])


def called(attributes: Sequence[Attribute], name: str, case_sensitive: bool) -> list[Attribute]:
    """Asked of every column of wide joins for every name: no calls inside the loop but `lower`."""
    if case_sensitive:
        return [a for a in attributes if a.name == name]
    lowered = name.lower()
    return [a for a in attributes if a.name == name or a.name.lower() == lowered]
