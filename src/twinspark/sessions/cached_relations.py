"""Cached results: persisted plans, cached tables and checkpoints, stored as DuckDB tables."""

import itertools
import threading
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import duckdb

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.duck import run
from twinspark.duck.errors import translate_error
from twinspark.errors import SparkError
from twinspark.plan.relations import Relation, Scan, relations_in

if TYPE_CHECKING:
    from twinspark.sessions.native_engine import NativeEngine

LARGEST = 4 * 1024**3  # bytes that a cached plan may scan; a larger one is computed again at each use
_numbers = itertools.count(1)


@dataclass(eq=False)
class CachedPlan:
    """A plan whose rows are stored once they have been computed; `name` is set for a cached table."""

    plan: Relation
    level: bytes
    name: tuple[str, ...] | None = None
    table: str | None = None
    stale: bool = False  # a table's files have changed: the next reader supplies its plan
    kind: str = "kept"  # prefix of the DuckDB table's name, followed by a number


class Cache:
    """One for a server, like Spark's CacheManager: equal plans of all sessions share an entry."""

    def __init__(self, engine: "NativeEngine") -> None:
        self._engine = engine
        self._kept: list[CachedPlan] = []
        self._lock = threading.RLock()

    def __bool__(self) -> bool:
        return bool(self._kept)

    def find(self, plan: Relation) -> CachedPlan | None:
        with self._lock:
            return next((each for each in self._kept if each.plan == plan), None)

    def find_by_name(self, name: tuple[str, ...]) -> CachedPlan | None:
        with self._lock:
            return next((each for each in self._kept if each.name == name), None)

    def add(self, plan: Relation, level: bytes, name: tuple[str, ...] | None = None) -> CachedPlan:
        """A plan that is cached already keeps its storage level, whatever level is requested now."""
        with self._lock:
            kept = self.find(plan)
            if kept is None:
                kept = CachedPlan(plan, level, name)
                self._kept.append(kept)
            return kept

    def remove(self, plan: Relation, name: tuple[str, ...] | None = None) -> bool:
        with self._lock:
            gone = [each for each in self._kept if each.plan == plan or (name is not None and each.name == name)]
            self._forget(gone)
            return bool(gone)

    def clear(self) -> None:
        with self._lock:
            self._forget(list(self._kept))

    def forget_files(self) -> None:
        """Files have changed: plans stay cached, but the rows of those that read files are computed again."""
        with self._lock:
            for each in self._kept:
                if any(isinstance(one, Scan) for one in relations_in(each.plan)):
                    self._drop(each)
                    each.stale = each.name is not None

    def _forget(self, gone: list[CachedPlan]) -> None:
        for each in gone:
            self._kept.remove(each)
            self._drop(each)

    def _drop(self, kept: CachedPlan) -> None:
        if kept.table is not None:
            self._execute(f"DROP TABLE IF EXISTS {kept.table}")
            kept.table = None

    def _execute(self, text: str) -> None:
        cursor = self._engine.cursor()
        try:
            cursor.execute(text)
        finally:
            cursor.close()

    # ---- lookups while a plan is read

    def of_table(self, name: tuple[str, ...], relation: Relation, context: Context) -> Relation:
        """A table cached by name reads the cached rows, even if its files have changed since."""
        with self._lock:
            kept = self.find_by_name(name)
            if kept is None or not is_small(relation):
                return relation
            if kept.stale:
                kept.plan, kept.stale = relation, False
            return self.rows(kept, context)

    def use_cached_relations(self, plan: Relation, context: Context) -> Relation:
        """The plan with cached subplans replaced by scans of their rows, the largest subplans first."""
        if not self._kept:
            return plan
        kept = self.find(plan)
        if kept is not None and is_small(kept.plan):
            return self.rows(kept, context)
        return with_inputs(plan, lambda each: self.use_cached_relations(each, context))

    def rows(self, kept: CachedPlan, context: Context) -> Scan:
        """A scan of the cached rows, which the first reader computes."""
        with self._lock:
            if kept.table is None:
                kept.table = self.materialize(kept, context)
            return scan_of(kept.table, kept.plan)

    def materialize(self, kept: CachedPlan, context: Context) -> str:
        """Stores the rows; subplans of the plan may be cached themselves."""
        inner = with_inputs(kept.plan, lambda each: self.use_cached_relations(each, context))
        return materialize(inner, kept.kind, context, self._engine)

    def drop_table(self, table: str) -> None:
        self._execute(f"DROP TABLE IF EXISTS {table}")


def materialize(plan: Relation, kind: str, context: Context, engine: "NativeEngine") -> str:
    name = f'"{kind} {next(_numbers)}"'
    made = compile_rows(plan, replace(context, cache=None))
    cursor = engine.cursor()
    columns = ", ".join(f"c{at}" for at in range(len(plan.fields)))
    try:
        run.prepare(cursor, made.statement, context.settings)
        cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM ({made.text}) AS kept({columns})")
    except duckdb.Error as error:
        raise translate_error(error) from error
    finally:
        cursor.close()
    return name


def scan_of(table: str, plan: Relation) -> Scan:
    return Scan(fields=plan.fields, sql=table, names=tuple(f"c{at}" for at in range(len(plan.fields))))


def is_small(plan: Relation) -> bool:
    scanned = sum(each.size_in_bytes for each in relations_in(plan) if isinstance(each, Scan))
    return bool(plan.fields) and scanned <= LARGEST


def with_inputs(plan: Relation, rule: Any) -> Relation:
    """The same relation over changed inputs; the same object if none changed."""
    changes = {}
    for one in fields(plan):
        value = getattr(plan, one.name)
        if isinstance(value, Relation):
            made = rule(value)
        elif isinstance(value, tuple) and value and all(isinstance(each, Relation) for each in value):
            made = tuple(map(rule, value))
            made = value if all(a is b for a, b in zip(made, value, strict=True)) else made
        else:
            continue
        if made is not value:
            changes[one.name] = made
    return replace(plan, **changes) if changes else plan


class Checkpoints:
    """Checkpointed plans without their lineage: their rows stay until the client releases them."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, CachedPlan] = {}
        self._lock = threading.Lock()

    def keep(self, id: str, plan: Relation, level: bytes) -> CachedPlan:
        kept = CachedPlan(plan, level, kind="checkpoint")
        with self._lock:
            self._known[id] = kept
        return kept

    def relation(self, id: str, context: Context) -> Relation:
        with self._lock:
            kept = self._known.get(id)
        if kept is None:
            raise SparkError("INTERNAL_ERROR", message=f"no checkpoint {id} in this session")
        return self._cache.rows(kept, context)

    def __bool__(self) -> bool:
        return bool(self._known)

    def has(self, id: str) -> bool:
        with self._lock:
            return id in self._known

    def remove(self, id: str) -> None:
        with self._lock:
            kept = self._known.pop(id, None)
        if kept is not None and kept.table is not None:
            self._cache.drop_table(kept.table)

    def clear(self) -> None:
        for id in list(self._known):
            self.remove(id)
