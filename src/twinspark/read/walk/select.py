"""Reads one SELECT: FROM, WHERE, GROUP BY, the select list, HAVING, QUALIFY, DISTINCT, and how it can be sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions.canonical import position
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import has_aggregate
from twinspark.analysis.relations.basics import Named, find_columns, passed_column
from twinspark.analysis.relations.generators import generate, has_generator, top_generator
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.analysis.scope.outer_references import outer_columns, outer_in
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import AggregateCall, Expression, Literal, Subquery, children_of
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.aggregation import Aggregation
from twinspark.read.walk.conditions import has_window, where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import is_generator_node
from twinspark.read.walk.groups import SelectList, is_all, read_grouping
from twinspark.read.walk.lateral_aliases import check_in_generators, check_in_groups
from twinspark.read.walk.partition_hints import with_hints
from twinspark.read.walk.queries import SELECT, Selected, sorted_frame
from twinspark.read.walk.sources import read_from, with_lateral_views


def read_select(node: tree.Select, walk: Walk, windows: Sequence[tree.NamedWindow]) -> Selected:
    if not isinstance(node.projections, tuple):
        raise NotNative(reasons.SQL_CLAUSE, "TRANSFORM")
    try:
        made = select_of(node, walk, windows)
        return replace(made, frame=with_hints(made.frame, node.hints, walk)) if node.hints else made
    except SparkError as error:
        raise with_select_context(error, node, walk) from error


def with_select_context(error: SparkError, node: tree.Select, walk: Walk) -> SparkError:
    context_node = node.grouping if error.condition == "MISSING_GROUP_BY" and node.grouping is not None else node
    return walk.with_context(error, context_node) if error.condition in OF_THE_SELECT else error


OF_THE_SELECT = ("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "INVALID_WHERE_CONDITION", "MISSING_GROUP_BY")


def select_of(node: tree.Select, walk: Walk, windows: Sequence[tree.NamedWindow]) -> Selected:
    assert isinstance(node.projections, tuple)
    if node.source is None:
        check_no_trailing_comma(node.projections, walk)
    frame = read_from(node.source, walk) if node.source is not None else frame_of(OneRow())
    frame = with_lateral_views(frame, node.lateral_views, walk)
    if node.where is not None:
        frame = where(frame, node.where, walk)
    return select_over(node, frame, walk, windows)


def check_no_trailing_comma(projections: tuple[tree.Expression, ...], walk: Walk) -> None:
    """`SELECT a, FROM t` would be a column named `from` with the alias `t`
    (CheckAnalysis.checkTrailingCommaInSelect)."""
    match projections:
        case (_, *_, tree.Alias(child=tree.Column(parts=(name,)))) if name.upper() == "FROM":
            raise walk.with_context(SparkError("TRAILING_COMMA_IN_SELECT"), projections[-1])


def select_over(node: tree.Select, frame: Frame, walk: Walk, windows: Sequence[tree.NamedWindow]) -> Selected:
    assert isinstance(node.projections, tuple)
    scope = walk.scope(frame, windows=named_windows((*node.windows, *windows)))
    columns = read_select_list(node, scope, walk)
    if node.qualify is not None:
        return qualify(node, frame, scope, columns, walk)
    if node.grouping is not None or node.having is not None or any(has_aggregate(c.expression) for c in columns):
        return aggregate_select(node, frame, scope, columns, walk)
    return project_select(node, frame, columns, walk)


SELECT.append(read_select)


def read_select_list(node: tree.Select, scope: Scope, walk: Walk) -> list[Named]:
    assert isinstance(node.projections, tuple)
    try:
        return walk.columns(node.projections, scope)
    except SparkError as error:
        is_type_error = error.condition.startswith(("DATATYPE_MISMATCH.UNEXPECTED", "WRONG_NUM_ARGS"))
        several = len(node.projections) > 1
        if (several or not is_type_error) and any(is_generator_node(one, walk) for one in tree_nodes(node.projections)):
            raise NotNative(
                reasons.GENERATOR_POSITION, "a select list that may use the columns it generates"
            ) from error
        raise


def named_windows(nodes: Sequence[tree.NamedWindow]) -> dict[str, object]:
    found = {node.name.lower(): node.window for node in nodes}
    return {
        name: found.get(window.name.lower(), window) if isinstance(window, tree.WindowReference) else window
        for name, window in found.items()
    }


def project_select(node: tree.Select, frame: Frame, columns: list[Named], walk: Walk) -> Selected:
    if any(has_generator(c.expression) for c in columns):
        check_in_generators(columns)
        made = generate(frame, columns, walk.settings)
    else:
        made = make.project(frame, columns)
    return distinct_or_not(node, made, walk)


def qualify(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    """QUALIFY: a condition over window functions; it can use output columns and input columns."""
    assert node.qualify is not None
    if node.grouping is not None or node.having is not None or any(has_aggregate(c.expression) for c in columns):
        return qualify_groups(node, frame, scope, columns, walk)

    def find(inner: Scope, parts: Sequence[str]) -> Named | None:
        same = [c for c in columns if len(parts) == 1 and c.name.lower() == parts[0].lower()]
        below = find_columns(frame, parts[0], walk.settings)
        if len(same) > 1 or (same and below and same[0].passes is None):
            raise NotNative(reasons.EXPRESSION_POSITION, "QUALIFY with a name with two meanings")
        return same[0] if same else None

    try:
        condition = walk.read(node.qualify, replace(scope, aliases={}, first=find))
    except SparkError as error:
        if error.condition.startswith("UNRESOLVED_COLUMN"):  # Spark's suggestions include output columns
            raise NotNative(
                reasons.ERROR_MESSAGE, "QUALIFY by a name that does not exist", likely_error=error
            ) from error
        raise
    check_windows(condition, columns)
    return only_where(condition, node, frame, columns, walk)


def qualify_groups(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    """QUALIFY over groups can use only output columns and adds no aggregates."""
    assert node.qualify is not None
    groups = group_select(node, frame, scope, columns, columns, walk).to_frame()
    check_in_groups(columns, node.having is not None)
    try:
        condition = walk.read(node.qualify, walk.scope(groups, windows=scope.windows))
    except SparkError as error:
        raise NotNative(reasons.ERROR_MESSAGE, "QUALIFY in a grouped query", likely_error=error) from error
    if has_aggregate(condition):
        raise NotNative(reasons.EXPRESSION_POSITION, "QUALIFY with an aggregate function")
    check_windows(condition, columns)
    return only_where(condition, node, groups, [passed_column(groups, a) for a in groups.attributes], walk)


def check_windows(condition: Expression, columns: Sequence[Named]) -> None:
    if not any(has_window(e) for e in (condition, *(c.expression for c in columns))):
        raise SparkError("QUALIFY_REQUIRES_WINDOW_FUNCTION")


def only_where(
    condition: Expression, node: tree.Select, frame: Frame, columns: Sequence[Named], walk: Walk
) -> Selected:
    made = make.project(frame, [*columns, Named(condition, condition.text)])
    visible = replace(made, attributes=made.attributes[:-1])
    return distinct_or_not(node, make.filter(visible, made.column(made.attributes[-1]), walk.settings), walk)


def distinct_or_not(node: tree.Select, made: Frame, walk: Walk) -> Selected:
    if node.quantifier == "DISTINCT":
        return Selected(make.distinct(made))
    return Selected(made, lambda items, is_global: sorted_frame(made, items, walk, is_global))


def aggregate_select(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    if any(has_generator(c.expression) for c in columns):
        return distinct_or_not(node, generate_over_groups(node, frame, scope, columns, walk), walk)
    made = group_select(node, frame, scope, columns, columns, walk)
    made.to_frame()  # raises the errors about columns that are neither grouped nor aggregated first
    check_in_groups(columns, node.having is not None)
    if node.quantifier == "DISTINCT":
        return Selected(make.distinct(made.to_frame()))
    return Selected(made.to_frame(), made.order)


def group_select(
    node: tree.Select, frame: Frame, scope: Scope, shown: list[Named], columns: list[Named], walk: Walk
) -> Aggregation:
    """The aggregation that outputs `columns`; keys may reference `shown`, the SELECT list as written."""
    assert isinstance(node.projections, tuple)
    grouping, sets = read_grouping(node.grouping, SelectList(shown, node.projections), scope, walk)
    if any(has_loose_subquery(c.expression, grouping) for c in columns):
        # Spark requires it in GROUP BY.
        raise NotNative(reasons.SUBQUERY_CORRELATED, "a subquery in the select list of a grouped query")
    if any(any(outer_in(c.expression)) for c in columns):
        raise NotNative(reasons.SUBQUERY_CORRELATED, "an outer column in the select list of a grouped query")
    made = Aggregation(walk, frame, scope, tuple(grouping), sets, tuple(columns))
    return made if node.having is None else made.with_having(node.having)


def generate_over_groups(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Frame:
    """A generator over groups: its arguments are columns of the groups (ExtractGenerator)."""
    index = next(i for i, column in enumerate(columns) if has_generator(column.expression))
    call = top_generator(columns[index].expression)
    if any(has_generator(column.expression) for column in columns[index + 1 :]) or not is_plain_grouping(
        node, columns[index]
    ):
        raise NotNative(reasons.GENERATOR_POSITION, "the select list of a grouped query")
    inner = [Named(argument, f"argument{i}") for i, argument in enumerate(call.arguments)]
    others = [*columns[:index], *columns[index + 1 :]]
    try:
        groups = group_select(node, frame, scope, columns, [*others, *inner], walk).to_frame()
        check_in_groups(columns, node.having is not None)
    except SparkError as error:
        raise NotNative(
            reasons.ERROR_MESSAGE, "a generator function in the select list of a grouped query", likely_error=error
        ) from error
    kept = [Named(groups.column(a), o.name, a.metadata) for a, o in zip(groups.attributes, others, strict=False)]
    taken = tuple(groups.column(a) for a in groups.attributes[len(others) :])
    arguments = tuple(was if isinstance(was, Literal) else now for was, now in zip(call.arguments, taken, strict=True))
    made = replace(columns[index], expression=replace(call, arguments=arguments))
    return generate(groups, [*kept[:index], made, *kept[index:]], walk.settings)


def is_plain_grouping(node: tree.Select, generator: Named) -> bool:
    """Whether the keys are plain names, none of them the generator's."""
    if node.having is not None or node.windows or node.grouping is None:
        return node.having is None and not node.windows
    names = {name.lower() for name in (generator.name, *generator.names)}
    keys = node.grouping.expressions
    plain = not node.grouping.kind and not is_all(node.grouping) and all(isinstance(key, tree.Column) for key in keys)
    return plain and not any(isinstance(key, tree.Column) and key.parts[-1].lower() in names for key in keys)


def has_loose_subquery(expression: Expression, grouping: Sequence[Expression]) -> bool:
    """Whether there is a correlated subquery that is neither a key nor inside an aggregate."""
    if isinstance(expression, AggregateCall) or position(expression, grouping) is not None:
        return False
    if isinstance(expression, Subquery) and any(outer_columns(expression.relation)):
        return True
    return any(has_loose_subquery(child, grouping) for child in children_of(expression))
