"""Views created by SQL: their text is stored and parsed again at every use, as in Spark."""

import json
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis.context import SESSION_ZONE, Context
from twinspark.analysis.relations.local_data import fields_of
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.config.values import setting_text
from twinspark.errors import SparkError
from twinspark.read.sql import ParserConfig, parse_query
from twinspark.read.views import PERSISTED_READER, VIEW_READERS
from twinspark.read.walk import Walk, read_query
from twinspark.sessions.config import Snapshot
from twinspark.sessions.views.default_collations import check_query
from twinspark.sessions.views.known_frames import KnownFrames
from twinspark.sessions.views.schema_changes import ViewDefinition, bind_columns, mode_of, modes_are_on
from twinspark.tables.catalog import COLLATION, SCHEMA_MODE
from twinspark.types import StructType

QUERY_COLUMNS = "view.queryColumns"
DEDUP_POLICY = "spark.sql.mapKeyDedupPolicy"
ALWAYS_KEPT = ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")
# Settings that a view does not store (ViewHelper's deny list).
NOT_KEPT = ("spark.sql.optimizer.", "spark.sql.codegen.", "spark.sql.execution.", "spark.sql.shuffle.")


@dataclass(frozen=True)
class TextView(ViewDefinition):
    """A view that is read from its text at every use, unless everything that it names is as it was."""

    known: KnownFrames = field(default_factory=KnownFrames, compare=False, repr=False)

    def frame(self, context: Context) -> Frame:
        return self.known.read(context, self._read, context.config)

    def _read(self, context: Context) -> Frame:
        """Names are looked up now, in the catalog and database stored with the view, under the settings stored with
        it."""
        then = context_of_creation(context, self.config, self.catalog, self.database)
        then.default_collation = self.collation
        query = parse_query(self.text, ParserConfig.of(then.config))
        check_query(query, self.collation)
        found = read_query(query, Walk(self.text, then))
        names = found.attributes
        plain = frame_of(found.plain())
        known = tuple(replace(new, qualifier=old.qualifier) for new, old in zip(plain.attributes, names, strict=True))
        return bind_columns(self, replace(plain, attributes=known), context.config, then.settings)


def context_of_creation(context: Context, config: Mapping[str, str], catalog: str, database: str) -> Context:
    """current_database() and current_timezone() are not affected by the view's stored context;
    spark.sql.mapKeyDedupPolicy
    is the session's as well, since Spark reads it when a map is built (ArrayBasedMapBuilder)."""
    base = context.config.parents if isinstance(context.config, ChainMap) else context.config
    now = context.settings
    of_now = {SESSION_ZONE: now.session_zone or now.zone, DEDUP_POLICY: context.conf(DEDUP_POLICY)}
    values = base.as_dictionary() if isinstance(base, Snapshot) else dict(base)
    then = replace(context, config=ChainMap({**config, **of_now}, values), catalog=catalog, database=database)
    then.__dict__["settings"] = replace(then.settings, catalog=now.catalog, database=now.database)
    return then


def stored_settings(context: Context, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that a view stores."""
    own = {k: v for k, v in settings.items() if k.startswith("spark.sql.") and not k.startswith(NOT_KEPT)}
    return {**{key: setting_text(context.config, key) for key in ALWAYS_KEPT}, **own}


# ---- views in a catalog


def persisted_frame(view: Any, parts: tuple[str, ...], context: Context) -> Frame:
    """A persisted view cannot use temporary views; errors name the view as their context."""
    qualifier = context.tables.relations.name(parts, context).qualifier
    kept = text_view(view, qualifier)
    try:
        frame = kept.frame(replace(context, views={}, variables={}, functions=permanent(context.functions)))
    except SparkError as error:
        error.contexts = tuple(
            each if each.object_type else replace(each, object_type="VIEW", object_name=".".join(qualifier))
            for each in error.contexts
        )
        raise
    store_evolved(view, kept, frame, parts, context)
    return frame_of(frame.plain(), qualifier)


def store_evolved(view: Any, kept: TextView, frame: Frame, parts: tuple[str, ...], context: Context) -> None:
    """A view with schema evolution is stored with the columns it last had (ViewSyncSchemaToMetaStore)."""
    mode = mode_of(kept, context.config)
    if not modes_are_on(context.config) or not mode.endswith("EVOLUTION"):
        return
    fields = tuple(a.as_field() for a in frame.attributes)
    if mode == "TYPE EVOLUTION":
        fields = tuple(replace(new, metadata=old.metadata) for new, old in zip(fields, kept.fields, strict=True))
    if fields == kept.fields:
        return
    schema = StructType([each.struct_field() for each in fields]).json()
    names = tuple(each.name for each in fields)
    properties = dict(view.properties)
    if mode == "EVOLUTION":
        properties[QUERY_COLUMNS] = json.dumps(names)
    name = context.tables.relations.name(parts, context)
    changed = replace(view, schema=schema, columns=names, properties=properties)
    context.tables.catalogs.get(name.catalog).create_view(changed, replace=True)


def permanent(functions: Any) -> Any:
    return None if functions is None else functions.permanent()


def text_view(view: Any, qualifier: tuple[str, ...] = ()) -> TextView:
    """A catalog stores the view's schema as JSON, and its mode in its properties, as Spark does."""
    fields = fields_of(StructType.fromJson(json.loads(view.schema)))
    mode = view.properties.get(SCHEMA_MODE, "COMPENSATION")
    queried = tuple(json.loads(view.properties.get(QUERY_COLUMNS, "[]"))) or view.columns
    surroundings = (view.config, view.catalog, view.namespace[0])
    collation = view.properties.get(COLLATION, "")
    return TextView(view.text, *surroundings, queried, fields, mode, view.comment, qualifier, False, collation)


VIEW_READERS[TextView] = TextView.frame
PERSISTED_READER.append(persisted_frame)
