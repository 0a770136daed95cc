"""Reads FROM: tables, subqueries, VALUES, joins, table functions and lateral views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.subqueries import check_generated, lateral_join
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations import joins
from twinspark.analysis.relations.aggregates import has_aggregate
from twinspark.analysis.relations.as_of_joins import nearest_by_join
from twinspark.analysis.relations.basics import Named, passed_column
from twinspark.analysis.relations.generators import generate
from twinspark.analysis.relations.listings import listing_relation
from twinspark.analysis.relations.not_in_joins import with_existence
from twinspark.analysis.scope.correlation import check_correlated
from twinspark.analysis.scope.frames import Attribute, Frame, frame_of
from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Call, Cast, Column, Expression, Literal, Subquery
from twinspark.plan.relations import Field, Join, OneRow, Project, Range, Relation, expressions_in
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.time_travel import table_at_version
from twinspark.read.views import table_frame
from twinspark.read.walk.expressions import Walk, conjuncts
from twinspark.read.walk.functions import is_builtin
from twinspark.read.walk.identifiers import name_parts
from twinspark.read.walk.inline_tables import inline_values
from twinspark.read.walk.named_arguments import by_position
from twinspark.read.walk.pivots import pivot_frame, unpivot_frame
from twinspark.read.walk.queries import FROM, RELATION, read_query, row_count
from twinspark.types import LONG, is_integral

Reader = TypeVar("Reader", bound=Callable[..., Frame])
READERS: dict[type, Callable[..., Frame]] = {}


def reads(kind: type) -> Callable[[Reader], Reader]:
    def note(reader: Reader) -> Reader:
        READERS[kind] = reader
        return reader

    return note


def read_source(node: tree.Relation, walk: Walk) -> Frame:
    reader = READERS.get(node.__class__)
    if reader is None:
        raise NotNative(reasons.SQL_CLAUSE, node.__class__.__name__)
    try:
        return reader(node, walk)
    except SparkError as error:
        raise walk.with_context(error, node) from error
    except NotNative as why:
        why.at(walk.text[node.start : node.stop])
        raise


RELATION.append(read_source)


def read_from(node: tree.From, walk: Walk) -> Frame:
    frame = None
    for relation in node.relations:
        frame = read_source(relation, walk) if frame is None else cross(frame, relation, walk)
    assert frame is not None
    frame = with_lateral_views(frame, node.lateral_views, walk)
    if node.pivot is not None:
        frame = pivot_frame(node.pivot, frame, walk)
    return unpivot_frame(node.unpivot, frame, walk) if node.unpivot is not None else frame


FROM.append(read_from)


def cross(left: Frame, node: tree.Relation, walk: Walk) -> Frame:
    if isinstance(node, tree.Lateral):
        return lateral(left, node, "inner", None, walk)
    return joins.join(left, read_joined(node, left, walk), "inner", lambda sides: None)


# ---- one relation


@reads(tree.Table)
def read_table(node: tree.Table, walk: Walk) -> Frame:
    if node.changes or node.options or node.watermark:
        raise NotNative(reasons.TABLE_OPTION, "CHANGES, options or a watermark")
    parts = name_parts(node.name, walk)
    if node.time_travel is not None:
        return with_alias(sample_frame(read_time_travel(node.time_travel, parts, walk), node.sample, walk), node.alias)
    cte = walk.ctes.get(parts[0].lower()) if len(parts) == 1 else None
    try:
        frame = cte.frame() if cte is not None else table_frame(parts, walk.context)
    except SparkError as error:
        raise walk.with_context(error, node.name) from error
    return with_alias(sample_frame(with_cast_contexts(frame, node.name, walk), node.sample, walk), node.alias)


def with_cast_contexts(frame: Frame, name: tree.Node, walk: Walk) -> Frame:
    """Casts that adapt a view to its tables' current types have the query context of the view's name."""
    made = frame.relation
    if not isinstance(made, Project) or not any(isinstance(e, Cast) and e.origin is None for e in made.expressions):
        return frame
    context = walk.context_of(name)
    casts = (replace(e, origin=e.origin or context) if isinstance(e, Cast) else e for e in made.expressions)
    return replace(frame, relation=replace(made, expressions=tuple(casts)))


def sample_frame(frame: Frame, node: tree.Sample | None, walk: Walk) -> Frame:
    """A number of rows is a LIMIT; percentages and buckets fall back, since Spark draws random rows."""
    if node is None:
        return frame
    count = node.values[0] if node.kind == "ROWS" else None
    if not isinstance(count, tree.Expression):
        raise NotNative(reasons.SAMPLE, f"TABLESAMPLE ({node.kind})")
    return make.limit(frame, row_count(count, walk, "limit"))


def read_time_travel(node: tree.TimeTravel, parts: tuple[str, ...], walk: Walk) -> Frame:
    if len(parts) == 1 and parts[0].lower() in walk.ctes:
        raise NotNative(reasons.TIME_TRAVEL, "a WITH query")
    moment = walk.read(node.timestamp, walk.scope(frame_of(OneRow()))) if node.timestamp is not None else None
    return table_at_version(parts, walk.context, node.version, moment)


@reads(tree.Lateral)
def read_first_lateral(node: tree.Lateral, walk: Walk) -> Frame:
    """LATERAL as the first relation."""
    return read_source(node.relation, walk)


@reads(tree.AliasedQuery)
def read_aliased_query(node: tree.AliasedQuery, walk: Walk) -> Frame:
    if node.watermark is not None:
        raise NotNative(reasons.STREAMING, "WATERMARK")
    frame = read_query(node.query, walk)
    closed = replace(frame.with_qualifier(()), plans={})  # without an alias its columns have no qualifier
    return with_alias(sample_frame(closed, node.sample, walk), node.alias)


@reads(tree.AliasedRelation)
def read_aliased_relation(node: tree.AliasedRelation, walk: Walk) -> Frame:
    if node.watermark is not None:
        raise NotNative(reasons.STREAMING, "WATERMARK")
    return with_alias(sample_frame(read_source(node.relation, walk), node.sample, walk), node.alias)


def with_alias(frame: Frame, alias: tree.TableAlias | None) -> Frame:
    if alias is None:
        return frame
    if alias.columns:
        if len(alias.columns) != len(frame.attributes):
            raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numExpr=len(alias.columns), numTarget=len(frame.attributes))
        columns = [Named(frame.column(a), n, a.metadata) for a, n in zip(frame.attributes, alias.columns, strict=True)]
        frame = make.project(frame, columns)
    return frame.with_qualifier((alias.name,))


@reads(tree.InlineTable)
def read_inline_table(node: tree.InlineTable, walk: Walk) -> Frame:
    return with_alias(frame_of(inline_values(node, walk)), node.alias)


@reads(tree.TableFunction)
def read_table_function(node: tree.TableFunction, walk: Walk) -> Frame:
    if node.watermark is not None:
        raise NotNative(reasons.STREAMING, "WATERMARK")
    name = name_parts(node.name, walk)[-1].lower()
    own = session_rows(node, walk)
    if own is not None:
        return with_alias(own, node.alias)
    if any(isinstance(a, tree.TableArgument) for a in node.arguments):
        raise NotNative(reasons.TABLE_FUNCTION, f"{name} with a TABLE argument")
    node = replace(node, arguments=by_position(name, node.arguments))
    if name == "range" and node.alias is not None and len(node.alias.columns) > 1:
        raise NotNative(reasons.ERROR_MESSAGE, "more aliases than range has columns")
    if name == "range":
        return with_alias(frame_of(range_of(node, walk)), node.alias)
    rows = listing_relation(name, node.arguments, walk.context)
    if rows is not None:
        return with_alias(frame_of(rows), node.alias)
    return generate_over(frame_of(OneRow()), name, node.arguments, False, node.alias, walk)


def session_rows(node: tree.TableFunction, walk: Walk) -> Frame | None:
    """The rows of a SQL function of the session or of a catalog; built-in names take precedence."""
    functions, parts = walk.context.functions, name_parts(node.name, walk)
    if functions is None or is_builtin(tuple(parts)):
        return None
    found = functions.find(parts, walk.context)
    if found is None:
        return None
    rows: Frame = found.table(node, walk.scope(frame_of(OneRow())), walk)
    return frame_of(rows.plain(), (parts[-1],))


def range_of(node: tree.TableFunction, walk: Walk) -> Range:
    scope = walk.scope(frame_of(OneRow()))
    values = []
    for argument in node.arguments:
        if any(isinstance(one, tree.Subquery) for one in tree_nodes(argument)):
            raise NotNative(reasons.TABLE_FUNCTION, "range with a subquery as argument")
        made = walk.read(argument, scope)
        if not isinstance(made, Literal) or not is_integral(made.type):
            raise NotNative(reasons.TABLE_FUNCTION, "range with an argument that is not a whole number")
        values.append(int(made.value))
    if not 1 <= len(values) <= 4:
        raise NotNative(reasons.ERROR_MESSAGE, "range with another number of arguments")
    start, end = (0, values[0]) if len(values) == 1 else values[:2]
    step = values[2] if len(values) > 2 else 1
    if step == 0:
        raise NotNative(reasons.ERROR_MESSAGE, "range with a step of zero")
    partitions = values[3] if len(values) > 3 else 0
    if len(values) > 3 and partitions <= 0:
        raise NotNative(reasons.ERROR_MESSAGE, "range with no partitions")
    return Range(start=start, end=end, step=step, partitions=partitions, fields=(Field("id", LONG, False),))


def generate_over(
    frame: Frame, name: str, arguments: Sequence[tree.Expression], outer: bool, alias: Any, walk: Walk
) -> Frame:
    """A generator over a frame: the frame's columns, then the generator's under the alias."""
    called = f"{name}_outer" if outer and not name.endswith("_outer") else name
    call = build.call(called, walk.reads(arguments, walk.scope(frame)), walk.settings)
    before = [passed_column(frame, a) for a in frame.attributes]
    made = generate(frame, [*before, Named(call, call.text)], walk.settings)
    count = len(before)
    own = made.attributes[count:]
    names = alias.columns if alias is not None and alias.columns else tuple(a.name for a in own)
    if len(names) != len(own):
        raise NotNative(reasons.ERROR_MESSAGE, "another number of aliases than generated columns")
    qualifier = (alias.name,) if alias is not None else ()
    renamed: list[Attribute] = [replace(a, name=n, qualifier=qualifier) for a, n in zip(own, names, strict=True)]
    return replace(made, attributes=(*made.attributes[:count], *renamed), source=None)


def with_lateral_views(frame: Frame, views: Sequence[tree.LateralView], walk: Walk) -> Frame:
    for view in views:
        if view.function.parts[-1].lower().startswith("variant_explode"):
            raise NotNative(reasons.TABLE_FUNCTION, "variant_explode in LATERAL VIEW")
        if any(map(has_own_star, view.arguments)):
            raise NotNative(reasons.STAR, "LATERAL VIEW")
        if any(isinstance(one, tree.Query) for one in tree_nodes(view.arguments)):
            raise NotNative(reasons.SUBQUERY_POSITION, "LATERAL VIEW")
        alias = tree.TableAlias(view.start, view.stop, view.table, view.columns)
        try:
            frame = generate_over(frame, view.function.parts[-1].lower(), view.arguments, view.outer, alias, walk)
        except SparkError as error:  # the call has no query context of its own
            is_type_error = error.condition.startswith(("DATATYPE_MISMATCH.", "WRONG_NUM_ARGS."))
            raise (walk.with_context(error, view) if is_type_error else error) from error
    return frame


@reads(tree.Pivot)
def read_pivot(node: tree.Pivot, walk: Walk) -> Frame:
    assert node.relation is not None
    return pivot_frame(node, read_source(node.relation, walk), walk)


@reads(tree.Unpivot)
def read_unpivot(node: tree.Unpivot, walk: Walk) -> Frame:
    assert node.relation is not None
    return unpivot_frame(node, read_source(node.relation, walk), walk)


# ---- joins

KINDS = {
    "INNER": "inner",
    "CROSS": "cross",
    "LEFT OUTER": "left",
    "RIGHT OUTER": "right",
    "FULL OUTER": "full",
    "LEFT SEMI": "semi",
    "LEFT ANTI": "anti",
}


@reads(tree.Join)
def read_join(node: tree.Join, walk: Walk, piped: Frame | None = None) -> Frame:
    """`piped` is the left side of a join that is a pipe operator."""
    left = piped if node.left is None else read_source(node.left, walk)
    assert left is not None
    kind = KINDS[node.kind]
    if isinstance(node.right, tree.Lateral):
        return lateral(left, node.right, kind, node.condition, walk)
    right = read_joined(node.right, left, walk)
    if node.nearest is not None:
        return nearest_by(left, right, kind, node.nearest, walk)
    if node.natural and kind in ("semi", "anti"):
        raise NotNative(reasons.JOIN_CONDITION, "a natural semi or anti join")  # Spark fails with a Java exception
    names = common_names(left, right) if node.natural else list(node.using)
    if names:
        return joins.using_join(left, right, kind, names, walk.settings)

    def condition(sides: Frame) -> Expression | None:
        return join_condition(node.condition, kind, sides, walk)

    return joins.join(left, right, kind, condition)


def nearest_by(left: Frame, right: Frame, kind: str, node: tree.NearestBy, walk: Walk) -> Frame:
    def ranking(sides: Frame) -> Expression:
        return walk.read(node.expression, walk.scope(sides))

    return nearest_by_join(left, right, kind, ranking, node.count, node.similarity, walk.context)


def common_names(left: Frame, right: Frame) -> list[str]:
    """The columns of NATURAL JOIN: the left side's names that the right side has too."""
    shown = [a.name.lower() for a in right.attributes]
    common = {a.name.lower(): a.name for a in reversed(left.attributes) if a.name.lower() in shown}
    if any(shown.count(name) > 1 for name in common):
        raise NotNative(reasons.ERROR_MESSAGE, "a natural join by a name that occurs twice")
    return list(common.values())[::-1]


