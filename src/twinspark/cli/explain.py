"""`twinspark explain`: prints the plans, the DuckDB SQL, the engine and the reasons for a SQL statement."""

import sys
from collections.abc import Iterator

from twinspark.errors import SparkError
from twinspark.operations.explain import explain_text
from twinspark.relay.attach import attach_spark
from twinspark.relay.engines import spark_engine
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.session import Session
from twinspark.sessions.settings import Settings
from twinspark.sessions.shared import Shared

ANYBODY = "00000000-0000-0000-0000-000000000000"


def explain_sql(settings: Settings, sql: str) -> int:
    """Prints the explanation, or the error with which the server would reject the statement."""
    try:
        for line in lines(settings, sql):
            print(line)
    except SparkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def lines(settings: Settings, sql: str) -> Iterator[str]:
    yield from explain_text(session_of(settings), sql).lines()


def session_of(settings: Settings) -> Session:
    """A new session, as a client of a server with these settings would have."""
    return Session("explain", ANYBODY, attach_spark(Shared(settings, NativeEngine()), spark_engine(settings)))
