"""Walks one SELECT: FROM, WHERE, GROUP BY, the list, HAVING, DISTINCT, and the order it can be put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import has_aggregate
from twinspark.analysis.canonical import position
from twinspark.analysis.generators import generate, has_generator, top_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.outer import outer_columns, outer_in
from twinspark.analysis.relations import Named, find_columns, passing
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import AggregateCall, Expression, Literal, Subquery, children_of
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.aggregation import Aggregation
from twinspark.read.walk.conditions import has_window, where
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import is_generator_node
from twinspark.read.walk.groups import List, is_all, read_grouping
from twinspark.read.walk.lateral_aliases import check_in_generators, check_in_groups
from twinspark.read.walk.queries import SELECT, Selected, sorted_frame
from twinspark.read.walk.sources import read_from, with_lateral_views


def read_select(node: tree.Select, walk: Walk, windows: Sequence[tree.NamedWindow]) -> Selected:
    if not isinstance(node.projections, tuple):
        raise NotNative("SQL: TRANSFORM")
    try:
        made = select_of(node, walk, windows)
        return replace(made, frame=make.spread(made.frame)) if node.hints else made
    except SparkError as error:
        raise placed(error, node, walk) from error


def placed(error: SparkError, node: tree.Select, walk: Walk) -> SparkError:
    place = node.grouping if error.condition == "MISSING_GROUP_BY" and node.grouping is not None else node
    return walk.located(error, place) if error.condition in OF_THE_SELECT else error


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
    """`SELECT a, FROM t` is a column named from, called t (CheckAnalysis.checkTrailingCommaInSelect)."""
    match projections:
        case (_, *_, tree.Alias(child=tree.Column(parts=(name,)))) if name.upper() == "FROM":
            raise walk.located(SparkError("TRAILING_COMMA_IN_SELECT"), projections[-1])


def select_over(node: tree.Select, frame: Frame, walk: Walk, windows: Sequence[tree.NamedWindow]) -> Selected:
    assert isinstance(node.projections, tuple)
    scope = walk.scope(frame, windows=named_windows((*node.windows, *windows)))
    if node.grouping is not None:
        scope.last = grouping_id
    columns = listed(node, scope, walk)
    if node.qualify is not None:
        return qualified(node, frame, scope, columns, walk)
    if node.grouping is not None or node.having is not None or any(has_aggregate(c.expression) for c in columns):
        return aggregated(node, frame, scope, columns, walk)
    return projected(node, frame, columns, walk)


SELECT.append(read_select)


def listed(node: tree.Select, scope: Scope, walk: Walk) -> list[Named]:
    assert isinstance(node.projections, tuple)
    try:
        return walk.columns(node.projections, scope)
    except SparkError as error:
        refused = error.condition.startswith(("DATATYPE_MISMATCH.UNEXPECTED", "WRONG_NUM_ARGS"))
        several = len(node.projections) > 1
        if (several or not refused) and any(is_generator_node(one, walk) for one in tree_nodes(node.projections)):
            raise NotNative("SQL: a list that may use the columns it generates") from error
        raise


def grouping_id(scope: Scope, parts: Sequence[str]) -> Named | None:
    """Hive's name for it, which Spark knows where rows are grouped."""
    if [part.lower() for part in parts] != ["grouping__id"]:
        return None
    return Named(build.call("grouping_id", [], scope.settings), parts[0])


def named_windows(nodes: Sequence[tree.NamedWindow]) -> dict[str, object]:
    found = {node.name.lower(): node.window for node in nodes}
    return {
        name: found.get(window.name.lower(), window) if isinstance(window, tree.WindowReference) else window
        for name, window in found.items()
    }


def projected(node: tree.Select, frame: Frame, columns: list[Named], walk: Walk) -> Selected:
    if any(has_generator(c.expression) for c in columns):
        check_in_generators(columns)
        made = generate(frame, columns, walk.settings)
    else:
        made = make.project(frame, columns)
    return distinct_or_not(node, made, walk)


