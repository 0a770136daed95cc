"""Plans that were read before: the same bytes under the same settings and views mean the same SQL again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.plan.expressions import Call, Expression, Subquery
from twinspark.plan.relations import Relation, expressions_in
from twinspark.plan.rewrite import walk
from twinspark.read.proto import read_relation
from twinspark.session.native import Cursor, Query, Surroundings
from twinspark.session.observations import Observation
from twinspark.session.plan_keys import renumbered
from twinspark.tables.filescan import Looked

MOST_PLANS = 1000
MOST_BYTES = 64 * 1024  # a larger plan carries rows, which are not worth keeping twice

Views = dict[tuple[str, ...], Any]


@dataclass
class Watch:
    """What a plan asked for while it was read: views are remembered, whatever else may change makes it unfit."""

    views: Views = field(default_factory=dict)
    files: list[Looked] = field(default_factory=list)
    fixed: bool = True

    def context(self, context: Context) -> Context:
        return replace(
            context,
            views=WatchedViews(context.views, self),
            scan_files=self.scans(context.scan_files),
            collect=self.calls(context.collect),
            tables=self.touches(context.tables),
            functions=self.touches(context.functions),
            pythons=self.touches(context.pythons),
            relations=self.touches(context.relations),
        )

    def scans(self, scan_files: Callable[..., Any]) -> Callable[..., Any]:
        def scanned(*arguments: Any) -> Any:
            found = scan_files(*arguments)
            if found.looked is None:
                self.fixed = False
            else:
                self.files.append(found.looked)
            return found

        return scanned

    def calls(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            self.fixed = False
            return function(*arguments)

        return called

    def known(self, query: Query) -> "Known":
        plan = (query.plan, query.text, query.statement, query.observed)
        return Known(*plan, self.views, tuple(self.files), query.noted)

    def touches(self, target: Any) -> Any:
        return None if target is None else Touched(target, self)


class WatchedViews(Mapping[tuple[str, ...], Any]):
    """A session's views; what was found under a name, or that nothing was, is noted."""

    def __init__(self, views: Mapping[tuple[str, ...], Any], watch: Watch) -> None:
        self._views, self._watch = views, watch

    def __getitem__(self, key: tuple[str, ...]) -> Any:
        self._watch.views[key] = self._views.get(key)
        return self._views[key]

    def __iter__(self) -> Any:
        self._watch.fixed = False
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)


class Touched:
    """Stands for tables, functions or checkpoints, whose state is theirs: a plan that uses them is read anew."""

    def __init__(self, target: Any, watch: Watch) -> None:
        self._target, self._watch = target, watch

    def __getattr__(self, name: str) -> Any:
        self._watch.fixed = False
        return getattr(self._target, name)


@dataclass(frozen=True)
class Known:
    """A plan with its SQL, and the views and files it was made of."""

    plan: Relation
    text: str
    statement: Any
    observed: tuple[Observation, ...]
    views: Views
    files: tuple[Looked, ...]
    noted: dict[str, Any]

    def query(self, context: Context, cursor: Cursor) -> Query:
        return Query(self.plan, self.text, self.statement, context, cursor, self.observed, self.noted)


class PlanCache:
    """The last thousand plans of a server's sessions, by their bytes and what else gives them their meaning."""

    def __init__(self, most: int = MOST_PLANS) -> None:
        self._most = most
        self._plans: OrderedDict[Hashable, Known] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def read(self, message: Any, surroundings: Surroundings, cursor: Cursor) -> Query:
        context = surroundings.context(cursor)
        if context.cache or context.variables or message.ByteSize() > MOST_BYTES:
            return Query.read(message, context, cursor)
        key = key_of(message, surroundings)
        known = self._find(key, context.views)
        return known.query(context, cursor) if known else self._new(key, message, context, cursor)

    def _find(self, key: Hashable, views: Mapping[tuple[str, ...], Any]) -> Known | None:
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

    def _new(self, key: Hashable, message: Any, context: Context, cursor: Cursor) -> Query:
        watch = Watch()
        query = Query.of(read_relation(message, watch.context(context)), context, cursor, message)
        if watch.fixed and is_lasting(query):
            with self._lock:
                self._plans[key] = watch.known(query)
                if len(self._plans) > self._most:
                    self._plans.popitem(last=False)
        return query


def key_of(message: Any, surroundings: Surroundings) -> Hashable:
    settings = frozenset(surroundings.settings.items())
    return renumbered(message), settings, surroundings.catalog, surroundings.database, surroundings.user


def is_lasting(query: Query) -> bool:
    """Neither the time of day nor chance, nor what is told under the number of a frame."""
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
