"""The requests that changed a session's state, in order, as bytes: replayed so that a new Spark has the same state."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

NEVER = -1


@dataclass
class Entry:
    """One change: the RPC, its requests (built when needed), and the Spark generation that has applied it."""

    rpc: str
    requests: Callable[[], Iterable[bytes]]
    what: str
    generation: int = NEVER
    artifact: str = ""  # the file's name, for an upload


def entry_of(rpc: str, request: bytes, what: str, generation: int = NEVER) -> Entry:
    return Entry(rpc, lambda: (request,), what, generation)


class Journal:
    """Append only, except that setting the same key twice in a row is one entry."""

    def __init__(self, entries: list[Entry] | None = None) -> None:
        self._lock = (
            threading.RLock()
        )  # held briefly: a change is recorded even while the journal is replayed on a slow or hung Spark
        self._replaying = threading.RLock()
        self._entries = entries or []

    def record(self, entry: Entry) -> None:
        """A loop of `conf.set` of one key stays one entry; any entry between could depend on the older value."""
        with self._lock:
            if self._entries and self._entries[-1].what == entry.what and entry.rpc == "Config":
                self._entries.pop()
            self._entries.append(entry)

    def replay(self, generation: int, apply: Callable[[Entry], None]) -> None:
        with self._replaying:
            while (entry := self._first_unknown(generation)) is not None:
                apply(entry)
                entry.generation = generation

    def _first_unknown(self, generation: int) -> Entry | None:
        with self._lock:
            return next((entry for entry in self._entries if entry.generation != generation), None)

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)
