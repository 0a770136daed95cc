"""spark.catalog: the messages of Connect's Catalog, answered from the session and its catalogs."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType, BooleanType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.session import sql_cache, sql_namespaces, sql_shows
from twinspark.session.catalog_functions import FUNCTION, function_exists, function_row, function_rows
from twinspark.session.catalog_tables import COLUMN, TABLE, TABLE_CALLS, column_rows, table_row, tables_listed
from twinspark.session.sql_names import (
    Place,
    check_exists,
    constant_place,
    exists,
    matching,
    namespace_named,
    parsed,
)
from twinspark.session.sql_results import Answer, relation_rows

if TYPE_CHECKING:
    from twinspark.session.session import Session


def nullable(*names: str) -> list[StructField]:
    return [StructField(name, StringType(), True) for name in names]


TEXT = StructType(nullable("value"))
FLAG = StructType([StructField("value", BooleanType(), False)])
DONE = StructType([StructField("value", StringType(), False)])
CATALOG = StructType(nullable("name", "description"))
DATABASE = StructType(nullable("name", "catalog", "description", "locationUri"))
assert isinstance(TABLE["namespace"].dataType, ArrayType)

Rows = Iterable[tuple[Any, ...]]
Call = Callable[[Any, Context, "Session"], Rows]


def catalog_call(session: "Session", message: Any) -> Callable[[], Answer]:
    """What is left to do; whoever has the answer elsewhere (Spark's own functions, say) is told so at once."""
    kind = message.WhichOneof("cat_type")
    context = session.surroundings().context(session.shared.native.cursor())
    if kind in TABLE_CALLS:
        return TABLE_CALLS[kind](getattr(message, kind), context, session)
    if kind not in CALLS:
        raise NotNative(f"catalog call {kind}")
    schema, call = CALLS[kind]
    return lambda: relation_rows(schema, call(getattr(message, kind), context, session))


# ---- catalogs and databases


def current_catalog(message: Any, context: Context, session: "Session") -> Rows:
    return [(session.catalog,)]


def set_current_catalog(message: Any, context: Context, session: "Session") -> Rows:
    sql_namespaces.use_catalog(message.catalog_name, session)
    return []


def list_catalogs(message: Any, context: Context, session: "Session") -> Rows:
    return [(name, None) for name in matching(session.catalogs.names(), pattern_of(message))]


def pattern_of(message: Any) -> str | None:
    return message.pattern if message.HasField("pattern") else None


def current_database(message: Any, context: Context, session: "Session") -> Rows:
    return [(session.database,)]


def set_current_database(message: Any, context: Context, session: "Session") -> Rows:
    """The name is looked for in the current catalog only."""
    sql_namespaces.use_place(constant_place(context.catalog, parsed(message.db_name, context)), session)
    return []


def list_databases(message: Any, context: Context, session: "Session") -> Rows:
    home = Place(context.catalog, ())
    names = sql_namespaces.namespaces_in(home, pattern_of(message), session)
    beside = sql_namespaces.on_spark(home, session)
    return [beside.get(name) or listed_database(name, context, session) for name in names]


def listed_database(name: str, context: Context, session: "Session") -> tuple[Any, ...]:
    return database_row(constant_place(context.catalog, parsed(name, context)), session)


def database_row(place: Place, session: "Session") -> tuple[Any, ...]:
    told = sql_namespaces.namespace_properties(place, session)
    return (sql_namespaces.shown_name(place), place.catalog, told["comment"], told["location"])


def get_database(message: Any, context: Context, session: "Session") -> Rows:
    return [database_row(namespace_named(message.db_name, context, session), session)]


def database_exists(message: Any, context: Context, session: "Session") -> Rows:
    return [(exists(namespace_named(message.db_name, context, session), session),)]


def create_database(message: Any, context: Context, session: "Session") -> Rows:
    told = dict(message.properties)
    location = told.pop("location", None)
    place = namespace_named(message.db_name, context, session)
    sql_namespaces.make_namespace(place, told, location, message.if_not_exists, session)
    return []


def drop_database(message: Any, context: Context, session: "Session") -> Rows:
    place = namespace_named(message.db_name, context, session)
    sql_namespaces.remove_namespace(place, message.if_exists, message.cascade, session)
    return []


# ---- tables, views and functions listed


def list_tables(message: Any, context: Context, session: "Session") -> Rows:
    place = place_in(message, context, session)
    return tables_listed(sql_shows.tables_in(place, pattern_of(message), session), place, context, session)


def list_views(message: Any, context: Context, session: "Session") -> Rows:
    place = place_in(message, context, session)
    return tables_listed(sql_shows.views_in(place, pattern_of(message), session), place, context, session)


def place_in(message: Any, context: Context, session: "Session") -> Place:
    name = message.db_name if message.HasField("db_name") else session.database
    return namespace_named(name, context, session)


def get_table(message: Any, context: Context, session: "Session") -> Rows:
    found = table_row(message, context, session)
    return [] if found is None else [found]


def table_exists(message: Any, context: Context, session: "Session") -> Rows:
    return [(table_row(message, context, session, missing_ok=True) is not None,)]


def list_columns(message: Any, context: Context, session: "Session") -> Rows:
    return column_rows(message, context, session)


def list_functions(message: Any, context: Context, session: "Session") -> Rows:
    place = place_in(message, context, session)
    check_exists(place, session)
    return function_rows(place, pattern_of(message), context, session)


def get_function(message: Any, context: Context, session: "Session") -> Rows:
    return [function_row(message, context, session)]


def is_function(message: Any, context: Context, session: "Session") -> Rows:
    return [(function_exists(message, context, session),)]


# ---- temporary views and the cache


def drop_temp_view(message: Any, context: Context, session: "Session") -> Rows:
    return [(drop_view(message.view_name, False, session),)]


def drop_global_temp_view(message: Any, context: Context, session: "Session") -> Rows:
    return [(drop_view(message.view_name, True, session),)]


def drop_view(name: str, is_global: bool, session: "Session") -> bool:
    if session.views.is_on_spark(name, is_global):
        raise NotNative(f"the view {name} lives on Spark")
    return session.views.drop(name, is_global)


def is_cached(message: Any, context: Context, session: "Session") -> Rows:
    return [(sql_cache.is_cached(parsed(message.table_name, context), context, session),)]


def cache_table(message: Any, context: Context, session: "Session") -> Rows:
    level = message.storage_level if message.HasField("storage_level") else None
    sql_cache.cache_name(parsed(message.table_name, context), level, context, session)
    return []


def uncache_table(message: Any, context: Context, session: "Session") -> Rows:
    sql_cache.uncache_name(parsed(message.table_name, context), context, session)
    return []


def clear_cache(message: Any, context: Context, session: "Session") -> Rows:
    session.shared.cache.clear()
    return []


def refresh_table(message: Any, context: Context, session: "Session") -> Rows:
    sql_cache.refresh_name(parsed(message.table_name, context), context, session)
    return []


def refresh_by_path(message: Any, context: Context, session: "Session") -> Rows:
    session.shared.cache.forget_files()
    return []


CALLS: dict[str, tuple[StructType, Call]] = {
    "current_catalog": (TEXT, current_catalog),
    "set_current_catalog": (DONE, set_current_catalog),
    "list_catalogs": (CATALOG, list_catalogs),
    "current_database": (TEXT, current_database),
    "set_current_database": (DONE, set_current_database),
    "list_databases": (DATABASE, list_databases),
    "get_database": (DATABASE, get_database),
    "database_exists": (FLAG, database_exists),
    "create_database": (DONE, create_database),
    "drop_database": (DONE, drop_database),
    "list_tables": (TABLE, list_tables),
    "list_views": (TABLE, list_views),
    "get_table": (TABLE, get_table),
    "table_exists": (FLAG, table_exists),
    "list_columns": (COLUMN, list_columns),
    "list_functions": (FUNCTION, list_functions),
    "get_function": (FUNCTION, get_function),
    "function_exists": (FLAG, is_function),
    "drop_temp_view": (FLAG, drop_temp_view),
    "drop_global_temp_view": (FLAG, drop_global_temp_view),
    "is_cached": (FLAG, is_cached),
    "cache_table": (DONE, cache_table),
    "uncache_table": (DONE, uncache_table),
    "clear_cache": (DONE, clear_cache),
    "refresh_table": (DONE, refresh_table),
    "refresh_by_path": (DONE, refresh_by_path),
}
