"""What a server answers to a statement: a schema and rows, or the condition of an error."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException

NOT_NATIVE = "TWINSPARK_NOT_NATIVE"
TIMEOUT = "timeout"
MOST_ROWS = 20_000


class Overtime(BaseException):
    """Not an Exception: nothing on the way may take it for a failure of the statement."""


@dataclass(frozen=True)
class Answer:
    """Rows are texts, in the order in which they came; `detail` is an error's message."""

    schema: str = ""
    rows: tuple[str, ...] = ()
    condition: str = ""
    detail: str = ""

    @property
    def is_error(self) -> bool:
        return bool(self.condition)


def ask(spark: Any, statement: str, seconds: int) -> Answer:
    """As a user's program would: `spark.sql(…).collect()`."""
    try:
        with time_limit(seconds):
            return collect(spark, statement)
    except Overtime:
        spark.interruptAll()
        return Answer(condition=TIMEOUT)
    except PySparkException as error:
        return Answer(condition=condition_of(error), detail=str(error).partition("\n\nJVM stacktrace")[0][:600])
    except Exception as error:  # noqa: BLE001  what the client cannot convert, it cannot convert from either server
        return Answer(condition=f"client {type(error).__name__}", detail=str(error)[:300])


def collect(spark: Any, statement: str) -> Answer:
    frame = spark.sql(statement)
    rows = frame.collect()
    return Answer(schema=frame.schema.json(), rows=tuple(map(repr, rows[:MOST_ROWS])))


def condition_of(error: PySparkException) -> str:
    """Errors of Java have no condition: their class, as the client knows it."""
    return error.getCondition() or type(error).__name__


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    signal.signal(signal.SIGALRM, raise_overtime)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def raise_overtime(*_: object) -> None:
    raise Overtime
