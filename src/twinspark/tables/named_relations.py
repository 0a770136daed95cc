"""Resolves table names in SQL and Connect plans to scan relations."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from twinspark.analysis.context import Context
from twinspark.analysis.relations.local_data import local_data
from twinspark.errors import NotNative, reasons
from twinspark.plan.relations import Relation, Scan
from twinspark.tables.catalog import Version
from twinspark.tables.catalogs import SESSION_CATALOG, Catalogs, Name
from twinspark.tables.char_types import has_length_limit, raw_type
from twinspark.tables.files.formats import scan
from twinspark.tables.files.metadata_column import with_metadata_column
from twinspark.tables.files.scan import ScanContext
from twinspark.tables.iceberg.metadata import TABLES, metadata_table
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.names import is_path, not_found, scan_relation
from twinspark.tables.predicates import Predicate
from twinspark.tables.pruning import prune_scans
from twinspark.tables.session_catalog import AnyTable, SessionCatalog, View
from twinspark.tables.spark_scan import spark_query

Qualifier = tuple[str, ...]


def wap_branch(table: AnyTable, config: Mapping[str, str]) -> str | None:
    """The branch of the setting spark.wap.branch (write-audit-publish), for tables with write.wap.enabled."""
    branch = config.get("spark.wap.branch")
    is_enabled = (
        isinstance(table, IcebergTable) and table.table.properties.get("write.wap.enabled", "").lower() == "true"
    )
    return branch if branch and is_enabled else None


class TableRelations:
    """The catalogs as one operation uses them, with its connection, settings and current database."""

    def __init__(self, catalogs: Catalogs, scan_context: ScanContext) -> None:
        self.catalogs = catalogs
        self.scan_context = scan_context
        self._scans: dict[str, tuple[Name, Version | None]] = {}
        self._loaded: dict[Name, AnyTable | None] = {}

    def relation(
        self,
        parts: Sequence[str],
        context: Context,
        predicate: Predicate | None = None,
        version: Version | None = None,
    ) -> tuple[Relation, Qualifier]:
        """The relation of a table name and the qualifier of its columns; views are resolved by `view`."""
        if is_path(parts):
            files = with_metadata_column(self.scan_context, context.needs_file_metadata)
            return scan_relation(scan(parts[0], [parts[1]], {}, None, files)), tuple(parts)
        found = self.find(parts, context, version, predicate)
        if found is None:
            raise not_found(parts, context)
        return found

    def find(
        self,
        parts: Sequence[str],
        context: Context,
        version: Version | None = None,
        predicate: Predicate | None = None,
    ) -> tuple[Relation, Qualifier] | None:
        """The table of that name, or its metadata table; None if no catalog has it."""
        if self.is_about(parts, context):
            return self.metadata(parts, context, version)
        if version is None and (reference := self.reference(parts, context)) is not None:
            return self.find(parts[:-1], context, Version(snapshot=reference), predicate)
        name = self.name(parts, context)
        catalog, table = self.catalogs.get(name.catalog), self.load(name)
        if table is None:
            if catalog.load_view(name.identifier) is not None:
                raise NotNative(reasons.LIVES_ON_SPARK, f"view {name.identifier}")
            return self.metadata(parts, context, version)
        if version is None and (branch := wap_branch(table, context.config)) is not None:
            version = Version(snapshot=branch) if branch in self.references_of(table) else None
        found = catalog.read_loaded(
            table, with_metadata_column(self.scan_context, context.needs_file_metadata), predicate, version
        )
        self._scans[found.sql] = (name, version)
        return scan_relation(found), name.qualifier

    def spark_query(self, parts: Sequence[str], context: Context, version: Version | None) -> str | None:
        """A Spark query over the files of a table of a further catalog, or of an older version; None for tables that
        Spark finds by name."""
        if version is None and (reference := self.reference(parts, context)) is not None:
            return self.spark_query(parts[:-1], context, Version(snapshot=reference))
        name = self.name(parts, context)
        if name.catalog == SESSION_CATALOG and version is None:
            return None
        table = self.load(name)
        if not isinstance(table, IcebergTable):
            return None
        if any(has_length_limit(raw_type(field)) for field in table.schema.fields):
            raise NotNative(reasons.TABLE_NOT_VISIBLE, f"{name.identifier} has CHAR or VARCHAR columns")
        return spark_query(table.scan(None, version))

    def prune_scans(self, plan: Relation) -> Relation:
        """The plan with table scans reduced to the files that may match its filters."""
        return prune_scans(plan, self.prune)

    def prune(self, scan: Scan, predicate: Predicate) -> Scan:
        if scan.sql not in self._scans or scan.has_metadata:
            return scan
        name, version = self._scans[scan.sql]
        table = self.load(name)
        assert table is not None
        found = self.catalogs.get(name.catalog).read_loaded(table, self.scan_context, predicate, version)
        return replace(
            scan,
            sql=found.sql,
            input_files=tuple(found.input_files),
            size_in_bytes=found.size_in_bytes,
            file_sizes=found.file_sizes,
            sql_by_file=found.sql_by_file,
            arrow=found.arrow,
        )

    def view(self, parts: Sequence[str], context: Context) -> View | None:
        """A persisted view of that name; its SQL is resolved in the catalog and namespace where it was created."""
        if is_path(parts) or self.is_about(parts, context) or self.reference(parts, context):
            return None
        name = self.name(parts, context)
        return self.catalogs.get(name.catalog).load_view(name.identifier)

    def is_about(self, parts: Sequence[str], context: Context) -> bool:
        """Whether a name of that many parts can only be a metadata table: `db.table.history`."""
        if len(parts) < 3 or parts[-1].lower() not in TABLES:
            return False
        named = len(parts) - (parts[0] in self.catalogs.names())
        owner = parts[0] if parts[0] in self.catalogs.names() else context.catalog
        return owner == SESSION_CATALOG and named == 3 and isinstance(self.owner(parts, context), IcebergTable)

    def reference(self, parts: Sequence[str], context: Context) -> str | None:
        """The branch or tag of `db.table.branch_name` and `db.table.tag_name`."""
        kind, _, name = parts[-1].partition("_")
        if len(parts) < 2 or kind.lower() not in ("branch", "tag") or not name:
            return None
        named = len(parts) - (parts[0] in self.catalogs.names())
        owner = self.owner(parts, context) if named in (2, 3) else None
        known = isinstance(owner, IcebergTable) and owner.table.metadata.refs.get(name)
        return name if known and known.snapshot_ref_type == kind.lower() else None

    @staticmethod
    def references_of(table: AnyTable) -> Mapping[str, object]:
        return table.table.metadata.refs if isinstance(table, IcebergTable) else {}

    def owner(self, parts: Sequence[str], context: Context) -> AnyTable | None:
        return self.load(self.name(parts[:-1], context))

    def name(self, parts: Sequence[str], context: Context) -> Name:
        return self.catalogs.resolve(parts, context.catalog, [context.database])

    def load(self, name: Name) -> AnyTable | None:
        """Loads a table once for each operation, so that all its reads see one snapshot."""
        if name not in self._loaded:
            self._loaded[name] = self.catalogs.get(name.catalog).find_table(name.identifier)
        return self._loaded[name]

    def forget(self, name: Name) -> None:
        """Discards a loaded table after the operation has changed it."""
        self._loaded.pop(name, None)

    def catalog_of(self, name: Name) -> SessionCatalog:
        return self.catalogs.get(name.catalog)

    def metadata(
        self, parts: Sequence[str], context: Context, version: Version | None
    ) -> tuple[Relation, Qualifier] | None:
        """The metadata table of `db.table.history`."""
        if len(parts) < 2 or parts[-1].lower() not in TABLES:
            return None
        loaded = self.owner(parts, context)
        if not isinstance(loaded, IcebergTable):
            return None
        if version is not None:
            raise NotNative(reasons.TIME_TRAVEL, "a metadata table")
        return local_data(metadata_table(loaded.table, parts[-1]), None, uuid.uuid4().hex), tuple(parts)
