"""The table a command is about: found by its name, in the session's words, with Spark's errors when it is not there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.read.sql import tree
from twinspark.read.views import find_view
from twinspark.session.sql_names import parts_of
from twinspark.session.tables_session import tables_of
from twinspark.tables.catalogs import Name
from twinspark.tables.iceberg.table import IcebergTable
from twinspark.tables.names import not_found
from twinspark.tables.relations import wap_branch
from twinspark.tables.session_catalog import AnyTable, SessionCatalog
from twinspark.types import quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session

Parts = tuple[str, ...]
PLANNED = ("UPDATE TABLE", "MERGE INTO TABLE")  # refused only when the plan is made (DataSourceV2Strategy's like)


@dataclass(frozen=True)
class Target:
    """A table that is there."""

    name: Name
    catalog: SessionCatalog
    table: AnyTable

    @property
    def full_name(self) -> str:
        return quoted(self.name.qualifier)

    def on_branch(self, branch: str) -> "Target":
        catalog = self.catalog.on_branch(branch)
        return replace(self, catalog=catalog, table=catalog.load_table(self.name.identifier))

    @property
    def iceberg(self) -> IcebergTable:
        """The table, if rows can be changed in place in it."""
        if not isinstance(self.table, IcebergTable):
            raise self.refuses("changing rows")
        return self.table

    def refuses(self, operation: str) -> SparkError:
        error = SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=self.full_name, operation=operation)
        if operation in PLANNED:
            error.exception = "SparkUnsupportedOperationException"
        return error


def quoted(parts: Sequence[str]) -> str:
    return ".".join(quote_identifier(part) for part in parts)


def name_of(parts: Sequence[str], context: Context) -> Name:
    return tables_of(context).catalogs.resolve(parts, context.catalog, [context.database])


def written_parts(name: Any, text: str, context: Context, session: "Session") -> Parts:
    return tuple(parts_of(name, text, context, session))


def find_target(parts: Parts, context: Context, operation: str = "") -> Target | None:
    """The table of that name; None when ours do not know it and Spark's cannot."""
    if find_view(parts, context) is not None:
        raise NotNative(f"a command on the temporary view {'.'.join(parts)}")
    tables = tables_of(context)
    name = name_of(parts, context)
    catalog = tables.catalogs.get(name.catalog)
    if catalog.load_view(name.identifier) is not None:
        if not operation:
            raise NotNative(f"a command on the view {'.'.join(parts)}")
        viewed = quoted(name.qualifier)
        raise SparkError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=viewed, operation=operation)
    if catalog.table_exists(name.identifier):
        found = Target(name, catalog, catalog.load_table(name.identifier))
        branch_of_session = wap_branch(found.table, context.config)
        return found if branch_of_session is None else found.on_branch(branch_of_session)
    tables.check_elsewhere(parts)
    return None


def branch_of(parts: Parts, context: Context) -> Target | None:
    """`t.branch_name`: the table, where what is written goes to that branch."""
    if len(parts) < 2 or not parts[-1].lower().startswith("branch_"):
        return None
    reference = tables_of(context).relations.reference(parts, context)
    if reference is None:
        return None
    name = name_of(parts[:-1], context)
    catalog = tables_of(context).catalogs.get(name.catalog)
    return Target(name, catalog, catalog.load_table(name.identifier)).on_branch(reference)


def written_to(parts: Parts, context: Context, operation: str = "") -> Target:
    """The target of an INSERT, DELETE, UPDATE or MERGE: looked up as a relation, which may be a table's branch."""
    found = branch_of(parts, context) or find_target(parts, context, operation)
    if found is None:
        raise not_found(parts, context)
    return found


def commanded(parts: Parts, context: Context, operation: str = "") -> Target:
    """The table of an ALTER or TRUNCATE: looked up as a table, where functions are not searched."""
    found = find_target(parts, context, operation)
    if found is None:
        path = f"[`system`.`session`, {quoted((context.catalog, context.database))}]"
        raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(parts), searchPath=path)
    return found


def at_name(error: SparkError, name: Any, text: str) -> SparkError:
    """The error with the name's place in the statement."""
    if isinstance(name, tree.Name) and not error.contexts:
        error.contexts = (QueryContext(text[name.start : name.stop], name.start, name.stop - 1, text=text),)
    return error


def connection_of(context: Context) -> Any:
    return tables_of(context).scan_context.connection
