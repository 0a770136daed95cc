"""Tables and views by name: a session's views are plans and are inlined, tables come from the catalogs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, deeper, frame_of, renewed, source_frame
from twinspark.errors import FilesAsked, NotNative, SparkError
from twinspark.plan.relations import Relation
from twinspark.types import quote_identifier

# How a view that is kept as something else than a typed relation becomes a frame, by its class.
VIEW_READERS: dict[type, Callable[[Any, Context], Frame]] = {}
# How a view that a catalog keeps becomes a frame: told by the session, whose readers know SQL texts.
PERSISTED_READER: list[Callable[[Any, tuple[str, ...], Context], Frame]] = []


def with_files(context: Context, read: Callable[[], Frame]) -> Frame:
    """Reads again, with the hidden column of files, where a name may be that."""
    try:
        return read()
    except FilesAsked:
        if context.asks_files:
            raise
    context.asks_files = True
    try:
        return read()
    finally:
        context.asks_files = False  # what else the operation reads has no such column


def table_frame(parts: tuple[str, ...], context: Context) -> Frame:
    """A view of the session, or a view or table of a catalog, under its name."""
    view = find_view(parts, context)
    if view is not None:
        return view_frame(view, parts, context)
    if context.tables is None:
        raise NotNative(f"table {'.'.join(parts)}")
    persisted = context.tables.view(parts, context)
    if persisted is not None:
        return PERSISTED_READER[0](persisted, parts, replace(context, outer=None))
    relation, qualifier = context.tables.relation(parts, context)
    if context.cache:
        relation = context.cache.of_table(qualifier, relation, context)
    return source_frame(relation, qualifier)


def find_view(parts: tuple[str, ...], context: Context) -> Any:
    key = tuple(part.lower() for part in parts)
    found = context.views.get(key)
    if found is None and len(key) == 2 and key[0] == "global_temp":
        current = f"{quote_identifier(context.catalog)}.{quote_identifier(context.database)}"
        raise SparkError(
            "TABLE_OR_VIEW_NOT_FOUND",
            relationName=".".join(quote_identifier(part) for part in parts),
            searchPath=f"[`system`.`builtin`, `system`.`session`, {current}]",
        )
    return found


def view_frame(view: Any, parts: tuple[str, ...], context: Context) -> Frame:
    """A query that names a view again has it again, its columns under new ids."""
    known = context.views_read
    if known is None:
        return read_view(view, parts, context)
    key = (
        id(view),
        parts,
        id(context.config),
        id(context.views),
        context.shuffles,
        context.hides_keys,
        context.asks_files,
    )
    found = known.get(key)
    if found is None:
        known[key] = frame = read_view(view, parts, context)
        return frame
    return renewed(found, found.slots.keys())


def read_view(view: Any, parts: tuple[str, ...], context: Context) -> Frame:
    """Views are plans, inlined: a typed relation, a message, or whatever a reader is known for."""
    context = replace(context, outer=None)
    frame = frame_of(view) if isinstance(view, Relation) else VIEW_READERS[view.__class__](view, context)
    # The session's catalog keeps names in small letters, unless case matters.
    kept = parts if context.settings.case_sensitive else tuple(part.lower() for part in parts)
    qualifier = (kept[-1],) if len(kept) == 1 else kept
    attributes = tuple(a.qualified(qualifier) for a in frame.attributes)
    slots = {a.id: i for i, a in enumerate(attributes)}
    return Frame(frame.plain(), attributes, slots, plans=deeper(frame.plans, attributes))
