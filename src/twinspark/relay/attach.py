"""Connects the sessions of a server to its Spark engine."""

from twinspark.config.own import own_value
from twinspark.relay.engine import SparkEngine
from twinspark.relay.session import SparkSide
from twinspark.relay.stream_sinks import StreamSinks
from twinspark.relay.table_views import SHOW_TABLES, TableViews
from twinspark.sessions.session import Session
from twinspark.sessions.shared import Shared


def attach_spark(shared: Shared, engine: SparkEngine) -> Shared:
    """Sessions created from now on have a counterpart on that Spark, opened when they first need it."""
    settings = shared.settings
    is_local = settings.spark_remote is None
    is_shown = is_local or own_value(dict(settings.spark_config), SHOW_TABLES)
    shown = TableViews(shared.catalogs, is_shown, is_local)
    sinks = StreamSinks(shared, is_local)
    owners: list[SparkSide] = []

    def open_half(session: Session) -> SparkSide:
        return SparkSide(session, engine, shown, sinks, owners)

    shared.spark, shared.open_half = engine, open_half
    return shared
