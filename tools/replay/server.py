"""The server that recorded cases and random inputs are tried on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@contextmanager
def server() -> Iterator[str]:
    """The server named by TWINSPARK_TEST_REMOTE, or one of our own that never asks Spark."""
    if named := os.environ.get("TWINSPARK_TEST_REMOTE"):
        yield named
        return
    own = ConnectServer(Settings(engine="duckdb"))
    try:
        yield own.url
    finally:
        own.stop(grace=1.0)