def join_condition(node: tree.Expression | None, kind: str, sides: Frame, walk: Walk) -> Expression | None:
    """IN (subquery) is supported only as a conjunct, where unknown and false are equivalent."""
    if node is None:
        return None
    if has_own_star(node):
        raise NotNative(reasons.JOIN_CONDITION, "a star")
    if any(hides_in(one) for one in conjuncts(node)):
        raise NotNative(reasons.JOIN_CONDITION, "IN with a subquery inside an expression")
    made = walk.read(node, walk.scope(sides))
    if has_aggregate(made):
        raise NotNative(reasons.ERROR_MESSAGE, "an aggregate function in a join condition")
    made = joins.boolean(made)
    check_one_sided(made, sides)
    if kind in ("left", "right", "full"):
        check_constant_columns(made, sides)
    return with_existence(made, kind, sides, walk.settings)


def has_own_star(node: tree.Expression) -> bool:
    """Whether there is a star outside of subqueries."""
    queries = [one for one in tree_nodes(node) if isinstance(one, tree.Query)]
    stars = [one for one in tree_nodes(node) if isinstance(one, tree.Star)]
    return any(not any(query.start <= star.start < query.stop for query in queries) for star in stars)


def check_one_sided(condition: Expression, sides: Frame) -> None:
    """A subquery in a join condition may use the columns of one side only."""
    assert isinstance(sides.relation, Join)
    width = len(sides.relation.left.fields)
    for node in nodes_of(condition):
        if isinstance(node, Subquery) and len({index < width for index in columns_used(node)}) > 1:
            raise NotNative(reasons.JOIN_CONDITION, "a subquery over columns of both sides")