def qualified(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    """QUALIFY: a condition over windows; it sees the list and what the list is made of."""
    assert node.qualify is not None
    if node.grouping is not None or node.having is not None or any(has_aggregate(c.expression) for c in columns):
        return qualified_groups(node, frame, scope, columns, walk)

    def find(inner: Scope, parts: Sequence[str]) -> Named | None:
        same = [c for c in columns if len(parts) == 1 and c.name.lower() == parts[0].lower()]
        below = find_columns(frame, parts[0], walk.settings)
        if len(same) > 1 or (same and below and same[0].passes is None):
            raise NotNative("SQL: QUALIFY with a name of two meanings")
        return same[0] if same else None

    try:
        condition = walk.read(node.qualify, replace(scope, aliases={}, first=find))
    except SparkError as error:
        if error.condition.startswith("UNRESOLVED_COLUMN"):  # what is suggested are names of the list, too
            raise NotNative("SQL: QUALIFY by a name that is not there", nearest=error) from error
        raise
    check_windows(condition, columns)
    return only_where(condition, node, frame, columns, walk)


def qualified_groups(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    """Over groups it sees the list alone, and can group no more."""
    assert node.qualify is not None
    groups = grouped(node, frame, scope, columns, columns, walk).closed()
    check_in_groups(columns, node.having is not None)
    try:
        condition = walk.read(node.qualify, walk.scope(groups, windows=scope.windows))
    except SparkError as error:
        raise NotNative("SQL: QUALIFY of groups", nearest=error) from error
    if has_aggregate(condition):
        raise NotNative("SQL: an aggregate in the QUALIFY of groups")
    check_windows(condition, columns)
    return only_where(condition, node, groups, [passing(groups, a) for a in groups.attributes], walk)


def check_windows(condition: Expression, columns: Sequence[Named]) -> None:
    if not any(has_window(e) for e in (condition, *(c.expression for c in columns))):
        raise SparkError("QUALIFY_REQUIRES_WINDOW_FUNCTION")


def only_where(
    condition: Expression, node: tree.Select, frame: Frame, columns: Sequence[Named], walk: Walk
) -> Selected:
    made = make.project(frame, [*columns, Named(condition, condition.text)])
    visible = replace(made, attributes=made.attributes[:-1], source=None)
    return distinct_or_not(node, make.filter(visible, made.column(made.attributes[-1]), walk.settings), walk)


def distinct_or_not(node: tree.Select, made: Frame, walk: Walk) -> Selected:
    if node.quantifier == "DISTINCT":
        return Selected(make.distinct(made))
    return Selected(made, lambda items: sorted_frame(made, items, walk))


def aggregated(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Selected:
    if any(has_generator(c.expression) for c in columns):
        return distinct_or_not(node, generated(node, frame, scope, columns, walk), walk)
    made = grouped(node, frame, scope, columns, columns, walk)
    made.closed()  # says first what is neither grouped nor aggregated
    check_in_groups(columns, node.having is not None)
    if node.quantifier == "DISTINCT":
        return Selected(make.distinct(made.closed()))
    return Selected(made.closed(), made.order)


def grouped(
    node: tree.Select, frame: Frame, scope: Scope, shown: list[Named], columns: list[Named], walk: Walk
) -> Aggregation:
    """The groups with `columns`; keys may name what is `shown`, the list as it was written."""
    assert isinstance(node.projections, tuple)
    grouping, sets = read_grouping(node.grouping, List(shown, node.projections), scope, walk)
    if any(has_loose_subquery(c.expression, grouping) for c in columns):
        raise NotNative("SQL: a correlated subquery in a grouped list")  # Spark wants it in GROUP BY
    if any(any(outer_in(c.expression)) for c in columns):
        raise NotNative("SQL: a column of the query around in a grouped list")
    made = Aggregation(walk, frame, scope, tuple(grouping), sets, tuple(columns))
    return made if node.having is None else made.with_having(node.having)


def generated(node: tree.Select, frame: Frame, scope: Scope, columns: list[Named], walk: Walk) -> Frame:
    """A generator over groups: its arguments are columns of the groups (ExtractGenerator)."""
    place = next(i for i, column in enumerate(columns) if has_generator(column.expression))
    call = top_generator(columns[place].expression)
    if any(has_generator(column.expression) for column in columns[place + 1 :]) or not is_plain_grouping(
        node, columns[place]
    ):
        raise NotNative("SQL: a generator in a grouped SELECT")
    inner = [Named(argument, f"argument{i}") for i, argument in enumerate(call.arguments)]
    others = [*columns[:place], *columns[place + 1 :]]
    try:
        groups = grouped(node, frame, scope, columns, [*others, *inner], walk).closed()
        check_in_groups(columns, node.having is not None)
    except SparkError as error:
        raise NotNative("SQL: a generator in a grouped SELECT", nearest=error) from error
    kept = [Named(groups.column(a), o.name, a.metadata) for a, o in zip(groups.attributes, others, strict=False)]
    taken = tuple(groups.column(a) for a in groups.attributes[len(others) :])
    arguments = tuple(was if isinstance(was, Literal) else now for was, now in zip(call.arguments, taken, strict=True))
    made = replace(columns[place], expression=replace(call, arguments=arguments))
    return generate(groups, [*kept[:place], made, *kept[place:]], walk.settings)


def is_plain_grouping(node: tree.Select, generator: Named) -> bool:
    """Keys that are told one by one by their names, none of them the generator's."""
    if node.having is not None or node.windows or node.grouping is None:
        return node.having is None and not node.windows
    names = {name.lower() for name in (generator.name, *generator.names)}
    keys = node.grouping.expressions
    plain = not node.grouping.kind and not is_all(node.grouping) and all(isinstance(key, tree.Column) for key in keys)
    return plain and not any(isinstance(key, tree.Column) and key.parts[-1].lower() in names for key in keys)


def has_loose_subquery(expression: Expression, grouping: Sequence[Expression]) -> bool:
    """A correlated one that is neither a key nor inside an aggregate."""
    if isinstance(expression, AggregateCall) or position(expression, grouping) is not None:
        return False
    if isinstance(expression, Subquery) and any(outer_columns(expression.relation)):
        return True
    return any(has_loose_subquery(child, grouping) for child in children_of(expression))
