"""SQL statements that are no queries: which handler carries each out; what has none is Spark's."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.read.sql import tree
from twinspark.session import (
    sql_cache,
    sql_describe,
    sql_explain,
    sql_function_statements,
    sql_immediate,
    sql_maintenance,
    sql_namespaces,
    sql_routines,
    sql_script,
    sql_settings,
    sql_shows,
    sql_variables,
    sql_view_changes,
    sql_view_files,
    sql_views,
)
from twinspark.session.sql_names import TemporaryView, find, parts_of
from twinspark.session.sql_results import Answer
from twinspark.session.table_commands import TABLE_HANDLERS

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
Handler = Callable[[Any, str, Context, "Session"], Command]


OLD_NAMES = "spark.sql.legacy.keepCommandOutputSchema"
SHOWN_OTHERWISE = (
    *(tree.ShowNamespaces, tree.ShowTables, tree.ShowTableExtended, tree.ShowTableProperties),
    *(tree.DescribeNamespace, tree.ShowViews),
)


def session_statement(statement: Any, text: str, context: Context, session: "Session") -> Command:
    """What is left to do for a statement that is no query; NotNative for all that is Spark's."""
    handler = HANDLERS.get(type(statement))
    if handler is None:
        raise NotNative(f"SQL: {type(statement).__name__}")
    if isinstance(statement, SHOWN_OTHERWISE) and context.config.get(OLD_NAMES, "false").lower() == "true":
        raise NotNative(f"{OLD_NAMES} = true")
    return handler(statement, text, context, session)


def alter_table(statement: Any, text: str, context: Context, session: "Session") -> Command:
    if not statement.is_view:
        sql_maintenance.check_not_renamed_view(statement, text, context, session)
    handler = sql_view_changes.alter_view if statement.is_view else TABLE_HANDLERS[tree.AlterTable]
    return handler(statement, text, context, session)


def drop_table(statement: Any, text: str, context: Context, session: "Session") -> Command:
    """DROP TABLE drops views too."""
    found = find(parts_of(statement.name, text, context, session), context, session)
    is_view = isinstance(found, TemporaryView) or (found is not None and found.view is not None)
    handler = sql_view_changes.drop_view if is_view else TABLE_HANDLERS[tree.DropTable]
    return handler(statement, text, context, session)


def comment_on(statement: Any, text: str, context: Context, session: "Session") -> Command:
    if statement.kind != "NAMESPACE":
        return sql_maintenance.comment_on_table(statement, text, context, session)
    return sql_namespaces.comment_on_namespace(statement, text, context, session)


HANDLERS: dict[type, Handler] = {
    **TABLE_HANDLERS,
    tree.AlterTable: alter_table,
    tree.DropTable: drop_table,
    tree.CreateView: sql_views.create_view,
    tree.CreateTemporaryViewUsing: sql_view_files.create_using,
    tree.DropView: sql_view_changes.drop_view,
    tree.AlterViewQuery: sql_view_changes.alter_query,
    tree.AlterViewBinding: sql_view_changes.alter_binding,
    tree.CreateSqlFunction: sql_function_statements.create_function,
    tree.CreateFunction: sql_function_statements.create_class_function,
    tree.DropFunction: sql_function_statements.drop_function,
    tree.ShowFunctions: sql_routines.show_functions,
    tree.DescribeFunction: sql_routines.describe_function,
    tree.ShowTables: sql_shows.show_tables,
    tree.ShowViews: sql_shows.show_views,
    tree.ShowColumns: sql_shows.show_columns,
    tree.ShowTableProperties: sql_shows.show_properties,
    tree.ShowCreateTable: sql_shows.show_create,
    tree.ShowTableExtended: sql_shows.show_extended,
    tree.ShowPartitions: sql_shows.show_partitions,
    tree.DescribeTable: sql_describe.describe_table,
    tree.DescribeQuery: sql_describe.describe_query,
    tree.CacheTable: sql_cache.cache_table,
    tree.UncacheTable: sql_cache.uncache_table,
    tree.ClearCache: sql_cache.clear_cache,
    tree.Refresh: sql_cache.refresh,
    tree.Explain: sql_explain.explain_statement,
    tree.ExecuteImmediate: sql_immediate.execute_immediate,
    tree.Compound: sql_script.execute_script,
    tree.AnalyzeTable: sql_maintenance.analyze_table,
    tree.AnalyzeTables: sql_maintenance.analyze_tables,
    tree.RepairTable: sql_maintenance.repair_table,
    tree.TruncateTable: sql_maintenance.truncate_table,
    tree.CreateVariable: sql_variables.create_variable,
    tree.DropVariable: sql_variables.drop_variable,
    tree.SetVariable: sql_variables.set_variable,
    tree.SetConfiguration: sql_settings.set_configuration,
    tree.SetTimeZone: sql_settings.set_time_zone,
    tree.ResetConfiguration: sql_settings.reset_configuration,
    tree.CreateNamespace: sql_namespaces.create_namespace,
    tree.DropNamespace: sql_namespaces.drop_namespace,
    tree.AlterNamespace: sql_namespaces.alter_namespace,
    tree.ShowNamespaces: sql_namespaces.show_namespaces,
    tree.ShowCatalogs: sql_namespaces.show_catalogs,
    tree.ShowCurrentNamespace: sql_namespaces.show_current_namespace,
    tree.DescribeNamespace: sql_namespaces.describe_namespace,
    tree.UseNamespace: sql_namespaces.use_namespace,
    tree.SetCatalog: sql_namespaces.set_catalog,
    tree.CommentOn: comment_on,
}
