"""CACHE, UNCACHE, CLEAR CACHE, REFRESH, and checkpoints."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import base_pb2, commands_pb2, common_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.commands.names import CatalogEntry, find, not_found, parts_of, quoted, with_position
from twinspark.commands.results import Answer, answer
from twinspark.commands.views import create as sql_views
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.plan.relations import Relation
from twinspark.read.proto import read_relation
from twinspark.read.proto.relations import RELATIONS
from twinspark.read.views import table_frame
from twinspark.sessions.cached_relations import is_small
from twinspark.sessions.services import Services
from twinspark.tables.names import not_found as relation_not_found
from twinspark.wire.connect.proto_fields import bytes_field

CHECKPOINT_RESULT = 19
# Disk, memory, off heap, deserialized: StorageLevel.fromString.
LEVELS = {
    "DISK_ONLY": (True, False, False, False),
    "MEMORY_ONLY": (False, True, False, True),
    "MEMORY_ONLY_SER": (False, True, False, False),
    "MEMORY_AND_DISK": (True, True, False, True),
    "MEMORY_AND_DISK_SER": (True, True, False, False),
    "OFF_HEAP": (True, True, True, False),
}


def storage_level(name: str) -> Any:
    if name.upper() not in LEVELS:
        raise NotNative(reasons.CACHE, f"the storage level {name}")
    disk, memory, off_heap, deserialized = LEVELS[name.upper()]
    return common_pb2.StorageLevel(
        use_disk=disk, use_memory=memory, use_off_heap=off_heap, deserialized=deserialized, replication=1
    )


# ---- by name


def plan_of(parts: tuple[str, ...], context: Context, services: Services) -> tuple[Relation, tuple[str, ...] | None]:
    """The current plan of the name, and its full name if a catalog has it."""
    found = find(parts, context, services)
    if found is None:
        raise relation_not_found(parts, context)
    name = found.name.qualifier if isinstance(found, CatalogEntry) else None
    return table_frame(parts, replace(context, cache=None)).plain(), name


def is_cached(parts: tuple[str, ...], context: Context, services: Services) -> bool:
    plan, name = plan_of(parts, context, services)
    cache = services.cache
    return cache.find(plan) is not None or (name is not None and cache.find_by_name(name) is not None)


def cache_name(parts: tuple[str, ...], level: Any, context: Context, services: Services, eager: bool = False) -> None:
    plan, name = plan_of(parts, context, services)
    chosen = level if level is not None else storage_level("MEMORY_AND_DISK")
    kept = services.cache.add(plan, chosen.SerializeToString(), name)
    if eager and is_small(plan):
        services.cache.rows(kept, context)


def uncache_name(parts: tuple[str, ...], context: Context, services: Services) -> None:
    services.cache.remove(*plan_of(parts, context, services))


def refresh_name(parts: tuple[str, ...], context: Context, services: Services) -> None:
    plan_of(parts, context, services)
    services.cache.forget_files()


# ---- statements


def cache_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    options = {key.lower(): value for key, value in statement.options}
    level = storage_level(options["storagelevel"]) if "storagelevel" in options else None
    if statement.query is not None:
        return cache_query(statement, parts, level, source, context, services)
    try:
        plan_of(parts, context, services)
    except SparkError as error:
        raise with_position(error, statement.name, source) from error
    return done(lambda: cache_name(parts, level, context, services, eager=not statement.lazy))


def cache_query(
    statement: Any, parts: tuple[str, ...], level: Any, source: str, context: Context, services: Services
) -> Any:
    """Creates a temporary view of that name, and caches its rows."""
    if len(parts) != 1:
        raise NotNative(reasons.CACHE, "CACHE TABLE … AS with a qualified name")
    definition = sql_views.definition_of(statement, source, context)

    def make() -> None:
        sql_views.check_names(definition, context)
        view = sql_views.as_text_view(definition, "BINDING", None, context, services)
        services.views.keep(parts[0], False, False, view)
        cursor = services.native.cursor()
        now = services.surroundings().context(cursor)
        cache_name(parts, level, now, services, eager=not statement.lazy)

    return done(make)


def done(act: Callable[[], None]) -> Any:
    def carry_out() -> Answer:
        act()
        return answer()

    return carry_out


def uncache_table(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    if find(parts, context, services) is None:
        if statement.if_exists:
            return answer
        raise with_position(relation_not_found(parts, context), statement.name, source)
    return done(lambda: uncache_name(parts, context, services))


def clear_cache(statement: Any, source: str, context: Context, services: Services) -> Any:
    return done(services.cache.clear)


def refresh(statement: Any, source: str, context: Context, services: Services) -> Any:
    if isinstance(statement.name, str):
        return done(services.cache.forget_files)
    parts = parts_of(statement.name, source, context, services)
    if statement.kind == "FUNCTION":
        return refresh_function(statement, parts, source, context, services)
    if find(parts, context, services) is None:
        raise not_found(statement.name, source, parts, context)
    return done(lambda: refresh_name(parts, context, services))


def refresh_function(statement: Any, parts: tuple[str, ...], source: str, context: Context, services: Services) -> Any:
    if len(parts) == 1 and parts[0].lower() in SPARK_FUNCTIONS:
        raise with_position(SparkError("_LEGACY_ERROR_TEMP_1256", functionName=parts[0]), statement.name, source)
    if services.functions.has(parts, context):
        return answer
    if services.functions.unresolved_error(parts, context) is None:
        raise NotNative(reasons.FUNCTION_UNKNOWN, "the function to refresh")
    name = services.catalogs.resolve(parts, context.catalog, [context.database])
    raise SparkError("ROUTINE_NOT_FOUND", routineName=quoted(name.qualifier[1:]))


# ---- checkpoints


def checkpoint(message: commands_pb2.CheckpointCommand, context: Context, services: Services) -> Callable[[], Answer]:
    """A reliable checkpoint needs Spark's checkpoint directory and falls back; a local one is stored on DuckDB."""
    if not message.local:
        raise SparkError("_LEGACY_ERROR_TEMP_3016")
    plan = read_relation(message.relation, context)
    if not plan.fields:
        raise NotNative(reasons.CACHE, "a checkpoint of a DataFrame without columns")

    def keep() -> Answer:
        id = str(uuid.uuid4())
        services.checkpoints.keep(id, plan, message.storage_level.SerializeToString())
        if message.eager:
            services.checkpoints.relation(id, context)
        result = base_pb2.CheckpointCommandResult()
        result.relation.relation_id = id
        return (bytes_field(CHECKPOINT_RESULT, result.SerializeToString()),)

    return keep


def remove_checkpoint(
    message: commands_pb2.RemoveCachedRemoteRelationCommand, context: Context, services: Services
) -> Callable[[], Answer]:
    def remove() -> Answer:
        services.checkpoints.remove(message.relation.relation_id)
        return ()

    return remove


@RELATIONS.handles("cached_remote_relation")
def read_checkpoint(message: relations_pb2.CachedRemoteRelation, context: Context) -> Frame:
    return frame_of(context.relations.relation(message.relation_id, context))
