"""Pipe operators: query |> SELECT …, |> WHERE …, |> AGGREGATE … and the others."""

from collections.abc import Callable

from twinspark.read.sql.queries import Queries
from twinspark.read.sql.resolved import nodes_of
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


class Pipes(Queries):
    """The layer of pipe operators."""

    def pipe(self, left: QueryTerm, start: int) -> Pipe:
        self.expect_any("|>", "|")
        operator = self._operator()
        return Pipe(start, self.stop, left, operator)

    def _operator(self) -> PipeOperator:
        start, kind = self.start, self.kinds[self.at]
        reader = _OPERATORS.get(kind)
        if reader is not None:
            return reader(self, start)
        if kind == "AGGREGATE":
            return self._aggregate(start)
        if kind == "PIVOT" or kind == "UNPIVOT":
            return self._pivot_or_unpivot()
        if kind in ("UNION", "EXCEPT", "MINUS", "INTERSECT"):
            return self._set_operator(start)
        if self._is_join():
            return self.join(None, start)
        found = self.organization()
        if found is None:
            if kind in ("eof", ")", ";", "|>"):
                return Organization(start, start)
            raise self.fail()
        self._check_pipe_organization(found)
        return found

    # ------------------------------------------------------------ columns
    def _select(self, start: int) -> PipeSelect:
        hints, quantifier, projections = self.select_clause()
        grouping = self.grouping() if self.is_by("GROUP") else None
        windows = self.window_clause()
        select = Select(start, self.stop, hints, quantifier, projections, None, (), None, grouping, None, windows, None)
        return PipeSelect(start, self.stop, select)

    def _extend(self, start: int) -> PipeExtend:
        self.expect("EXTEND")
        projections = self.named_expressions()
        return PipeExtend(start, self.stop, projections)

    def _set(self, start: int) -> PipeSet:
        self.expect("SET")
        assignments = self.listed(self._assignment)
        return PipeSet(start, self.stop, assignments)

    def _assignment(self) -> tuple[str, Expression]:
        start = self.start
        name = self.multipart_identifier()
        self.expect("=")
        value = self.expression()
        if len(name.parts) > 1:
            message = (
                "SQL pipe syntax |> SET operator with multi-part assignment key (only single-part keys are allowed)"
            )
            self.complain("_LEGACY_ERROR_TEMP_0035", start, self.stop, message=message)
        return name.parts[0], value

    def _drop_operator(self, start: int) -> PipeDrop:
        self.expect("DROP")
        columns: tuple[Name, ...] = self.listed(self.multipart_identifier)
        return PipeDrop(start, self.stop, columns)

    def _as(self, start: int) -> PipeAs:
        self.expect("AS")
        name = self.captured_identifier()
        return PipeAs(start, self.stop, name)

    # ------------------------------------------------------------ rows
    def _where(self, start: int) -> PipeWhere:
        self.expect("WHERE")
        condition = self.expression()
        if self.kinds[self.at] == "WINDOW":
            self.window_clause()
            self.complain_of_query("NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE")
        return PipeWhere(start, self.stop, condition)

    def _pivot_or_unpivot(self) -> PipeOperator:
        first: PipeOperator
        if self.kinds[self.at] == "PIVOT":
            first, both = self.pivot(None), self.peek("UNPIVOT") and bool(self.unpivot(None))
        else:
            first, both = self.unpivot(None), self.peek("PIVOT") and bool(self.pivot(None))
        if both:
            self.complain_of_query("NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT")
        return first

    def _sample_operator(self, start: int) -> PipeOperator:
        return self.sample()

    def _set_operator(self, start: int) -> PipeSetOperation:
        kind = self.expect_any("UNION", "EXCEPT", "MINUS", "INTERSECT")
        is_all = self.take_any("ALL", "DISTINCT") == "ALL"
        right = self.query_primary()
        return PipeSetOperation(start, self.stop, "EXCEPT" if kind == "MINUS" else kind, is_all, right)

    def _check_pipe_organization(self, found: Organization) -> None:
        clause = _clause_of(found)
        if found.windows:
            self.complain(
                "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS", found.start, found.stop, clauses="the WINDOW clause"
            )
        second = "OFFSET" if found.offset is not None else "LIMIT" if found.limit is not None else ""
        if clause and second:
            self.complain(
                "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
                found.start,
                found.stop,
                clause1=clause,
                clause2=second,
            )

    # ------------------------------------------------------------ AGGREGATE
    def _aggregate(self, start: int) -> PipeAggregate:
        self.expect("AGGREGATE")
        aggregates: tuple[Expression, ...] = ()
        if not self.is_by("GROUP") and self.kinds[self.at] not in ("eof", ")", ";", "|>"):
            aggregates = self.named_expressions()
        grouping = self.grouping(aliases=True) if self.is_by("GROUP") else None
        if not aggregates and grouping is None:
            message = (
                "The AGGREGATE clause requires a list of aggregate expressions "
                "or a list of grouping expressions, or both"
            )
            self.complain_of_query("_LEGACY_ERROR_TEMP_0035", message=message)
        if grouping is not None and (case := _unsupported_case(grouping, aggregates)):
            problem = "UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE"
            self.complain_of_query(problem, case=case)
        return PipeAggregate(start, self.stop, aggregates, grouping)


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


_OPERATORS: dict[str, Callable[[Pipes, int], PipeOperator]] = {
    "SELECT": Pipes._select,
    "EXTEND": Pipes._extend,
    "SET": Pipes._set,
    "DROP": Pipes._drop_operator,
    "AS": Pipes._as,
    "WHERE": Pipes._where,
    "TABLESAMPLE": Pipes._sample_operator,
}
