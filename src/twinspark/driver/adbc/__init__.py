"""An ADBC driver for `adbc_driver_manager` (the extra `twinspark[adbc]`): ADBC's C functions, written in Python."""

from typing import Any

from adbc_driver_manager import dbapi

from twinspark.driver.adbc import statement as statement  # importing it registers all functions
from twinspark.driver.adbc.bridge import initialize_address

__all__ = ["connect", "initialize_address"]


def connect(uri: str, db_kwargs: dict[str, Any] | None = None, **options: Any) -> Any:
    """A connection of `adbc_driver_manager.dbapi`; `uri` and `db_kwargs` have the options of `driver.connect`."""
    given = {"init_func": initialize_address(), "driver": "twinspark", "uri": uri, **(db_kwargs or {})}
    return dbapi.connect(db_kwargs=given, autocommit=True, **options)
