"""CACHE, UNCACHE, CLEAR CACHE, REFRESH, and checkpoints: what asks for results to be kept or let go."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import base_pb2, common_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.plan.relations import Relation
from twinspark.read.proto import read_relation
from twinspark.read.proto.relations import RELATIONS
from twinspark.read.views import table_frame
from twinspark.session import sql_views
from twinspark.session.cache import is_small
from twinspark.session.sql_names import Found, find, located, not_found, parts_of, quoted
from twinspark.session.sql_results import Answer, answer
from twinspark.spark.wire import bytes_field
from twinspark.tables.names import not_found as relation_not_found

if TYPE_CHECKING:
    from twinspark.session.session import Session

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
        raise NotNative(f"the storage level {name}")
    disk, memory, off_heap, deserialized = LEVELS[name.upper()]
    return common_pb2.StorageLevel(
        use_disk=disk, use_memory=memory, use_off_heap=off_heap, deserialized=deserialized, replication=1
    )


# ---- by name


def plan_of(parts: tuple[str, ...], context: Context, session: "Session") -> tuple[Relation, tuple[str, ...] | None]:
    """What the name means now, and its full name where a catalog has it."""
    found = find(parts, context, session)
    if found is None:
        raise relation_not_found(parts, context)
    name = found.name.qualifier if isinstance(found, Found) else None
    return table_frame(parts, replace(context, cache=None)).plain(), name


def is_cached(parts: tuple[str, ...], context: Context, session: "Session") -> bool:
    plan, name = plan_of(parts, context, session)
    cache = session.shared.cache
    return cache.find(plan) is not None or (name is not None and cache.named(name) is not None)


def cache_name(parts: tuple[str, ...], level: Any, context: Context, session: "Session", eager: bool = False) -> None:
    plan, name = plan_of(parts, context, session)
    chosen = level if level is not None else storage_level("MEMORY_AND_DISK")
    kept = session.shared.cache.add(plan, chosen.SerializeToString(), name)
    if eager and is_small(plan):
        session.shared.cache.rows(kept, context)


def uncache_name(parts: tuple[str, ...], context: Context, session: "Session") -> None:
    session.shared.cache.remove(*plan_of(parts, context, session))


def refresh_name(parts: tuple[str, ...], context: Context, session: "Session") -> None:
    plan_of(parts, context, session)
    session.shared.cache.forget_files()


# ---- statements


def cache_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    options = {key.lower(): value for key, value in statement.options}
    level = storage_level(options["storagelevel"]) if "storagelevel" in options else None
    if statement.query is not None:
        return cache_query(statement, parts, level, source, context, session)
    try:
        plan_of(parts, context, session)
    except SparkError as error:
        raise located(error, statement.name, source) from error
    return done(lambda: cache_name(parts, level, context, session, eager=not statement.lazy))


def cache_query(
    statement: Any, parts: tuple[str, ...], level: Any, source: str, context: Context, session: "Session"
) -> Any:
    """A temporary view of that name, and its rows kept."""
    if len(parts) != 1:
        raise NotNative("SQL: CACHE TABLE … AS with a qualified name")
    definition = sql_views.definition_of(statement, source, context)

    def make() -> None:
        sql_views.check_names(definition, context)
        view = sql_views.as_text_view(definition, "BINDING", None, context, session)
        session.views.keep(parts[0], False, False, view)
        cursor = session.shared.native.cursor()
        now = session.surroundings().context(cursor)
        cache_name(parts, level, now, session, eager=not statement.lazy)

    return done(make)


def done(act: Callable[[], None]) -> Any:
    def carry_out() -> Answer:
        act()
        return answer()

    return carry_out


def uncache_table(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    if find(parts, context, session) is None:
        if statement.if_exists:
            return answer
        raise located(relation_not_found(parts, context), statement.name, source)
    return done(lambda: uncache_name(parts, context, session))


def clear_cache(statement: Any, source: str, context: Context, session: "Session") -> Any:
    return done(session.shared.cache.clear)


def refresh(statement: Any, source: str, context: Context, session: "Session") -> Any:
    if isinstance(statement.name, str):
        return done(session.shared.cache.forget_files)
    parts = parts_of(statement.name, source, context, session)
    if statement.kind == "FUNCTION":
        return refresh_function(statement, parts, source, context, session)
    if find(parts, context, session) is None:
        raise not_found(statement.name, source, parts, context)
    return done(lambda: refresh_name(parts, context, session))


def refresh_function(statement: Any, parts: tuple[str, ...], source: str, context: Context, session: "Session") -> Any:
    if len(parts) == 1 and parts[0].lower() in SPARK_FUNCTIONS:
        raise located(SparkError("_LEGACY_ERROR_TEMP_1256", functionName=parts[0]), statement.name, source)
    if session.functions.has(parts, context):
        return answer
    if session.functions.unresolved(parts, context) is None:
        raise NotNative("SQL: REFRESH FUNCTION of one that Spark may know")
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    raise SparkError("ROUTINE_NOT_FOUND", routineName=quoted(name.qualifier[1:]))


# ---- checkpoints


def checkpoint(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    """A reliable one needs a directory that Spark was told; a local one is ours to keep."""
    if not message.local:
        raise SparkError("_LEGACY_ERROR_TEMP_3016")
    plan = read_relation(message.relation, context)
    if not plan.fields:
        raise NotNative("a checkpoint without columns")

    def keep() -> Answer:
        id = str(uuid.uuid4())
        session.checkpoints.keep(id, plan, message.storage_level.SerializeToString())
        if message.eager:
            session.checkpoints.relation(id, context)
        result = base_pb2.CheckpointCommandResult()
        result.relation.relation_id = id
        return (bytes_field(CHECKPOINT_RESULT, result.SerializeToString()),)

    return keep


def remove_checkpoint(message: Any, context: Context, session: "Session") -> Callable[[], Answer]:
    def remove() -> Answer:
        session.checkpoints.remove(message.relation.relation_id)
        return ()

    return remove


@RELATIONS.handles("cached_remote_relation")
def read_checkpoint(message: Any, context: Context) -> Frame:
    return frame_of(context.relations.relation(message.relation_id, context))
