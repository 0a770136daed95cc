"""Keeps what a temporary view was read as: a view over rows of the query itself is the same in every later query."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, with_new_ids
from twinspark.duck.write import write_sql
from twinspark.errors import NotNative
from twinspark.plan.contents import contents_of
from twinspark.sessions.plans.dependencies import Dependencies

Key = Hashable


@dataclass
class KnownFrame:
    """A view that was read once: whether it may be used again is decided when it is needed a second time."""

    key: Key
    frame: Frame
    dependencies: Dependencies
    now_micros: int
    may_last: bool | None = None

    def is_valid(self, key: Key, context: Context) -> bool:
        if self.key != key or self.may_last is False or not self._has_same_views(context):
            return False
        if self.may_last is None:
            self.may_last = is_lasting(self.frame, self.now_micros)
        return self.may_last

    def _has_same_views(self, context: Context) -> bool:
        return all(context.views.get(name) is view for name, view in self.dependencies.views.items())


class KnownFrames:
    """The last reading of one view, if it read nothing that changes: no files, no tables, no variables."""

    def __init__(self) -> None:
        self._known: KnownFrame | None = None

    def read(self, context: Context, read: Callable[[Context], Frame], *environment: Any) -> Frame:
        """`environment`: what the reading depends on beside the catalog, database and user."""
        if context.cache or context.variables or context.locals or context.needs_file_metadata:
            return read(context)
        key = (*key_of(context), *environment)
        known = self._known
        if known is not None and known.is_valid(key, context):
            return with_new_ids(known.frame, known.frame.slots.keys())
        dependencies = Dependencies()
        frame = read(dependencies.context(context))
        unchanging = dependencies.cacheable and not dependencies.files
        self._known = KnownFrame(key, frame, dependencies, context.now_micros) if unchanging else None
        return frame


def key_of(context: Context) -> tuple[Any, ...]:
    names = (context.catalog, context.database, context.user, context.session_id)
    flags = (context.shuffles, context.hides_keys, context.streams, context.is_script)
    return (*names, *flags, context.operation.rows_are_given)


def is_lasting(frame: Frame, now_micros: int) -> bool:
    """Whether the relation has neither randomness nor the time at which it was read."""
    contents = contents_of(frame.relation)
    try:
        text, _ = write_sql(frame.relation, contents)
    except NotNative:
        return False
    return contents.is_deterministic and str(now_micros) not in text
