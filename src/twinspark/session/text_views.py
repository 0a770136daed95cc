"""Temporary views made by SQL: Spark keeps their text and reads it again at every use, and so do we."""

from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative
from twinspark.plan.relations import Fields
from twinspark.read.views import VIEW_READERS
from twinspark.read.walk import Walk, read_query
from twinspark.session.views import key_of


class ItsOwnName:
    """Stands where a view would find itself: only Spark says that in the right words."""

    def frame(self, context: Context) -> Frame:
        raise NotNative("SQL: a view that reads itself")


@dataclass(frozen=True)
class TextView:
    """The query, the settings it was written under, and the columns it then had."""

    query: Any
    text: str
    config: Any
    catalog: str
    database: str
    fields: Fields

    @classmethod
    def made(cls, query: Any, text: str, context: Context, name: str, is_global: bool) -> "TextView":
        hidden = {**context.views, key_of(name, is_global): ItsOwnName()}
        plan = read_query(query, Walk(text, replace(context, views=hidden))).plain()
        return cls(query, text, context.config, context.catalog, context.database, plan.fields)

    def frame(self, context: Context) -> Frame:
        """Names mean what they mean now; settings are those of then (SQLConf kept with the view)."""
        then = replace(context, config=self.config, catalog=self.catalog, database=self.database)
        frame = read_query(self.query, Walk(self.text, then))
        if frame.plain().fields != self.fields:
            raise NotNative("SQL: a view whose columns have changed since it was made")
        return frame


VIEW_READERS[ItsOwnName] = ItsOwnName.frame
VIEW_READERS[TextView] = TextView.frame
