"""Views made by SQL: Spark keeps their text and reads it again at every use, and so do we."""

import json
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import SESSION_ZONE, Context
from twinspark.analysis.local_data import fields_of
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import SparkError
from twinspark.plan.relations import Fields
from twinspark.read.sql import ParserConfig, parse_query
from twinspark.read.views import PERSISTED_READER, VIEW_READERS
from twinspark.read.walk import Walk, read_query
from twinspark.session.view_schemas import bound, mode_of, modes_are_on
from twinspark.tables.catalog import SCHEMA_MODE
from twinspark.types import StructType

QUERY_COLUMNS = "view.queryColumns"
DEDUP_POLICY = "spark.sql.mapKeyDedupPolicy"
ALWAYS_KEPT = ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")
# What a view does not remember of the session it was made in (ViewHelper's deny list).
NOT_KEPT = ("spark.sql.optimizer.", "spark.sql.codegen.", "spark.sql.execution.", "spark.sql.shuffle.")


@dataclass(frozen=True)
class TextView:
    """The query's text, what its names and settings meant when it was made, and the columns it then had."""

    text: str
    config: Mapping[str, str]
    catalog: str
    database: str
    query_columns: tuple[str, ...]
    fields: Fields
    mode: str = "BINDING"
    comment: str | None = None
    name: tuple[str, ...] = ()
    is_temporary: bool = True

    def frame(self, context: Context) -> Frame:
        """Names mean what they mean now, and are looked up where they were; settings are those of then."""
        then = surroundings_of_then(context, self.config, self.catalog, self.database)
        found = read_query(parse_query(self.text, ParserConfig.of(then.config)), Walk(self.text, then))
        names = found.attributes
        plain = frame_of(found.plain())
        known = tuple(replace(new, qualifier=old.qualifier) for new, old in zip(plain.attributes, names, strict=True))
        return bound(self, replace(plain, attributes=known), context.config, then.settings)


def surroundings_of_then(context: Context, config: Mapping[str, str], catalog: str, database: str) -> Context:
    """current_database() and current_timezone() stay what they are, wherever the view's names are looked up; and maps
    ask for the policy of their keys when they are made (ArrayBasedMapBuilder)."""
    base = context.config.parents if isinstance(context.config, ChainMap) else context.config
    now = context.settings
    of_now = {SESSION_ZONE: now.session_zone or now.zone, DEDUP_POLICY: context.conf(DEDUP_POLICY)}
    then = replace(context, config=ChainMap({**config, **of_now}, dict(base)), catalog=catalog, database=database)
    then.__dict__["settings"] = replace(then.settings, catalog=now.catalog, database=now.database)
    return then


def kept_settings(context: Context, settings: Mapping[str, str]) -> dict[str, str]:
    """What a view remembers of its session's settings."""
    own = {k: v for k, v in settings.items() if k.startswith("spark.sql.") and not k.startswith(NOT_KEPT)}
    return {**{key: context.conf(key) for key in ALWAYS_KEPT}, **own}


# ---- kept by a catalog


def persisted_frame(view: Any, parts: tuple[str, ...], context: Context) -> Frame:
    """Temporary views are not for it to see; errors say that they come out of the view."""
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
    keep_evolved(view, kept, frame, parts, context)
    return frame_of(frame.plain(), qualifier)


def keep_evolved(view: Any, kept: TextView, frame: Frame, parts: tuple[str, ...], context: Context) -> None:
    """A view that follows its tables is kept with the columns it was last seen with (ViewSyncSchemaToMetaStore)."""
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
    """A catalog keeps the view's schema as JSON, and its mode among its properties, as Spark does."""
    fields = fields_of(StructType.fromJson(json.loads(view.schema)))
    mode = view.properties.get(SCHEMA_MODE, "COMPENSATION")
    queried = tuple(json.loads(view.properties.get(QUERY_COLUMNS, "[]"))) or view.columns
    surroundings = (view.config, view.catalog, view.namespace[0])
    return TextView(view.text, *surroundings, queried, fields, mode, view.comment, qualifier, is_temporary=False)


VIEW_READERS[TextView] = TextView.frame
PERSISTED_READER.append(persisted_frame)
