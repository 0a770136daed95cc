"""Functions, session variables and cursors: CREATE, DECLARE, DROP, OPEN, FETCH, CLOSE."""

from pyspark.sql.types import DataType, StructType

from twinspark.read.sql.tree import (
    CloseCursor,
    ColumnDefinition,
    Command,
    CreateFunction,
    CreateSqlFunction,
    CreateVariable,
    DeclareCursor,
    DropFunction,
    DropVariable,
    Expression,
    FetchCursor,
    Identifier,
    OpenCursor,
    Query,
    SetVariable,
)
from twinspark.read.sql.views import Views


class Routines(Views):
    """The layer of functions, variables and cursors."""

    # ------------------------------------------------------------ functions
    def create_function(self) -> Command:
        start = self.start
        self.expect("CREATE")
        replace = self.take("OR", "REPLACE")
        temporary = self.take("TEMPORARY")
        self.expect("FUNCTION")
        if_not_exists = self.if_not_exists()
        name = self.identifier_reference()
        if self.take("AS"):
            class_name = self.string_value()
            resources = self.listed(self._resource) if self.take("USING") else ()
            function: Command = CreateFunction(
                *self.span(start), name, replace, temporary, if_not_exists, class_name, resources
            )
        else:
            function = self._sql_function(start, name, replace, temporary, if_not_exists)
        self._check_function(start, name, replace, temporary, if_not_exists)
        return function

    def _check_function(
        self, start: int, name: Identifier, replace: bool, temporary: bool, if_not_exists: bool
    ) -> None:
        if replace and if_not_exists:
            problem = "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE"
            self.complain(problem, start, self.stop)
        if temporary and if_not_exists:
            self.complain("INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS", start, self.stop)
        if temporary:
            self.check_temporary_name("FUNCTION", name, start)

    def _resource(self) -> tuple[str, str]:
        return self.simple_identifier(), self.string_value()

    def _sql_function(
        self, start: int, name: Identifier, replace: bool, temporary: bool, if_not_exists: bool
    ) -> Command:
        self.expect("(")
        parameters = () if self.peek(")") else self.listed(self.column_definition)
        self.expect(")")
        returns: DataType | None = None
        returns_table: StructType | bool = False
        if self.take("RETURNS"):
            if self.take("TABLE", "("):
                returns_table = self.column_types()
                self.expect(")")
            elif self.take("TABLE"):
                returns_table = True
            else:
                returns = self.data_type()
        characteristics, comment, collation = self._characteristics()
        self.expect("RETURN")
        begin = self.start
        body = self._body()
        self._check_parameters(start, parameters)
        return CreateSqlFunction(
            *self.span(start),
            name,
            replace,
            temporary,
            if_not_exists,
            parameters,
            returns,
            returns_table,
            characteristics,
            comment,
            collation,
            body,
            self.text[begin : self.stop],
        )

    def _body(self) -> Query | Expression:
        query = self.attempt(self.query)
        if query is not None and self.kinds[self.at] in ("eof", ";"):
            return query
        if query is not None:
            self.at = self.starts.index(query.start)
        return self.expression()

    def _check_parameters(self, start: int, parameters: tuple[ColumnDefinition, ...]) -> None:
        for parameter in parameters:
            if parameter.generated is not None or parameter.identity is not None:
                problem = "INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_GENERATED_COLUMNS_AS_PARAMETERS"
                self.complain(problem, start, self.stop)
            if parameter.constraint is not None:
                self.complain("INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_COLUMN_CONSTRAINTS", start, self.stop)

    def _characteristics(self) -> tuple[tuple[str, ...], str | None, str | None]:
        found: list[str] = []
        comment = collation = None
        while True:
            if self.take("COMMENT"):
                comment = self.string_value()
            elif self.take("DEFAULT", "COLLATION"):
                collation = self.identifier()
            elif word := self._characteristic_words():
                found.append(word)
            else:
                return tuple(found), comment, collation

    def _characteristic_words(self) -> str:
        if self.take("LANGUAGE"):
            return f"LANGUAGE {self.simple_identifier()}"
        if self.take("SPECIFIC"):
            return f"SPECIFIC {self.captured_identifier()}"
        for words in _CHARACTERISTICS:
            if self.take(*words):
                return " ".join(words)
        return ""

    def drop_function(self) -> Command:
        start = self.start
        self.expect("DROP")
        temporary = self.take("TEMPORARY")
        self.expect("FUNCTION")
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier_reference()
        if temporary:
            self.check_temporary_name("FUNCTION", name, start)
        return DropFunction(*self.span(start), name, temporary, if_exists)

    # ------------------------------------------------------------ variables
    def declare(self) -> Command:
        """DECLARE a variable or a cursor."""
        start = self.start
        if self._is_cursor():
            return self._declare_cursor(start)
        self.expect("DECLARE")
        replace = self.take("OR", "REPLACE")
        if self.kinds[self.at] in ("VARIABLE", "VAR") and self.is_name(self.at + 1):
            self.at += 1
        names = self.listed(self.identifier_reference)
        data_type = None
        if self.kinds[self.at] not in ("eof", ";", "DEFAULT", "="):
            data_type = self.data_type()
        default = self.expression() if self.take_any("DEFAULT", "=") else None
        if data_type is None and default is None:
            self.complain("INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED", start, self.stop)
        return CreateVariable(*self.span(start), names, replace, data_type, default)

    def drop_variable(self) -> Command:
        start = self.start
        self.expect("DROP", "TEMPORARY")
        self.expect_any("VARIABLE", "VAR")
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier_reference()
        return DropVariable(*self.span(start), name, if_exists)

    def set_variable(self, start: int) -> Command:
        """Behind SET [VAR]: a = 1, b = 2, or (a, b) = (query)."""
        if self.kinds[self.at] != "(":
            assignments = self.listed(self.assignment)
            return SetVariable(*self.span(start), assignments, (), None)
        targets = self.in_parentheses(self.multipart_identifier)
        self.expect("=")
        query = self.parenthesized_query()
        return SetVariable(*self.span(start), (), targets, query)

    # ------------------------------------------------------------ cursors
    def _is_cursor(self) -> bool:
        at = self.at + 2
        at += self.kinds[at] in ("ASENSITIVE", "INSENSITIVE")
        return self.kinds[at] == "CURSOR" and self.kinds[at + 1] == "FOR"

    def _declare_cursor(self, start: int) -> Command:
        self.expect("DECLARE")
        name = self.captured_identifier()
        sensitivity = self.take_any("ASENSITIVE", "INSENSITIVE")
        self.expect("CURSOR", "FOR")
        query = self.query()
        self.take("FOR", "READ", "ONLY")
        return DeclareCursor(*self.span(start), name, sensitivity, query)

    def open_cursor(self) -> Command:
        start = self.start
        self.expect("OPEN")
        name = self.multipart_identifier()
        arguments = self.using_arguments() if self.take("USING") else ()
        return OpenCursor(*self.span(start), name, arguments)

    def using_arguments(self) -> tuple[Expression, ...]:
        """(a, b AS c) or the same without parentheses."""
        if self.kinds[self.at] == "(":
            found = self.attempt(lambda: self.in_parentheses(self.named_expression))
            if found is not None and self.kinds[self.at] in ("eof", ";"):
                return found
            if found is not None:
                raise self.fail()
        return self.named_expressions()

    def fetch_cursor(self) -> Command:
        start = self.start
        self.expect("FETCH")
        if not self.take("NEXT", "FROM") and self.is_name(self.at + 1):
            self.take("FROM")
        name = self.multipart_identifier()
        self.expect("INTO")
        targets = self.listed(self.multipart_identifier)
        return FetchCursor(*self.span(start), name, targets)

    def close_cursor(self) -> Command:
        start = self.start
        self.expect("CLOSE")
        name = self.multipart_identifier()
        return CloseCursor(*self.span(start), name)


_CHARACTERISTICS = (
    ("DETERMINISTIC",),
    ("NOT", "DETERMINISTIC"),
    ("NO", "SQL"),
    ("CONTAINS", "SQL"),
    ("READS", "SQL", "DATA"),
    ("MODIFIES", "SQL", "DATA"),
    ("RETURNS", "NULL", "ON", "NULL", "INPUT"),
    ("CALLED", "ON", "NULL", "INPUT"),
    ("SQL", "SECURITY", "INVOKER"),
    ("SQL", "SECURITY", "DEFINER"),
)
