"""Parses pipe operators: query |> SELECT …, |> WHERE …, |> AGGREGATE … and the others."""

from collections.abc import Callable

from twinspark.read.sql.expressions.calls import parse_window_clause
from twinspark.read.sql.expressions.constant_expressions import nodes_of
from twinspark.read.sql.expressions.precedence import parse_expression, parse_named_expressions
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_captured_identifier, parse_multipart_identifier
from twinspark.read.sql.lexer.keywords_as_names import is_by
from twinspark.read.sql.queries.pivots import parse_pivot, parse_unpivot
from twinspark.read.sql.queries.relations import is_join, parse_join
from twinspark.read.sql.queries.samples import parse_sample
from twinspark.read.sql.queries.select import (
    parse_grouping,
    parse_organization,
    parse_query_primary,
    parse_select_clause,
)
from twinspark.read.sql.tree import (
    Column,
    Expression,
    Function,
    Grouping,
    GroupingAnalytics,
    Name,
    Organization,
    Pipe,
    PipeAggregate,
    PipeAs,
    PipeDrop,
    PipeExtend,
    PipeOperator,
    PipeSelect,
    PipeSet,
    PipeSetOperation,
    PipeWhere,
    QueryTerm,
    Select,
    WindowDefinition,
)

_WINDOWS = (
    "window functions; please update the query to move the window functions to a subsequent |> SELECT operator instead"
)


def parse_pipe(cursor: Cursor, left: QueryTerm, start: int) -> Pipe:
    cursor.expect_any("|>", "|")
    operator = _parse_operator(cursor)
    return Pipe(start, cursor.stop, left, operator)


def _parse_operator(cursor: Cursor) -> PipeOperator:
    start, kind = cursor.start, cursor.kinds[cursor.at]
    rule = _OPERATORS.get(kind)
    if rule is not None:
        return rule(cursor, start)
    if kind == "AGGREGATE":
        return _parse_aggregate(cursor, start)
    if kind == "PIVOT" or kind == "UNPIVOT":
        return _parse_pivot_or_unpivot(cursor)
    if kind in ("UNION", "EXCEPT", "MINUS", "INTERSECT"):
        return _parse_set_operator(cursor, start)
    if is_join(cursor):
        return parse_join(cursor, None, start)
    found = parse_organization(cursor)
    if found is None:
        if kind in ("eof", ")", ";", "|>"):
            return Organization(start, start)
        raise cursor.fail()
    _check_pipe_organization(cursor, found)
    return found


# ------------------------------------------------------------ columns
def _parse_select(cursor: Cursor, start: int) -> PipeSelect:
    hints, quantifier, projections = parse_select_clause(cursor)
    grouping = parse_grouping(cursor) if is_by(cursor, "GROUP") else None
    windows = parse_window_clause(cursor)
    select = Select(start, cursor.stop, hints, quantifier, projections, None, (), None, grouping, None, windows, None)
    return PipeSelect(start, cursor.stop, select)


def _parse_extend(cursor: Cursor, start: int) -> PipeExtend:
    cursor.expect("EXTEND")
    projections = parse_named_expressions(cursor)
    return PipeExtend(start, cursor.stop, projections)


def _parse_set(cursor: Cursor, start: int) -> PipeSet:
    cursor.expect("SET")
    assignments = cursor.list_of(_parse_assignment)
    return PipeSet(start, cursor.stop, assignments)


def _parse_assignment(cursor: Cursor) -> tuple[str, Expression]:
    start = cursor.start
    name = parse_multipart_identifier(cursor)
    cursor.expect("=")
    value = parse_expression(cursor)
    if len(name.parts) > 1:
        message = "SQL pipe syntax |> SET operator with multi-part assignment key (only single-part keys are allowed)"
        cursor.defer_error("_LEGACY_ERROR_TEMP_0035", start, cursor.stop, message=message)
    return name.parts[0], value


def _parse_drop_operator(cursor: Cursor, start: int) -> PipeDrop:
    cursor.expect("DROP")
    columns: tuple[Name, ...] = cursor.list_of(parse_multipart_identifier)
    return PipeDrop(start, cursor.stop, columns)


def _parse_as(cursor: Cursor, start: int) -> PipeAs:
    cursor.expect("AS")
    name = parse_captured_identifier(cursor)
    return PipeAs(start, cursor.stop, name)


