"""CREATE, REPLACE and DROP TABLE, pipeline datasets, indexes."""

from twinspark.read.sql.columns import Columns
from twinspark.read.sql.tree import (
    ColumnDefinition,
    Command,
    Constraint,
    CreateFlow,
    CreateIndex,
    CreatePipelineDataset,
    CreateTable,
    CreateTableLike,
    DropIndex,
    DropTable,
    Insert,
    Name,
    Properties,
    Query,
)


class Tables(Columns):
    """The layer of table definitions."""

    def create_table(self) -> Command:
        start = self.start
        self.expect("CREATE")
        or_replace = self.take("OR", "REPLACE")
        temporary = self.take("TEMPORARY")
        external = self.take("EXTERNAL")
        self.expect("TABLE")
        if_not_exists = self.if_not_exists()
        name = self.identifier_reference()
        if self.kinds[self.at] == "LIKE":
            return self._create_like(start, name, if_not_exists)
        columns, constraints = self._columns()
        provider = self.provider()
        clauses = self.table_clauses()
        query = self.optional_query()
        if temporary and query is None:
            self._complain_of_temporary(external, if_not_exists, provider)
        return CreateTable(
            *self.span(start),
            name,
            temporary,
            external,
            if_not_exists,
            or_replace,
            or_replace,
            columns,
            constraints,
            provider,
            clauses,
            query,
        )

    def _complain_of_temporary(self, external: bool, if_not_exists: bool, provider: Name | None) -> None:
        """Spark has no temporary tables."""
        if external:
            operation = "CREATE EXTERNAL TABLE ... USING"
            self.complain_of_statement("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
        elif if_not_exists:
            operation = "CREATE TEMPORARY TABLE IF NOT EXISTS"
            self.complain_of_statement("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
        elif provider is None:
            self.complain_of_statement("_LEGACY_ERROR_TEMP_0046")
        else:
            self.complain_of_statement("INVALID_SQL_SYNTAX.CREATE_TEMP_TABLE_USING_PROVIDER")

    def replace_table(self) -> Command:
        start = self.start
        self.expect("REPLACE", "TABLE")
        name = self.identifier_reference()
        columns, constraints = self._columns()
        provider = self.provider()
        clauses = self.table_clauses()
        query = self.optional_query()
        return CreateTable(
            *self.span(start), name, False, False, False, True, False, columns, constraints, provider, clauses, query
        )

    def _columns(self) -> tuple[tuple[ColumnDefinition, ...], tuple[Constraint, ...]]:
        if self.kinds[self.at] != "(" or self._is_query_body():
            return (), ()
        self.expect("(")
        found = self.table_elements()
        self.expect(")")
        return found

    def _is_query_body(self) -> bool:
        """CREATE TABLE t (SELECT …) has a query where columns could stand."""
        if not self.is_query_ahead():
            return False
        at, complaints = self.at, len(self.complaints)
        found = self.attempt(self.query)
        self.at = at
        del self.complaints[complaints:]
        return found is not None

    def provider(self) -> Name | None:
        return self.multipart_identifier() if self.take("USING") else None

    def optional_query(self) -> Query | None:
        """[AS] query"""
        if self.take("AS"):
            return self.query()
        return self.query() if self.kinds[self.at] in _QUERY_STARTS else None

    def _create_like(self, start: int, target: object, if_not_exists: bool) -> Command:
        self.expect("LIKE")
        source = self.identifier_reference()
        provider = self.provider()
        clauses = self.table_clauses()
        provider = provider or self.provider()
        return CreateTableLike(*self.span(start), target, source, if_not_exists, provider, clauses)  # type: ignore[arg-type]

    def drop_table(self) -> Command:
        start = self.start
        self.expect("DROP", "TABLE")
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier_reference()
        purge = self.take("PURGE")
        return DropTable(*self.span(start), name, if_exists, purge)

    # ------------------------------------------------------------ pipelines
    def create_pipeline_dataset(self) -> Command:
        start = self.start
        self.expect("CREATE")
        kind = "MATERIALIZED VIEW" if self.take("MATERIALIZED", "VIEW") else "STREAMING TABLE"
        if kind == "STREAMING TABLE":
            self.expect("STREAMING", "TABLE")
        if_not_exists = self.if_not_exists()
        name = self.identifier_reference()
        columns: tuple[ColumnDefinition, ...] = ()
        if not self.take("(", ")"):
            columns, _ = self._columns()
        provider = self.provider()
        clauses = self.table_clauses()
        query = self.query() if self.take("AS") else None
        return CreatePipelineDataset(*self.span(start), kind, name, if_not_exists, columns, provider, clauses, query)

    def create_flow(self) -> Command:
        start = self.start
        self.expect("CREATE", "FLOW")
        name = self.identifier_reference()
        comment = self.string_value() if self.take("COMMENT") else None
        self.expect("AS")
        begin = self.start
        target = self.insert_target()
        query = self.query()
        insert = Insert(*self.span(begin), None, target, query, None)
        return CreateFlow(*self.span(start), name, comment, insert)

    # ------------------------------------------------------------ indexes
    def create_index(self) -> Command:
        start = self.start
        self.expect("CREATE", "INDEX")
        if_not_exists = self.if_not_exists()
        name = self.identifier()
        self.expect("ON")
        self.take("TABLE")
        table = self.identifier_reference()
        method = self.identifier() if self.take("USING") else None
        columns = self.in_parentheses(self._index_column)
        options = self.property_list() if self.take("OPTIONS") else ()
        return CreateIndex(*self.span(start), name, table, if_not_exists, method, columns, options)

    def _index_column(self) -> tuple[Name, Properties]:
        name = self.multipart_identifier()
        return name, self.property_list() if self.take("OPTIONS") else ()

    def drop_index(self) -> Command:
        start = self.start
        self.expect("DROP", "INDEX")
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier()
        self.expect("ON")
        self.take("TABLE")
        table = self.identifier_reference()
        return DropIndex(*self.span(start), name, table, if_exists)


_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE", "("})
