"""CREATE, ALTER and DROP VIEW, temporary ones and metric ones too."""

from twinspark.read.sql.alters import Alters
from twinspark.read.sql.tree import (
    AlterViewBinding,
    AlterViewQuery,
    Command,
    CreateMetricView,
    CreateTemporaryViewUsing,
    CreateView,
    DropView,
    Identifier,
    IdentifierClause,
    Properties,
)
from twinspark.read.sql.windows import folded

_BINDING_OFF = {
    "featureName": "VIEW ... WITH SCHEMA ...",
    "configKey": "spark.sql.legacy.viewSchemaBindingMode",
    "configValue": "true",
}


class Views(Alters):
    """The layer of view definitions."""

    def create_view(self) -> Command:
        start = self.start
        self.expect("CREATE")
        replace = self.take("OR", "REPLACE")
        is_global = self.take("GLOBAL")
        temporary = self.take("TEMPORARY")
        if is_global and not temporary:
            raise self.fail()
        self.expect("VIEW")
        if temporary and (using := self.attempt(lambda: self._view_using(start, replace, is_global))):
            return using
        if_not_exists = self.if_not_exists()
        name = self.identifier_reference()
        columns = self.in_parentheses(self._view_column) if self.kinds[self.at] == "(" else ()
        clauses = self._view_clauses()
        self.expect("AS")
        if self.take("dollarquoted"):
            return self._metric_view(start, name, replace, if_not_exists, columns, clauses)
        if clauses.metrics or clauses.language:
            raise self.fail()  # such a view is no query
        query = self.query()
        view = CreateView(
            *self.span(start),
            name,
            replace,
            temporary,
            is_global,
            if_not_exists,
            columns,
            clauses.comment,
            clauses.binding,
            clauses.collation,
            clauses.properties,
            query,
        )
        self._check_view(view)
        return view

    def _view_using(self, start: int, replace: bool, is_global: bool) -> Command:
        name = self.multipart_identifier()
        schema = None
        if self.take("("):
            schema = self.column_types()
            self.expect(")")
        self.expect("USING")
        provider = self.multipart_identifier()
        options = self.property_list() if self.take("OPTIONS") else ()
        return CreateTemporaryViewUsing(*self.span(start), name, replace, is_global, schema, provider, options)

    def _view_column(self) -> tuple[str, str | None]:
        return self.identifier(), self.string_value() if self.take("COMMENT") else None

    def _view_clauses(self) -> "_ViewClauses":
        found = _ViewClauses()
        while True:
            if self.take("COMMENT"):
                found.comment = self.string_value()
            elif self.peek("WITH", "SCHEMA"):
                found.binding = self.schema_binding()
            elif self.take("DEFAULT", "COLLATION"):
                found.collation = self.identifier()
            elif self.take("PARTITIONED", "ON"):
                self.identifier_list()
                operation = "CREATE VIEW ... PARTITIONED ON"
                self.complain_of_statement("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
            elif self.take("TBLPROPERTIES"):
                found.properties = self.property_list()
            elif self.take("WITH", "METRICS"):
                found.metrics = True
            elif self.take("LANGUAGE"):
                found.language = self.simple_identifier()
            else:
                return found

    def schema_binding(self) -> str:
        start = self.start
        self.expect("WITH", "SCHEMA")
        binding = "TYPE EVOLUTION" if self.take("TYPE", "EVOLUTION") else ""
        binding = binding or self.expect_any("BINDING", "COMPENSATION", "EVOLUTION")
        settings = self.config.settings or {}
        if settings.get("spark.sql.legacy.viewSchemaBindingMode", "true").lower() == "false":
            self.complain("FEATURE_NOT_ENABLED", start, self.stop, **_BINDING_OFF)
        return binding

    def _metric_view(
        self,
        start: int,
        name: Identifier,
        replace: bool,
        if_not_exists: bool,
        columns: tuple[tuple[str, str | None], ...],
        clauses: "_ViewClauses",
    ) -> Command:
        literal = self.tokens.word(self.at - 1)
        tag = literal[: literal.index("$", 1) + 1]
        definition = literal[len(tag) : -len(tag)]
        if not clauses.metrics:
            self.complain(
                "MISSING_CLAUSES_FOR_OPERATION",
                start,
                self.stop,
                clauses="WITH METRICS",
                operation="METRIC VIEW CREATION",
            )
        return CreateMetricView(
            *self.span(start),
            name,
            replace,
            if_not_exists,
            columns,
            clauses.comment,
            clauses.properties,
            definition,
        )

    def _check_view(self, view: CreateView) -> None:
        if view.temporary:
            self.check_temporary_name("VIEW", view.name, view.start)
            if view.if_not_exists:
                self.complain("_LEGACY_ERROR_TEMP_0053", view.start, view.stop)
            if view.properties:
                message = "TBLPROPERTIES can't coexist with CREATE TEMPORARY VIEW"
                self.complain("_LEGACY_ERROR_TEMP_0035", view.start, view.stop, message=message)
            if view.binding:
                problem = "UNSUPPORTED_FEATURE.TEMPORARY_VIEW_WITH_SCHEMA_BINDING_MODE"
                self.complain(problem, view.start, view.stop)
        if view.replace and view.if_not_exists:
            shown = self.text[view.name.start : view.name.stop]
            problem = "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE"
            self.complain(problem, view.start, view.stop, viewName=shown)

    def check_temporary_name(self, kind: str, name: Identifier, start: int) -> None:
        """A temporary object is named alone, or in session or system.session."""
        parts = self._literal_parts(name)
        qualifier = tuple(part.lower() for part in parts[:-1])
        if qualifier in ((), ("session",), ("system", "session")):
            return
        self.complain(
            "INVALID_TEMP_OBJ_QUALIFIER",
            start,
            self.stop,
            objectType=kind,
            objectName=f"`{parts[-1]}`",
            qualifier=f"`{'.'.join(parts[:-1])}`",
        )

    def _literal_parts(self, name: Identifier) -> tuple[str, ...]:
        if not isinstance(name, IdentifierClause):
            return name.parts
        text = folded(name.expression)
        return ("",) if text is None else self.parts_of(text, name.start)

    # ------------------------------------------------------------ ALTER and DROP
    def alter_view(self) -> Command:
        return self.attempt(self._alter_view) or self.alter_table()

    def _alter_view(self) -> Command:
        start = self.start
        self.expect("ALTER", "VIEW")
        name = self.identifier_reference()
        if self.peek("WITH", "SCHEMA"):
            binding = self.schema_binding()
            return AlterViewBinding(*self.span(start), name, binding)
        self.take("AS")
        query = self.query()
        return AlterViewQuery(*self.span(start), name, query)

    def drop_view(self) -> Command:
        start = self.start
        self.expect("DROP", "VIEW")
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier_reference()
        return DropView(*self.span(start), name, if_exists)


class _ViewClauses:
    """What stands between a view's columns and its AS."""

    comment: str | None = None
    binding: str = ""
    collation: str | None = None
    properties: Properties = ()
    metrics: bool = False
    language: str = ""
