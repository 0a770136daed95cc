"""Tables by name as relations of a plan: what the readers of SQL and Connect messages ask the catalogs for."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.local_data import local_data
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Field, Relation, Scan
from twinspark.tables.catalog import Version
from twinspark.tables.catalogs import Catalogs, Name
from twinspark.tables.files import FORMATS, scan
from twinspark.tables.filescan import FileScan, ScanContext
from twinspark.tables.iceberg.metadata import TABLES, metadata_table
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.predicates import Predicate
from twinspark.tables.pruning import pruned
from twinspark.tables.session_catalog import SessionCatalog, View
from twinspark.types import quote_identifier

Qualifier = tuple[str, ...]


class TableRelations:
    """The catalogs as one operation sees them: its connection, its settings, its current database."""

    def __init__(self, catalogs: Catalogs, scan_context: ScanContext) -> None:
        self.catalogs = catalogs
        self.scan_context = scan_context
        self._scans: dict[str, tuple[Name, Version | None]] = {}

    def relation(
        self,
        parts: Sequence[str],
        context: Context,
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> tuple[Relation, Qualifier]:
        """The relation a name means and the qualifier of its columns; a view is for `view` to find."""
        if self.is_path(parts):
            return scan_relation(scan(parts[0], [parts[1]], {}, None, self.scan_context)), tuple(parts)
        name = self.name(parts, context)
        catalog = self.catalogs.get(name.catalog)
        if catalog.load_view(name.identifier) is not None:
            raise NotNative(f"the view {name.identifier}")
        if not catalog.table_exists(name.identifier):
            return self.metadata(parts, context), tuple(parts)
        found = catalog.read(name.identifier, self.scan_context, predicate, version)
        self._scans[found.sql] = (name, version)
        return scan_relation(found), name.qualifier

    def pruned(self, plan: Relation) -> Relation:
        """The plan with scans of our tables cut down to the files that its filters leave."""
        return pruned(plan, self.prune)

    def prune(self, scan: Scan, predicate: Predicate) -> Scan:
        if scan.sql not in self._scans:
            return scan
        name, version = self._scans[scan.sql]
        found = self.catalogs.get(name.catalog).read(name.identifier, self.scan_context, predicate, version)
        return replace(scan, sql=found.sql, input_files=tuple(found.input_files), size_in_bytes=found.size_in_bytes)

    def view(self, parts: Sequence[str], context: Context) -> View | None:
        """A persisted view of that name: its SQL is read where the view was made."""
        if self.is_path(parts):
            return None
        name = self.name(parts, context)
        return self.catalogs.get(name.catalog).load_view(name.identifier)

    def name(self, parts: Sequence[str], context: Context) -> Name:
        return self.catalogs.resolve(parts, context.catalog, [context.database])

    def catalog_of(self, name: Name) -> SessionCatalog:
        return self.catalogs.get(name.catalog)

    def is_path(self, parts: Sequence[str]) -> bool:
        """`parquet.`/some/path``: a format and a path."""
        return len(parts) == 2 and parts[0].lower() in FORMATS and "/" in parts[1]

    def metadata(self, parts: Sequence[str], context: Context) -> Relation:
        """`db.table.history`: a table about a table."""
        if len(parts) > 1 and parts[-1].lower() in TABLES:
            owner = self.name(parts[:-1], context)
            catalog = self.catalogs.get(owner.catalog)
            loaded = catalog.load_table(owner.identifier) if catalog.table_exists(owner.identifier) else None
            if isinstance(loaded, IcebergTable):
                return local_data(metadata_table(loaded.table, parts[-1]), None, uuid.uuid4().hex)
        raise not_found(parts, context)


def scan_relation(found: FileScan) -> Scan:
    fields = tuple(Field(f.name, f.dataType, f.nullable, metadata_items(f)) for f in found.schema.fields)
    return Scan(
        fields=fields,
        sql=found.sql,
        names=tuple(field.name for field in fields),
        input_files=tuple(found.input_files),
        size_in_bytes=found.size_in_bytes,
    )


def metadata_items(field: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.metadata or {}).items())


def not_found(parts: Sequence[str], context: Context) -> SparkError:
    """The name as it was written, and the path Spark searched."""
    current = f"{quote_identifier(context.catalog)}.{quote_identifier(context.database)}"
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND",
        relationName=".".join(quote_identifier(part) for part in parts),
        searchPath=f"[`system`.`builtin`, `system`.`session`, {current}]",
    )
