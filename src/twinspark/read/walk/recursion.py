"""Reads WITH RECURSIVE: an anchor UNION ALL a step that reads the rows of the previous step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.relations.set_operations import common_nullability
from twinspark.analysis.scope.frames import Attribute, Frame, Hit, find_below, frame_of
from twinspark.config.values import number_of
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.functions.casts.common_types import wider_type
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Expression, Literal, WindowCall
from twinspark.plan.relations import (
    Aggregate,
    Distinct,
    Field,
    Join,
    OneRow,
    Project,
    Recursion,
    RecursionReference,
    Relation,
    Sort,
    Window,
    own_expressions,
)
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import Walk
from twinspark.types import INT, same_type

LEVELS = "spark.sql.cteRecursionLevelLimit"
ROWS = "spark.sql.cteRecursionRowLimit"
LEVEL = Field("level", INT, False)
StepReader = Callable[[Walk], Frame]


@dataclass(frozen=True, eq=False)
class LastStep:
    """The recursive reference: it may be used once; the level of its rows is a hidden column."""

    reference: RecursionReference
    name: str
    levels: list[Attribute] = field(default_factory=list)

    def frame(self) -> Frame:
        if self.levels:
            raise NotNative(reasons.RECURSIVE_CTE, "it refers to itself twice")
        made = frame_of(self.reference, (self.name,))
        self.levels.append(made.attributes[-1])
        return replace(made, attributes=made.attributes[:-1])


def is_recursive(named: tree.NamedQuery) -> bool:
    return refers_to(named.query, named.name)


def refers_to(query: Any, name: str) -> bool:
    return any(
        isinstance(node, tree.Table)
        and isinstance(node.name, tree.Name)
        and [part.lower() for part in node.name.parts] == [name.lower()]
        for node in tree_nodes(query)
    )


def two_parts(named: tree.NamedQuery, walk: Walk) -> tree.SetOperation:
    query = named.query
    while query.ctes is None and query.organization is None and isinstance(query.body, tree.Query):
        query = query.body
    body = query.body
    if query.ctes is not None or query.organization is not None or not isinstance(body, tree.SetOperation):
        inner = (query.ctes, body.left if isinstance(body, tree.SetOperation) else None)
        known = query.ctes is None or any(is_own_reference(each, named.name) for each in inner)
        likely = without_context("INVALID_RECURSIVE_CTE") if known else None
        raise NotNative(reasons.RECURSIVE_CTE, "it is not of the form anchor UNION ALL step", likely_error=likely)
    if body.operator != "UNION" or not body.all:
        is_union = body.operator == "UNION"
        likely = distinct_union(walk.text) if is_union else without_context("INVALID_RECURSIVE_CTE")
        raise NotNative(reasons.RECURSIVE_CTE, "it does not use UNION ALL", likely_error=likely)
    if is_own_reference(body.left, named.name):
        likely = without_context("INVALID_RECURSIVE_CTE")
        raise NotNative(reasons.RECURSIVE_CTE, "its first part refers to itself", likely_error=likely)
    return body


def distinct_union(text: str) -> SparkError | None:
    """Points at the query of the WITH clause; known if that is the whole statement."""
    start, stop = len(text) - len(text.lstrip()), len(text.rstrip())
    if not text[start:].lower().startswith("with"):
        return None
    error = SparkError("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE")
    error.contexts = (QueryContext(text[start:stop], start, stop - 1, text=text),)
    return error


def is_own_reference(query: Any, name: str) -> bool:
    """Whether the query refers to the WITH query around it, and not to one of its own of the same name."""
    hidden = any(isinstance(node, tree.NamedQuery) and node.name.lower() == name.lower() for node in tree_nodes(query))
    return refers_to(query, name) and not hidden


def without_context(condition: str) -> SparkError:
    error = SparkError(condition)
    error.has_query_context = False
    return error


def level_limit(named: tree.NamedQuery, walk: Walk) -> int:
    if named.max_recursion is None:
        return number_of(walk.context.config, LEVELS)
    found = walk.read(named.max_recursion, walk.scope(frame_of(OneRow())))
    if not isinstance(found, Literal) or not isinstance(found.value, int) or found.value < 1:
        raise NotNative(reasons.RECURSIVE_CTE, "its limit is not a number above zero")
    return found.value


def recursion(named: tree.NamedQuery, anchor: Relation, step_of: StepReader, key: str, walk: Walk) -> Relation:
    """Inside the step all columns are nullable; in the result, those of the anchor or of the step. The types are those
    of the anchor, with nested nulls where the step has some."""
    fields = tuple(Field(f.name, f.type, True, f.metadata) for f in anchor.fields)
    last = LastStep(RecursionReference(fields=(*fields, LEVEL), key=key), named.name)
    frame = step_of(replace(walk, ctes={**walk.ctes, named.name.lower(): last}))
    check_reference(frame.relation)
    if len(last.levels) != 1:
        raise NotNative(reasons.RECURSIVE_CTE, "it refers to itself where the recursion cannot be followed")
    step = with_next_level(frame, last.levels[0], fields, walk)
    return Recursion(
        anchor=with_level(anchor),
        step=step,
        key=key,
        limit=level_limit(named, walk),
        rows=number_of(walk.context.config, ROWS),
        falls_back="limit" in walk.text.lower(),
        fields=tuple(
            replace(one, type=common_nullability(first.type, later.type), nullable=first.nullable or later.nullable)
            for one, first, later in zip(fields, anchor.fields, step.fields[:-1], strict=True)
        ),
    )


def check_reference(relation: Relation) -> None:
    """Rejects recursive references below sorts, aggregations and window functions, as Spark does."""
    windows = any(isinstance(one, WindowCall) for each in own_expressions(relation) for one in nodes_of(each))
    if (windows or isinstance(relation, Sort | Aggregate | Window | Distinct)) and has_reference(relation):
        likely = None if isinstance(relation, Distinct) else without_context("INVALID_RECURSIVE_REFERENCE.PLACE")
        detail = "it refers to itself below an operation that needs all rows"
        raise NotNative(reasons.RECURSIVE_CTE, detail, likely_error=likely)
    for below in relation.inputs:
        check_reference(below)


def with_level(anchor: Relation) -> Relation:
    level = build.literal(0, INT)
    return Project(input=anchor, expressions=(*anchor.columns(), level), fields=(*anchor.fields, LEVEL))


def with_next_level(frame: Frame, level: Attribute, fields: tuple[Field, ...], walk: Walk) -> Relation:
    def find(inner: Frame, _: int) -> Hit | None:
        return (level, ()) if level.id in inner.slots else None

    if is_missing_side(frame.relation):
        likely = without_context("INVALID_RECURSIVE_REFERENCE.PLACE")
        raise NotNative(reasons.RECURSIVE_CTE, "it refers to itself where rows may be missing", likely_error=likely)
    found = find_below(frame, find, opens=True)
    if found is None:
        raise NotNative(reasons.RECURSIVE_CTE, "its rows cannot be followed")
    carried = found[0]
    columns = in_types([carried.column(a) for a in frame.attributes], fields, walk)
    made = tuple(replace(one, type=c.type, nullable=c.nullable) for one, c in zip(fields, columns, strict=True))
    return Project(input=carried.relation, expressions=(*columns, carried.column(level)), fields=(*made, LEVEL))


MISSING = {"left": ("right",), "right": ("left",), "full": ("left", "right"), "semi": ("right",), "anti": ("right",)}


def is_missing_side(relation: Relation) -> bool:
    """Whether the reference is on a side of a join whose rows may be missing or are only tested."""
    if isinstance(relation, Join):
        sides = [getattr(relation, side) for side in MISSING.get(relation.kind, ())]
        if any(map(has_reference, sides)):
            return True
    return any(map(is_missing_side, relation.inputs))


def has_reference(relation: Relation) -> bool:
    return isinstance(relation, RecursionReference) or any(map(has_reference, relation.inputs))


def in_types(columns: Sequence[Expression], fields: tuple[Field, ...], walk: Walk) -> list[Expression]:
    """Casts the step's columns to the anchor's types, which must be the wider ones."""
    if len(columns) != len(fields):
        raise NotNative(reasons.ERROR_MESSAGE, "the step of a recursive WITH query has another number of columns")
    for column, one in zip(columns, fields, strict=True):
        if not same_type(column.type, one.type) and wider_type(column.type, one.type, walk.settings.ansi) != one.type:
            left, right = type_text(one.type), type_text(column.type)
            raise SparkError("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", left=left, right=right)
    return [build.implicit_cast(column, one.type, walk.settings) for column, one in zip(columns, fields, strict=True)]
