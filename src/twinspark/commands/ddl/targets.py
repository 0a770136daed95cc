"""Resolves the table that a command changes by its name, with Spark's errors if there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.ddl.constraints import with_checks
from twinspark.commands.names import parts_of
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.read.sql import tree
from twinspark.read.views import find_view
from twinspark.sessions.services import Services
from twinspark.sessions.tables import tables_of
from twinspark.tables.catalogs import Name
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.named_relations import wap_branch
from twinspark.tables.names import not_found
from twinspark.tables.session_catalog import AnyTable, SessionCatalog
from twinspark.types import quote_identifier

Parts = tuple[str, ...]
PLANNED = ("UPDATE TABLE", "MERGE INTO TABLE")  # rejected only when the plan is made (DataSourceV2Strategy)


@dataclass(frozen=True)
class Target:
    """An existing table that a command changes."""

    name: Name
    catalog: SessionCatalog
    table: AnyTable

    @property
    def full_name(self) -> str:
        return quote_name(self.name.qualifier)

    def on_branch(self, branch: str) -> "Target":
        catalog = self.catalog.on_branch(branch)
        return replace(self, catalog=catalog, table=catalog.load_table(self.name.identifier))

    @property
    def iceberg(self) -> IcebergTable:
        """The table, if its rows can be changed in place."""
        if not isinstance(self.table, IcebergTable):
            raise self.unsupported_error("changing rows")
        return self.table

    def unsupported_error(self, operation: str) -> SparkError:
        error = SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=self.full_name, operation=operation)
        if operation in PLANNED:
            error.exception = "SparkUnsupportedOperationException"
        return error


def quote_name(parts: Sequence[str]) -> str:
    return ".".join(quote_identifier(part) for part in parts)


def name_of(parts: Sequence[str], context: Context) -> Name:
    return tables_of(context).catalogs.resolve(parts, context.catalog, [context.database])


def written_parts(name: Any, text: str, context: Context, services: Services) -> Parts:
    return tuple(parts_of(name, text, context, services))


def find_target(parts: Parts, context: Context, operation: str = "") -> Target | None:
    """The table of that name; None if our catalogs do not have it and Spark's cannot."""
    if find_view(parts, context) is not None:
        raise NotNative(reasons.SQL_STATEMENT, f"on the temporary view {'.'.join(parts)}")
    tables = tables_of(context)
    name = name_of(parts, context)
    catalog = tables.catalogs.get(name.catalog)
    if catalog.load_view(name.identifier) is not None:
        if not operation:
            raise NotNative(reasons.SQL_STATEMENT, f"on the view {'.'.join(parts)}")
        viewed = quote_name(name.qualifier)
        raise SparkError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=viewed, operation=operation)
    if catalog.table_exists(name.identifier):
        found = Target(name, catalog, written_table(catalog.load_table(name.identifier), name, context))
        branch_of_session = wap_branch(found.table, context.config)
        return found if branch_of_session is None else found.on_branch(branch_of_session)
    tables.check_elsewhere(parts)
    return None


def written_table(table: AnyTable, name: Name, context: Context) -> AnyTable:
    return with_checks(table, name.qualifier, context) if isinstance(table, DeltaTable) else table


def branch_of(parts: Parts, context: Context) -> Target | None:
    """`t.branch_name`: the table, with writes going to that branch."""
    if len(parts) < 2 or not parts[-1].lower().startswith("branch_"):
        return None
    reference = tables_of(context).relations.reference(parts, context)
    if reference is None:
        return None
    name = name_of(parts[:-1], context)
    catalog = tables_of(context).catalogs.get(name.catalog)
    return Target(name, catalog, catalog.load_table(name.identifier)).on_branch(reference)


def write_target(parts: Parts, context: Context, operation: str = "") -> Target:
    """The target of an INSERT, DELETE, UPDATE or MERGE: resolved as a relation, which may be a branch of a table."""
    found = branch_of(parts, context) or find_target(parts, context, operation)
    if found is None:
        raise not_found(parts, context)
    return found


def require_table(parts: Parts, context: Context, operation: str = "") -> Target:
    """The table of an ALTER or TRUNCATE: resolved as a table, without searching functions."""
    found = find_target(parts, context, operation)
    if found is None:
        path = f"[`system`.`session`, {quote_name((context.catalog, context.database))}]"
        raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quote_name(parts), searchPath=path)
    return found


def at_name(error: SparkError, name: Any, text: str) -> SparkError:
    """The error with the name's source position in the statement."""
    if isinstance(name, tree.Name) and not error.contexts:
        error.contexts = (QueryContext(text[name.start : name.stop], name.start, name.stop - 1, text=text),)
    return error


def connection_of(context: Context) -> Any:
    return tables_of(context).scan_context.connection
