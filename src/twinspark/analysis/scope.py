"""Which column does this name mean: frames are relations with the names, qualifiers and plan ids seen from above."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from twinspark.analysis.attributes import Attribute as Attribute
from twinspark.analysis.attributes import Attributes as Attributes
from twinspark.analysis.attributes import Names, match, new_id
from twinspark.analysis.attributes import alike as alike
from twinspark.analysis.plan_ids import Node as Node
from twinspark.analysis.plan_ids import Plans, plans_of
from twinspark.analysis.plan_ids import deeper as deeper
from twinspark.analysis.suggest import order_is_sure, suggestions
from twinspark.errors import FilesAsked, NotNative, SparkError
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.file_metadata import MARKS, NAME, FilesInPieces, asks_pieces
from twinspark.plan.relations import Field, Project, Relation, Scan
from twinspark.types import quote_identifier, quote_if_needed


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

    @cached_property
    def names(self) -> Names:
        return Names(self.attributes)

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
        hidden = tuple(a.qualified(qualifier) for a in self.hidden if tells_files(a))
        return replace(self, attributes=attributes, hidden=hidden, source=None)


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


def tells_files(attribute: Attribute) -> bool:
    """A hidden column that needs no qualifier: `_metadata` of files."""
    return MARKS[0] in attribute.metadata


def source_frame(relation: Relation, qualifier: tuple[str, ...] = ()) -> Frame:
    """The same of a source, whose last column may be hidden."""
    frame = frame_of(relation, qualifier)
    if not isinstance(relation, Scan) or not relation.has_metadata:
        return frame
    return replace(frame, attributes=frame.attributes[:-1], hidden=frame.attributes[-1:])


def renewed(frame: Frame, taken: Collection[int]) -> Frame:
    """The same frame with new ids where they are taken: the right side of a self-join."""
    if not any(i in taken for i in frame.slots):
        return frame
    fresh = {i: new_id() for i in frame.slots if i in taken}

    def again(attributes: Attributes) -> Attributes:
        return tuple(
            Attribute(
                a.name, a.type, a.nullable, a.metadata, a.qualifier, fresh.get(a.id, a.id), fresh.get(a.twin, a.twin)
            )
            for a in attributes
        )

    def nodes_again() -> dict[int, tuple[Node, ...]]:
        return {
            plan_id: tuple(Node(again(n.attributes), again(n.hidden), n.depth, n.whole) for n in nodes)
            for plan_id, nodes in plans_of(frame.plans).all().items()
        }

    return Frame(
        frame.relation,
        again(frame.attributes),
        {fresh.get(i, i): position for i, position in frame.slots.items()},
        again(frame.hidden),
        Plans(nodes_again) if frame.plans else {},
    )


# ---- names

Hit = tuple[Attribute, tuple[str, ...]]


def resolve_name(frame: Frame, parts: Sequence[str], case_sensitive: bool) -> Hit | None:
    """The one attribute a name means, under the spelling asked for; None when there is none."""
    found, rest = match(frame.names, parts, case_sensitive)
    if not found:
        found, rest = match(Names(frame.hidden), parts, case_sensitive, hidden=True)
    if not found and frame.hidden:
        found, rest = match(Names(tuple(filter(tells_files, frame.hidden))), parts, case_sensitive)
    if found and isinstance(found[0].type, FilesInPieces) and asks_pieces(rest):
        raise NotNative("the pieces in which Spark reads a file")
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
    found, rest = match(Names(node.attributes), parts, case_sensitive)
    hidden_here = {a.id for a in frame.hidden}
    if not found:
        found, rest = match(Names(node.hidden), parts, case_sensitive)
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
    check_no_file(parts)
    own = {a.twin or a.id: a for a in frame.attributes}.values()  # a column that is there twice is one of a set
    by_name = sorted(own, key=lambda a: a.name)  # the order of Spark's AttributeSet
    candidates = [(*a.qualifier, a.name) for a in by_name]
    proposal = suggestions(parts, candidates)
    name = quoted_parts(parts)
    if not proposal:
        return SparkError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", objectName=name)
    error = SparkError("UNRESOLVED_COLUMN.WITH_SUGGESTION", objectName=name, proposal=", ".join(proposal[:5]))
    error.is_sure = order_is_sure(parts, candidates)
    return error


def check_no_file(parts: Sequence[str]) -> None:
    """A name that is not found may be the hidden column of files."""
    if any(part.lower() == NAME for part in parts):
        raise FilesAsked


def star(frame: Frame, target: Sequence[str], case_sensitive: bool) -> list[Attribute]:
    """`*` and `t.*`; a target that is no qualifier may be a struct, which the caller expands."""
    if not target:
        return list(frame.attributes)
    same = alike(case_sensitive)
    return [
        a
        for a in (*frame.hidden, *frame.attributes)  # what USING folded comes first (UnresolvedStar)
        if not (tells_files(a) and a in frame.hidden)
        and len(a.qualifier) >= len(target)
        and all(map(same, a.qualifier[-len(target) :], target))
    ]


def as_expression(frame: Frame, attribute: Attribute, qualified: bool = False) -> Expression:
    """`qualified`: under its whole name, as some errors show it."""
    text = full_name(attribute) if qualified else attribute.name
    return Column(type=attribute.type, nullable=attribute.nullable, text=text, index=frame.slots[attribute.id])


def full_name(attribute: Attribute) -> str:
    return ".".join(map(quote_if_needed, (*attribute.qualifier, attribute.name)))
