"""Every statement by its first words, and the commands too small for a file of their own."""

from collections.abc import Callable

from twinspark.read.sql.failures import ParseError
from twinspark.read.sql.housekeeping import Housekeeping
from twinspark.read.sql.tree import (
    Alias,
    AlterNamespace,
    Call,
    Command,
    CreateNamespace,
    DropNamespace,
    ExecuteImmediate,
    Explain,
    Expression,
    ManageResource,
    Properties,
    Statement,
    UseNamespace,
)

_NAMESPACE = ("NAMESPACE", "DATABASE", "SCHEMA")
_CHANGES = ("INSERT", "DELETE", "UPDATE", "MERGE")


class Commands(Housekeeping):
    """The layer of statements."""

    def statement(self) -> Statement:
        kind = self.kinds[self.at]
        reader = _STATEMENTS.get(kind)
        if reader is not None:
            start, complaints = self.start, len(self.complaints)
            statement = reader(self)
            self.settle_complaints(complaints, start, -2)
            return statement
        if kind == "WITH":
            return self._with_statement()
        if kind == "FROM":
            return self._from_statement(self.start)
        return self.query()

    def _with_statement(self) -> Statement:
        at, start, complaints = self.at, self.start, len(self.complaints)
        ctes = self.with_clause()
        if self.kinds[self.at] in _CHANGES:
            return self.change(start, ctes)
        if self.kinds[self.at] == "FROM":
            many = self.attempt(lambda: self.change(start, ctes))
            if many is not None:
                return many
        self.at = at
        del self.complaints[complaints:]
        return self.query()

    def _from_statement(self, start: int) -> Statement:
        return self.attempt(lambda: self.change(start, None)) or self.query()

    def _change(self) -> Statement:
        return self.change(self.start, None)

    # ------------------------------------------------------------ CREATE, ALTER, DROP
    def _create(self) -> Statement:
        at = self.at + 1
        kinds = self.kinds
        if kinds[at] == "OR":
            at += 2
        while kinds[at] in ("GLOBAL", "TEMPORARY", "EXTERNAL"):
            at += 1
        reader = _CREATES.get(kinds[at])
        if reader is None or (kinds[at] == "INDEX" and kinds[at + 1] in ("eof", ";")):
            return self._not_supported() if kinds[at] in ("ROLE", "INDEX", "MACRO") else self._fail_at(at)
        return reader(self)

    def _fail_at(self, at: int) -> Statement:
        raise self.fail(at)

    def _alter(self) -> Statement:
        kind = self.kinds[self.at + 1]
        if kind in _NAMESPACE:
            return self._alter_namespace()
        if kind == "VIEW":
            return self.alter_view()
        if kind == "INDEX":
            return self._not_supported()
        if kind != "TABLE":
            raise self.fail(self.at + 1)
        return self.attempt(self._whole_alter) or self._hive_alter() or self.alter_table()

    def _whole_alter(self) -> Command:
        command = self.alter_table()
        if self.kinds[self.at] not in ("eof", ";"):
            raise self.fail()
        return command

    def _hive_alter(self) -> Command | None:
        """Hive's own changes of tables, which Spark knows only to refuse them."""
        at = self.at
        words = self.attempt(self._hive_words)
        if words is None:
            self.at = at
            return None
        self.at = at
        return self._refused(f"ALTER TABLE {words}")

    def _hive_words(self) -> str:
        self.expect("ALTER", "TABLE")
        self.multipart_identifier()
        self.optional_partition()
        for words in _HIVE_ALTERS:
            if self.take(*words):
                return " ".join(words)
        raise self.fail()

    def _drop(self) -> Statement:
        kind = self.kinds[self.at + 1]
        if kind in _NAMESPACE:
            return self._drop_namespace()
        if kind == "TABLE":
            return self.drop_table()
        if kind == "VIEW":
            return self.drop_view()
        if kind == "FUNCTION":
            return self.drop_function()
        if kind == "TEMPORARY":
            return self._drop_temporary()
        if kind == "INDEX":
            return self.attempt(self.drop_index) or self._not_supported()
        if kind == "ROLE":
            return self._not_supported()
        raise self.fail(self.at + 1)

    def _drop_temporary(self) -> Statement:
        kind = self.kinds[self.at + 2]
        if kind == "FUNCTION":
            return self.drop_function()
        if kind == "MACRO":
            return self._not_supported()
        return self.drop_variable()

    # ------------------------------------------------------------ namespaces
    def _create_namespace(self) -> Command:
        start = self.start
        self.at += 2
        if_not_exists = self.if_not_exists()
        name = self.identifier_reference()
        comment = location = collation = None
        properties: Properties = ()
        while True:
            if self.take("COMMENT"):
                comment = self.string_value()
            elif self.take("LOCATION"):
                location = self.string_value()
            elif self.take("DEFAULT", "COLLATION"):
                collation = self._namespace_collation(start)
            elif self.take("WITH"):
                self.expect_any("DBPROPERTIES", "PROPERTIES")
                properties = self.namespace_properties()
            else:
                return CreateNamespace(*self.span(start), name, if_not_exists, comment, location, collation, properties)

    def _alter_namespace(self) -> Command:
        start = self.start
        self.at += 2
        name = self.identifier_reference()
        if self.take("DEFAULT", "COLLATION"):
            collation = self._namespace_collation(start)
            return AlterNamespace(*self.span(start), name, "COLLATION", value=collation)
        word = self.expect_any("SET", "UNSET")
        if word == "SET" and self.take("LOCATION"):
            location = self.string_value()
            return AlterNamespace(*self.span(start), name, "LOCATION", value=location)
        self.expect_any("DBPROPERTIES", "PROPERTIES")
        properties = self.namespace_properties(values=word == "SET")
        return AlterNamespace(*self.span(start), name, f"{word} PROPERTIES", properties)

    def _namespace_collation(self, start: int) -> str:
        if not self.config.allows("spark.sql.collation.schemaLevel.enabled"):
            problem = "UNSUPPORTED_FEATURE.SCHEMA_LEVEL_COLLATIONS"
            self.complaints.append(ParseError(problem, self.text, start))
        return self.identifier()

    def _drop_namespace(self) -> Command:
        start = self.start
        self.at += 2
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier_reference()
        cascade = self.take_any("RESTRICT", "CASCADE") == "CASCADE"
        return DropNamespace(*self.span(start), name, if_exists, cascade)

    def _use(self) -> Command:
        start = self.start
        self.expect("USE")
        explicit = self.kinds[self.at] in _NAMESPACE and self.kinds[self.at + 1] not in ("eof", ";", ".")
        self.at += explicit
        name = self.identifier_reference()
        return UseNamespace(*self.span(start), name, explicit)

    # ------------------------------------------------------------ running text
    def _execute_immediate(self) -> Command:
        start = self.start
        self.expect("EXECUTE", "IMMEDIATE")
        query = self.expression()
        targets = self.listed(self.multipart_identifier) if self.take("INTO") else ()
        begin = self.start
        arguments: tuple[Expression, ...] = ()
        if self.take("USING"):
            arguments = self.using_arguments()
            self._check_arguments(arguments, begin)
        return ExecuteImmediate(*self.span(start), query, targets, arguments)

    def _check_arguments(self, arguments: tuple[Expression, ...], begin: int) -> None:
        names = [argument.names[0] for argument in arguments if isinstance(argument, Alias)]
        twice = sorted({name for name in names if names.count(name) > 1}, key=names.index)
        if twice:
            shown = ", ".join(f"`{name}`" for name in twice)
            self.complain("EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", begin, self.stop, aliases=shown)

    def _explain(self) -> Command:
        start = self.start
        self.expect("EXPLAIN")
        mode = self.take_any("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST")
        statement = self.statement()
        if mode == "LOGICAL":
            self.complain("INVALID_STATEMENT_OR_CLAUSE", start, self.stop, operation="EXPLAIN LOGICAL")
        return Explain(*self.span(start), mode, statement)

    def _call(self) -> Command:
        start = self.start
        self.expect("CALL")
        procedure = self.identifier_reference()
        self.expect("(")
        arguments = () if self.peek(")") else self.listed(self.function_argument)
        self.expect(")")
        return Call(*self.span(start), procedure, arguments)

    # ------------------------------------------------------------ what Spark knows only to refuse
    def _not_supported(self) -> Command:
        words = [self.kinds[self.at]]
        for word in self.kinds[self.at + 1 : self.at + 3]:
            if word not in _REFUSED_WORDS:
                break
            words.append(word)
        return self._refused(" ".join(words))

    def _refused(self, operation: str) -> Command:
        start = self.start
        self.at += 1
        rest = self._to_end()
        self.complain("INVALID_STATEMENT_OR_CLAUSE", start, self.stop, operation=operation)
        return ManageResource(*self.span(start), operation, "", rest)


