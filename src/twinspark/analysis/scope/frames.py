"""Frames: relations with the names, qualifiers and plan ids by which their columns can be referenced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from twinspark.analysis.scope.attributes import Attribute as Attribute
from twinspark.analysis.scope.attributes import Attributes as Attributes
from twinspark.analysis.scope.attributes import Names, match, new_id
from twinspark.analysis.scope.attributes import alike as alike
from twinspark.analysis.scope.plan_ids import PlanNode as Node
from twinspark.analysis.scope.plan_ids import Plans, plans_of
from twinspark.analysis.scope.plan_ids import deeper as deeper
from twinspark.analysis.scope.suggestions import order_is_sure, suggestions
from twinspark.errors import MetadataColumnRequested, NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.file_metadata import COLUMN_METADATA, NAME, SplitFileMetadata, reads_file_block
from twinspark.plan.relations import Field, Project, Relation, Scan
from twinspark.types import quote_identifier, quote_if_needed


@dataclass(frozen=True, eq=False)
class Frame:
    """`relation` may have more columns than are visible: `slots` maps the id of an attribute to its column index."""

    relation: Relation
    attributes: Attributes
    slots: Mapping[int, int]
    hidden: Attributes = ()  # referenced by qualifier or plan id only: the key columns of a USING join's sides
    plans: Mapping[int, tuple[Node, ...]] = field(default_factory=dict)
    source: FrameSource | None = None  # where columns that a projection dropped can be resolved
    is_closed: bool = False  # names are not resolved below it, though its rows may be passed on
    # its columns as the next projection passes them on; valid while attributes and slots are unchanged
    passed: Passed | None = None

    @cached_property
    def names(self) -> Names:
        return Names(self.attributes)

    def plain(self) -> Relation:
        """The relation with only the visible columns, under their names."""
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
        """An attribute of this frame as a field; mostly the identical object that its relation has."""
        found = self.relation.fields[self.slots[attribute.id]]
        return found if same_field(found, attribute) else attribute.as_field()

    def columns(self) -> tuple[Column, ...]:
        return tuple(map(self.column, self.attributes))

    def with_plan_id(self, plan_id: int) -> Frame:
        node = Node(self.attributes, self.hidden, 0)
        return replace(self, plans=plans_of(self.plans).joined_by(plan_id, node))

    def with_qualifier(self, qualifier: tuple[str, ...]) -> Frame:
        attributes = tuple(a.with_qualifier(qualifier) for a in self.attributes)
        hidden = tuple(a.with_qualifier(qualifier) for a in self.hidden if is_file_metadata(a))
        return replace(self, attributes=attributes, hidden=hidden, source=None)


@dataclass(frozen=True, eq=False)
class Passed:
    """The columns of a frame as its parent sees them, computed once; valid only for these attributes and slots."""

    attributes: Attributes
    slots: Mapping[int, int]
    columns: tuple[Column, ...]
    names: frozenset[str]  # in lower case


@dataclass(frozen=True, eq=False)
class FrameSource:
    """The frame below, and a function that rebuilds this frame over one with additional columns."""

    below: Frame
    rebuild: Callable[[Frame, Attributes], Frame | None]  # returns None if the relation cannot pass the columns on
    grouping: tuple[Expression, ...] | None = None  # the grouping keys, if the frame is an aggregation


def find_below(
    frame: Frame, find: Callable[[Frame, int], Hit | None], level: int = 0, opens: bool = False
) -> tuple[Frame, Hit] | None:
    """Looks for a name in the frame and then in each frame below; a column found below is added as a hidden column.
    This resolves sort, filter and repartition expressions over columns that a projection dropped
    (ColumnResolutionHelper.resolveExprsAndAddMissingAttrs). `opens`: also below frames that are closed to names."""
    hit = find(frame, level)
    if hit is not None:
        return frame, hit
    if frame.source is None or (frame.is_closed and not opens):
        return None
    below = find_below(frame.source.below, find, level + 1, opens)
    if below is None:
        return None
    inner, (attribute, rest) = below
    carried = frame.source.rebuild(inner, (attribute,))
    return None if carried is None else (carried, (attribute, rest))


def is_column(expression: Column, attribute: Attribute, index: int) -> bool:
    """Whether the expression is the column of this attribute: chains of projections pass on the identical object."""
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
    """A frame over a relation all of whose columns are new and visible."""
    attributes = tuple(Attribute(f.name, f.type, f.nullable, f.metadata, qualifier) for f in relation.fields)
    return Frame(relation, attributes, {a.id: i for i, a in enumerate(attributes)}, plans=plans or {})


def is_file_metadata(attribute: Attribute) -> bool:
    """The hidden `_metadata` column of files, which needs no qualifier."""
    return COLUMN_METADATA[0] in attribute.metadata


def source_frame(relation: Relation, qualifier: tuple[str, ...] = ()) -> Frame:
    """A frame over a source, whose last column may be hidden."""
    frame = frame_of(relation, qualifier)
    if not isinstance(relation, Scan) or not relation.has_metadata:
        return frame
    return replace(frame, attributes=frame.attributes[:-1], hidden=frame.attributes[-1:])


def with_new_ids(frame: Frame, taken: Collection[int]) -> Frame:
    """The same frame with new ids where they are already in use: the right side of a self-join."""
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

    def renewed_ids(shown: frozenset[int] | None) -> frozenset[int] | None:
        return None if shown is None else frozenset(fresh.get(i, i) for i in shown)

    def nodes_again() -> dict[int, tuple[Node, ...]]:
        return {
            plan_id: tuple(Node(again(n.attributes), again(n.hidden), n.depth, renewed_ids(n.shown)) for n in nodes)
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
    """The attribute that a name refers to, with the name spelled as in the query; None if there is none."""
    found, rest = match(frame.names, parts, case_sensitive)
    if not found:
        found, rest = match(Names(frame.hidden), parts, case_sensitive, hidden=True)
    if not found and frame.hidden:
        found, rest = match(Names(tuple(filter(is_file_metadata, frame.hidden))), parts, case_sensitive)
    if found and isinstance(found[0].type, SplitFileMetadata) and reads_file_block(rest):
        raise NotNative(reasons.PARTITIONS, "input_file_block_start and input_file_block_length")
    distinct = list({a.expr_id: a for a in reversed(found)}.values())[::-1]
    if not distinct:
        return None
    if len(distinct) > 1:
        raise ambiguous(parts, rest, distinct)
    spelling = parts[len(parts) - len(rest) - 1]
    return distinct[0] if distinct[0].name == spelling else replace(distinct[0], name=spelling), rest


def ambiguous(parts: Sequence[str], rest: Sequence[str], found: Sequence[Attribute]) -> SparkError:
    """The message shows the columns with the name spelled as in the query."""
    spelling = parts[len(parts) - len(rest) - 1]
    names = ", ".join(sorted(qualified_name(replace(a, name=spelling)) for a in found))
    return SparkError("AMBIGUOUS_REFERENCE", name=quoted_parts(parts), referenceNames=f"[{names}]")


def qualified_name(attribute: Attribute) -> str:
    return quoted_parts((*attribute.qualifier, attribute.name))


def quoted_parts(parts: Iterable[str]) -> str:
    return ".".join(map(quote_identifier, parts))


def resolve_in_plan(frame: Frame, plan_id: int, parts: Sequence[str], case_sensitive: bool) -> Hit | None:
    """`df["a"]`: resolves a name among the columns of the frame with the plan id, as far as they are still
    available."""
    nodes = frame.plans.get(plan_id)
    if nodes is None:
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quote_expression(".".join(parts)))
    found = [hit for node in nodes if (hit := in_node(frame, node, parts, case_sensitive)) is not None]
    regular = [hit for hit in found if not hit[2]] or found
    regular.sort(key=lambda hit: hit[3])
    if len(regular) > 1 and not (regular[0][3] == 0 and regular[1][3] != 0):
        raise SparkError("AMBIGUOUS_COLUMN_REFERENCE", name=quote_expression(".".join(parts)))
    return (regular[0][0], regular[0][1]) if regular else None


def in_node(
    frame: Frame, node: Node, parts: Sequence[str], case_sensitive: bool
) -> tuple[Attribute, tuple[str, ...], bool, int] | None:
    found, rest = match(Names(node.attributes), parts, case_sensitive)
    if not found:
        found, rest = match(Names(node.hidden), parts, case_sensitive)
    if len({a.expr_id for a in found}) > 1:  # the node resolves the name before relations above it drop columns
        raise ambiguous(parts, rest, list({a.expr_id: a for a in found}.values()))
    seen = next((a for a in found if node.shows(a) and a.id in frame.slots), None)
    if seen is None:
        return None
    position = len(parts) - len(rest) - 1
    is_hidden = any(a.id == seen.id for a in frame.hidden)
    return replace(seen, name=parts[position]), rest, is_hidden, node.depth


def unresolved_column(frame: Frame, parts: Sequence[str]) -> SparkError:
    if parts[0].lower() in ("window", "session_window"):
        raise NotNative(
            reasons.COLUMN_NAME_AMBIGUOUS, f"`{parts[0]}` may be the time window that the rows are grouped by"
        )
    check_no_file(parts)
    own = {a.expr_id: a for a in frame.attributes}.values()  # a column that is listed twice counts once
    by_name = sorted(own, key=lambda a: a.name)  # the order of Spark's AttributeSet
    candidates = [(*a.qualifier, a.name) for a in by_name]
    proposal = suggestions(parts, candidates)
    name = quoted_parts(parts)
    if not proposal:
        return SparkError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", objectName=name)
    error = SparkError("UNRESOLVED_COLUMN.WITH_SUGGESTION", objectName=name, proposal=", ".join(proposal[:5]))
    error.has_exact_message = order_is_sure(parts, candidates)
    return error


def check_no_file(parts: Sequence[str]) -> None:
    """A name that is not found may be the hidden `_metadata` column of files."""
    if any(part.lower() == NAME for part in parts):
        raise MetadataColumnRequested


def star(frame: Frame, target: Sequence[str], case_sensitive: bool) -> list[Attribute]:
    """`*` and `t.*`; a target that is not a qualifier may be a struct, which the caller expands."""
    if not target:
        return list(frame.attributes)
    same = alike(case_sensitive)
    return [
        a
        for a in (*frame.hidden, *frame.attributes)  # the key columns of USING come first (UnresolvedStar)
        if not (is_file_metadata(a) and a in frame.hidden)
        and len(a.qualifier) >= len(target)
        and all(map(same, a.qualifier[-len(target) :], target))
    ]


def as_expression(frame: Frame, attribute: Attribute, qualified: bool = False) -> Expression:
    """`qualified`: under its full name, as some errors show it."""
    text = full_name(attribute) if qualified else attribute.name
    return Column(type=attribute.type, nullable=attribute.nullable, text=text, index=frame.slots[attribute.id])


def full_name(attribute: Attribute) -> str:
    return ".".join(map(quote_if_needed, (*attribute.qualifier, attribute.name)))
