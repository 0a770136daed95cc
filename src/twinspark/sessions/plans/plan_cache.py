"""Caches compiled plans: the same bytes with the same settings and views compile to the same SQL."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.observations import Observation
from twinspark.compile.pipeline import CompiledPlan
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.read.proto import read_relation
from twinspark.sessions.plans.dependencies import MOST_BYTES, Dependencies, Views
from twinspark.sessions.plans.plan_keys import plan_key
from twinspark.sessions.plans.session_context import SessionContext
from twinspark.tables.files.scan import FoundFiles

MOST_PLANS = 1000


@dataclass(frozen=True)
class CachedQuery:
    """A plan with its SQL, and the views and files it was compiled from."""

    compiled: CompiledPlan
    observed: tuple[Observation, ...]
    views: Views
    files: tuple[FoundFiles, ...]
    noted: dict[str, Any]

    def query(self, context: Context, cursor: Cursor) -> CompiledQuery:
        return CompiledQuery(self.compiled, context, cursor, self.observed, self.noted)


def cached_query(query: CompiledQuery, dependencies: Dependencies) -> CachedQuery:
    files = tuple(dependencies.files)
    return CachedQuery(query.compiled, query.observed, dependencies.views, files, query.noted)


class PlanCache:
    """The last thousand plans of a server's sessions, by their bytes and everything else that determines their
    meaning."""

    def __init__(self, most: int = MOST_PLANS) -> None:
        self._most = most
        self._plans: OrderedDict[Hashable, CachedQuery] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def read(self, message: relations_pb2.Relation, surroundings: SessionContext, cursor: Cursor) -> CompiledQuery:
        context = surroundings.context(cursor)
        if context.cache or context.variables or message.ByteSize() > MOST_BYTES:
            return CompiledQuery.read(message, context, cursor)
        shared = key_of(message, surroundings)
        own = (shared, surroundings.session_id)
        known = self._find(shared, context.views) or self._find(own, context.views)
        return known.query(context, cursor) if known else self._new(shared, own, message, context, cursor)

    def _find(self, key: Hashable, views: Mapping[tuple[str, ...], Any]) -> CachedQuery | None:
        known = self._plans.get(key)
        if known is None or any(views.get(name) is not view for name, view in known.views.items()):
            return None
        if not all(each.is_so_still() for each in known.files):
            return None
        with self._lock:
            self.hits += 1
            self._plans[key] = known
            self._plans.move_to_end(key)
        return known

    def _new(
        self, shared: Hashable, own: Hashable, message: relations_pb2.Relation, context: Context, cursor: Cursor
    ) -> CompiledQuery:
        """A plan that reads views is its session's own: another session's views of these names are other views."""
        dependencies = Dependencies()
        query = CompiledQuery.of(read_relation(message, dependencies.context(context)), context, cursor, message)
        if dependencies.cacheable and is_lasting(query):
            with self._lock:
                self._plans[own if dependencies.reads_views else shared] = cached_query(query, dependencies)
                if len(self._plans) > self._most:
                    self._plans.popitem(last=False)
        return query


def key_of(message: relations_pb2.Relation, surroundings: SessionContext) -> Hashable:
    settings = frozenset(surroundings.settings.items())
    return plan_key(message), settings, surroundings.catalog, surroundings.database, surroundings.user


def is_lasting(query: CompiledQuery) -> bool:
    """Whether the plan has no current time, no randomness, and no metrics observed under a plan id."""
    return (
        not query.observed
        and str(query.context.now_micros) not in query.text
        and query.compiled.contents.is_deterministic
    )
