"""A session's temporary views: plans with the context of their creation, and names of views that only Spark has."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import commands_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.proto import read_frame
from twinspark.read.sql import ParseError, parse_multipart_identifier
from twinspark.read.views import VIEW_READERS
from twinspark.sessions.plans.dependencies import MOST_BYTES
from twinspark.sessions.views.known_frames import KnownFrames

GLOBAL = "global_temp"
Key = tuple[str, ...]


class PlanView:
    """A DataFrame's plan under a name: read again with the views and settings of the time it was created."""

    def __init__(self, message: relations_pb2.Relation, context: Context) -> None:
        self._message = message
        self._config = context.config
        self._views = context.views
        self._known = KnownFrames()

    def frame(self, context: Context) -> Frame:
        then = replace(context, config=self._config, views=self._views)
        if self._message.ByteSize() > MOST_BYTES:
            return self._read(then)
        return self._known.read(then, self._read)

    def _read(self, context: Context) -> Frame:
        return read_frame(self._message, context)


class SparkView:
    """A view that was created on Spark: plans that read it fall back to Spark."""

    def __init__(self, name: str) -> None:
        self._name = name

    def frame(self, context: Context) -> Frame:
        raise NotNative(reasons.LIVES_ON_SPARK, f"view {self._name}")


def view_named(written: str) -> str:
    """The name of a temporary view created from a DataFrame; a qualifying database is ignored."""
    try:
        parts = parse_multipart_identifier(written)
    except ParseError as error:
        raise SparkError("_LEGACY_ERROR_TEMP_1321", viewName=written) from error
    if len(parts) > 2:
        raise SparkError("_LEGACY_ERROR_TEMP_1321", viewName=written)
    return parts[-1]


VIEW_READERS[PlanView] = PlanView.frame
VIEW_READERS[SparkView] = SparkView.frame


class Views:
    """The views one session sees: its own, and the global ones of its server."""

    def __init__(self, shared: "SharedViews") -> None:
        self._own: dict[Key, Any] = {}
        self._shared = shared
        self._lock = threading.RLock()

    def snapshot(self) -> Mapping[Key, Any]:
        with self._lock:
            return {**self._shared.snapshot(), **self._own}

    def create(self, name: str, message: commands_pb2.CreateDataFrameViewCommand, context: Context) -> None:
        self.keep(name, message.is_global, message.replace, PlanView(message.input, context))

    def keep(self, name: str, is_global: bool, may_replace: bool, view: Any) -> None:
        key = key_of(name, is_global)
        with self._lock:
            if not may_replace and key in self.snapshot():
                raise already_exists(name, is_global)
            self._put(key, view)

    def made_on_spark(self, name: str, is_global: bool) -> None:
        self._put(key_of(name, is_global), SparkView(name))

    def has(self, name: str, is_global: bool) -> bool:
        return key_of(name, is_global) in self.snapshot()

    def is_on_spark(self, name: str, is_global: bool) -> bool:
        return isinstance(self.snapshot().get(key_of(name, is_global)), SparkView)

    def drop(self, name: str, is_global: bool) -> bool:
        key = key_of(name, is_global)
        with self._lock:
            known = key in self.snapshot()
            self._own.pop(key, None)
            if is_global:
                self._shared.drop(key)
            return known

    def copy(self) -> "Views":
        with self._lock:
            twin = Views(self._shared)
            twin._own = dict(self._own)
            return twin

    def _put(self, key: Key, view: Any) -> None:
        with self._lock:
            if key[0] == GLOBAL and len(key) == 2:
                self._shared.put(key, view)
            else:
                self._own[key] = view


class SharedViews:
    """Global temporary views: one set for the whole server."""

    def __init__(self) -> None:
        self._views: dict[Key, Any] = {}
        self._lock = threading.Lock()

    def snapshot(self) -> dict[Key, Any]:
        with self._lock:
            return dict(self._views)

    def put(self, key: Key, view: Any) -> None:
        with self._lock:
            self._views[key] = view

    def drop(self, key: Key) -> None:
        with self._lock:
            self._views.pop(key, None)


def key_of(name: str, is_global: bool) -> Key:
    return (GLOBAL, name.lower()) if is_global else (name.lower(),)


def already_exists(name: str, is_global: bool) -> SparkError:
    return SparkError("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", relationName=f"`{name}`")
