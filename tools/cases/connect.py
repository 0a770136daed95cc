"""A bare Spark Connect client: one call to analyse, one to execute, errors as conditions; no retries."""

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pyarrow as pa
from google.rpc import error_details_pb2, status_pb2
from pyspark.sql import types as t
from pyspark.sql.connect.proto import base_pb2, base_pb2_grpc, relations_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

LARGE = 1 << 28


class ServerError(Exception):
    """What the server refused to do, by the name of its error condition."""

    def __init__(self, condition: str, message: str) -> None:
        self.condition, self.message = condition, message
        super().__init__(f"{condition}: {message}")


@dataclass(frozen=True)
class Mode:
    """The two settings on which Spark's answers depend most."""

    ansi: bool = True
    zone: str = "UTC"

    def settings(self) -> dict[str, str]:
        # One partition, so that first() and collect_list() have one answer; nothing adaptive: the queries are small.
        return {
            "spark.sql.ansi.enabled": str(self.ansi).lower(),
            "spark.sql.session.timeZone": self.zone,
            "spark.sql.timeType.enabled": "true",
            "spark.sql.leafNodeDefaultParallelism": "1",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.adaptive.enabled": "false",
        }

    def __str__(self) -> str:
        return f"ansi={str(self.ansi).lower()} zone={self.zone}"


@dataclass(frozen=True)
class Result:
    """What a query gave: Spark's schema and the rows in Arrow."""

    schema: t.StructType
    rows: pa.Table


class Connection:
    """One session of one server, in one mode."""

    def __init__(self, remote: str, mode: Mode | None = None) -> None:
        address = remote.removeprefix("sc://").split("/")[0]
        self.channel = grpc.insecure_channel(address, options=channel_options())
        self.stub = base_pb2_grpc.SparkConnectServiceStub(self.channel)
        self.session_id = str(uuid.uuid4())
        self.user = base_pb2.UserContext(user_id="recorder")
        self.configure((mode or Mode()).settings())

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.stub.ReleaseSession(base_pb2.ReleaseSessionRequest(session_id=self.session_id, user_context=self.user))
        self.channel.close()

    def configure(self, settings: Mapping[str, str]) -> None:
        request = base_pb2.ConfigRequest(session_id=self.session_id, user_context=self.user)
        for key, value in settings.items():
            request.operation.set.pairs.add(key=key, value=value)
        self.call(self.stub.Config, request)

    def analyze(self, relation: relations_pb2.Relation) -> t.StructType:
        request = base_pb2.AnalyzePlanRequest(session_id=self.session_id, user_context=self.user)
        request.schema.plan.root.CopyFrom(relation)
        return struct_of(self.call(self.stub.AnalyzePlan, request).schema.schema)

    def execute(self, relation: relations_pb2.Relation) -> Result:
        """The schema travels in the responses too: one call answers types and values."""
        request = base_pb2.ExecutePlanRequest(session_id=self.session_id, user_context=self.user)
        request.plan.root.CopyFrom(relation)
        with translated_errors():
            responses = list(self.stub.ExecutePlan(request))
        schema = next(r.schema for r in responses if r.HasField("schema"))
        batches = [read_batch(r) for r in responses if r.HasField("arrow_batch")]
        return Result(struct_of(schema), pa.concat_tables(batches))

    def call(self, method: Any, request: Any) -> Any:
        with translated_errors():
            return method(request)


def struct_of(message: Any) -> t.StructType:
    schema = proto_schema_to_pyspark_data_type(message)
    assert isinstance(schema, t.StructType)
    return schema


def channel_options() -> list[tuple[str, int]]:
    return [("grpc.max_receive_message_length", LARGE), ("grpc.max_send_message_length", LARGE)]


def read_batch(response: base_pb2.ExecutePlanResponse) -> pa.Table:
    return pa.ipc.open_stream(response.arrow_batch.data).read_all()


def sql_relation(query: str) -> relations_pb2.Relation:
    return relations_pb2.Relation(sql=relations_pb2.SQL(query=query))


def projection(schema: t.StructType, expressions: list[str]) -> relations_pb2.Relation:
    """Expression texts over an empty relation of the given schema: for analysis alone."""
    relation = relations_pb2.Relation()
    relation.project.input.local_relation.schema = schema.json()
    for text in expressions:
        relation.project.expressions.add().expression_string.expression = text
    return relation


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turns gRPC's error into Spark's condition."""
    try:
        yield
    except grpc.RpcError as error:
        raise ServerError(condition_of(error), str(error.details())) from error


def condition_of(error: grpc.RpcError) -> str:
    """By its metadata; where long parameters pushed that out, by the message; else the exception's class."""
    for info in error_infos(error):
        if "errorClass" in info.metadata:
            return str(info.metadata["errorClass"])
    named = re.match(r"\[([A-Z_0-9.]+)\]", error.details() or "")
    infos = [info.reason.rsplit(".", 1)[-1] for info in error_infos(error)]
    return named[1] if named else infos[0] if infos else f"gRPC:{error.code().name}"


def error_infos(error: grpc.RpcError) -> Iterator[error_details_pb2.ErrorInfo]:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    yield info
