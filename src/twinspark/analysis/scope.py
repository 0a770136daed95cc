"""Which column does this name mean: frames are relations with the names, qualifiers and plan ids seen from above."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis.suggest import order_is_sure, suggestions
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import Field, Project, Relation
from twinspark.types import DataType, quote_identifier, quote_if_needed

_ids = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column as names see it. Equal ids are the same column wherever it has gone to."""

    name: str
    type: DataType
    nullable: bool
    metadata: tuple[tuple[str, Any], ...] = ()
    qualifier: tuple[str, ...] = ()
    id: int = field(default_factory=lambda: next(_ids))
    twin: int = 0  # of a column passed on twice, the first one: a name that means both is not ambiguous

    def as_field(self) -> Field:
        return Field(self.name, self.type, self.nullable, self.metadata)

    def qualified(self, qualifier: tuple[str, ...]) -> Attribute:
        return Attribute(self.name, self.type, self.nullable, self.metadata, qualifier, self.id, self.twin)

    def renewed(self) -> Attribute:
        return replace(self, id=next(_ids), twin=self.twin or self.id)


Attributes = tuple[Attribute, ...]


@dataclass(frozen=True)
class Node:
    """A plan id's node, as references to it see it from above: its own columns, and how deep it lies."""

    attributes: Attributes
    hidden: Attributes
    depth: int
    whole: bool = True  # all its own columns are still to be seen

    def seen(self, shown: frozenset[int] | None, depth: int) -> Node:
        """From further up, where only some columns are still shown."""
        if shown is None:
            return self
        attributes = tuple(a for a in self.attributes if a.id in shown)
        hidden = tuple(a for a in self.hidden if a.id in shown)
        return Node(attributes, hidden, self.depth + depth, self.whole and len(attributes) == len(self.attributes))


class Plans(Mapping[int, tuple[Node, ...]]):
    """Plan ids and their nodes. Those of the frame below are seen through what that frame's user shows (`ids`), and
    only when they are asked for: most never are, and chains of projections are long."""

    def __init__(
        self, own: dict[int, tuple[Node, ...]], below: Plans | None = None, ids: frozenset[int] = frozenset()
    ) -> None:
        self.own, self.below, self.ids = own, below, ids

    def joined_by(self, plan_id: int, node: Node) -> Plans:
        return Plans({**self.own, plan_id: (node,)}, self.below, self.ids)

    def levels(self) -> Iterator[tuple[dict[int, tuple[Node, ...]], frozenset[int] | None, int]]:
        """The nodes of every frame on the way down, the columns that are shown all the way up, and how deep."""
        plans: Plans | None = self
        shown: frozenset[int] | None = None
        depth = 0
        while plans is not None:
            yield plans.own, shown, depth
            shown = plans.ids if shown is None else shown & plans.ids
            plans, depth = plans.below, depth + 1

    def __getitem__(self, plan_id: int) -> tuple[Node, ...]:
        for own, shown, depth in self.levels():
            if plan_id in own:
                return tuple(node.seen(shown, depth) for node in own[plan_id])
        raise KeyError(plan_id)

    def __contains__(self, plan_id: object) -> bool:
        plans: Plans | None = self
        while plans is not None and plan_id not in plans.own:
            plans = plans.below
        return plans is not None

    def __iter__(self) -> Iterator[int]:
        return iter({plan_id: None for own, _, _ in self.levels() for plan_id in own})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return True

    def all(self) -> dict[int, tuple[Node, ...]]:
        out: dict[int, tuple[Node, ...]] = {}
        for own, shown, depth in self.levels():
            for plan_id, nodes in own.items():
                out.setdefault(plan_id, tuple(node.seen(shown, depth) for node in nodes))
        return out


