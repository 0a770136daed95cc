"""The catalogs as sessions see them: one set for a server, opened when a name is first looked up in them."""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.analysis.relations import Named, project
from twinspark.analysis.scope import frame_of
from twinspark.duck import run
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow, Relation
from twinspark.session.later import imported
from twinspark.session.spark_catalog import SparkCatalog
from twinspark.tables.catalog import Version
from twinspark.tables.file_metadata import telling
from twinspark.tables.files import scan
from twinspark.tables.filescan import ScanContext
from twinspark.tables.names import is_path, not_found, scan_relation

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Catalogs
    from twinspark.tables.relations import TableRelations
    from twinspark.tables.session_catalog import View

PREFIX = "spark.sql.catalog."
DIRECTORY = "twinspark"  # inside the warehouse: Spark keeps its own directories there


class ServerCatalogs:
    """All catalogs of a server. PyIceberg takes a second to import, so nothing is opened before a table is there."""

    def __init__(self, warehouse: str, elsewhere: bool = False) -> None:
        self.directory = os.path.join(warehouse, DIRECTORY)
        self.elsewhere = elsewhere  # whether Spark's own catalog may hold tables that ours do not know
        self._opened: dict[frozenset[tuple[str, str]], Catalogs] = {}
        self._lock = threading.Lock()

    def of(self, config: Mapping[str, str]) -> "Catalogs":
        """The catalogs of a session with these settings: spark.sql.catalog.* may name more than the server's."""
        chosen = frozenset((key, value) for key, value in config.items() if key.startswith(PREFIX))
        with self._lock:
            if chosen not in self._opened:
                made = imported("tables.catalogs").Catalogs(self.directory, dict(chosen), lambda: self.elsewhere)
                first = next(iter(self._opened.values()), None)
                self._opened[chosen] = made if first is None else made.sharing(first)
            return self._opened[chosen]

    def is_empty(self, config: Mapping[str, str]) -> bool:
        """Whether there is nothing to find: no other catalog, and no table was ever made in the session's own."""
        mine = os.path.join(self.directory, "spark_catalog", "catalog.db")
        return not any(key.startswith(PREFIX) for key in config) and not os.path.exists(mine)


# What may stand before a path in FROM.
FILE_FORMATS = frozenset({"parquet", "orc", "csv", "json", "text", "avro", "xml", "binaryfile"})


@dataclass
class SessionTables:
    """`Context.tables`: names looked up for one operation, with its connection and its settings."""

    server: ServerCatalogs
    config: Mapping[str, str]
    scan_context: ScanContext
    elsewhere: SparkCatalog | None  # where tables may be that ours do not know

    @property
    def catalogs(self) -> "Catalogs":
        return self.server.of(self.config)

    @cached_property
    def relations(self) -> "TableRelations":
        made: TableRelations = imported("tables.relations").TableRelations(self.catalogs, self.scan_context)
        return made

    def relation(
        self, parts: Sequence[str], context: Context, version: Version | None = None
    ) -> tuple[Relation, tuple[str, ...]]:
        """The relation a name means and the qualifier of its columns; Spark's error, or Spark's turn, if none."""
        if is_path(parts) and version is None:
            files = telling(self.scan_context, context.asks_files)
            return scan_relation(scan(parts[0], [parts[1]], {}, None, files)), tuple(parts)
        found = None if self.is_empty(parts) else self.relations.find(parts, context, version)
        if found is not None:
            return found
        self.check_elsewhere(parts)
        if len(parts) == 2 and parts[0].lower() in FILE_FORMATS:
            if not parts[1]:
                raise SparkError("INVALID_EMPTY_LOCATION", location="")
            raise NotNative(f"files of {parts[0]} by their path", nearest=not_found(parts, context))
        raise not_found(parts, context)

    def travelled(
        self, parts: Sequence[str], context: Context, version: str | None, moment: Expression | None
    ) -> tuple[Relation, tuple[str, ...]]:
        """The table as it was at a snapshot, tag or branch, or at a moment."""
        if moment is None:
            return self.relation(parts, context, Version(snapshot=version))
        return self.relation(parts, context, Version(timestamp_ms=self.milliseconds(moment, context)))

    def spark_query(
        self, parts: Sequence[str], context: Context, version: str | None, moment: Expression | None
    ) -> str | None:
        """The same in Spark's words, over the files: what a view of Spark's session catalog cannot stand for."""
        if self.is_empty(parts):
            return None
        when = None if moment is None else self.milliseconds(moment, context)
        wanted = None if version is None and when is None else Version(version, when)
        return self.relations.spark_query(parts, context, wanted)

    def milliseconds(self, moment: Expression, context: Context) -> int:
        """A constant moment's value; the engine computes it as it would in a query."""
        plan = project(frame_of(OneRow()), [Named(moment, "moment")]).plain()
        table = run.stream(self.scan_context.connection.cursor(), plan, context.settings).read_all()
        micros = table.column(0).cast("int64")[0].as_py()
        if micros is None:
            raise NotNative("time travel to a moment that is null")
        return int(micros) // 1000

    def view(self, parts: Sequence[str], context: Context) -> "View | None":
        """A persisted view of that name."""
        return None if self.is_empty(parts) or is_path(parts) else self.relations.view(parts, context)

    def check_elsewhere(self, parts: Sequence[str]) -> None:
        if self.elsewhere is not None and self.elsewhere.claims(parts):
            raise NotNative(f"the table {'.'.join(parts)} is Spark's")

    def pruned(self, plan: Relation) -> Relation:
        """The plan with scans of our tables cut down to the files its filters leave."""
        return self.relations.pruned(plan) if "relations" in self.__dict__ else plan

    def is_empty(self, parts: Sequence[str]) -> bool:
        return len(parts) <= 2 and self.server.is_empty(self.config)


def tables_of(context: Context) -> SessionTables:
    """The operation's tables; a reader without a session has none."""
    tables: Any = context.tables
    if not isinstance(tables, SessionTables):
        raise NotNative("tables without a session")
    return tables
