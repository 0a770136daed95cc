"""Resolves tables and views by name: views of the session are inlined as plans, tables come from the catalogs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.plan_limits import check_size
from twinspark.analysis.scope.frames import Frame, deeper, frame_of, source_frame, with_new_ids
from twinspark.errors import MetadataColumnRequested, NotNative, SparkError, reasons
from twinspark.plan.relations import Relation
from twinspark.types import quote_identifier

# Readers of views that are not stored as typed relations, by class.
VIEW_READERS: dict[type, Callable[[Any, Context], Frame]] = {}
# Readers of views that catalogs store; the session adds them, since they read SQL texts.
PERSISTED_READER: list[Callable[[Any, tuple[str, ...], Context], Frame]] = []


def with_files(context: Context, read: Callable[[], Frame]) -> Frame:
    """Reads again with the hidden `_metadata` column of files if a name may refer to it."""
    try:
        return read()
    except MetadataColumnRequested:
        if context.needs_file_metadata:
            raise
    context.needs_file_metadata = True
    try:
        return read()
    finally:
        context.needs_file_metadata = False  # other relations of the operation do not get the column


def table_frame(parts: tuple[str, ...], context: Context) -> Frame:
    """A view of the session, or a view or table of a catalog, qualified by its name."""
    view = find_view(parts, context)
    if view is not None:
        check_not_nested(context)
        return view_frame(view, parts, context)
    if context.tables is None:
        raise NotNative(reasons.LIVES_ON_SPARK, f"table {'.'.join(parts)}")
    persisted = context.tables.view(parts, context)
    if persisted is not None:
        check_not_nested(context)
        return PERSISTED_READER[0](persisted, parts, replace(context, outer=None))
    relation, qualifier = context.tables.relation(parts, context)
    if context.cache:
        relation = context.cache.of_table(qualifier, relation, context)
    return source_frame(relation, qualifier)


def check_not_nested(context: Context) -> None:
    if context.default_collation:
        raise NotNative(reasons.SQL_CLAUSE, "a view inside a view with DEFAULT COLLATION")


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
    """A view that a query names twice is read once; the second use gets new column ids."""
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
        context.needs_file_metadata,
    )
    found = known.get(key)
    if found is None:
        known[key] = frame = read_view(view, parts, context)
        return frame
    return with_new_ids(found, found.slots.keys())


def read_view(view: Any, parts: tuple[str, ...], context: Context) -> Frame:
    """Inlines a view: a typed relation, a message, or a class with a registered reader."""
    context = replace(context, outer=None)
    frame = frame_of(view) if isinstance(view, Relation) else VIEW_READERS[view.__class__](view, context)
    check_size(frame.relation)
    # The session catalog stores names in lower case, unless analysis is case-sensitive.
    kept = parts if context.settings.case_sensitive else tuple(part.lower() for part in parts)
    qualifier = (kept[-1],) if len(kept) == 1 else kept
    attributes = tuple(a.with_qualifier(qualifier) for a in frame.attributes)
    slots = {a.id: i for i, a in enumerate(attributes)}
    return Frame(frame.plain(), attributes, slots, plans=deeper(frame.plans, attributes))
