"""COMMENT ON, REFRESH, CACHE, LOAD, TRUNCATE, REPAIR, ADD and LIST, ANALYZE."""

from twinspark.read.sql.settings import Settings
from twinspark.read.sql.tree import (
    AnalyzeTable,
    AnalyzeTables,
    CacheTable,
    ClearCache,
    Command,
    CommentOn,
    Identifier,
    LoadData,
    ManageResource,
    Query,
    Refresh,
    RepairTable,
    TruncateTable,
    UncacheTable,
)

_NAMESPACE = ("NAMESPACE", "DATABASE", "SCHEMA")


class Housekeeping(Settings):
    """The layer of commands that keep tables, caches and resources in order."""

    def comment_on(self) -> Command:
        start = self.start
        self.expect("COMMENT", "ON")
        kind = self.expect_any("TABLE", *_NAMESPACE)
        name = self.identifier_reference()
        self.expect("IS")
        comment = None if self.take("NULL") else self.string_value()
        return CommentOn(*self.span(start), "TABLE" if kind == "TABLE" else "NAMESPACE", name, comment)

    def refresh(self) -> Command:
        start, second = self.start, self.kinds[self.at + 1]
        if second in ("TABLE", "FUNCTION") and (found := self.attempt(self._refresh_named)):
            return found
        self.at += 1
        if self.is_string_or_marker(self.at) and self.kinds[self.at + 1] in ("eof", ";"):
            path = self.string_value()
        else:
            path = self._to_end().strip()
        return Refresh(*self.span(start), "", path)

    def _refresh_named(self) -> Command:
        start, kind = self.start, self.kinds[self.at + 1]
        self.at += 2
        name = self.identifier_reference()
        return self.at_end(Refresh(*self.span(start), kind, name))

    def cache(self) -> Command:
        start = self.start
        self.expect("CACHE")
        lazy = self.take("LAZY")
        self.expect("TABLE")
        name = self.identifier_reference()
        options = self.property_list() if self.take("OPTIONS") else ()
        query: Query | None = self.optional_query()
        return CacheTable(*self.span(start), name, lazy, options, query)

    def uncache(self) -> Command:
        start = self.start
        self.expect("UNCACHE", "TABLE")
        if_exists = self.take("IF", "EXISTS")
        name = self.identifier_reference()
        return UncacheTable(*self.span(start), name, if_exists)

    def clear(self) -> Command:
        start = self.start
        self.expect("CLEAR", "CACHE")
        return ClearCache(*self.span(start))

    def load(self) -> Command:
        start = self.start
        self.expect("LOAD", "DATA")
        local = self.take("LOCAL")
        self.expect("INPATH")
        path = self.string_value()
        overwrite = self.take("OVERWRITE")
        self.expect("INTO", "TABLE")
        table = self.identifier_reference()
        partition = self.optional_partition()
        return LoadData(*self.span(start), local, path, overwrite, table, partition)

    def truncate(self) -> Command:
        start = self.start
        self.expect("TRUNCATE", "TABLE")
        table = self.identifier_reference()
        partition = self.optional_partition()
        return TruncateTable(*self.span(start), table, partition)

    def repair(self) -> Command:
        start = self.start
        self.take("MSCK")
        self.expect("REPAIR", "TABLE")
        table = self.identifier_reference()
        option = self.take_any("ADD", "DROP", "SYNC")
        if option:
            self.expect("PARTITIONS")
        return RepairTable(*self.span(start), table, option)

    def manage_resource(self) -> Command:
        start = self.start
        operation = self.expect_any("ADD", "LIST")
        kind = self.simple_identifier()
        rest = self._to_end().strip()
        known = ("jar", "jars", "file", "files", "archive", "archives")
        if kind.lower() not in known:
            message = f"{operation} with resource type '{kind.lower()}'"
            self.complain("_LEGACY_ERROR_TEMP_0035", start, self.stop, message=message)
        return ManageResource(*self.span(start), operation, kind.upper(), rest)

    def analyze(self) -> Command:
        start = self.start
        self.expect("ANALYZE")
        if self.take("TABLES"):
            namespace = self.identifier_reference() if self.take_any("FROM", "IN") else None
            self.expect("COMPUTE", "STATISTICS")
            return AnalyzeTables(*self.span(start), namespace, self._no_scan())
        self.expect("TABLE")
        table: Identifier = self.identifier_reference()
        partition = self.optional_partition()
        self.expect("COMPUTE", "STATISTICS")
        if self.take("FOR", "ALL", "COLUMNS"):
            return AnalyzeTable(*self.span(start), table, partition, False, (), True)
        columns = self.identifier_sequence() if self.take("FOR", "COLUMNS") else ()
        no_scan = not columns and self._no_scan()
        return AnalyzeTable(*self.span(start), table, partition, no_scan, columns, False)

    def _no_scan(self) -> bool:
        if not self.is_name(self.at):
            return False
        word = self.simple_identifier()
        if word.upper() != "NOSCAN":
            problem = "INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN"
            self.complain_of_statement(problem, ctx=word.upper())
        return True
