"""What changed a session's state, in order, as the request bytes that changed it: replayed to bring Spark level."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

NEVER = -1


@dataclass
class Entry:
    """One change: the RPC, its requests (made when they are needed), and the Spark generation that knows it."""

    rpc: str
    requests: Callable[[], Iterable[bytes]]
    what: str
    generation: int = NEVER
    artifact: str = ""  # the file's name, for an upload


def entry_of(rpc: str, request: bytes, what: str, generation: int = NEVER) -> Entry:
    return Entry(rpc, lambda: (request,), what, generation)


class Journal:
    """Append only, except that a setting made twice in a row is one line."""

    def __init__(self, entries: list[Entry] | None = None) -> None:
        self._lock = threading.RLock()
        self._entries = entries or []

    def record(self, entry: Entry) -> None:
        """A loop of `conf.set` of one key stays one line; anything between could depend on the older value."""
        with self._lock:
            if self._entries and self._entries[-1].what == entry.what and entry.rpc == "Config":
                self._entries.pop()
            self._entries.append(entry)

    def replay(self, generation: int, apply: Callable[[Entry], None]) -> None:
        with self._lock:
            for entry in self._entries:
                if entry.generation != generation:
                    apply(entry)
                    entry.generation = generation

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)
