"""ANALYZE, MSCK REPAIR, TRUNCATE and COMMENT ON TABLE, for tables and for views, which raise Spark's errors."""

from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.ddl.alter import truncate_table as truncate_own_table
from twinspark.commands.ddl.analyze import analyze
from twinspark.commands.ddl.targets import require_table
from twinspark.commands.names import CatalogEntry, TemporaryView, check_exists, find, parts_of, quoted, with_position
from twinspark.commands.namespaces.show import current_or, expected_table, found_of
from twinspark.commands.namespaces.table_details import check_partitioned
from twinspark.commands.results import Answer, answer
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.sessions.services import Services
from twinspark.tables.changes import SetProperty


def table_of(node: Any, operation: str, source: str, context: Context, services: Services) -> CatalogEntry:
    """The table of that name; a view raises the operation's own error."""
    parts, found = found_of(node, source, context, services)
    if isinstance(found, TemporaryView) or found.view is not None:
        raise with_position(expected_table(found, parts, operation), node, source)
    assert isinstance(found, CatalogEntry)
    return found


def analyze_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    """Only cached views can be analyzed, which falls back to Spark."""
    parts, found = found_of(statement.table, source, context, services)
    if isinstance(found, TemporaryView):
        raise not_analyzed(statement, parts, source, context)
    if found.view is not None:
        check_not_cached(context)
        raise SparkError("UNSUPPORTED_FEATURE.ANALYZE_VIEW")
    return analyze(statement, require_table(parts, context), source, context, services)


def not_analyzed(statement: Any, parts: tuple[str, ...], source: str, context: Context) -> SparkError:
    if statement.columns or statement.all_columns:
        check_not_cached(context)
        return SparkError("UNSUPPORTED_FEATURE.ANALYZE_UNCACHED_TEMP_VIEW", viewName=quoted(parts))
    problem = SparkError("EXPECT_PERMANENT_VIEW_NOT_TEMP", viewName=quoted(parts), operation="ANALYZE TABLE")
    return with_position(problem, statement.table, source)


def check_not_cached(context: Context) -> None:
    if context.cache:
        raise NotNative(reasons.SQL_STATEMENT, "ANALYZE of a view")


def analyze_tables(statement: Any, source: str, context: Context, services: Services) -> Any:
    place = current_or(statement.namespace, source, context, services)

    def analyze() -> Answer:
        check_exists(place, services)
        return answer()

    return analyze


def repair_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    found = table_of(statement.table, "MSCK REPAIR TABLE", source, context, services)
    check_partitioned(found, "MSCK REPAIR TABLE")

    def repair() -> Answer:
        catalog = services.catalogs.get(found.name.catalog)
        catalog.recover_partitions(
            found.name.identifier, add=statement.option != "DROP", drop=statement.option in ("DROP", "SYNC")
        )
        return answer()

    return repair


def truncate_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    found = find(parts_of(statement.table, source, context, services), context, services)
    if found is not None:
        table_of(statement.table, "TRUNCATE TABLE", source, context, services)
    return truncate_own_table(statement, source, context, services)


def comment_on_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    found = table_of(statement.name, "COMMENT ON TABLE", source, context, services)

    def comment() -> Answer:
        catalog = services.catalogs.get(found.name.catalog)
        catalog.alter_table(found.name.identifier, [SetProperty("comment", statement.comment or "")])
        return answer()

    return comment


def check_not_renamed_view(statement: Any, source: str, context: Context, services: Services) -> None:
    """ALTER TABLE RENAME of a view raises its own error."""
    if type(statement.change).__name__ != "RenameTable":
        return
    parts = parts_of(statement.name, source, context, services)
    found = find(parts, context, services)
    if isinstance(found, CatalogEntry) and found.view is not None:
        raise SparkError("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", operation="ALTER TABLE", viewName=quoted(parts))
