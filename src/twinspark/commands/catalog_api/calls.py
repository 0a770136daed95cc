"""Handlers of spark.catalog's messages, which read the session and its catalogs."""

from collections.abc import Iterable
from typing import Any

from pyspark.sql.connect.proto import catalog_pb2
from pyspark.sql.types import ArrayType, BooleanType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.commands.catalog_api.functions import function_exists, function_row, function_rows
from twinspark.commands.catalog_api.tables import TABLE, column_rows, listed_rows, table_row
from twinspark.commands.names import (
    QualifiedNamespace,
    check_exists,
    constant_place,
    exists,
    matching,
    namespace_named,
    parse_name,
)
from twinspark.commands.namespaces import namespaces as sql_namespaces
from twinspark.commands.namespaces import show as sql_shows
from twinspark.commands.query import cache as sql_cache
from twinspark.errors import NotNative, reasons
from twinspark.sessions.services import Services


def nullable(*names: str) -> list[StructField]:
    return [StructField(name, StringType(), True) for name in names]


TEXT = StructType(nullable("value"))
FLAG = StructType([StructField("value", BooleanType(), False)])
DONE = StructType([StructField("value", StringType(), False)])
CATALOG = StructType(nullable("name", "description"))
DATABASE = StructType(nullable("name", "catalog", "description", "locationUri"))
assert isinstance(TABLE["namespace"].dataType, ArrayType)

Rows = Iterable[tuple[Any, ...]]


# ---- catalogs and databases


def current_catalog(message: catalog_pb2.CurrentCatalog, context: Context, services: Services) -> Rows:
    return [(services.current.catalog,)]


def set_current_catalog(message: catalog_pb2.SetCurrentCatalog, context: Context, services: Services) -> Rows:
    sql_namespaces.use_catalog(message.catalog_name, services)
    return []


def list_catalogs(message: catalog_pb2.ListCatalogs, context: Context, services: Services) -> Rows:
    return [(name, None) for name in matching(services.catalogs.names(), pattern_of(message))]


def pattern_of(
    message: catalog_pb2.ListCatalogs
    | catalog_pb2.ListDatabases
    | catalog_pb2.ListFunctions
    | catalog_pb2.ListTables
    | catalog_pb2.ListViews,
) -> str | None:
    return message.pattern if message.HasField("pattern") else None


def current_database(message: catalog_pb2.CurrentDatabase, context: Context, services: Services) -> Rows:
    return [(services.current.database,)]


def set_current_database(message: catalog_pb2.SetCurrentDatabase, context: Context, services: Services) -> Rows:
    """The name is looked up in the current catalog only."""
    sql_namespaces.use_place(constant_place(context.catalog, parse_name(message.db_name, context)), services)
    return []


def list_databases(message: catalog_pb2.ListDatabases, context: Context, services: Services) -> Rows:
    home = QualifiedNamespace(context.catalog, ())
    names = sql_namespaces.namespaces_in(home, pattern_of(message), services)
    beside = sql_namespaces.on_spark(home, services)
    return [beside.get(name) or listed_database(name, context, services) for name in names]


def listed_database(name: str, context: Context, services: Services) -> tuple[Any, ...]:
    return database_row(constant_place(context.catalog, parse_name(name, context)), services)


def database_row(place: QualifiedNamespace, services: Services) -> tuple[Any, ...]:
    properties = sql_namespaces.namespace_properties(place, services)
    return (sql_namespaces.shown_name(place), place.catalog, properties["comment"], properties["location"])


def get_database(message: catalog_pb2.GetDatabase, context: Context, services: Services) -> Rows:
    return [database_row(namespace_named(message.db_name, context, services), services)]


def database_exists(message: catalog_pb2.DatabaseExists, context: Context, services: Services) -> Rows:
    return [(exists(namespace_named(message.db_name, context, services), services),)]