@dataclass(frozen=True, eq=False)
class Frame:
    """`relation` may have more columns than are visible: `slots` says at which position each attribute is."""

    relation: Relation
    attributes: Attributes
    slots: Mapping[int, int]
    hidden: Attributes = ()  # reachable by qualifier or plan id only: the keys a USING join folded
    plans: Mapping[int, tuple[Node, ...]] = field(default_factory=dict)
    source: Source | None = None  # where columns that a projection dropped may still be found
    passed: Passed | None = None  # its columns as the next projection passes them on, while they are just these

    def plain(self) -> Relation:
        """The relation with just the visible columns, under their names."""
        if self.is_plain():
            return self.relation
        return Project(
            input=self.relation,
            expressions=tuple(map(self.column, self.attributes)),
            fields=tuple(a.as_field() for a in self.attributes),
        )

    def is_plain(self) -> bool:
        return len(self.relation.fields) == len(self.attributes) and all(
            self.slots[a.id] == i and same_field(self.relation.fields[i], a) for i, a in enumerate(self.attributes)
        )

    def column(self, attribute: Attribute) -> Column:
        index = self.slots[attribute.id]
        if isinstance(self.relation, Project):
            below = self.relation.expressions[index]
            if isinstance(below, Column) and is_column(below, attribute, index):
                return below
        return Column(type=attribute.type, nullable=attribute.nullable, text=attribute.name, index=index)

    def field(self, attribute: Attribute) -> Field:
        """An attribute of this frame as a field: mostly the very one that its relation has."""
        found = self.relation.fields[self.slots[attribute.id]]
        return found if same_field(found, attribute) else attribute.as_field()

    def columns(self) -> tuple[Column, ...]:
        return tuple(map(self.column, self.attributes))

    def with_plan_id(self, plan_id: int) -> Frame:
        node = Node(self.attributes, self.hidden, 0)
        return replace(self, plans=plans_of(self.plans).joined_by(plan_id, node))

    def qualified(self, qualifier: tuple[str, ...]) -> Frame:
        attributes = tuple(a.qualified(qualifier) for a in self.attributes)
        return replace(self, attributes=attributes, hidden=(), source=None)


@dataclass(frozen=True, eq=False)
class Passed:
    """Columns of a plain frame from above it, made once; it holds for these very attributes and slots only."""

    attributes: Attributes
    slots: Mapping[int, int]
    columns: tuple[Column, ...]
    names: frozenset[str]  # in small letters


@dataclass(frozen=True, eq=False)
class Source:
    """The frame below, and how to build this one again over a frame below that carries more columns."""

    below: Frame
    rebuild: Callable[[Frame, Attributes], Frame]


def revealed(frame: Frame, find: Callable[[Frame], Hit | None]) -> tuple[Frame, Hit] | None:
    """Looks for a name in the frame, then below it; a find below comes with the frame that carries it up, hidden.
    Sorting and filtering by a column that a projection dropped (ColumnResolutionHelper, missing attributes)."""
    hit = find(frame)
    if hit is not None:
        return frame, hit
    if frame.source is None:
        return None
    below = revealed(frame.source.below, find)
    if below is None:
        return None
    inner, (attribute, rest) = below
    return frame.source.rebuild(inner, (attribute,)), (attribute, rest)


def is_column(expression: Column, attribute: Attribute, index: int) -> bool:
    """The column that this attribute would be: chains of projections pass on one and the same object."""
    return (
        expression.index == index
        and expression.text == attribute.name
        and expression.nullable == attribute.nullable
        and expression.type is attribute.type
    )


def same_field(found: Field, attribute: Attribute) -> bool:
    return (
        found.name == attribute.name
        and found.nullable == attribute.nullable
        and (found.type is attribute.type or found.type == attribute.type)
        and found.metadata == attribute.metadata
    )


def frame_of(
    relation: Relation, qualifier: tuple[str, ...] = (), plans: Mapping[int, tuple[Node, ...]] | None = None
) -> Frame:
    """A relation all of whose columns are new and visible."""
    attributes = tuple(Attribute(f.name, f.type, f.nullable, f.metadata, qualifier) for f in relation.fields)
    return Frame(relation, attributes, {a.id: i for i, a in enumerate(attributes)}, plans=plans or {})