_REFUSED_WORDS = frozenset(
    {"ROLE", "GRANT", "PRINCIPALS", "ROLES", "CURRENT", "TABLE", "COMPACTIONS", "TRANSACTIONS", "INDEXES", "LOCKS"}
    | {"INDEX", "DATABASE", "TEMPORARY", "MACRO", "TRANSACTION"}
)
_HIVE_ALTERS = (
    ("NOT", "CLUSTERED"),
    ("CLUSTERED", "BY"),
    ("NOT", "SORTED"),
    ("SKEWED", "BY"),
    ("NOT", "SKEWED"),
    ("NOT", "STORED", "AS", "DIRECTORIES"),
    ("SET", "SKEWED", "LOCATION"),
    ("EXCHANGE", "PARTITION"),
    ("ARCHIVE", "PARTITION"),
    ("UNARCHIVE", "PARTITION"),
    ("TOUCH",),
    ("COMPACT",),
    ("CONCATENATE",),
    ("SET", "FILEFORMAT"),
    ("REPLACE", "COLUMNS"),
)


def _show(reader: Commands) -> Statement:
    if reader.kinds[reader.at + 1] in ("GRANT", "ROLE", "PRINCIPALS", "ROLES", "COMPACTIONS", "TRANSACTIONS"):
        return reader._not_supported()
    if reader.kinds[reader.at + 1] in ("INDEXES", "LOCKS"):
        return reader._not_supported()
    if reader.kinds[reader.at + 1] == "CREATE" and reader.kinds[reader.at + 2] == "TABLE":
        return reader.attempt(reader.show) or reader._not_supported()
    return reader.show()


