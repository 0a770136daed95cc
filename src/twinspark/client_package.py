"""Imports PySpark's Spark Connect package without running the checks that its `__init__` makes for clients."""

import sys
import warnings
from importlib.util import find_spec, module_from_spec

PACKAGE = "pyspark.sql.connect"
# PySpark says so at each of several imports; twinspark is tested with pandas 3 (tests/install).
PANDAS = "PySpark does not yet fully support pandas"


def without_client_checks() -> None:
    """It imports pandas for its checks, a third of the time until a server listens; and under `python -c` it
    takes itself for a doctest and ends the process where Spark's jars are not installed (check_dependencies)."""
    warnings.filterwarnings("ignore", PANDAS, FutureWarning)
    if PACKAGE in sys.modules or (found := find_spec(PACKAGE)) is None:
        return
    package = sys.modules[PACKAGE] = module_from_spec(found)
    parent, _, name = PACKAGE.rpartition(".")
    setattr(sys.modules[parent], name, package)