def deeper(plans: Mapping[int, tuple[Node, ...]], visible: Iterable[Attribute]) -> Mapping[int, tuple[Node, ...]]:
    """The plan ids below a node, seen from above it: only columns that the node still shows count."""
    return Plans({}, plans_of(plans), frozenset(a.id for a in visible)) if plans else {}


def plans_of(plans: Mapping[int, tuple[Node, ...]]) -> Plans:
    return plans if isinstance(plans, Plans) else Plans(dict(plans))


def renewed(frame: Frame, taken: Collection[int]) -> Frame:
    """The same frame with new ids where they are taken: the right side of a self-join."""
    if not any(i in taken for i in frame.slots):
        return frame
    fresh = {i: next(_ids) for i in frame.slots if i in taken}

    def again(attributes: Attributes) -> Attributes:
        return tuple(
            Attribute(
                a.name, a.type, a.nullable, a.metadata, a.qualifier, fresh.get(a.id, a.id), fresh.get(a.twin, a.twin)
            )
            for a in attributes
        )

    return Frame(
        frame.relation,
        again(frame.attributes),
        {fresh.get(i, i): position for i, position in frame.slots.items()},
        again(frame.hidden),
        {
            plan_id: tuple(Node(again(n.attributes), again(n.hidden), n.depth, n.whole) for n in nodes)
            for plan_id, nodes in plans_of(frame.plans).all().items()
        },
    )


# ---- names

Hit = tuple[Attribute, tuple[str, ...]]
Matches = tuple[list[Attribute], tuple[str, ...]]


def alike(case_sensitive: bool) -> Callable[[str, str], bool]:
    return (lambda a, b: a == b) if case_sensitive else (lambda a, b: a == b or a.lower() == b.lower())


def match(attributes: Sequence[Attribute], parts: Sequence[str], case_sensitive: bool, hidden: bool = False) -> Matches:
    """The attributes a name may mean and the parts left over as fields: the longest qualifier first."""
    same = alike(case_sensitive)
    for length in (3, 2, 1):
        if len(parts) > length:
            found = [
                a
                for a in called(attributes, parts[length], case_sensitive)
                if len(a.qualifier) >= length and all(map(same, a.qualifier[-length:], parts[:length]))
            ]
            if found:
                return found, tuple(parts[length + 1 :])
    if hidden:
        return [], ()
    return called(attributes, parts[0], case_sensitive), tuple(parts[1:])


def called(attributes: Sequence[Attribute], name: str, case_sensitive: bool) -> list[Attribute]:
    """Asked of every column of wide joins for every name: no calls inside the loop but `lower`."""
    if case_sensitive:
        return [a for a in attributes if a.name == name]
    lowered = name.lower()
    return [a for a in attributes if a.name == name or a.name.lower() == lowered]


def resolve_name(frame: Frame, parts: Sequence[str], case_sensitive: bool) -> Hit | None:
    """The one attribute a name means, under the spelling asked for; None when there is none."""
    found, rest = match(frame.attributes, parts, case_sensitive)
    if not found:
        found, rest = match(frame.hidden, parts, case_sensitive, hidden=True)
    distinct = list({a.twin or a.id: a for a in reversed(found)}.values())[::-1]
    if not distinct:
        return None
    if len(distinct) > 1:
        raise ambiguous(parts, rest, distinct)
    asked = parts[len(parts) - len(rest) - 1]
    return distinct[0] if distinct[0].name == asked else replace(distinct[0], name=asked), rest


