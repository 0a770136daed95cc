"""Selects PySpark's functions and Window class for a session: those of Spark Connect or those of classic PySpark."""

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
    """Depends on the session and not on PySpark's process-wide mode: a program may have sessions of both kinds."""
    if isinstance(session, ConnectSession):
        return Dialect(connect_functions, connect_window.Window)
    return Dialect(pyspark.sql.functions, window.Window)
