"""Results that are kept: persisted plans, cached tables and checkpoints, as tables of the embedded engine."""

import itertools
import threading
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import duckdb

from twinspark.analysis.context import Context
from twinspark.duck import run
from twinspark.duck.errors import translated
from twinspark.errors import SparkError
from twinspark.plan.asked import with_records
from twinspark.plan.relations import Relation, Scan, relations_in

if TYPE_CHECKING:
    from twinspark.session.native import NativeEngine

LARGEST = 4 * 1024**3  # bytes that a kept plan may scan: beyond that it is computed again, as it would be read
_numbers = itertools.count(1)


@dataclass(eq=False)
class Kept:
    """A plan whose rows are kept once they have been computed; `name` is that of a cached table."""

    plan: Relation
    level: bytes
    name: tuple[str, ...] | None = None
    table: str | None = None
    stale: bool = False  # a table's files have changed: its plan is that of its next reader
    kind: str = "kept"  # how its table is called, with a number


class Cache:
    """One for a server, as Spark's CacheManager is: equal plans of all sessions find it."""

    def __init__(self, engine: "NativeEngine") -> None:
        self._engine = engine
        self._kept: list[Kept] = []
        self._lock = threading.RLock()

    def __bool__(self) -> bool:
        return bool(self._kept)

    def find(self, plan: Relation) -> Kept | None:
        with self._lock:
            return next((each for each in self._kept if each.plan == plan), None)

    def named(self, name: tuple[str, ...]) -> Kept | None:
        with self._lock:
            return next((each for each in self._kept if each.name == name), None)

    def add(self, plan: Relation, level: bytes, name: tuple[str, ...] | None = None) -> Kept:
        """What is kept already stays as it is, whatever level is asked for now."""
        with self._lock:
            kept = self.find(plan)
            if kept is None:
                kept = Kept(plan, level, name)
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
        """Files have changed: plans stay, the rows of those that read files are computed again."""
        with self._lock:
            for each in self._kept:
                if any(isinstance(one, Scan) for one in relations_in(each.plan)):
                    self._drop(each)
                    each.stale = each.name is not None

    def _forget(self, gone: list[Kept]) -> None:
        for each in gone:
            self._kept.remove(each)
            self._drop(each)

    def _drop(self, kept: Kept) -> None:
        if kept.table is not None:
            self._execute(f"DROP TABLE IF EXISTS {kept.table}")
            kept.table = None

    def _execute(self, text: str) -> None:
        cursor = self._engine.cursor()
        try:
            cursor.execute(text)
        finally:
            cursor.close()

    # ---- what plans find

    def of_table(self, name: tuple[str, ...], relation: Relation, context: Context) -> Relation:
        """A table that was cached by name shows the kept rows, whatever became of its files since."""
        with self._lock:
            kept = self.named(name)
            if kept is None or not is_small(relation):
                return relation
            if kept.stale:
                kept.plan, kept.stale = relation, False
            return self.rows(kept, context)

    def substituted(self, plan: Relation, context: Context) -> Relation:
        """The plan with kept parts read instead of computed, the largest parts first."""
        if not self._kept:
            return plan
        kept = self.find(plan)
        if kept is not None and is_small(kept.plan):
            return self.rows(kept, context)
        return with_inputs(plan, lambda each: self.substituted(each, context))

    def rows(self, kept: Kept, context: Context) -> Scan:
        """The kept rows, computed by whoever needs them first."""
        with self._lock:
            if kept.table is None:
                kept.table = self.materialized(kept, context)
            return scan_of(kept.table, kept.plan)

    def materialized(self, kept: Kept, context: Context) -> str:
        """Parts of the plan may be kept themselves."""
        inner = with_inputs(kept.plan, lambda each: self.substituted(each, context))
        if context.tables is not None:
            inner = context.tables.pruned(inner)
        return materialize(with_records(inner), kept.kind, context, self._engine)

    def drop_table(self, table: str) -> None:
        self._execute(f"DROP TABLE IF EXISTS {table}")


def materialize(plan: Relation, kind: str, context: Context, engine: "NativeEngine") -> str:
    name = f'"{kind} {next(_numbers)}"'
    text, statement = run.sql_of(plan)
    cursor = engine.cursor()
    columns = ", ".join(f"c{at}" for at in range(len(plan.fields)))
    try:
        run.prepare(cursor, statement, context.settings)
        cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM ({text}) AS kept({columns})")
    except duckdb.Error as error:
        raise translated(error) from error
    finally:
        cursor.close()
    return name


def scan_of(table: str, plan: Relation) -> Scan:
    return Scan(fields=plan.fields, sql=table, names=tuple(f"c{at}" for at in range(len(plan.fields))))


def is_small(plan: Relation) -> bool:
    scanned = sum(each.size_in_bytes for each in relations_in(plan) if isinstance(each, Scan))
    return bool(plan.fields) and scanned <= LARGEST


def with_inputs(plan: Relation, rule: Any) -> Relation:
    """The same relation over changed inputs; itself where none changed."""
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
    """Plans cut off from their past: their rows stay until the client lets them go."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, Kept] = {}
        self._lock = threading.Lock()

    def keep(self, id: str, plan: Relation, level: bytes) -> Kept:
        kept = Kept(plan, level, kind="checkpoint")
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
