"""Views made by SQL: Spark keeps their text and reads it again at every use, and so do we."""

import json
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.local_data import fields_of
from twinspark.analysis.relations import Named, project
from twinspark.analysis.scope import Attribute, Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Fields
from twinspark.read.sql import ParserConfig, parse_query
from twinspark.read.views import PERSISTED_READER, VIEW_READERS
from twinspark.read.walk import Walk, read_query
from twinspark.types import StructType, same_type

SCHEMA_MODE = "view.schemaMode"
QUERY_COLUMNS = "view.queryColumns"
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

    def frame(self, context: Context) -> Frame:
        """Names mean what they mean now, and are looked up where they were; settings are those of then."""
        then = surroundings_of_then(context, self.config, self.catalog, self.database)
        found = read_query(parse_query(self.text, ParserConfig.of(then.config)), Walk(self.text, then))
        return self.columns_of(frame_of(found.plain()))

    def columns_of(self, found: Frame) -> Frame:
        """The view's columns, found by the names they had in its query; new ones behind `*` do not show."""
        columns = []
        for name, field, at in zip(self.query_columns, self.fields, ordinals(self.query_columns), strict=True):
            attribute = nth(found.attributes, name, at)
            if attribute is None or not same_type(attribute.type, field.type):
                raise NotNative("SQL: a view whose columns have changed since it was made")
            columns.append(Named(found.column(attribute), field.name, field.metadata))
        return project(found, columns)


def surroundings_of_then(context: Context, config: Mapping[str, str], catalog: str, database: str) -> Context:
    """current_database() stays what it is, wherever the view's names are looked up."""
    base = context.config.parents if isinstance(context.config, ChainMap) else context.config
    then = replace(context, config=ChainMap(dict(config), dict(base)), catalog=catalog, database=database)
    now = context.settings
    then.__dict__["settings"] = replace(then.settings, catalog=now.catalog, database=now.database)
    return then


def ordinals(names: Sequence[str]) -> list[int]:
    """How many of the same name stand before each."""
    return [[n.lower() for n in names[:at]].count(name.lower()) for at, name in enumerate(names)]


def nth(attributes: Sequence[Attribute], name: str, at: int) -> Attribute | None:
    same = [each for each in attributes if each.name.lower() == name.lower()]
    return same[at] if at < len(same) else None


def kept_settings(context: Context, settings: Mapping[str, str]) -> dict[str, str]:
    """What a view remembers of its session's settings."""
    own = {k: v for k, v in settings.items() if k.startswith("spark.sql.") and not k.startswith(NOT_KEPT)}
    return {**{key: context.conf(key) for key in ALWAYS_KEPT}, **own}


# ---- kept by a catalog


def persisted_frame(view: Any, parts: tuple[str, ...], context: Context) -> Frame:
    """Temporary views are not for it to see; errors say that they come out of the view."""
    qualifier = context.tables.relations.name(parts, context).qualifier
    try:
        frame = text_view(view).frame(replace(context, views={}, variables={}, functions=permanent(context.functions)))
    except SparkError as error:
        error.contexts = tuple(
            each if each.object_type else replace(each, object_type="VIEW", object_name=".".join(qualifier))
            for each in error.contexts
        )
        raise
    return frame_of(frame.plain(), qualifier)


def permanent(functions: Any) -> Any:
    return None if functions is None else functions.permanent()


def text_view(view: Any) -> TextView:
    """A catalog keeps the view's schema as JSON, and its mode among its properties, as Spark does."""
    fields = fields_of(StructType.fromJson(json.loads(view.schema)))
    mode = view.properties.get(SCHEMA_MODE, "COMPENSATION")
    queried = tuple(json.loads(view.properties.get(QUERY_COLUMNS, "[]"))) or view.columns
    return TextView(view.text, view.config, view.catalog, view.namespace[0], queried, fields, mode, view.comment)


VIEW_READERS[TextView] = TextView.frame
PERSISTED_READER.append(persisted_frame)