# ------------------------------------------------------------ rows
def _parse_where(cursor: Cursor, start: int) -> PipeWhere:
    cursor.expect("WHERE")
    condition = parse_expression(cursor)
    if cursor.kinds[cursor.at] == "WINDOW":
        parse_window_clause(cursor)
        cursor.defer_query_error("NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE")
    return PipeWhere(start, cursor.stop, condition)


def _parse_pivot_or_unpivot(cursor: Cursor) -> PipeOperator:
    first: PipeOperator
    if cursor.kinds[cursor.at] == "PIVOT":
        first, both = parse_pivot(cursor, None), cursor.peek("UNPIVOT") and bool(parse_unpivot(cursor, None))
    else:
        first, both = parse_unpivot(cursor, None), cursor.peek("PIVOT") and bool(parse_pivot(cursor, None))
    if both:
        cursor.defer_query_error("NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT")
    return first


def _parse_sample_operator(cursor: Cursor, start: int) -> PipeOperator:
    return parse_sample(cursor)


def _parse_set_operator(cursor: Cursor, start: int) -> PipeSetOperation:
    kind = cursor.expect_any("UNION", "EXCEPT", "MINUS", "INTERSECT")
    is_all = cursor.take_any("ALL", "DISTINCT") == "ALL"
    right = parse_query_primary(cursor)
    return PipeSetOperation(start, cursor.stop, "EXCEPT" if kind == "MINUS" else kind, is_all, right)


def _check_pipe_organization(cursor: Cursor, found: Organization) -> None:
    clause = _clause_of(found)
    if found.windows:
        cursor.defer_error(
            "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS", found.start, found.stop, clauses="the WINDOW clause"
        )
    second = "OFFSET" if found.offset is not None else "LIMIT" if found.limit is not None else ""
    if clause and second:
        cursor.defer_error(
            "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
            found.start,
            found.stop,
            clause1=clause,
            clause2=second,
        )


# ------------------------------------------------------------ AGGREGATE
def _parse_aggregate(cursor: Cursor, start: int) -> PipeAggregate:
    cursor.expect("AGGREGATE")
    aggregates: tuple[Expression, ...] = ()
    if not is_by(cursor, "GROUP") and cursor.kinds[cursor.at] not in ("eof", ")", ";", "|>"):
        aggregates = parse_named_expressions(cursor)
    grouping = parse_grouping(cursor, aliases=True) if is_by(cursor, "GROUP") else None
    if not aggregates and grouping is None:
        message = (
            "The AGGREGATE clause requires a list of aggregate expressions or a list of grouping expressions, or both"
        )
        cursor.defer_query_error("_LEGACY_ERROR_TEMP_0035", message=message)
    if grouping is not None and (case := _unsupported_case(grouping, aggregates)):
        problem = "UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE"
        cursor.defer_query_error(problem, case=case)
    return PipeAggregate(start, cursor.stop, aggregates, grouping)


def _clause_of(found: Organization) -> str:
    named = {
        "ORDER BY": found.order_by,
        "SORT BY ... DISTRIBUTE BY ...": found.sort_by and found.distribute_by,
        "SORT BY": found.sort_by,
        "DISTRIBUTE BY": found.distribute_by,
        "CLUSTER BY": found.cluster_by,
    }
    return next((name for name, given in named.items() if given), "")


def _unsupported_case(grouping: Grouping, aggregates: tuple[Expression, ...]) -> str:
    first = grouping.expressions[0]
    if len(grouping.expressions) == 1 and isinstance(first, Column) and first.parts[0].upper() == "ALL":
        return "GROUP BY ALL"
    kinds = [e.kind for e in grouping.expressions if isinstance(e, GroupingAnalytics)] + [grouping.kind]
    for kind in filter(None, kinds):
        return kind if kind == "GROUPING SETS" else f"GROUP BY {kind}"
    for aggregate in aggregates:
        for node in nodes_of(aggregate):
            if isinstance(node, WindowDefinition):
                return _WINDOWS
            if isinstance(node, Function) and isinstance(node.name, Name) and len(node.arguments) == 1:
                name = node.name.parts[-1].upper()
                if len(node.name.parts) == 1 and name in ("GROUPING", "GROUPING_ID"):
                    return name
    return ""


_OPERATORS: dict[str, Callable[[Cursor, int], PipeOperator]] = {
    "SELECT": _parse_select,
    "EXTEND": _parse_extend,
    "SET": _parse_set,
    "DROP": _parse_drop_operator,
    "AS": _parse_as,
    "WHERE": _parse_where,
    "TABLESAMPLE": _parse_sample_operator,
}
