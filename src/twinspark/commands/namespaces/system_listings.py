"""SHOW and DESCRIBE of the tables of the server itself (`system.runtime.operations` …), which no catalog has."""

from collections.abc import Sequence

from twinspark.analysis.context import Context
from twinspark.commands.names import matching
from twinspark.sessions.history.system_names import NAMES, RUNTIME, SYSTEM


def is_system_table(parts: Sequence[str], context: Context) -> bool:
    return context.tables is not None and context.tables.system_tables(parts, context) is not None


def is_below_system(parts: Sequence[str], context: Context) -> bool:
    """Whether these are `system` or `system.runtime`, and no catalog of that name has precedence."""
    begin = [part.lower() for part in parts]
    return begin in ([SYSTEM], [SYSTEM, RUNTIME]) and is_system_table((SYSTEM, RUNTIME, NAMES[0]), context)


def system_table_rows(parts: Sequence[str], pattern: str | None) -> list[tuple[str, str, bool]]:
    return [(RUNTIME, name, False) for name in matching(NAMES, pattern)] if len(parts) == 2 else []


def system_namespaces(parts: Sequence[str], pattern: str | None) -> list[str]:
    return matching([RUNTIME], pattern) if len(parts) == 1 else []
