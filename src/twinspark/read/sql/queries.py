"""Queries: SELECT and its clauses, set operations, WITH, FROM-first queries, LIMIT and the rest behind them."""

from abc import abstractmethod

from pyspark.sql.types import StructType

from twinspark.read.sql.failures import ParseError
from twinspark.read.sql.relations import Relations
from twinspark.read.sql.tree import (
    Alias,
    Expression,
    From,
    FromFirst,
    Grouping,
    GroupingAnalytics,
    GroupingSet,
    Hint,
    NamedQuery,
    Organization,
    Query,
    QueryTerm,
    RowFormat,
    Select,
    SetOperation,
    Table,
    Transform,
    With,
)

_SET_OPERATORS = {"UNION": "UNION", "EXCEPT": "EXCEPT", "MINUS": "EXCEPT", "INTERSECT": "INTERSECT"}
_ORGANIZERS = frozenset({"ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "WINDOW", "LIMIT", "OFFSET"})


class Queries(Relations):
    """The layer of whole queries; pipe operators are read by the next one."""

    @abstractmethod
    def pipe(self, left: QueryTerm, start: int) -> QueryTerm: ...

    def query(self) -> Query:
        start, complaints = self.start, len(self.complaints)
        ctes = self.with_clause() if self.is_with() else None
        body = self.query_term()
        organization = self.organization()
        if len(self.complaints) > complaints:
            self.settle_complaints(complaints, start)
        return Query(start, self.stop, ctes, body, organization)

    def is_with(self) -> bool:
        return self.kinds[self.at] == "WITH"

    # ------------------------------------------------------------ WITH
    def with_clause(self) -> With:
        start = self.start
        self.expect("WITH")
        recursive = self.kinds[self.at + 1] not in ("AS", "(") and self.take("RECURSIVE")
        queries = self.listed(self._named_query)
        if not recursive and any(query.max_recursion for query in queries):
            message = "Cannot specify MAX RECURSION LEVEL when the CTE is not marked as RECURSIVE"
            self.complain_of_query("_LEGACY_ERROR_TEMP_0035", message=message)
        names = [query.name for query in queries]
        twice = sorted({name for name in names if names.count(name) > 1}, key=names.index)
        if twice:
            shown = ", ".join(f"`{name}`" for name in twice)
            self.complain_of_query("DUPLICATED_CTE_NAMES", duplicateNames=shown)
        return With(start, self.stop, recursive, queries)

    def _named_query(self) -> NamedQuery:
        start = self.start
        name = self.captured_identifier()
        columns: tuple[str, ...] = ()
        if self.kinds[self.at] == "(" and not self.is_query_ahead():
            columns = self.identifier_list()
        most = self.value() if self.take("MAX", "RECURSION", "LEVEL") else None
        self.take("AS")
        query = self.parenthesized_query()
        return NamedQuery(start, self.stop, name, columns, most, query)

    # ------------------------------------------------------------ set operations
    def query_term(self) -> QueryTerm:
        """Pipe operators and set operations, leaning left; INTERSECT binds tighter than the others."""
        start = self.start
        left = self._intersection(start)
        while True:
            kind = self.kinds[self.at]
            if kind in _SET_OPERATORS:
                left = self._set_operation(left, start)
            elif kind == "|>" or (kind == "|" and self.is_pipe_start()):
                left = self.pipe(left, start)
            else:
                return left

    def _set_operation(self, left: QueryTerm, start: int) -> QueryTerm:
        operator = _SET_OPERATORS[self.kinds[self.at]]
        self.at += 1
        is_all = self.take_any("ALL", "DISTINCT") == "ALL"
        right_start = self.start
        right = self._intersection(right_start)
        return SetOperation(start, self.stop, operator, is_all, left, right)

    def _intersection(self, start: int) -> QueryTerm:
        left = self.query_primary()
        while self.kinds[self.at] == "INTERSECT" and not self.config.legacy_set_operations_precedence:
            self.at += 1
            is_all = self.take_any("ALL", "DISTINCT") == "ALL"
            right = self.query_primary()
            left = SetOperation(start, self.stop, "INTERSECT", is_all, left, right)
        return left

    def query_primary(self) -> QueryTerm:
        kind = self.kinds[self.at]
        if kind == "SELECT":
            return self.select(None)
        if kind == "(":
            return self.parenthesized_query()
        if kind == "FROM":
            return self._from_first()
        if kind == "VALUES":
            return self.inline_table()
        if kind == "TABLE":
            start = self.start
            self.at += 1
            name = self.identifier_reference()
            return Table(start, self.stop, name)
        if kind in ("MAP", "REDUCE"):
            return self.select(None)
        raise self.fail()

    def _from_first(self) -> FromFirst:
        start = self.start
        source = self.from_clause()
        bodies = []
        while self.kinds[self.at] in ("SELECT", "MAP", "REDUCE"):
            bodies.append(self.from_body(source))
        return FromFirst(start, self.stop, source, tuple(bodies))

    def from_body(self, source: From) -> tuple[Select, Organization | None]:
        select = self.select(source)
        return select, self.organization()

    # ------------------------------------------------------------ SELECT
    def select(self, source: From | None) -> Select:
        """One SELECT; `source` is given when FROM stood first."""
        start = self.start
        if self.kinds[self.at] != "SELECT" or self._is_transform():
            return self._transform_select(start, source)
        hints, quantifier, projections = self.select_clause()
        own = self.from_clause() if source is None and self.kinds[self.at] == "FROM" else None
        views = self.lateral_views() if self.kinds[self.at] == "LATERAL" else ()
        where = self.expression() if self.take("WHERE") else None
        grouping = self.grouping() if self.is_by("GROUP") else None
        having = self.expression() if self.take("HAVING") else None
        windows = self.window_clause() if self.kinds[self.at] == "WINDOW" else ()
        qualify = self.expression() if self.take("QUALIFY") else None
        return Select(
            start, self.stop, hints, quantifier, projections, own, views, where, grouping, having, windows, qualify
        )

    def select_clause(self) -> tuple[tuple[Hint, ...], str, tuple[Expression, ...]]:
        self.expect("SELECT")
        hints: list[Hint] = []
        while self.kinds[self.at] == "/*+":
            hints += self._hints()
        quantifier = ""
        kind = self.kinds[self.at]
        if kind in ("DISTINCT", "ALL") and (kind not in self.names or not self.ends_item(self.at + 1)):
            quantifier = self.take_any("DISTINCT", "ALL")
        return tuple(hints), quantifier, self.named_expressions()

    def ends_item(self, at: int) -> bool:
        return self.kinds[at] in ("eof", ",", ")", ".", ";", "=", "AS") or self._ends(at)

    def _hints(self) -> list[Hint]:
        self.expect("/*+")
        hints = [self._hint()]
        while not self.take("*/"):
            self.take(",")
            hints.append(self._hint())
        return hints

    def _hint(self) -> Hint:
        start = self.start
        name = self.simple_identifier()
        parameters = self.in_parentheses(self.primary) if self.kinds[self.at] == "(" else ()
        return Hint(start, self.stop, name, parameters)

    # ------------------------------------------------------------ GROUP BY
    def grouping(self, *, aliases: bool = False) -> Grouping:
        start = self.start
        self.expect("GROUP", "BY")
        expressions = self.listed(self._grouping_item)
        for expression in expressions:
            if isinstance(expression, Alias) and not aliases:
                self._complain_of_alias(expression)
            elif isinstance(expression, GroupingAnalytics):
                self._check_analytics(expression, start)
        kind = ""
        sets: tuple[GroupingSet, ...] = ()
        if self.kinds[self.at] == "WITH" and self.kinds[self.at + 1] in ("ROLLUP", "CUBE"):
            kind = self.kinds[self.at + 1]
            self.at += 2
        elif self.take("GROUPING", "SETS"):
            kind, sets = "GROUPING SETS", self.in_parentheses(self._grouping_set)
        return Grouping(start, self.stop, expressions, kind, sets)

    def _grouping_item(self) -> Expression | GroupingAnalytics:
        if self._is_analytics() and (found := self.attempt(self._analytics)):
            return found
        return self.named_expression()

    def _is_analytics(self) -> bool:
        kind, second = self.kinds[self.at], self.kinds[self.at + 1]
        return (kind in ("ROLLUP", "CUBE") and second == "(") or (kind == "GROUPING" and second == "SETS")

    def _analytics(self) -> GroupingAnalytics:
        start = self.start
        if self.take("GROUPING", "SETS"):
            elements = self.in_parentheses(self._grouping_element)
            return GroupingAnalytics(start, self.stop, "GROUPING SETS", elements)
        kind = self.expect_any("ROLLUP", "CUBE")
        sets = self.in_parentheses(self._grouping_set)
        return GroupingAnalytics(start, self.stop, kind, sets)

    def _check_analytics(self, found: GroupingAnalytics, start: int) -> None:
        """() has no place in ROLLUP and CUBE."""
        for element in found.elements:
            if isinstance(element, GroupingAnalytics):
                self._check_analytics(element, start)
            elif found.kind != "GROUPING SETS" and element.parenthesized and not element.expressions:
                self.complain("_LEGACY_ERROR_TEMP_0051", start, self.stop, element=found.kind)

    def _complain_of_alias(self, found: Alias) -> None:
        """GROUP BY a b: Spark's grammar takes it, its tree builder does not."""
        shown = f"'{found.names[0]}'"
        hint = f": extra input {shown}"
        self.complaints.append(ParseError("PARSE_SYNTAX_ERROR", self.text, found.start, error=shown, hint=hint))

    def _grouping_element(self) -> GroupingSet | GroupingAnalytics:
        if self._is_analytics() and (found := self.attempt(self._analytics)):
            return found
        return self._grouping_set()

    def _grouping_set(self) -> GroupingSet:
        start = self.start
        if self.take("(", ")"):
            return GroupingSet(start, self.stop, (), True)
        at = self.at
        if self.kinds[at] == "(":
            listed = self.attempt(lambda: self.in_parentheses(self.expression))
            if listed is not None and self.kinds[self.at] in (",", ")"):
                return GroupingSet(start, self.stop, listed, True)
            self.at = at
        expression = self.expression()
        return GroupingSet(start, self.stop, (expression,), False)

    # ------------------------------------------------------------ behind a query
    def organization(self) -> Organization | None:
        if self.kinds[self.at] not in _ORGANIZERS:
            return None
        start = self.start
        order = self.sort_items() if self.take("ORDER", "BY") else ()
        cluster = self.expressions() if self.take("CLUSTER", "BY") else ()
        distribute = self.expressions() if self.take("DISTRIBUTE", "BY") else ()
        sort = self.sort_items() if self.take("SORT", "BY") else ()
        windows = self.window_clause()
        limit, limit_all = None, False
        if self.take("LIMIT"):
            limit_all = self.kinds[self.at + 1] not in (".", "(", "[") and self.take("ALL")
            limit = None if limit_all else self.expression()
        offset = self.expression() if self.take("OFFSET") else None
        if start == self.start:
            return None
        self._check_organization(start, bool(order), bool(cluster), bool(distribute), bool(sort))
        return Organization(start, self.stop, order, cluster, distribute, sort, windows, limit, limit_all, offset)

    def _check_organization(self, start: int, order: bool, cluster: bool, distribute: bool, sort: bool) -> None:
        given = (order, sort, distribute, cluster)
        if sum(given) > 1 and given != (False, True, True, False):
            self.complain("UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES", start, self.stop)

    # ------------------------------------------------------------ TRANSFORM
    def _is_transform(self) -> bool:
        return self.peek("SELECT", "TRANSFORM", "(") and self.attempt(self._transform_ahead) is not None

    def _transform_ahead(self) -> bool:
        at, complaints = self.at, len(self.complaints)
        self._transform()
        self.at = at
        del self.complaints[complaints:]
        return True

    def _transform_select(self, start: int, source: From | None) -> Select:
        transform = self._transform()
        own = self.from_clause() if source is None and self.kinds[self.at] == "FROM" else None
        views = self.lateral_views()
        where = self.expression() if self.take("WHERE") else None
        grouping = self.grouping() if self.is_by("GROUP") else None
        having = self.expression() if self.take("HAVING") else None
        windows = self.window_clause()
        if transform.quantifier:
            self.complain("UNSUPPORTED_FEATURE.TRANSFORM_DISTINCT_ALL", start, self.stop)
        for row_format in (transform.input_format, transform.output_format):
            self._check_line_delimiter(row_format, start)
        return Select(start, self.stop, (), "", transform, own, views, where, grouping, having, windows, None)

    def _transform(self) -> Transform:
        start = self.start
        quantifier, arguments = self._transform_arguments()
        input_format = self.row_format() if self.peek("ROW", "FORMAT") else None
        writer = self.string_value() if self.take("RECORDWRITER") else None
        self.expect("USING")
        script = self.string_value()
        columns: tuple[str, ...] = ()
        schema: StructType | None = None
        if self.take("AS"):
            columns, schema = self._transform_columns()
        output_format = self.row_format() if self.peek("ROW", "FORMAT") else None
        reader = self.string_value() if self.take("RECORDREADER") else None
        return Transform(
            start,
            self.stop,
            arguments,
            quantifier,
            input_format,
            writer,
            script,
            columns,
            schema,
            output_format,
            reader,
        )

    def _transform_arguments(self) -> tuple[str, tuple[Expression, ...]]:
        if self.take("SELECT"):
            self.expect("TRANSFORM", "(")
            quantifier = self.take_any("DISTINCT", "ALL")
            arguments = self.expressions()
            self.expect(")")
            return quantifier, arguments
        self.expect_any("MAP", "REDUCE")
        quantifier = self.take_any("DISTINCT", "ALL")
        return quantifier, self.expressions()

    def _transform_columns(self) -> tuple[tuple[str, ...], StructType | None]:
        parenthesized = self.take("(")
        schema = self.attempt(self.column_types)
        columns = () if schema is not None else self.identifier_sequence()
        if parenthesized:
            self.expect(")")
        return columns, schema

    def row_format(self) -> RowFormat:
        start = self.start
        self.expect("ROW", "FORMAT")
        if self.take("SERDE"):
            serde = self.string_value()
            properties = self.property_list() if self.take("WITH", "SERDEPROPERTIES") else ()
            return RowFormat(start, self.stop, serde, properties)
        self.expect("DELIMITED")
        options: list[tuple[str, str | None]] = []
        if self.take("FIELDS", "TERMINATED", "BY"):
            options.append(("field.delim", self.string_value()))
            if self.take("ESCAPED", "BY"):
                options.append(("escape.delim", self.string_value()))
        if self.take("COLLECTION", "ITEMS", "TERMINATED", "BY"):
            options.append(("colelction.delim", self.string_value()))
        if self.take("MAP", "KEYS", "TERMINATED", "BY"):
            options.append(("mapkey.delim", self.string_value()))
        if self.take("LINES", "TERMINATED", "BY"):
            options.append(("line.delim", self.string_value()))
        if self.take("NULL", "DEFINED", "AS"):
            options.append(("serialization.null.format", self.string_value()))
        return RowFormat(start, self.stop, None, tuple(options))

    def _check_line_delimiter(self, row_format: RowFormat | None, start: int) -> None:
        delimiter = dict(row_format.options).get("line.delim", "\n") if row_format else "\n"
        if delimiter != "\n":
            message = f"LINES TERMINATED BY only supports newline '\\n' right now: {delimiter}"
            self.complain("_LEGACY_ERROR_TEMP_0064", start, self.stop, msg=message)
