"""Imports the modules that commands about tables need, while a server is idle."""

import atexit
import gc


def import_tables() -> None:
    """Imports all of them in the background; a request that comes meanwhile waits no longer than without this."""
    import pandas  # noqa: F401  # pyarrow imports it when it first converts Python values to an array

    from twinspark.commands import handlers  # noqa: F401
    from twinspark.tables import named_relations  # noqa: F401

    gc.freeze()  # modules are never garbage: traversing them in each collection would slow down queries
    atexit.register(gc.unfreeze)  # at exit they are collected
