"""PySpark's functions and windows for a session: the Connect ones for a Connect session, the classic ones else."""

from dataclasses import dataclass
from typing import Any

import pyspark.sql.functions
from pyspark.sql import window
from pyspark.sql.connect import functions as connect_functions
from pyspark.sql.connect import window as connect_window
from pyspark.sql.connect.session import SparkSession as ConnectSession


@dataclass(frozen=True)
class Dialect:
    functions: Any
    window: Any


def dialect_of(session: Any) -> Dialect:
    """Chosen by the session itself, not by PySpark's process-wide switch: a program may hold sessions of both kinds."""
    if isinstance(session, ConnectSession):
        return Dialect(connect_functions, connect_window.Window)
    return Dialect(pyspark.sql.functions, window.Window)
