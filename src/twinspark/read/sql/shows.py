"""SHOW and DESCRIBE."""

from collections.abc import Callable

from twinspark.read.sql.failures import ParseError
from twinspark.read.sql.routines import Routines
from twinspark.read.sql.tree import (
    Command,
    DescribeFunction,
    DescribeNamespace,
    DescribeProcedure,
    DescribeQuery,
    DescribeTable,
    Identifier,
    Name,
    ShowCatalogs,
    ShowCollations,
    ShowColumns,
    ShowCreateTable,
    ShowCurrentNamespace,
    ShowFunctions,
    ShowNamespaces,
    ShowPartitions,
    ShowProcedures,
    ShowTableExtended,
    ShowTableProperties,
    ShowTables,
    ShowViews,
)

_OPERATORS = frozenset(
    {"=", "<>", "!=", "<", "<=", ">", ">=", "<=>", "+", "-", "*", "/", "%", "DIV", "~", "&", "|", "||", "^"}
    | {"OR", "AND", "IN", "NOT", "<<", ">>", ">>>", "!"}
)


class Shows(Routines):
    """The layer of commands that tell about the catalog."""

    def show(self) -> Command:
        start = self.start
        self.expect("SHOW")
        reader = _READERS.get(self.kinds[self.at])
        if reader is not None and (found := self.attempt(lambda: self.at_end(reader(self, start)))):
            return found
        if self.kinds[self.at + 1] == "FUNCTIONS":
            return self._functions(start)
        raise self.fail(self.at + (reader is None and self.is_name(self.at)))

    def at_end(self, command: Command) -> Command:
        if self.kinds[self.at] not in ("eof", ";"):
            raise self.fail()
        return command

    def _in_namespace(self) -> Identifier | None:
        return self.identifier_reference() if self.take_any("FROM", "IN") else None

    def _pattern(self) -> str | None:
        """[LIKE] 'pattern'"""
        if self.take("LIKE") or self.is_string_or_marker(self.at):
            return self.string_value()
        return None

    def _namespaces(self, start: int) -> Command:
        self.at += 1
        parent = self.multipart_identifier() if self.take_any("FROM", "IN") else None
        pattern = self._pattern()
        return ShowNamespaces(*self.span(start), parent, pattern)

    def _tables(self, start: int) -> Command:
        self.expect("TABLES")
        namespace, pattern = self._in_namespace(), self._pattern()
        return ShowTables(*self.span(start), namespace, pattern)

    def _table_extended(self, start: int) -> Command:
        self.expect("TABLE", "EXTENDED")
        namespace = self._in_namespace()
        self.expect("LIKE")
        pattern = self.string_value()
        partition = self.optional_partition()
        return ShowTableExtended(*self.span(start), namespace, pattern, partition)

    def _properties(self, start: int) -> Command:
        self.expect("TBLPROPERTIES")
        table = self.identifier_reference()
        key = None
        if self.take("("):
            key = self.property_key()
            self.expect(")")
        return ShowTableProperties(*self.span(start), table, key)

    def _show_columns(self, start: int) -> Command:
        self.expect("COLUMNS")
        self.expect_any("FROM", "IN")
        table = self.identifier_reference()
        namespace = self.multipart_identifier() if self.take_any("FROM", "IN") else None
        return ShowColumns(*self.span(start), table, namespace)

    def _views(self, start: int) -> Command:
        self.expect("VIEWS")
        namespace, pattern = self._in_namespace(), self._pattern()
        return ShowViews(*self.span(start), namespace, pattern)

    def _partitions(self, start: int) -> Command:
        self.expect("PARTITIONS")
        table = self.identifier_reference()
        partition = self.optional_partition()
        return ShowPartitions(*self.span(start), table, partition)

    def _functions(self, start: int) -> Command:
        scope = "ALL"
        if not self.peek("FUNCTIONS") or self.kinds[self.at + 1] == "FUNCTIONS":
            word = self.simple_identifier()
            scope = word.upper()
            if scope not in ("ALL", "SYSTEM", "USER"):
                problem = "INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE"
                self.complain_of_statement(problem, scope=f"`{word}`")
        self.expect("FUNCTIONS")
        namespace = self._in_namespace()
        pattern: str | Name | None = None
        like = self.take("LIKE")
        if self.is_string_or_marker(self.at):
            pattern = self.string_value()
        elif like or self.is_name(self.at):
            pattern = self.multipart_identifier()
        return ShowFunctions(*self.span(start), scope, namespace, pattern)

    def _procedures(self, start: int) -> Command:
        self.expect("PROCEDURES")
        namespace = self._in_namespace()
        return ShowProcedures(*self.span(start), namespace)

    def _show_create(self, start: int) -> Command:
        self.expect("CREATE", "TABLE")
        table = self.identifier_reference()
        as_serde = self.take("AS", "SERDE")
        return ShowCreateTable(*self.span(start), table, as_serde)

    def _current(self, start: int) -> Command:
        self.expect("CURRENT")
        self.expect_any("NAMESPACE", "DATABASE", "SCHEMA")
        return ShowCurrentNamespace(*self.span(start))

    def _catalogs(self, start: int) -> Command:
        self.expect("CATALOGS")
        pattern = self._pattern()
        return ShowCatalogs(*self.span(start), pattern)

    def _collations(self, start: int) -> Command:
        self.expect("COLLATIONS")
        pattern = self._pattern()
        return ShowCollations(*self.span(start), pattern)

    # ------------------------------------------------------------ DESCRIBE
    def describe(self) -> Command:
        """The first reading that takes the whole statement, in the order of the grammar."""
        start = self.start
        self.expect_any("DESC", "DESCRIBE")
        readings: list[Callable[[int], Command]] = [
            self._describe_function,
            self._describe_procedure,
            self._describe_namespace,
            self._describe_table,
        ]
        for reading in readings:
            if found := self.attempt(lambda reading=reading: self.at_end(reading(start))):  # type: ignore[misc]
                return found
        if self.kinds[self.at] == "QUERY" and self.kinds[self.at + 1] != ".":
            self.at += 1
        query = self.query()
        return DescribeQuery(*self.span(start), query)

    def _describe_function(self, start: int) -> Command:
        self.expect("FUNCTION")
        extended = not self._ends_here(self.at + 1) and self.take("EXTENDED")
        name = self._function_reference()
        return DescribeFunction(*self.span(start), name, extended)

    def _function_reference(self) -> Identifier | str:
        if self.kinds[self.at] in _OPERATORS and self._ends_here(self.at + 1):
            self.at += 1
            return self.tokens.word(self.at - 1)
        if self.is_string_or_marker(self.at):
            return self.string_value()
        return self.identifier_reference()

    def _ends_here(self, at: int) -> bool:
        return self.kinds[at] in ("eof", ";")

    def _describe_procedure(self, start: int) -> Command:
        self.expect("PROCEDURE")
        name = self.identifier_reference()
        return DescribeProcedure(*self.span(start), name)

    def _describe_namespace(self, start: int) -> Command:
        self.expect_any("NAMESPACE", "DATABASE", "SCHEMA")
        extended = not self._ends_here(self.at + 1) and self.take("EXTENDED")
        name = self.identifier_reference()
        return DescribeNamespace(*self.span(start), name, extended)

    def _describe_table(self, start: int) -> Command:
        if not self._ends_here(self.at + 1) and self.kinds[self.at + 1] != ".":
            self.take("TABLE")
        extended = False
        if not self._ends_here(self.at + 1) and self.kinds[self.at + 1] not in (".", "AS"):
            extended = bool(self.take_any("EXTENDED", "FORMATTED"))
        name = self.identifier_reference()
        partition = self.optional_partition()
        column: tuple[str, ...] = ()
        if self.is_name(self.at) and not self.peek("AS", "JSON"):
            column = self.multipart_identifier().parts
        as_json = self.take("AS", "JSON")
        found = DescribeTable(*self.span(start), name, extended, partition, column, as_json)
        self._check_describe(found)
        return found

    def _check_describe(self, found: DescribeTable) -> None:
        if found.as_json and not found.extended:
            table = ".".join(found.name.parts) if isinstance(found.name, Name) else ""
            self._complain_without_context("DESCRIBE_JSON_NOT_EXTENDED", found.start, tableName=table)
        if found.column and found.partition is not None:
            self.complain("UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_PARTITION", found.start, found.stop)
        elif found.column and found.as_json:
            self._complain_without_context("UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_JSON", found.start)
        for key, value in found.partition.values if found.partition is not None else ():
            if value is None:
                problem = "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE"
                self.complain(problem, found.start, found.stop, partKey=f"`{key}`")

    def _complain_without_context(self, condition: str, start: int, **parameters: object) -> None:
        self.complaints.append(ParseError(condition, self.text, start, (), **parameters))


_READERS: dict[str, Callable[[Shows, int], Command]] = {
    "NAMESPACES": Shows._namespaces,
    "DATABASES": Shows._namespaces,
    "SCHEMAS": Shows._namespaces,
    "TABLES": Shows._tables,
    "TABLE": Shows._table_extended,
    "TBLPROPERTIES": Shows._properties,
    "COLUMNS": Shows._show_columns,
    "VIEWS": Shows._views,
    "PARTITIONS": Shows._partitions,
    "FUNCTIONS": Shows._functions,
    "PROCEDURES": Shows._procedures,
    "CREATE": Shows._show_create,
    "CURRENT": Shows._current,
    "CATALOGS": Shows._catalogs,
    "COLLATIONS": Shows._collations,
}
