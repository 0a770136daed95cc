"""The names of the tables of the server itself; separate, so that looking up other tables imports nothing."""

from collections.abc import Sequence

SYSTEM, RUNTIME = "system", "runtime"
NAMES = ("operations", "sessions", "reasons")


def is_system_table(parts: Sequence[str]) -> bool:
    return len(parts) == 3 and [part.lower() for part in parts[:2]] == [SYSTEM, RUNTIME] and parts[2].lower() in NAMES