def create_database(message: catalog_pb2.CreateDatabase, context: Context, services: Services) -> Rows:
    properties = dict(message.properties)
    location = properties.pop("location", None)
    place = namespace_named(message.db_name, context, services)
    sql_namespaces.make_namespace(place, properties, location, message.if_not_exists, services)
    return []


def drop_database(message: catalog_pb2.DropDatabase, context: Context, services: Services) -> Rows:
    place = namespace_named(message.db_name, context, services)
    sql_namespaces.remove_namespace(place, message.if_exists, message.cascade, services)
    return []


# ---- lists of tables, views and functions


def list_tables(message: catalog_pb2.ListTables, context: Context, services: Services) -> Rows:
    place = place_in(message, context, services)
    return listed_rows(sql_shows.tables_in(place, pattern_of(message), services), place, context, services)


def list_views(message: catalog_pb2.ListViews, context: Context, services: Services) -> Rows:
    place = place_in(message, context, services)
    return listed_rows(sql_shows.views_in(place, pattern_of(message), services), place, context, services)


def place_in(
    message: catalog_pb2.ListFunctions | catalog_pb2.ListTables | catalog_pb2.ListViews,
    context: Context,
    services: Services,
) -> QualifiedNamespace:
    name = message.db_name if message.HasField("db_name") else services.current.database
    return namespace_named(name, context, services)


def get_table(message: catalog_pb2.GetTable, context: Context, services: Services) -> Rows:
    found = table_row(message, context, services)
    return [] if found is None else [found]


def table_exists(message: catalog_pb2.TableExists, context: Context, services: Services) -> Rows:
    return [(table_row(message, context, services, missing_ok=True) is not None,)]


def list_columns(message: catalog_pb2.ListColumns, context: Context, services: Services) -> Rows:
    return column_rows(message, context, services)


def list_functions(message: catalog_pb2.ListFunctions, context: Context, services: Services) -> Rows:
    place = place_in(message, context, services)
    check_exists(place, services)
    return function_rows(place, pattern_of(message), context, services)


def get_function(message: catalog_pb2.GetFunction, context: Context, services: Services) -> Rows:
    return [function_row(message, context, services)]


def is_function(message: catalog_pb2.FunctionExists, context: Context, services: Services) -> Rows:
    return [(function_exists(message, context, services),)]


# ---- temporary views and the cache


def drop_temp_view(message: catalog_pb2.DropTempView, context: Context, services: Services) -> Rows:
    return [(drop_view(message.view_name, False, services),)]


def drop_global_temp_view(message: catalog_pb2.DropGlobalTempView, context: Context, services: Services) -> Rows:
    return [(drop_view(message.view_name, True, services),)]


def drop_view(name: str, is_global: bool, services: Services) -> bool:
    if services.views.is_on_spark(name, is_global):
        raise NotNative(reasons.LIVES_ON_SPARK, f"view {name}")
    return services.views.drop(name, is_global)


def is_cached(message: catalog_pb2.IsCached, context: Context, services: Services) -> Rows:
    return [(sql_cache.is_cached(parse_name(message.table_name, context), context, services),)]


def cache_table(message: catalog_pb2.CacheTable, context: Context, services: Services) -> Rows:
    level = message.storage_level if message.HasField("storage_level") else None
    sql_cache.cache_name(parse_name(message.table_name, context), level, context, services)
    return []


def uncache_table(message: catalog_pb2.UncacheTable, context: Context, services: Services) -> Rows:
    sql_cache.uncache_name(parse_name(message.table_name, context), context, services)
    return []


def clear_cache(message: catalog_pb2.ClearCache, context: Context, services: Services) -> Rows:
    services.cache.clear()
    return []


def refresh_table(message: catalog_pb2.RefreshTable, context: Context, services: Services) -> Rows:
    sql_cache.refresh_name(parse_name(message.table_name, context), context, services)
    return []


def refresh_by_path(message: catalog_pb2.RefreshByPath, context: Context, services: Services) -> Rows:
    services.cache.forget_files()
    return []
