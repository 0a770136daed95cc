"""INSERT, UPDATE, DELETE and MERGE."""

from twinspark.read.sql.pipes import Pipes
from twinspark.read.sql.tree import (
    Assignment,
    Column,
    Command,
    Delete,
    DirectoryTarget,
    Expression,
    FileFormat,
    Identifier,
    Insert,
    InsertTarget,
    Merge,
    MergeClause,
    MultiInsert,
    Name,
    PartitionSpec,
    Properties,
    Query,
    TableAlias,
    Update,
    With,
)


class Changes(Pipes):
    """The layer of statements that change data."""

    def span(self, start: int) -> tuple[int, int, str]:
        """Start, stop and text of the command that ends here."""
        return start, self.stop, self.text[start : self.stop]

    def change(self, start: int, ctes: With | None) -> Command:
        kind = self.kinds[self.at]
        if kind == "INSERT":
            return self._insert(start, ctes)
        if kind == "FROM":
            return self._multi_insert(start, ctes)
        if kind == "DELETE":
            return self._delete(start, ctes)
        if kind == "UPDATE":
            return self._update(start, ctes)
        return self._merge(start, ctes)

    # ------------------------------------------------------------ partitions
    def partition_spec(self) -> PartitionSpec:
        start = self.start
        self.expect("PARTITION")
        values = self.in_parentheses(self._partition_value)
        if any(isinstance(value, Column) for _, value in values):
            self.complain("REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION", start, self.stop)
        return PartitionSpec(start, self.stop, values)

    def optional_partition(self) -> PartitionSpec | None:
        return self.partition_spec() if self.peek("PARTITION", "(") else None

    def _partition_value(self) -> tuple[str, Expression | None]:
        name = self.identifier()
        if not self.take("="):
            return name, None
        start = self.start
        if self.take("DEFAULT"):
            return name, Column(start, self.stop, ("DEFAULT",))
        return name, self.constant()

    def constant(self) -> Expression:
        """A literal, where no other expression may stand."""
        start = self.start
        found = self.primary()
        if isinstance(found, Column) or self.text[start] == "(":
            raise self.fail(self.at - 1)
        return found

    # ------------------------------------------------------------ INSERT
    def _insert(self, start: int, ctes: With | None) -> Command:
        target = self.insert_target()
        if self.is_query_ahead() and (aliased := self.attempt(self._aliased_query)):
            return Insert(*self.span(start), ctes, target, *aliased)
        query = self.query()
        return Insert(*self.span(start), ctes, target, query, None)

    def _aliased_query(self) -> tuple[Query, TableAlias | None]:
        query = self.parenthesized_query()
        alias = self.table_alias()
        if alias is None:
            raise self.fail()
        return query, alias

    def _multi_insert(self, start: int, ctes: With | None) -> Command:
        source = self.from_clause()
        inserts = []
        while self.kinds[self.at] == "INSERT":
            target = self.insert_target()
            select, organization = self.from_body(source)
            inserts.append((target, select, organization))
        if not inserts:
            raise self.fail()
        return MultiInsert(*self.span(start), ctes, source, tuple(inserts))

    def insert_target(self) -> InsertTarget | DirectoryTarget:
        start = self.start
        self.expect("INSERT")
        evolution = self.take("WITH", "SCHEMA", "EVOLUTION")
        overwrite = self.expect_any("INTO", "OVERWRITE") == "OVERWRITE"
        if overwrite and self._is_directory():
            return self._directory(start)
        if self.kinds[self.at] == "TABLE" and self.kinds[self.at + 1] != ".":
            self.at += 1
        table = self.identifier_reference()
        if not overwrite and (replacing := self.attempt(lambda: self._replacing(start, table, evolution))):
            return replacing
        options = self.options_clause()
        partition = self.optional_partition()
        if_not_exists = self.if_not_exists()
        if if_not_exists and not overwrite:
            self.complain("INVALID_STATEMENT_OR_CLAUSE", start, self.stop, operation="INSERT INTO ... IF NOT EXISTS")
        by_name = self.take("BY", "NAME")
        columns: tuple[str, ...] = ()
        if not by_name and self.kinds[self.at] == "(" and not self.is_query_ahead():
            columns = self.identifier_list()
        return InsertTarget(
            start, self.stop, table, overwrite, evolution, options, partition, if_not_exists, by_name, columns
        )

    def if_not_exists(self) -> bool:
        at = self.at + 1
        taken = self.take("IF", "NOT", "EXISTS") or self.take("IF", "!", "EXISTS")
        if taken:
            self.complain_bang(at)
        return taken

    def _replacing(self, start: int, table: Identifier, evolution: bool) -> InsertTarget:
        """INSERT INTO t [alias] REPLACE WHERE …, REPLACE ON …, REPLACE USING (…)"""
        alias = self.table_alias()
        options = self.options_clause()
        by_name = self.take("BY", "NAME")
        self.expect("REPLACE")
        kind = self.expect_any("WHERE", "ON", "USING")
        columns = self.identifier_list() if kind == "USING" else ()
        condition = self.expression() if kind != "USING" else None
        return InsertTarget(
            start,
            self.stop,
            table,
            False,
            evolution,
            options,
            None,
            False,
            by_name,
            (),
            alias,
            kind,
            condition,
            columns,
        )

    def _is_directory(self) -> bool:
        at = self.at + (self.kinds[self.at] == "LOCAL")
        return self.kinds[at] == "DIRECTORY" and (self.is_string_or_marker(at + 1) or self.kinds[at + 1] == "USING")

    def _directory(self, start: int) -> DirectoryTarget:
        local = self.take("LOCAL")
        self.expect("DIRECTORY")
        path = self.string_value() if self.is_string_or_marker(self.at) else None
        if self.take("USING"):
            provider = self.multipart_identifier()
            options: Properties = self.property_list() if self.take("OPTIONS") else ()
            return DirectoryTarget(start, self.stop, local, path, provider, options, None, None)
        row_format = self.row_format() if self.peek("ROW", "FORMAT") else None
        file_format = self.file_format() if self.kinds[self.at] == "STORED" else None
        return DirectoryTarget(start, self.stop, local, path, None, (), row_format, file_format)

    def file_format(self) -> FileFormat:
        start = self.start
        self.expect("STORED")
        if self.take("BY"):
            handler = self.string_value()
            properties = self.property_list() if self.take("WITH", "SERDEPROPERTIES") else ()
            return FileFormat(start, self.stop, None, handler=handler, properties=properties)
        self.expect("AS")
        if self.kinds[self.at] == "INPUTFORMAT" and self.is_string_or_marker(self.at + 1):
            self.at += 1
            given = self.string_value()
            self.expect("OUTPUTFORMAT")
            return FileFormat(start, self.stop, None, given, self.string_value())
        name = self.simple_identifier()
        return FileFormat(start, self.stop, name)

    # ------------------------------------------------------------ DELETE and UPDATE
    def _delete(self, start: int, ctes: With | None) -> Command:
        self.expect("DELETE", "FROM")
        table = self.identifier_reference()
        alias = self._plain_alias("DELETE")
        where = self.expression() if self.take("WHERE") else None
        return Delete(*self.span(start), ctes, table, alias, where)

    def _update(self, start: int, ctes: With | None) -> Command:
        self.expect("UPDATE")
        table = self.identifier_reference()
        alias = self._plain_alias("UPDATE")
        self.expect("SET")
        assignments = self.listed(self.assignment)
        where = self.expression() if self.take("WHERE") else None
        return Update(*self.span(start), ctes, table, alias, assignments, where)

    def assignment(self) -> Assignment:
        key: Name = self.multipart_identifier()
        self.expect("=")
        return key, self.expression()

    def _plain_alias(self, operation: str) -> TableAlias | None:
        alias = self.table_alias()
        if alias is not None and alias.columns:
            self.complain_of_statement("COLUMN_ALIASES_NOT_ALLOWED", op=operation)
        return alias

    # ------------------------------------------------------------ MERGE
    def _merge(self, start: int, ctes: With | None) -> Command:
        self.expect("MERGE")
        evolution = self.take("WITH", "SCHEMA", "EVOLUTION")
        self.expect("INTO")
        target = self.identifier_reference()
        target_alias = self._plain_alias("MERGE")
        self.expect("USING")
        source: Identifier | Query
        source = self.parenthesized_query() if self.kinds[self.at] == "(" else self.identifier_reference()
        source_alias = self._plain_alias("MERGE")
        self.expect("ON")
        condition = self.expression()
        clauses = []
        while self.kinds[self.at] == "WHEN":
            clauses.append(self._merge_clause())
        merge = Merge(
            *self.span(start), ctes, evolution, target, target_alias, source, source_alias, condition, tuple(clauses)
        )
        self._check_merge(merge)
        return merge

    def _merge_clause(self) -> MergeClause:
        start = self.start
        self.expect("WHEN")
        when = self._merge_when()
        condition = self.expression() if self.take("AND") else None
        self.expect("THEN")
        if self.take("DELETE") and when != "NOT MATCHED":
            return MergeClause(start, self.stop, when, condition, "DELETE")
        if self.take("UPDATE", "SET") and when != "NOT MATCHED":
            if when == "MATCHED" and self.take("*"):
                return MergeClause(start, self.stop, when, condition, "UPDATE *")
            assignments = self.listed(self.assignment)
            return MergeClause(start, self.stop, when, condition, "UPDATE", assignments)
        if when != "NOT MATCHED":
            raise self.fail()
        return self._merge_insert(start, when, condition)

    def _merge_when(self) -> str:
        if self.take("MATCHED"):
            return "MATCHED"
        self.complain_bang(self.at)
        self.expect_any("NOT", "!")
        self.expect("MATCHED")
        if self.take("BY", "SOURCE"):
            return "NOT MATCHED BY SOURCE"
        self.take("BY", "TARGET")
        return "NOT MATCHED"

    def _merge_insert(self, start: int, when: str, condition: Expression | None) -> MergeClause:
        self.expect("INSERT")
        if self.take("*"):
            return MergeClause(start, self.stop, when, condition, "INSERT *")
        columns = self.in_parentheses(self.multipart_identifier)
        self.expect("VALUES")
        values = self.in_parentheses(self.expression)
        if len(columns) != len(values):
            counts = {"expectedCount": len(columns), "actualCount": len(values)}
            self.complain_of_statement("MERGE_INSERT_VALUE_COUNT_MISMATCH", **counts)
        return MergeClause(start, self.stop, when, condition, "INSERT", (), columns, values)

    def _check_merge(self, merge: Merge) -> None:
        if not merge.clauses:
            self.complain("MERGE_WITHOUT_WHEN", merge.start, merge.stop)
        for when, name in _MERGE_ORDER:
            found = [clause for clause in merge.clauses if clause.when == when]
            if any(clause.condition is None for clause in found[:-1]):
                self.complain(f"NON_LAST_{name}_CLAUSE_OMIT_CONDITION", merge.start, merge.stop)


_MERGE_ORDER = (
    ("MATCHED", "MATCHED"),
    ("NOT MATCHED", "NOT_MATCHED_BY_TARGET"),
    ("NOT MATCHED BY SOURCE", "NOT_MATCHED_BY_SOURCE"),
)
