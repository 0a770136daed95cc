"""Modules about tables: PyIceberg takes a second to import, so they come when first needed, or while a server waits."""

import atexit
import gc
import threading
from importlib import import_module
from types import ModuleType

# What statements about tables need; what they import comes with them.
ABOUT_TABLES = (
    *("session.sql_commands", "session.catalog_calls", "session.writes_frames", "session.table_commands_create"),
    *("session.writes_changes", "session.writes_merge", "tables.relations"),
)
# Two threads that import modules of one ring from two sides would see them half made; so they take turns.
_turn = threading.RLock()


def imported(name: str) -> ModuleType:
    with _turn:
        return import_module(f"twinspark.{name}")


def import_tables() -> None:
    """All of them, while nobody waits; whoever comes before the end waits no longer than without this."""
    for name in ABOUT_TABLES:
        imported(name)
    import_module("pandas")  # pyarrow asks for it as soon as it makes an array of Python's values
    gc.freeze()  # modules stay: looking for garbage in them again and again would cost queries later
    atexit.register(gc.unfreeze)  # at the end they go
