"""The catalogs as sessions see them: one set for a server, opened when a name is first looked up."""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import frame_of
from twinspark.compile.query import stream_rows
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow, Relation
from twinspark.sessions.history.system_names import SYSTEM, is_system_table
from twinspark.sessions.spark_half import OtherCatalog
from twinspark.tables.catalog import Version
from twinspark.tables.files.formats import FORMATS, scan
from twinspark.tables.files.metadata_column import with_metadata_column
from twinspark.tables.files.scan import ScanContext
from twinspark.tables.names import is_path, not_found, scan_relation

if TYPE_CHECKING:
    from twinspark.sessions.history.system_tables import SystemTables
    from twinspark.tables.catalogs import Catalogs
    from twinspark.tables.named_relations import TableRelations
    from twinspark.tables.session_catalog import View

PREFIX = "spark.sql.catalog."
SESSION_CATALOG = "spark_catalog"
DIRECTORY = "twinspark"  # inside the warehouse, where Spark has its own directories


class ServerCatalogs:
    """All catalogs of a server. PyIceberg takes a second to import, so nothing is opened before a table exists."""

    def __init__(self, warehouse: str, elsewhere: bool = False) -> None:
        self.is_metastore = elsewhere  # whether Spark's own catalog outlives this server: Hive, or a remote Spark
        self.directory = os.path.join(warehouse, DIRECTORY)
        self.elsewhere = elsewhere  # whether Spark's own catalog may have tables that ours do not
        self._opened: dict[frozenset[tuple[str, str]], Catalogs] = {}
        self._lock = threading.Lock()

    def of(self, config: Mapping[str, str]) -> "Catalogs":
        """The catalogs of a session with these settings: spark.sql.catalog.* may define more than the server's."""
        chosen = frozenset((key, value) for key, value in config.items() if key.startswith(PREFIX))
        with self._lock:
            if chosen not in self._opened:
                from twinspark.tables.catalogs import Catalogs  # imports PyIceberg, which takes a second

                made = Catalogs(self.directory, dict(chosen), lambda: self.elsewhere)
                first = next(iter(self._opened.values()), None)
                self._opened[chosen] = made if first is None else made.sharing(first)
            return self._opened[chosen]

    def is_empty(self, config: Mapping[str, str]) -> bool:
        """Whether there is nothing to look up: no other catalog, and no table was created in the session catalog."""
        mine = os.path.join(self.directory, "spark_catalog", "catalog.db")
        return not any(key.startswith(PREFIX) for key in config) and not os.path.exists(mine)


# Formats that can precede a path in FROM.
FILE_FORMATS = frozenset({"parquet", "orc", "csv", "json", "text", "avro", "xml", "binaryfile"})


