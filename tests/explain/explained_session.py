"""One request given to `explain` and to a real server: what each says about engine, reason, SQL or error."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.session import SparkSession

from twinspark.compile.pipeline import CompiledPlan
from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import JavaError, SparkError, reasons
from twinspark.operations.explain import Explanation, explain_plan, plan_of_text
from twinspark.sessions.session import Session
from twinspark.sessions.shared import EndedOperation

# What differs each time that a plan is compiled: the time in microseconds, the numbers of lambda variables.
PASSING = re.compile(r"\b1[789]\d{14}\b|\b(?:variable|cast)_\d+_|\bj\d+\b")


@dataclass
class Observed:
    """What a server did: its operations, the SQL that DuckDB logged, the condition of an error."""

    operations: list[EndedOperation] = field(default_factory=list)
    sql: list[str] = field(default_factory=list)
    condition: str | None = None
    last_operation: dict[str, Any] = field(default_factory=dict)

    @property
    def chose_engine(self) -> bool:
        return any(each.cause.reason is not reasons.PLANNING for each in self.operations)


class Served:
    """A session of a real client on a server of this process, whose DuckDB logs every statement."""

    def __init__(self, server: ConnectServer) -> None:
        self.server = server
        self.spark = SparkSession.builder.remote(server.url).create()
        self.spark.conf.get("spark.sql.session.timeZone")  # the server knows a session after its first request
        self.log = server.shared.native.cursor()
        self.log.execute("CALL enable_logging('QueryLog')")

    def close(self) -> None:
        self.log.execute("CALL disable_logging()")
        self.spark.stop()

    @property
    def session(self) -> Session:
        return next(each for each in self.server.sessions.all() if each.session_id == self.spark.session_id)

    def plan_of(self, text: str) -> base_pb2.Plan:
        return plan_of_text(self.session, text)

    def difference(self, plan: base_pb2.Plan) -> str:
        """Between what `explain` says and what the server then does; empty if there is none."""
        explained = self.explain(plan)
        observed = self.execute(plan)
        if isinstance(explained, str):
            return error_difference(explained, observed)
        return operation_difference(explained, observed)

    def explain(self, plan: base_pb2.Plan) -> Explanation | str:
        """The explanation, or the condition of the error that the server would raise."""
        try:
            explained = explain_plan(self.session, plan)
        except SparkError as error:
            return error.condition
        except JavaError:
            return ""
        assert "== Engine ==" in list(explained.lines())
        return explained

    def execute(self, plan: base_pb2.Plan) -> Observed:
        observed = Observed()
        self.log.execute("CALL truncate_duckdb_logs()")
        request = self.spark._client._execute_plan_request_with_metadata()
        request.plan.CopyFrom(plan)
        with self.listening(observed):
            try:
                self.spark._client._execute(request)
            except PySparkException as error:
                observed.condition = error.getCondition() or ""
        observed.sql = [row[0] for row in self.log.execute("SELECT message FROM duckdb_logs").fetchall()]
        observed.last_operation = json.loads(self.spark.conf.get("twinspark.lastOperation") or "{}")
        return observed

    @contextmanager
    def listening(self, observed: Observed) -> Iterator[None]:
        listener = observed.operations.append
        self.server.shared.listeners.append(listener)
        try:
            yield
        finally:
            self.server.shared.listeners.remove(listener)


def error_difference(condition: str, observed: Observed) -> str:
    """Errors of analysis come before an engine is chosen."""
    if condition == observed.condition and not observed.chose_engine:
        return ""
    return f"explain raises {condition}, the server {observed.condition} after {observed.operations}"


def operation_difference(explained: Explanation, observed: Observed) -> str:
    if not observed.chose_engine:
        return f"explain says {explained.engine}: {explained.cause}, the server raises {observed.condition}"
    said = (explained.engine, explained.cause.reason.code)
    did = (observed.last_operation["engine"], observed.last_operation["code"])
    if explained.engine == "duckdb":
        return sql_difference(explained, observed) or fall_back_difference(said, did, observed)
    return "" if said == did else f"explain says {said}, the server did {did}"


def fall_back_difference(said: tuple[str, str], did: tuple[str, str], observed: Observed) -> str:
    """A plan may still fall back when its rows are computed; the server then reports the time that this took."""
    ran = observed.operations[-1].seconds > 0
    return "" if said == did or ran else f"explain says {said}, the server did {did} without running anything"


def sql_difference(explained: Explanation, observed: Observed) -> str:
    """DuckDB has to have run what explain shows; of commands that is what they write."""
    ran = {PASSING.sub("", each) for each in observed.sql}
    if explained.is_constant:
        return f"explain says that no SQL runs, the server ran {ran}" if ran else ""
    runs = explained.is_query or any(each.startswith("COPY") for each in ran)
    if not runs or not explained.compiled or any(is_run(each, ran) for each in explained.compiled):
        return ""
    if observed.last_operation["outcome"] != "SUCCEEDED":
        return ""  # rows that Spark computes before all others run first; if they fail, nothing else runs
    return f"explain says\n    {explained.compiled[0].sql}\n  the server ran\n    {observed.sql}"


def is_run(compiled: CompiledPlan, ran: set[str]) -> bool:
    """By itself, or inside of a COPY that writes its rows."""
    text, sql = PASSING.sub("", compiled.text), PASSING.sub("", compiled.sql)
    return sql in ran or any(f"({text})" in each for each in ran)