_CREATES: dict[str, Callable[[Commands], Statement]] = {
    "TABLE": Commands.create_table,
    "VIEW": Commands.create_view,
    "FUNCTION": Commands.create_function,
    "INDEX": Commands.create_index,
    "MATERIALIZED": Commands.create_pipeline_dataset,
    "STREAMING": Commands.create_pipeline_dataset,
    "FLOW": Commands.create_flow,
    **dict.fromkeys(_NAMESPACE, Commands._create_namespace),
}
_STATEMENTS: dict[str, Callable[[Commands], Statement]] = {
    "CREATE": Commands._create,
    "REPLACE": Commands.replace_table,
    "ALTER": Commands._alter,
    "DROP": Commands._drop,
    "USE": Commands._use,
    "SET": Commands.set_command,
    "RESET": Commands.reset_command,
    "SHOW": _show,
    "DESC": Commands.describe,
    "DESCRIBE": Commands.describe,
    "EXPLAIN": Commands._explain,
    "EXECUTE": Commands._execute_immediate,
    "CALL": Commands._call,
    "DECLARE": Commands.declare,
    "OPEN": Commands.open_cursor,
    "FETCH": Commands.fetch_cursor,
    "CLOSE": Commands.close_cursor,
    "COMMENT": Commands.comment_on,
    "REFRESH": Commands.refresh,
    "CACHE": Commands.cache,
    "UNCACHE": Commands.uncache,
    "CLEAR": Commands.clear,
    "LOAD": Commands.load,
    "TRUNCATE": Commands.truncate,
    "MSCK": Commands.repair,
    "REPAIR": Commands.repair,
    "ADD": Commands.manage_resource,
    "LIST": Commands.manage_resource,
    "ANALYZE": Commands.analyze,
    **dict.fromkeys(_CHANGES, Commands._change),
    **dict.fromkeys(
        ("GRANT", "REVOKE", "EXPORT", "IMPORT", "LOCK", "UNLOCK", "START", "COMMIT", "ROLLBACK", "DFS"),
        Commands._not_supported,
    ),
}
