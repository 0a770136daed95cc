"""Caches compiled plans: the same bytes with the same settings and views compile to the same SQL."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.observations import Observation
from twinspark.compile.pipeline import CompiledPlan
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.plan.expressions import Call, Expression, Subquery
from twinspark.plan.relations import Relation, expressions_in
from twinspark.plan.rewrite import walk
from twinspark.read.proto import read_relation
from twinspark.sessions.plans.plan_keys import plan_key
from twinspark.sessions.plans.session_context import SessionContext
from twinspark.tables.files.scan import FoundFiles

MOST_PLANS = 1000
MOST_BYTES = 64 * 1024  # a larger plan contains rows, which are not worth storing twice

Views = dict[tuple[str, ...], Any]


@dataclass
class Dependencies:
    """Records what a plan read while it was analyzed: views and files are compared later, other mutable state prevents
    caching."""

    views: Views = field(default_factory=dict)
    files: list[FoundFiles] = field(default_factory=list)
    cacheable: bool = True

    def context(self, context: Context) -> Context:
        return replace(
            context,
            views=RecordedViews(context.views, self),
            scan_files=self.record_scans(context.scan_files),
            collect=self.record_calls(context.collect),
            tables=self.record_access(context.tables),
            functions=self.record_access(context.functions),
            pythons=self.record_access(context.pythons),
            relations=self.record_access(context.relations),
        )

    def record_scans(self, scan_files: Callable[..., Any]) -> Callable[..., Any]:
        def scan(*arguments: Any) -> Any:
            found = scan_files(*arguments)
            if found.looked is None:
                self.cacheable = False
            else:
                self.files.append(found.looked)
            return found

        return scan

    def record_calls(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.cacheable = False
            return function(*arguments)

        return call

    def cached_query(self, query: CompiledQuery) -> "CachedQuery":
        return CachedQuery(query.compiled, query.observed, self.views, tuple(self.files), query.noted)

    def record_access(self, target: Any) -> Any:
        return None if target is None else AccessRecorder(target, self)


class RecordedViews(Mapping[tuple[str, ...], Any]):
    """A session's views; each lookup is recorded, also one that found nothing."""

    def __init__(self, views: Mapping[tuple[str, ...], Any], dependencies: Dependencies) -> None:
        self._views, self._dependencies = views, dependencies

    def __getitem__(self, key: tuple[str, ...]) -> Any:
        self._dependencies.views[key] = self._views.get(key)
        return self._views[key]

    def __iter__(self) -> Any:
        self._dependencies.cacheable = False
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)


class AccessRecorder:
    """Wraps tables, functions or checkpoints, which have mutable state: a plan that uses them is not cached."""

    def __init__(self, target: Any, dependencies: Dependencies) -> None:
        self._target, self._dependencies = target, dependencies

    def __getattr__(self, name: str) -> Any:
        self._dependencies.cacheable = False
        return getattr(self._target, name)


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
        key = key_of(message, surroundings)
        known = self._find(key, context.views)
        return known.query(context, cursor) if known else self._new(key, message, context, cursor)

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

    def _new(self, key: Hashable, message: relations_pb2.Relation, context: Context, cursor: Cursor) -> CompiledQuery:
        dependencies = Dependencies()
        query = CompiledQuery.of(read_relation(message, dependencies.context(context)), context, cursor, message)
        if dependencies.cacheable and is_lasting(query):
            with self._lock:
                self._plans[key] = dependencies.cached_query(query)
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
        and all(map(is_deterministic, [query.plan, *(each.metrics for each in query.observed)]))
    )


def is_deterministic(plan: Relation) -> bool:
    return all(is_certain(node) for expression in expressions_in(plan) for node in walk(expression))


def is_certain(node: Expression) -> bool:
    if isinstance(node, Subquery):
        return is_deterministic(node.relation)
    return not isinstance(node, Call) or node.signature.deterministic
