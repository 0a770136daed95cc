"""Keeps from a server's start what only clients need."""

import sys
from importlib.util import find_spec, module_from_spec

PACKAGE = "pyspark.sql.connect"


def without_client_checks() -> None:
    """PySpark's package of messages, without its `__init__`: that only checks what clients need, and imports pandas
    for it, a third of the time until a server listens. Whoever needs pandas imports it then."""
    if PACKAGE in sys.modules or (found := find_spec(PACKAGE)) is None:
        return
    package = sys.modules[PACKAGE] = module_from_spec(found)
    parent, _, name = PACKAGE.rpartition(".")
    setattr(sys.modules[parent], name, package)
