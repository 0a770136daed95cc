"""One recorded step of a session: the kinds of messages its client sent, and what Spark answered."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import grpc
from message_kinds import kinds_in
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame
from pyspark.sql.connect.session import SparkSession

RECORDED = Path(__file__).parent / "recorded" / "sessions.jsonl"


@dataclass(frozen=True)
class Recorded:
    """`schema` and `rows` of a frame, `value` of another call, or `condition` and `parameters`."""

    topic: str
    name: str
    kinds: list[str]
    schema: dict[str, Any] | None = None
    rows: list[str] | None = None
    value: str | None = None
    condition: str | None = None
    parameters: dict[str, str] | None = None

    def line(self) -> str:
        return json.dumps({k: v for k, v in asdict(self).items() if v is not None}, ensure_ascii=False)


def read_recorded() -> list[Recorded]:
    return [Recorded(**json.loads(line)) for line in RECORDED.read_text().splitlines()]


class Listening(grpc.UnaryStreamClientInterceptor, grpc.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    """Notes what kinds of messages pass."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()

    def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
        return self._passed(continuation, details, request)

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return self._passed(continuation, details, request)

    def _passed(self, continuation: Any, details: Any, request: Any) -> Any:
        self.kinds.update(kinds_in(request))  # `|=` would assign: PySpark releases a call's rows in another thread
        return continuation(details, request)


def listened_session(url: str) -> tuple[Any, Listening]:
    listening, builder = Listening(), DefaultChannelBuilder(url)
    builder.add_interceptor(listening)
    session = SparkSession.builder.channelBuilder(builder).create()
    SparkSession._active_session.session = session  # PySpark gives a checkpoint to the active session, whoever asked
    return session, listening


def asked(url: str, topic: str, steps: Any, place: str) -> Iterator[Recorded]:
    spark, listening = listened_session(url)
    for name, step in steps.items():
        listening.kinds = set()
        answer = answer_of(step, spark, place)
        yield Recorded(topic, name, sorted(listening.kinds), **answer)
    spark.stop()


def answer_of(step: Any, spark: Any, place: str) -> dict[str, Any]:
    try:
        made = step(spark, place)
        if not isinstance(made, DataFrame | ConnectFrame):
            return {"value": plain(repr(made), place)}
        schema = json.loads(made.schema.json())
        return {"schema": schema, "rows": sorted(repr(tuple(row)) for row in made.collect())}
    except PySparkException as error:
        told = {k: plain(str(v), place) for k, v in (error.getMessageParameters() or {}).items()}
        return {"condition": error.getCondition() or type(error).__name__, "parameters": told}


def plain(text: str, place: str) -> str:
    """Without what differs from one run to the next."""
    text = text.replace(f"file:{place}", "<place>").replace(place, "<place>")
    return re.sub(r"file:/\S*?/(?=twin_\w+\.db)", "<warehouse>/", text)
