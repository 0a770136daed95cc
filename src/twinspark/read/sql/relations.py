"""What stands in FROM: tables, subqueries, functions, joins, samples, PIVOT and UNPIVOT."""

from twinspark.read.sql.keywords import words
from twinspark.read.sql.resolved import is_resolved
from twinspark.read.sql.table_clauses import TableClauses
from twinspark.read.sql.tree import (
    AliasedQuery,
    AliasedRelation,
    Expression,
    From,
    InlineTable,
    Join,
    Lateral,
    LateralView,
    Name,
    NearestBy,
    Relation,
    Row,
    Stream,
    Struct,
    Table,
    TableAlias,
    TableFunction,
)

_JOIN_KINDS = {
    ("INNER",): "INNER",
    ("CROSS",): "CROSS",
    ("LEFT", "OUTER"): "LEFT OUTER",
    ("LEFT", "SEMI"): "LEFT SEMI",
    ("LEFT", "ANTI"): "LEFT ANTI",
    ("LEFT",): "LEFT OUTER",
    ("SEMI",): "LEFT SEMI",
    ("ANTI",): "LEFT ANTI",
    ("RIGHT", "OUTER"): "RIGHT OUTER",
    ("RIGHT",): "RIGHT OUTER",
    ("FULL", "OUTER"): "FULL OUTER",
    ("FULL",): "FULL OUTER",
}
_MAX_NEAREST = 100_000


