"""Writes that the disk refuses (it is full, or broken), told as Spark tells them."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from twinspark.errors import SparkError

REFUSALS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS)
FAILED = "TASK_WRITE_FAILED"


@contextmanager
def writing_to(place: str) -> Iterator[None]:
    """What a task of Spark's says when its files cannot be written."""
    try:
        yield
    except (OSError, duckdb.IOException, sqlite3.OperationalError, *of_catalogs()) as failure:
        if not is_refusal(failure):
            raise
        raise refused(place) from failure


def of_catalogs() -> tuple[type[Exception], ...]:
    """What PyIceberg's catalogs raise; asked for only when something failed, as it takes long to import."""
    from sqlalchemy.exc import OperationalError

    return (OperationalError,)


def refused(place: str) -> SparkError:
    return SparkError(FAILED, path=f"file:{place}")


def tells_refusal(message: str) -> bool:
    return any(os.strerror(number) in message for number in REFUSALS)


def is_refusal(failure: Exception) -> bool:
    if isinstance(failure, OSError):
        return failure.errno in REFUSALS
    if isinstance(failure, duckdb.IOException):
        return tells_refusal(str(failure))
    return "disk" in str(failure)  # "database or disk is full", "disk I/O error": SQLite's words