def check_constant_columns(condition: Expression, sides: Frame) -> None:
    """Spark's optimizer replaces constant columns by their values (FoldablePropagation) and then does not find those
    that a correlated subquery in the condition of an outer join uses."""
    inside = [node for node in nodes_of(condition) if isinstance(node, Subquery)]
    if any(is_constant(column.index, sides.relation) for node in inside for column in outer_columns(node.relation)):
        raise NotNative(reasons.JOIN_CONDITION, "a correlated subquery over constant columns in an outer join")


def is_constant(index: int, relation: Relation) -> bool:
    if isinstance(relation, Join):
        width = len(relation.left.fields)
        left = index < width
        return is_constant(index if left else index - width, relation.left if left else relation.right)
    return isinstance(relation, Project) and isinstance(relation.expressions[index], Literal)


def columns_used(subquery: Subquery) -> set[int]:
    """The columns of the join that a correlated subquery uses, and the values on the left side of its IN."""
    outer = {column.index for column in outer_columns(subquery.relation)}
    values = {node.index for value in subquery.values for node in nodes_of(value) if isinstance(node, Column)}
    return outer | values if outer else set()


def hides_in(node: tree.Expression) -> bool:
    inside = not isinstance(node, tree.InSubquery)
    return inside and any(isinstance(one, tree.InSubquery) for one in tree_nodes(node))


def read_joined(node: tree.Relation, left: Frame, walk: Walk) -> Frame:
    return read_source(node, walk)


def calls_in(expression: Expression) -> list[Call]:
    return [node for node in nodes_of(expression) if isinstance(node, Call)]


def lateral(left: Frame, node: tree.Lateral, kind: str, on: tree.Expression | None, walk: Walk) -> Frame:
    """The right side can use the left side's columns."""
    right = read_source(node.relation, walk.inside(walk.scope(left)))
    check_correlated(right.relation)
    check_generated(right.relation, kind)
    if any(not n.signature.deterministic for e in expressions_in(right.relation) for n in calls_in(e)):
        raise NotNative(reasons.NONDETERMINISTIC, "a lateral subquery")

    def condition(sides: Frame) -> Expression | None:
        try:
            return join_condition(on, kind, sides, walk)
        except SparkError as error:
            if error.condition != "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE":
                raise
            raise NotNative(
                reasons.ERROR_MESSAGE, "the condition of a lateral join is not a boolean", likely_error=error
            ) from error

    frame = joins.join(left, right, kind, condition)
    assert isinstance(frame.relation, Join)
    return replace(frame, relation=lateral_join(frame.relation))
