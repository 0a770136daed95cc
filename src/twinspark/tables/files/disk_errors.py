"""Translates file system errors of writes (disk full or broken, name too long) to Spark's TASK_WRITE_FAILED."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from twinspark.errors import SparkError

REFUSALS = (
    *(errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS),
    *(errno.ENAMETOOLONG, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ELOOP),
)
NUL = "embedded null"  # Python's error for a path with a NUL
FAILED = "TASK_WRITE_FAILED"


@contextmanager
def writing_to(place: str) -> Iterator[None]:
    """Raises TASK_WRITE_FAILED when files below the path cannot be written."""
    try:
        yield
    except (OSError, ValueError, duckdb.IOException, sqlite3.OperationalError, *catalog_errors()) as failure:
        if not is_refusal(failure):
            raise
        raise write_error(place) from failure


def catalog_errors() -> tuple[type[Exception], ...]:
    """The errors of PyIceberg's catalogs; imported only after a failure, since the import takes long."""
    from sqlalchemy.exc import OperationalError

    return (OperationalError,)


def write_error(place: str) -> SparkError:
    return SparkError(FAILED, path=f"file:{place}")


def names_refusal(message: str) -> bool:
    return any(os.strerror(number) in message for number in REFUSALS)


def is_refusal(failure: Exception) -> bool:
    if isinstance(failure, ValueError):
        return NUL in str(failure)
    if isinstance(failure, OSError):
        return failure.errno in REFUSALS
    if isinstance(failure, duckdb.IOException):
        return names_refusal(str(failure))
    return "disk" in str(failure)  # SQLite's messages: "database or disk is full", "disk I/O error"
