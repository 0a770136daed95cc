"""Builds joins of two frames with a condition or USING, and keeps the columns that can be referenced above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.determinism import check_join
from twinspark.analysis.relations.basics import Named, find_columns, passed_column, project, visible
from twinspark.analysis.scope.frames import Attribute, Attributes, Frame, deeper, is_file_metadata, with_new_ids
from twinspark.analysis.scope.plan_ids import merge_plans
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Field, Join, Relation
from twinspark.types import BooleanType, quote_identifier

OUTER_LEFT = ("right", "full")  # join types whose left side may be missing
OUTER_RIGHT = ("left", "full")


def boolean(condition: Expression) -> Expression:
    if isinstance(condition.type, BooleanType):
        return condition
    raise SparkError(
        "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
        joinCondition=quote_expression(condition.text),
        conditionType=type_text(condition.type),
    )


def make_nullable(attributes: Attributes, missing: bool) -> Attributes:
    return tuple(replace(a, nullable=True) if missing else a for a in attributes)


def join_frames(left: Frame, right: Frame, kind: str) -> Frame:
    """The columns of both sides, before the condition is known; `join` sets the condition."""
    right = with_new_ids(right, set(left.slots))
    width = len(left.relation.fields)
    fields = join_fields(left.relation, right.relation, kind)
    attributes = (
        *make_nullable(left.attributes, kind in OUTER_LEFT),
        *make_nullable(right.attributes, kind in OUTER_RIGHT),
    )
    hidden = (*make_nullable(left.hidden, kind in OUTER_LEFT), *make_nullable(right.hidden, kind in OUTER_RIGHT))
    relation = Join(left=left.relation, right=right.relation, kind=kind, condition=None, fields=fields)
    slots = {**left.slots, **{i: p + width for i, p in right.slots.items()}}
    return Frame(relation, attributes, slots, hidden, merged_plans(left, right))


def join_fields(left: Relation, right: Relation, kind: str) -> tuple[Field, ...]:
    return tuple(
        replace(f, nullable=True) if missing and not f.nullable else f
        for relation, missing in ((left, kind in OUTER_LEFT), (right, kind in OUTER_RIGHT))
        for f in relation.fields
    )


def merged_plans(left: Frame, right: Frame) -> Mapping[int, Any]:
    return merge_plans(((left.plans, visible(left)), (right.plans, visible(right))))


def join(left: Frame, right: Frame, kind: str, condition: Callable[[Frame], Expression | None]) -> Frame:
    """The condition is resolved against the columns of both sides before an outer join makes them nullable."""
    sides = join_frames(left, right, "inner")
    on = condition(sides)
    check_join(on)
    result = with_join_kind(sides, left, kind)
    assert isinstance(result.relation, Join)
    relation = replace(result.relation, condition=on)
    if kind in ("semi", "anti"):
        return half_join(left, replace(relation, fields=left.relation.fields))
    return replace(result, relation=relation, plans=deeper(result.plans, visible(result)))


def with_join_kind(sides: Frame, left: Frame, kind: str) -> Frame:
    """The same join with another join type: the columns of outer sides become nullable."""
    assert isinstance(sides.relation, Join)
    inner = sides.relation
    width = len(left.relation.fields)

    def again(attributes: Attributes) -> Attributes:
        return tuple(
            replace(a, nullable=True) if is_missing(sides.slots[a.id] < width, kind) else a for a in attributes
        )

    relation = replace(inner, kind=kind, fields=join_fields(inner.left, inner.right, kind))
    return replace(sides, relation=relation, attributes=again(sides.attributes), hidden=again(sides.hidden))


def is_missing(on_left: bool, kind: str) -> bool:
    return kind in (OUTER_LEFT if on_left else OUTER_RIGHT)


def half_join(left: Frame, relation: Relation) -> Frame:
    return Frame(relation, left.attributes, left.slots, left.hidden, deeper(left.plans, visible(left)))


def using_join(left: Frame, right: Frame, kind: str, names: Sequence[str], settings: Settings) -> Frame:
    """USING keys first and once, then the other columns of the left and of the right; the sides' own keys stay hidden
    columns."""
    for name in names:
        require_column(left, name, "left", settings)
        require_column(right, name, "right", settings)
    pairs: list[tuple[Attribute, Attribute]] = []

    def condition(sides: Frame) -> Expression | None:
        width = len(left.attributes)
        for name in names:
            a = first_key(Frame(sides.relation, sides.attributes[:width], sides.slots), name, settings)
            b = first_key(Frame(sides.relation, sides.attributes[width:], sides.slots), name, settings)
            pairs.append((a, b))
        tests = [build.call("==", [sides.column(a), sides.column(b)], settings) for a, b in pairs]
        found = tests[0] if tests else None
        for test in tests[1:]:
            assert found is not None
            found = build.call("and", [found, test], settings)
        return found

    both = join(left, right, kind, condition)
    if kind in ("semi", "anti"):
        if [a.name.lower() for a in left.attributes[: len(names)]] != [name.lower() for name in names]:
            # In Spark's output these come first.
            raise NotNative(reasons.JOIN_CONDITION, "a semi or anti join USING columns that are not the first ones")
        return both
    return fold_keys(both, pairs, kind, settings)


def fold_keys(both: Frame, pairs: Sequence[tuple[Attribute, Attribute]], kind: str, settings: Settings) -> Frame:
    shown = {a.id: a for a in both.attributes}
    keys = [key_column(both, shown[a.id], shown[b.id], kind, settings) for a, b in pairs]
    taken = {attribute.id for pair in pairs for attribute in pair}
    keys_of_spark = {attribute.expr_id for pair in pairs for attribute in pair}
    rest = [passed_column(both, a) for a in both.attributes if a.expr_id not in keys_of_spark]
    result = project(both, [*keys, *rest])
    out = {a.id for a in result.attributes}
    folded = map(as_metadata, (a for a in both.attributes if a.id in taken and a.id not in out))
    keys_below = (a for a in both.hidden if not is_file_metadata(a))  # CommonNaturalJoinProcessing keeps only these
    return with_hidden(result, both, (*keys_below, *folded))


def as_metadata(attribute: Attribute) -> Attribute:
    """A side's key column is a metadata column from now on and is marked as such
    (Attribute.markAsQualifiedAccessOnly)."""
    return replace(attribute, metadata=(*attribute.metadata, ("__metadata_col", attribute.name)))


def with_hidden(result: Frame, below: Frame, hidden: Attributes) -> Frame:
    """Adds hidden columns, which can be referenced by qualifier or plan id."""
    if not hidden:
        return result
    assert result.source is not None
    wider = result.source.rebuild(below, hidden)
    assert wider is not None
    plans = deeper(below.plans, (*result.attributes, *hidden))
    return replace(wider, hidden=hidden, plans=plans, source=None)


def key_column(frame: Frame, a: Attribute, b: Attribute, kind: str, settings: Settings) -> Named:
    if kind == "right":
        return Named(frame.column(b), b.name, b.metadata, b)
    if kind == "full":
        both = build.call("coalesce", [frame.column(a), frame.column(b)], settings)
        return Named(both, a.name)
    return passed_column(frame, a)


def require_column(frame: Frame, name: str, side: str, settings: Settings) -> None:
    if not find_columns(frame, name, settings):
        suggestion = ", ".join(quote_identifier(n) for n in sorted(a.name for a in frame.attributes))
        raise SparkError(
            "UNRESOLVED_USING_COLUMN_FOR_JOIN", colName=quote_identifier(name), side=side, suggestion=suggestion
        )


def first_key(frame: Frame, name: str, settings: Settings) -> Attribute:
    """The first of several columns with this name."""
    return frame.attributes[find_columns(frame, name, settings)[0]]