def ambiguous(parts: Sequence[str], rest: Sequence[str], found: Sequence[Attribute]) -> SparkError:
    """The columns are shown in the spelling that was asked for."""
    asked = parts[len(parts) - len(rest) - 1]
    names = ", ".join(sorted(qualified_name(replace(a, name=asked)) for a in found))
    return SparkError("AMBIGUOUS_REFERENCE", name=quoted_parts(parts), referenceNames=f"[{names}]")


def qualified_name(attribute: Attribute) -> str:
    return quoted_parts((*attribute.qualifier, attribute.name))


def quoted_parts(parts: Iterable[str]) -> str:
    return ".".join(map(quote_identifier, parts))


def resolve_in_plan(frame: Frame, plan_id: int, parts: Sequence[str], case_sensitive: bool) -> Hit | None:
    """`df["a"]`: the name among the columns of the frame that carries the plan id, as far as they are still here."""
    nodes = frame.plans.get(plan_id)
    if nodes is None:
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quoted(".".join(parts)))
    found = [hit for node in nodes if (hit := in_node(frame, node, parts, case_sensitive)) is not None]
    regular = [hit for hit in found if not hit[2]] or found
    regular.sort(key=lambda hit: hit[3])
    if len(regular) > 1 and not (regular[0][3] == 0 and regular[1][3] != 0):
        raise SparkError("AMBIGUOUS_COLUMN_REFERENCE", name=quoted(".".join(parts)))
    return (regular[0][0], regular[0][1]) if regular else None


def in_node(
    frame: Frame, node: Node, parts: Sequence[str], case_sensitive: bool
) -> tuple[Attribute, tuple[str, ...], bool, int] | None:
    found, rest = match(node.attributes, parts, case_sensitive)
    hidden_here = {a.id for a in frame.hidden}
    if not found:
        found, rest = match(node.hidden, parts, case_sensitive)
    distinct = [a for a in {a.id: a for a in found}.values() if a.id in frame.slots]
    if len(distinct) > 1:
        raise ambiguous(parts, rest, distinct)
    if not distinct:
        return None
    position = len(parts) - len(rest) - 1
    return replace(distinct[0], name=parts[position]), rest, distinct[0].id in hidden_here, node.depth


def unresolved(frame: Frame, parts: Sequence[str]) -> SparkError:
    if parts[0].lower() in ("window", "session_window"):
        raise NotNative(f"`{parts[0]}`, which may be the window of time that rows are grouped by")
    if any(part.lower() == "_metadata" for part in parts):
        raise NotNative("the metadata column of files")
    by_name = sorted(frame.attributes, key=lambda a: a.name)  # the order of Spark's AttributeSet
    candidates = [(*a.qualifier, a.name) for a in by_name]
    proposal = suggestions(parts, candidates)
    name = quoted_parts(parts)
    if not proposal:
        return SparkError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", objectName=name)
    error = SparkError("UNRESOLVED_COLUMN.WITH_SUGGESTION", objectName=name, proposal=", ".join(proposal[:5]))
    error.is_sure = order_is_sure(parts, candidates)
    return error


def star(frame: Frame, target: Sequence[str], case_sensitive: bool) -> list[Attribute]:
    """`*` and `t.*`; a target that is no qualifier may be a struct, which the caller expands."""
    if not target:
        return list(frame.attributes)
    same = alike(case_sensitive)
    return [
        a
        for a in (*frame.hidden, *frame.attributes)  # what USING folded comes first (UnresolvedStar)
        if len(a.qualifier) >= len(target) and all(map(same, a.qualifier[-len(target) :], target))
    ]


def as_expression(frame: Frame, attribute: Attribute, qualified: bool = False) -> Expression:
    """`qualified`: under its whole name, as some errors show it."""
    text = full_name(attribute) if qualified else attribute.name
    return Column(type=attribute.type, nullable=attribute.nullable, text=text, index=frame.slots[attribute.id])


def full_name(attribute: Attribute) -> str:
    return ".".join(map(quote_if_needed, (*attribute.qualifier, attribute.name)))
