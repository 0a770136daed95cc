"""Registers the handlers of SQL statements, spark.catalog calls and table writes.

Statements without a handler fall back to Spark. Importing this module imports PyIceberg, which takes a second."""

from collections.abc import Callable
from typing import Any

from pyspark.sql.connect.proto import catalog_pb2, commands_pb2
from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.commands.catalog_api import calls, functions, tables
from twinspark.commands.ddl import alter as table_changes
from twinspark.commands.ddl import maintenance as sql_maintenance
from twinspark.commands.ddl.create import create_like, create_table
from twinspark.commands.dispatch import ROUTES, TABLE_STATEMENTS, Command, of_message, of_rows, of_statement
from twinspark.commands.dml.dataframe_writers import write_table, write_to
from twinspark.commands.dml.delete_update import delete_rows, update_rows
from twinspark.commands.dml.insert import insert_rows
from twinspark.commands.dml.merge import merge_rows
from twinspark.commands.dml.merge_into import merge_into
from twinspark.commands.dml.multi_insert import insert_several
from twinspark.commands.functions import create as sql_function_statements
from twinspark.commands.functions import show as sql_routines
from twinspark.commands.names import TemporaryView, find, parts_of
from twinspark.commands.namespaces import describe as sql_describe
from twinspark.commands.namespaces import namespaces as sql_namespaces
from twinspark.commands.namespaces import show as sql_shows
from twinspark.commands.procedures.call import call_procedure
from twinspark.commands.query import cache as sql_cache
from twinspark.commands.query import explain as sql_explain
from twinspark.commands.query import settings as sql_settings
from twinspark.commands.script import execute_immediate as sql_immediate
from twinspark.commands.script import run as sql_script
from twinspark.commands.script import variables as sql_variables
from twinspark.commands.views import alter as sql_view_changes
from twinspark.commands.views import create as sql_views
from twinspark.commands.views import using_files as sql_view_files
from twinspark.read.sql import tree
from twinspark.sessions.services import Services


def alter_table(statement: Any, text: str, context: Context, services: Services) -> Command:
    if not statement.is_view:
        sql_maintenance.check_not_renamed_view(statement, text, context, services)
    handler = sql_view_changes.alter_view if statement.is_view else table_changes.alter_table
    return handler(statement, text, context, services)


def drop_table(statement: Any, text: str, context: Context, services: Services) -> Command:
    """DROP TABLE also drops views."""
    found = find(parts_of(statement.name, text, context, services), context, services)
    is_view = isinstance(found, TemporaryView) or (found is not None and found.view is not None)
    handler = sql_view_changes.drop_view if is_view else table_changes.drop_table
    return handler(statement, text, context, services)


def comment_on(statement: Any, text: str, context: Context, services: Services) -> Command:
    if statement.kind != "NAMESPACE":
        return sql_maintenance.comment_on_table(statement, text, context, services)
    return sql_namespaces.comment_on_namespace(statement, text, context, services)


STATEMENTS: dict[type, Callable[[Any, str, Context, Services], Command]] = {
    tree.CreateTable: create_table,
    tree.CreateTableLike: create_like,
    tree.Insert: insert_rows,
    tree.MultiInsert: insert_several,
    tree.Delete: delete_rows,
    tree.Update: update_rows,
    tree.Merge: merge_rows,
    tree.CallProcedure: call_procedure,
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
# Calls of spark.catalog that return rows.
CATALOG_ROWS: dict[type, tuple[StructType, Callable[[Any, Context, Services], calls.Rows]]] = {
    catalog_pb2.CurrentCatalog: (calls.TEXT, calls.current_catalog),
    catalog_pb2.SetCurrentCatalog: (calls.DONE, calls.set_current_catalog),
    catalog_pb2.ListCatalogs: (calls.CATALOG, calls.list_catalogs),
    catalog_pb2.CurrentDatabase: (calls.TEXT, calls.current_database),
    catalog_pb2.SetCurrentDatabase: (calls.DONE, calls.set_current_database),
    catalog_pb2.ListDatabases: (calls.DATABASE, calls.list_databases),
    catalog_pb2.GetDatabase: (calls.DATABASE, calls.get_database),
    catalog_pb2.DatabaseExists: (calls.FLAG, calls.database_exists),
    catalog_pb2.CreateDatabase: (calls.DONE, calls.create_database),
    catalog_pb2.DropDatabase: (calls.DONE, calls.drop_database),
    catalog_pb2.ListTables: (tables.TABLE, calls.list_tables),
    catalog_pb2.ListViews: (tables.TABLE, calls.list_views),
    catalog_pb2.GetTable: (tables.TABLE, calls.get_table),
    catalog_pb2.TableExists: (calls.FLAG, calls.table_exists),
    catalog_pb2.ListColumns: (tables.COLUMN, calls.list_columns),
    catalog_pb2.ListFunctions: (functions.FUNCTION, calls.list_functions),
    catalog_pb2.GetFunction: (functions.FUNCTION, calls.get_function),
    catalog_pb2.FunctionExists: (calls.FLAG, calls.is_function),
    catalog_pb2.DropTempView: (calls.FLAG, calls.drop_temp_view),
    catalog_pb2.DropGlobalTempView: (calls.FLAG, calls.drop_global_temp_view),
    catalog_pb2.IsCached: (calls.FLAG, calls.is_cached),
    catalog_pb2.CacheTable: (calls.DONE, calls.cache_table),
    catalog_pb2.UncacheTable: (calls.DONE, calls.uncache_table),
    catalog_pb2.ClearCache: (calls.DONE, calls.clear_cache),
    catalog_pb2.RefreshTable: (calls.DONE, calls.refresh_table),
    catalog_pb2.RefreshByPath: (calls.DONE, calls.refresh_by_path),
}
CATALOG_CALLS: dict[type, Callable[[Any, Context, Services], Command]] = {
    catalog_pb2.GetTableProperties: tables.get_table_properties,
    catalog_pb2.GetCreateTableString: tables.get_create_table_string,
    catalog_pb2.ListPartitions: tables.list_partitions,
    catalog_pb2.RecoverPartitions: tables.recover_partitions,
    catalog_pb2.AnalyzeTable: tables.analyze_table,
    catalog_pb2.TruncateTable: tables.truncate_table,
    catalog_pb2.DropTable: tables.drop_table,
    catalog_pb2.DropView: tables.drop_view,
    catalog_pb2.CreateTable: tables.create_table,
    catalog_pb2.CreateExternalTable: tables.create_table,
}
WRITES: dict[type, Callable[[Any, Context, Services], Command]] = {
    commands_pb2.WriteOperation.SaveTable: write_table,
    commands_pb2.WriteOperationV2: write_to,
    commands_pb2.MergeIntoTableCommand: merge_into,
}
ROUTES |= {kind: of_statement(handler) for kind, handler in STATEMENTS.items()}
ROUTES |= {kind: of_message(handler) for kind, handler in (CATALOG_CALLS | WRITES).items()}
ROUTES |= {kind: of_rows(schema, rows) for kind, (schema, rows) in CATALOG_ROWS.items()}
assert set(STATEMENTS) >= TABLE_STATEMENTS