@dataclass
class SessionTables:
    """`Context.tables`: looks up names for one operation, with its connection and its settings."""

    server: ServerCatalogs
    config: Mapping[str, str]
    scan_context: ScanContext
    elsewhere: OtherCatalog | None  # Spark's own catalog, which may have tables that ours do not
    system: "SystemTables | None" = None

    @property
    def catalogs(self) -> "Catalogs":
        return self.server.of(self.config)

    @cached_property
    def relations(self) -> "TableRelations":
        from twinspark.tables.named_relations import TableRelations

        return TableRelations(self.catalogs, self.scan_context)

    def relation(
        self, parts: Sequence[str], context: Context, version: Version | None = None
    ) -> tuple[Relation, tuple[str, ...]]:
        """The relation of a name and the qualifier of its columns; raises Spark's error, or falls back to Spark, if
        unknown."""
        if is_path(parts) and version is None:
            return self.files_at(parts, context)
        if version is None and (system := self.system_tables(parts, context)) is not None:
            return system.relation(parts), tuple(part.lower() for part in parts)
        found = None if self.is_empty(parts) else self.relations.find(parts, context, version)
        if found is not None:
            return found
        self.check_elsewhere(parts)
        if len(parts) == 2 and parts[0].lower() in FILE_FORMATS:
            if not parts[1]:
                raise SparkError("INVALID_EMPTY_LOCATION", location="")
            if parts[0].lower() in FORMATS and version is None:
                return self.files_at(parts, context)
            raise NotNative(
                reasons.FILE_FORMAT, f"a query over {parts[0]} files by path", likely_error=not_found(parts, context)
            )
        raise not_found(parts, context)

    def files_at(self, parts: Sequence[str], context: Context) -> tuple[Relation, tuple[str, ...]]:
        """A format and a path; a name without a slash is a path only if no table has it (ResolveSQLOnFile)."""
        files = with_metadata_column(self.scan_context, context.needs_file_metadata)
        return scan_relation(scan(parts[0], [parts[1]], {}, None, files)), tuple(parts)

    def relation_at(
        self, parts: Sequence[str], context: Context, version: str | None, moment: Expression | None
    ) -> tuple[Relation, tuple[str, ...]]:
        """The table at a snapshot, tag, branch or timestamp."""
        if moment is None:
            return self.relation(parts, context, Version(snapshot=version))
        return self.relation(parts, context, Version(timestamp_ms=self.milliseconds(moment, context)))

    def spark_query(
        self, parts: Sequence[str], context: Context, version: str | None, moment: Expression | None
    ) -> str | None:
        """The same as a Spark query over the table's files, for what a view in Spark's session catalog cannot
        represent."""
        if self.is_empty(parts):
            return None
        when = None if moment is None else self.milliseconds(moment, context)
        wanted = None if version is None and when is None else Version(version, when)
        return self.relations.spark_query(parts, context, wanted)

    def milliseconds(self, moment: Expression, context: Context) -> int:
        """The value of a constant timestamp, which DuckDB computes as in a query."""
        plan = project(frame_of(OneRow()), [Named(moment, "moment")]).plain()
        table = stream_rows(plan, context, self.scan_context.connection.cursor()).read_all()
        micros = table.column(0).cast("int64")[0].as_py()
        if micros is None:
            raise NotNative(reasons.TIME_TRAVEL, "a timestamp that is null")
        return int(micros) // 1000

    def view(self, parts: Sequence[str], context: Context) -> "View | None":
        """The persisted view of that name."""
        if self.is_empty(parts) or is_path(parts) or self.system_tables(parts, context) is not None:
            return None
        return self.relations.view(parts, context)

    def system_tables(self, parts: Sequence[str], context: Context) -> "SystemTables | None":
        """The tables of the server, if the name is one of theirs: unless a catalog has that name, here or on Spark, or
        the current catalog may have such a nested namespace."""
        if self.system is None or not is_system_table(parts) or context.catalog != SESSION_CATALOG:
            return None
        is_catalog = f"{PREFIX}{SYSTEM}" in self.config
        is_on_spark = self.elsewhere is not None and self.elsewhere.has_table(parts)
        return None if is_catalog or is_on_spark else self.system

    def check_elsewhere(self, parts: Sequence[str]) -> None:
        if self.elsewhere is not None and self.elsewhere.claims(parts):
            raise NotNative(reasons.LIVES_ON_SPARK, f"table {'.'.join(parts)}")

    def prune_files(self, plan: Relation) -> Relation:
        """The plan with scans of our tables reduced to the files that its filters can match."""
        return self.relations.prune_scans(plan) if "relations" in self.__dict__ else plan

    def is_empty(self, parts: Sequence[str]) -> bool:
        return len(parts) <= 2 and self.server.is_empty(self.config)


def tables_of(context: Context) -> SessionTables:
    """The operation's tables; a context without a session has none."""
    tables: Any = context.tables
    if not isinstance(tables, SessionTables):
        raise NotNative(reasons.PROTOCOL, "a table outside a session")
    return tables
