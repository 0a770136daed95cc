"""ANALYZE, MSCK REPAIR, TRUNCATE and COMMENT ON TABLE: what they mean for views, and for our own tables."""

from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.read.sql import tree
from twinspark.session.sql_names import (
    Found,
    TemporaryView,
    check_exists,
    find,
    located,
    parts_of,
    quoted,
)
from twinspark.session.sql_results import Answer, answer
from twinspark.session.sql_shows import current_or, expected_table, found_of
from twinspark.session.sql_table_text import check_partitioned
from twinspark.session.table_commands import TABLE_HANDLERS
from twinspark.session.table_commands_analyze import analyze
from twinspark.session.tables_targets import commanded
from twinspark.tables.changes import SetProperty

if TYPE_CHECKING:
    from twinspark.session.session import Session


def table_of(node: Any, operation: str, source: str, context: Context, session: "Session") -> Found:
    """The table of that name; a view is refused in the words of the operation."""
    parts, found = found_of(node, source, context, session)
    if isinstance(found, TemporaryView) or found.view is not None:
        raise located(expected_table(found, parts, operation), node, source)
    assert isinstance(found, Found)
    return found


def analyze_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    """Of views only those can be analyzed that are cached, on Spark."""
    parts, found = found_of(statement.table, source, context, session)
    if isinstance(found, TemporaryView):
        raise not_analyzed(statement, parts, source, context)
    if found.view is not None:
        check_not_cached(context)
        raise SparkError("UNSUPPORTED_FEATURE.ANALYZE_VIEW")
    return analyze(statement, commanded(parts, context), source, context, session)


def not_analyzed(statement: Any, parts: tuple[str, ...], source: str, context: Context) -> SparkError:
    if statement.columns or statement.all_columns:
        check_not_cached(context)
        return SparkError("UNSUPPORTED_FEATURE.ANALYZE_UNCACHED_TEMP_VIEW", viewName=quoted(parts))
    problem = SparkError("EXPECT_PERMANENT_VIEW_NOT_TEMP", viewName=quoted(parts), operation="ANALYZE TABLE")
    return located(problem, statement.table, source)


def check_not_cached(context: Context) -> None:
    if context.cache:
        raise NotNative("SQL: ANALYZE of a view that may be cached")


def analyze_tables(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = current_or(statement.namespace, source, context, session)

    def analyze() -> Answer:
        check_exists(place, session)
        return answer()

    return analyze


def repair_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    found = table_of(statement.table, "MSCK REPAIR TABLE", source, context, session)
    check_partitioned(found, "MSCK REPAIR TABLE")

    def repair() -> Answer:
        catalog = session.catalogs.get(found.name.catalog)
        catalog.recover_partitions(
            found.name.identifier, add=statement.option != "DROP", drop=statement.option in ("DROP", "SYNC")
        )
        return answer()

    return repair


def truncate_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    found = find(parts_of(statement.table, source, context, session), context, session)
    if found is not None:
        table_of(statement.table, "TRUNCATE TABLE", source, context, session)
    return TABLE_HANDLERS[tree.TruncateTable](statement, source, context, session)


def comment_on_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    found = table_of(statement.name, "COMMENT ON TABLE", source, context, session)

    def comment() -> Answer:
        catalog = session.catalogs.get(found.name.catalog)
        catalog.alter_table(found.name.identifier, [SetProperty("comment", statement.comment or "")])
        return answer()

    return comment


def check_not_renamed_view(statement: Any, source: str, context: Context, session: "Session") -> None:
    """ALTER TABLE RENAME of a view is refused in words of its own."""
    if type(statement.change).__name__ != "RenameTable":
        return
    parts = parts_of(statement.name, source, context, session)
    found = find(parts, context, session)
    if isinstance(found, Found) and found.view is not None:
        raise SparkError("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", operation="ALTER TABLE", viewName=quoted(parts))