class Relations(TableClauses):
    """The layer of relations."""

    # ------------------------------------------------------------ relations and joins
    def relation(self) -> Relation:
        start = self.start
        lateral = self._is_lateral()
        relation = self._lateral(start) if lateral else self.relation_primary()
        while True:
            kind = self.kinds[self.at]
            if kind in _JOIN_STARTS and self._is_join():
                relation = self.join(relation, start)
            elif kind == "PIVOT" and self.kinds[self.at + 1] == "(":
                relation = self.pivot(relation)
            elif kind == "UNPIVOT" and self.kinds[self.at + 1] in ("(", "INCLUDE", "EXCLUDE"):
                relation = self.unpivot(relation)
            else:
                return relation

    def _is_lateral(self) -> bool:
        return self.kinds[self.at] == "LATERAL" and self.kinds[self.at + 1] not in ("eof", ")", ",", ".", ";", "VIEW")

    def _lateral(self, start: int) -> Relation:
        self.expect("LATERAL")
        relation = self.relation_primary()
        if not isinstance(relation, AliasedQuery | TableFunction):
            self.complain(
                "INVALID_SQL_SYNTAX.LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC", relation.start, relation.stop
            )
        return Lateral(start, self.stop, relation)

    def _is_join(self) -> bool:
        at = self.at + (self.kinds[self.at] == "NATURAL")
        while self.kinds[at] in _JOIN_WORDS:
            at += 1
        if self.kinds[at] != "JOIN":
            self.fail(at)
        return self.kinds[at] == "JOIN"

    def join(self, left: Relation | None, start: int) -> Join:
        begin = self.start
        natural = self.take("NATURAL")
        kind = self._join_kind()
        self.expect("JOIN")
        right_start = self.start
        lateral = self._is_lateral()
        right = self._lateral(right_start) if lateral else self.relation_primary()
        condition, nearest = None, None
        using: tuple[str, ...] = ()
        if not natural:
            if self.take("ON"):
                condition = self.expression()
            elif self.take("USING"):
                using = self.identifier_list()
            elif self.kinds[self.at] in ("APPROX", "EXACT") and self.kinds[self.at + 1] == "NEAREST":
                nearest = self._nearest_by(begin, kind, lateral)
        self._check_join(begin, kind, natural, lateral, bool(using))
        return Join(start, self.stop, left, kind, natural, right, condition, using, nearest)

    def _join_kind(self) -> str:
        words = []
        while self.kinds[self.at] in _JOIN_WORDS:
            words.append(self.kinds[self.at])
            self.at += 1
        if not words:
            return "INNER"
        kind = _JOIN_KINDS.get(tuple(words))
        if kind is None:
            raise self.fail(self.at - 1)
        return kind

    def _check_join(self, begin: int, kind: str, natural: bool, lateral: bool, using: bool) -> None:
        if natural and kind == "CROSS":
            self.complain("INCOMPATIBLE_JOIN_TYPES", begin, self.stop, joinType1="NATURAL", joinType2="CROSS")
        if not lateral:
            return
        if natural:
            self.complain("INCOMPATIBLE_JOIN_TYPES", begin, self.stop, joinType1="LATERAL", joinType2="NATURAL")
        if using:
            self.complain("UNSUPPORTED_FEATURE.LATERAL_JOIN_USING", begin, self.stop)
        if kind not in ("INNER", "CROSS", "LEFT OUTER"):
            self.complain("INVALID_LATERAL_JOIN_TYPE", begin, self.stop, joinType=kind)

    def _nearest_by(self, begin: int, kind: str, lateral: bool) -> NearestBy:
        start = self.start
        exact = self.expect_any("APPROX", "EXACT") == "EXACT"
        self.expect("NEAREST")
        count = self.tokens.word(self.at - 1) if self.take("integer") else "1"
        self.expect("BY")
        similarity = self.expect_any("DISTANCE", "SIMILARITY") == "SIMILARITY"
        expression = self.expression()
        self._check_nearest(begin, kind, lateral, count)
        return NearestBy(start, self.stop, exact, int(count), similarity, expression)

    def _check_nearest(self, start: int, kind: str, lateral: bool, count: str) -> None:
        if lateral:
            self.complain("UNSUPPORTED_FEATURE.LATERAL_JOIN_NEAREST_BY", start, self.stop)
        if kind not in ("INNER", "LEFT OUTER"):
            self.complain(
                "NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE",
                start,
                self.stop,
                joinType=kind,
                supported="'INNER', 'LEFT OUTER'",
            )
        if not 1 <= int(count) <= _MAX_NEAREST:
            self.complain(
                "NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE",
                start,
                self.stop,
                numResults=count,
                min="1",
                max=_MAX_NEAREST,
            )

    # ------------------------------------------------------------ one relation
    def relation_primary(self) -> Relation:
        kind = self.kinds[self.at]
        if kind == "(":
            return self._parenthesized_relation()
        if kind == "VALUES":
            if self.is_alias(self.at + 1, self.strict_names) and self._are_tables():
                return self._table()
            if found := self.attempt(self.inline_table):
                return found
        if kind == "STREAM" and self._is_stream() and (stream := self.attempt(self._stream)):
            return stream
        return self._function_or_table()

    def _are_tables(self) -> bool:
        """FROM VALUES a, b: a table named values, aliased a, and a table named b. The grammar prefers that."""
        at, complaints = self.at, len(self.complaints)
        found = self.attempt(self._table) and (self.kinds[self.at] != "," or self._are_relations())
        ends = self.kinds[self.at] in _BEHIND_RELATION
        self.at = at
        del self.complaints[complaints:]
        return bool(found) and ends

    def _are_relations(self) -> bool:
        self.at += 1
        return self.attempt(lambda: self.listed(self.relation)) is not None

    def _function_or_table(self) -> Relation:
        at, start = self.at, self.start
        if self.peek("IDENTIFIER", "("):
            found: Relation | None = self.attempt(self._table)
            if found is not None and self.kinds[self.at] not in ("(", "."):
                return found
            self.at = at
        if self.is_name(at) and self.kinds[at + 1] != "(" and self.kinds[at + 1] != ".":
            return self._table()
        name = self.identifier_reference() if self.peek("IDENTIFIER", "(") else self._function_table_name()
        if self.kinds[self.at] == "(" and (function := self.attempt(lambda: self.table_function(name, start))):
            return function
        self.at = at
        return self._table()

    def _function_table_name(self) -> Name:
        if self.kinds[self.at] in ("LEFT", "RIGHT", "FILTER"):
            self.at += 1
            return Name(self.starts[self.at - 1], self.stop, (self.tokens.word(self.at - 1),))
        return self.multipart_identifier()

    def _table(self) -> Table:
        start = self.start
        name = self.identifier_reference()
        if self.peek("CHANGES", "FROM"):
            changes = self.changes(stream=False)
            options = self.options_clause()
            alias = self.table_alias()
            return Table(start, self.stop, name, changes=changes, options=options, alias=alias)
        kind = self.kinds[self.at]
        if kind in ("eof", ")", ",", "WHERE", "JOIN"):
            return Table(start, self.stop, name, alias=self.table_alias() if kind == "WHERE" else None)
        travel = self.time_travel()
        options = self.options_clause()
        sample = self.sample() if self.is_sample() else None
        watermark = self.watermark()
        alias = self.table_alias()
        return Table(start, self.stop, name, travel, None, options, sample, watermark, alias)

    def _parenthesized_relation(self) -> Relation:
        start = self.start
        if self.is_query_ahead():
            query = self.attempt(self.parenthesized_query, "query")
            if query is not None:
                sample = self.sample() if self.is_sample() else None
                watermark = self.watermark()
                alias = self.table_alias()
                return AliasedQuery(start, self.stop, query, sample, watermark, alias)
        self.expect("(")
        relation = self.relation()
        self.expect(")")
        sample = self.sample() if self.is_sample() else None
        watermark = self.watermark()
        alias = self.table_alias()
        return AliasedRelation(start, self.stop, relation, sample, watermark, alias)

    def inline_table(self) -> InlineTable:
        """VALUES row, row [AS alias]"""
        start = self.start
        self.expect("VALUES")
        rows = self.expressions()
        alias = self.table_alias()
        self._check_rows(start, rows, alias)
        return InlineTable(start, self.stop, rows, alias)

    def _check_rows(self, start: int, rows: tuple[Expression, ...], alias: TableAlias | None) -> None:
        """Spark's parser computes inline tables that it can, and so finds uneven rows; analysis finds the others."""
        width = len(alias.columns) if alias is not None and alias.columns else _width(rows[0])
        for index, row in enumerate(rows):
            if _width(row) != width:
                if all(is_resolved(row) for row in rows):
                    self.complain(
                        "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                        start,
                        self.stop,
                        expectedNumCols=width,
                        actualNumCols=_width(row),
                        rowIndex=index,
                    )
                return

    # ------------------------------------------------------------ streams and lateral views
    def _is_stream(self) -> bool:
        return self.kinds[self.at + 1] == "(" or self.kinds[self.at + 1] in ("identifier", "backquoted", "IDENTIFIER")

    def _stream(self) -> Stream:
        start = self.start
        self.expect("STREAM")
        parenthesized = self.take("(")
        begin = self.start
        name = self.multipart_identifier()
        if self.kinds[self.at] == "(":
            return self._stream_function(start, begin, name, parenthesized)
        if parenthesized:
            self.expect(")")
        changes = self.changes(stream=True) if self.kinds[self.at] == "CHANGES" else None
        options = self.options_clause()
        source = self._identified_by()
        watermark = self.watermark()
        alias = self.table_alias()
        table = Table(begin, self.stop, name, None, changes, options, None, watermark, alias)
        return Stream(start, self.stop, table, source)

    def _stream_function(self, start: int, begin: int, name: Name, parenthesized: bool) -> Stream:
        self.expect("(")
        arguments = () if self.peek(")") else self.listed(self.table_function_argument)
        self.expect(")")
        if parenthesized:
            self.expect(")")
        source = self._identified_by()
        watermark = self.watermark()
        alias = self.table_alias()
        return Stream(start, self.stop, TableFunction(begin, self.stop, name, arguments, watermark, alias), source)

    def _identified_by(self) -> str | None:
        return self.captured_identifier() if self.take("IDENTIFIED", "BY") else None

    def lateral_views(self) -> tuple[LateralView, ...]:
        views = []
        while self.kinds[self.at] == "LATERAL":
            if self.kinds[self.at + 1] != "VIEW":
                raise self.fail(self.at + 1)
            views.append(self._lateral_view())
        return tuple(views)

    def _lateral_view(self) -> LateralView:
        start = self.start
        self.expect("LATERAL", "VIEW")
        outer = self.kinds[self.at + 1] not in ("(", ".") and self.take("OUTER")
        function = self.multipart_identifier()
        self.expect("(")
        arguments = () if self.peek(")") else self.expressions()
        self.expect(")")
        table = self.identifier()
        columns: tuple[str, ...] = ()
        if self.take("AS") or self.is_alias(self.at, self.names):
            columns = self.listed(self.identifier)
        return LateralView(start, self.stop, outer, function, arguments, table, columns)

    def from_clause(self) -> From:
        start = self.start
        self.expect("FROM")
        relations = self.listed(self.relation)
        views = self.lateral_views()
        pivot = self.pivot(None) if self.peek("PIVOT", "(") else None
        unpivot = None
        if self.kinds[self.at] == "UNPIVOT" and self.kinds[self.at + 1] in ("(", "INCLUDE", "EXCLUDE"):
            unpivot = self.unpivot(None)
        return From(start, self.stop, relations, views, pivot, unpivot)


def _width(row: Expression) -> int:
    return len(row.fields) if isinstance(row, Row | Struct) else 1


_JOIN_WORDS = frozenset({"INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "OUTER"})
_BEHIND_RELATION = words(
    """
    eof ; ) WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW QUALIFY UNION EXCEPT MINUS INTERSECT
    LATERAL PIVOT UNPIVOT JOIN INNER CROSS LEFT RIGHT FULL SEMI ANTI NATURAL ON USING |> SELECT INSERT
    """
)
_JOIN_STARTS = _JOIN_WORDS - {"OUTER"} | {"JOIN", "NATURAL"}
