"""Traces one query through a server in this process: calls, files, room changes and walks over the whole plan.

python -m tools.life_of_a_query
"""

import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import twinspark
from twinspark.plan.relations import Relation

QUERY = "select a, count(*) n from t group by a"
TABLE = "create or replace temporary view t as select * from values (1), (2), (1) as t(a)"
# Imports and caches that a server fills once are filled by a query with another column name, which is another plan.
FIRST_QUERY = "select a, count(*) first from t group by a"
SOURCE = str(Path(twinspark.__file__).parent) + "/"


@dataclass(frozen=True)
class Call:
    file: str
    function: str

    @property
    def room(self) -> str:
        return self.file.partition("/")[0].removesuffix(".py")


@dataclass
class Trace:
    """The calls of each thread, in order. A generator that goes on counts as a call, as in Python's profiler."""

    threads: dict[int, list[Call]] = field(default_factory=lambda: defaultdict(list))

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and is_traced(frame):
            self.threads[threading.get_ident()].append(call_of(frame))

    @property
    def calls(self) -> list[Call]:
        return [call for calls in self.threads.values() for call in calls]

    @property
    def room_changes(self) -> int:
        return sum(one.room != other.room for calls in self.threads.values() for one, other in pairwise(calls))


@dataclass
class Entry:
    """A call that got a plan as an argument, and whether anything read that plan's leaf while it ran."""

    frame: FrameType
    plan: Relation
    reaches_leaf: bool = False
    has_walk_inside: bool = False


@dataclass
class Walks:
    """The innermost calls that get the whole plan and reach its leaf: one for each walk over the plan."""

    found: list[Call] = field(default_factory=list)
    stacks: dict[int, list[Entry]] = field(default_factory=lambda: defaultdict(list))

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        if not is_traced(frame):
            return
        stack = self.stacks[threading.get_ident()]
        if event == "call" and (plan := whole_plan(frame, stack)) is not None:
            stack.append(Entry(frame, plan))
        elif event == "return" and stack and stack[-1].frame is frame:
            self.leave(stack)

    def leave(self, stack: list[Entry]) -> None:
        entry = stack.pop()
        is_walk = entry.reaches_leaf and not entry.has_walk_inside
        if is_walk:
            self.found.append(call_of(walker(entry.frame)))
        if stack:
            stack[-1].has_walk_inside |= is_walk or entry.has_walk_inside

    def note_read(self, node: Relation) -> None:
        if (stack := self.stacks[threading.get_ident()]) and not node.inputs:
            stack[-1].reaches_leaf = True


def is_traced(frame: FrameType) -> bool:
    """The history's thread records operations after their end: what it does is no part of this query's life."""
    return frame.f_code.co_filename.startswith(SOURCE) and threading.current_thread().name != "history"


def walker(frame: FrameType) -> FrameType:
    """Who walks: the plan room has walks that others use, so its callers are named instead."""
    while call_of(frame).room == "plan" and frame.f_back and frame.f_back.f_code.co_filename.startswith(SOURCE):
        frame = frame.f_back
    return frame


def call_of(frame: FrameType) -> Call:
    return Call(frame.f_code.co_filename.removeprefix(SOURCE), frame.f_code.co_qualname)


def whole_plan(frame: FrameType, stack: list[Entry]) -> Relation | None:
    """A plan among the arguments that aggregates, and is no part of a plan that a caller got."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for value in map(frame.f_locals.get, names):
        if isinstance(value, Relation) and has_aggregate(value) and not any(is_inside(value, e.plan) for e in stack):
            return value
    return None


def nodes_of(plan: Relation) -> Iterator[Relation]:
    yield plan
    for each in plan.inputs:
        yield from nodes_of(each)


def has_aggregate(plan: Relation) -> bool:
    return any(type(node).__name__ == "Aggregate" for node in nodes_of(plan))


def is_inside(node: Relation, plan: Relation) -> bool:
    return node is not plan and any(each is node for each in nodes_of(plan))


@contextmanager
def watched_reads(note: Callable[[Relation], None]) -> Iterator[None]:
    """Reports every attribute that the server reads of a relation, and none that is read for this measurement."""

    def read(node: Relation, name: str) -> Any:
        if not name.startswith("__") and not MEASURING.active:
            with measuring():
                note(node)
        return object.__getattribute__(node, name)

    Relation.__getattribute__ = read  # type: ignore[method-assign]
    try:
        yield
    finally:
        del Relation.__getattribute__


class Measuring(threading.local):
    active = False


MEASURING = Measuring()


@contextmanager
def measuring() -> Iterator[None]:
    MEASURING.active = True
    try:
        yield
    finally:
        MEASURING.active = False


@contextmanager
def profiled(note: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    """Threads of the server exist already: they look at `PROFILER`, which is set for as long as this runs."""
    PROFILER.append(note)
    try:
        yield
    finally:
        PROFILER.remove(note)


PROFILER: list[Callable[[FrameType, str, object], None]] = []


def profile(frame: FrameType, event: str, argument: object) -> None:
    if PROFILER and not MEASURING.active:
        with measuring():
            PROFILER[-1](frame, event, argument)


def measure() -> tuple[Trace, Walks]:
    threading.setprofile(profile)
    sys.setprofile(profile)
    spark = twinspark.session()
    spark.sql(TABLE)
    spark.sql(FIRST_QUERY).collect()
    trace, walks = Trace(), Walks()
    with profiled(trace.note):
        spark.sql(QUERY).collect()
    with watched_reads(walks.note_read), profiled(walks.note):
        spark.sql(QUERY.replace(" n ", " m ")).collect()
    sys.setprofile(None)
    threading.setprofile(None)
    return trace, walks


def counts(trace: Trace, walks: Walks) -> dict[str, int]:
    calls = trace.calls
    return {
        "calls": len(calls),
        "files": len({call.file for call in calls}),
        "functions": len(set(calls)),
        "room changes": trace.room_changes,
        "walks over the whole plan": len(walks.found),
    }


def rooms_in_order(trace: Trace) -> list[tuple[str, Call, int, int]]:
    """Each room with the first call into it, its calls and its files."""
    calls = trace.calls
    number = Counter(call.room for call in calls)
    first: dict[str, Call] = {}
    for call in max(trace.threads.values(), key=len):
        first.setdefault(call.room, call)
    return [(room, call, number[room], len({c.file for c in calls if c.room == room})) for room, call in first.items()]


if __name__ == "__main__":
    measured = measure()
    print(counts(*measured))
    for row in rooms_in_order(measured[0]):
        print(*row)
    for walk in measured[1].found:
        print(walk.file, walk.function)
