"""Builds the analysis context of a session: its settings, views, catalogs, functions and workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa

from twinspark.analysis.context import Context
from twinspark.compile.query import Cursor, stream_rows
from twinspark.plan.relations import Relation
from twinspark.sessions.spark_half import OtherCatalog
from twinspark.sessions.tables import ServerCatalogs, SessionTables
from twinspark.tables.files.formats import FileScan, ScanContext, scan
from twinspark.tables.files.metadata_column import with_metadata_column


@dataclass
class SessionContext:
    """The state of a session that plans are analyzed in."""

    config: Mapping[str, str]
    settings: Mapping[str, str]  # only those that were set
    views: Mapping[tuple[str, ...], Any]
    local_relations: Callable[[str], bytes]
    catalog: str
    database: str
    user: str
    session_id: str
    catalogs: ServerCatalogs | None = None
    functions: Any = None
    pythons: Any = None
    checkpoints: Any = None
    cache: Any = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    locals: Mapping[tuple[str, ...], Any] = field(default_factory=dict)
    elsewhere: OtherCatalog | None = None  # Spark's own catalog, which may have tables that ours do not
    system: Any = None  # SystemTables

    def context(self, cursor: Cursor) -> Context:
        scan_context = ScanContext(cursor, self.settings)
        return Context(
            config=self.config,
            views=self.views,
            local_relations=self.local_relations,
            scan_files=partial(scan_files, scan_context),
            collect=partial(collect, cursor),
            tables=self.tables(scan_context),
            functions=self.functions,
            pythons=self.pythons,
            relations=self.checkpoints,
            cache=self.cache,
            variables=self.variables,
            locals=self.locals,
            catalog=self.catalog,
            database=self.database,
            user=self.user,
            session_id=self.session_id,
        )

    def tables(self, scan_context: ScanContext) -> SessionTables | None:
        if self.catalogs is None:
            return None
        return SessionTables(self.catalogs, self.config, scan_context, self.elsewhere, self.system)


def collect(cursor: Cursor, relation: Relation, context: Context) -> pa.Table:
    """The rows that a plan's shape depends on, such as the values of a PIVOT."""
    return stream_rows(relation, context, cursor).read_all()


def scan_files(files: ScanContext, format: str, paths: Any, options: Any, schema: Any, context: Context) -> FileScan:
    return scan(format, paths, options, schema, with_metadata_column(files, context.needs_file_metadata))
