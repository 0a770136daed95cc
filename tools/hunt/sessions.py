"""Runs a whole script on a new session with a new schema, and leaves the server as it was."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from tools.hunt.answers import NOT_NATIVE, TIMEOUT, Answer, ask
from tools.hunt.scripts import Script, is_query

SCHEMA = "hunted"
SHARED = ("default", "global_temp")
FIXTURE_SECONDS = 60
LAST_OPERATION = "twinspark.lastOperation"
NEEDS_SCHEMA = re.compile(r"(?i)^\s*(create|drop|insert|alter|from|cache|use)\b")


@dataclass(frozen=True)
class Server:
    """A Spark Connect server and the settings of every session there."""

    url: str
    settings: Mapping[str, str]
    seconds: int = 20
    native: bool = False

    def run(self, script: Script, wanted: Sequence[Answer] = ()) -> list[Answer]:
        """An answer to every statement; what follows a statement that took too long is not tried. `wanted`
        are the answers of Spark, when this server is not Spark."""
        spark = self.session()
        stateful = any(NEEDS_SCHEMA.match(statement) for statement in script.statements)
        try:
            prepare(spark, stateful, script.fixtures)
            return list(self.answers(spark, script, wanted))
        finally:
            self.clean(spark, stateful)

    def session(self) -> Any:
        spark = SparkSession.builder.remote(self.url).create()
        for key, value in self.settings.items():
            spark.conf.set(key, value)
        return spark

    def answers(self, spark: Any, script: Script, wanted: Sequence[Answer]) -> Iterator[Answer]:
        """A change that Spark made and the native engine did not leaves the rest without its input."""
        lost: Answer | None = None
        for statement, theirs in zip_longest(script.statements, wanted):
            answer = lost or self.answer(spark, statement)
            yield answer
            missing = answer.condition == NOT_NATIVE and not is_query(statement) and not (theirs and theirs.is_error)
            if answer.condition == TIMEOUT or missing:
                lost = answer

    def answer(self, spark: Any, statement: str) -> Answer:
        """Where only Spark knows the exact error, the native engine falls back, and without a Spark it raises the
        likely one: docs/decisions/likely-errors.md."""
        answer = ask(spark, statement, self.seconds)
        is_likely = self.native and answer.is_error and was_not_native(spark)
        return Answer(condition=NOT_NATIVE) if is_likely else answer

    def clean(self, spark: Any, stateful: bool) -> None:
        if stateful:
            try_each(spark, ["USE spark_catalog.default", f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"])
            drop_others(spark)
        spark.stop()


def was_not_native(spark: Any) -> bool:
    return json.loads(spark.conf.get(LAST_OPERATION, "{}")).get("outcome") == "REFUSED"


def try_each(spark: Any, statements: Iterable[str]) -> None:
    """What fails shows in the answers: the same statements run on both servers."""
    for statement in statements:
        ask(spark, statement, FIXTURE_SECONDS)


def prepare(spark: Any, stateful: bool, fixtures: tuple[str, ...]) -> None:
    own = (f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", f"CREATE SCHEMA {SCHEMA}", f"USE {SCHEMA}")
    try_each(spark, (*(own if stateful else ()), *fixtures))


def drop_others(spark: Any) -> None:
    """Schemas and tables that a script made outside of its own schema, and global temporary views."""
    schemas = names_of(spark, "SHOW SCHEMAS", 0)
    try_each(spark, (f"DROP SCHEMA IF EXISTS `{name}` CASCADE" for name in schemas if name not in SHARED))
    try_each(spark, (f"DROP TABLE IF EXISTS default.`{name}`" for name in names_of(spark, "SHOW TABLES IN default", 1)))
    views = names_of(spark, "SHOW VIEWS IN global_temp", 1)
    try_each(spark, (f"DROP VIEW IF EXISTS global_temp.`{name}`" for name in views))


def names_of(spark: Any, statement: str, column: int) -> list[str]:
    try:
        return [row[column] for row in spark.sql(statement).collect()]
    except PySparkException:
        return []  # there is no global_temp before its first view
