"""What changed a session's state, in order, as the request bytes that changed it: replayed to bring Spark level."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

NEVER = -1


@dataclass
class Entry:
    """One change: the RPC, its requests, and the Spark generation that already knows it."""

    rpc: str
    requests: tuple[bytes, ...]
    what: str
    generation: int = NEVER


class Journal:
    """Append only, except that a change which repeats the newest entry's subject takes its place."""

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

    def copy(self) -> "Journal":
        """For a cloned session: the same history, none of it known to Spark under the new name."""
        with self._lock:
            return Journal([Entry(each.rpc, each.requests, each.what) for each in self._entries])

    def __len__(self) -> int:
        return len(self._entries)
