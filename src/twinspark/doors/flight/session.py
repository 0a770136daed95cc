"""The Spark Connect session of a Flight call, called in this process: no second connection and no copy of the rows."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t
from pyspark.sql.connect.proto import base_pb2, commands_pb2, expressions_pb2, relations_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from twinspark.doors.connect.service import ConnectService
from twinspark.doors.flight.status import sqlstate_of
from twinspark.doors.http2 import Call, CallRejected
from twinspark.doors.thrift.backend import Arguments, BackendError
from twinspark.duck.results.month_intervals import readable
from twinspark.types.arrow import arrow_schema

CLIENT = "twinspark flight"
TIME_ZONE = "spark.sql.session.timeZone"
Literal = expressions_pb2.Expression


@dataclass(frozen=True)
class FlightSession:
    """Makes requests as the client of a call; they end, and are interrupted, with that call."""

    service: ConnectService
    user: str
    session_id: str
    call: Call

    def request(self, kind: Any, **fields: Any) -> Any:
        user = base_pb2.UserContext(user_id=self.user, user_name=self.user)
        return kind(session_id=self.session_id, user_context=user, client_type=CLIENT, **fields)

    def execute_plan(self, plan: base_pb2.Plan, tag: str | None = None) -> Iterator[base_pb2.ExecutePlanResponse]:
        tags = [tag] if tag else []
        request = self.request(base_pb2.ExecutePlanRequest, plan=plan, tags=tags, operation_id=str(uuid.uuid4()))
        for response in self.service.ExecutePlan(request.SerializeToString(), self.call):
            yield base_pb2.ExecutePlanResponse.FromString(response)

    def run_sql(
        self, query: str, positional: Sequence[Literal] = (), named: dict[str, Literal] | None = None
    ) -> relations_pb2.Relation:
        """Like `spark.sql`: runs a command at once, and returns the relation with the rows of either."""
        relation = sql_relation(query, positional, named)
        command = commands_pb2.Command(sql_command=commands_pb2.SqlCommand(input=relation))
        found = relation
        for response in self.execute_plan(base_pb2.Plan(command=command)):
            if response.HasField("sql_command_result"):
                found = response.sql_command_result.relation
        return found

    def streams(self, relation: relations_pb2.Relation, tag: str | None = None) -> Iterator[bytes]:
        """The rows as Arrow streams; an empty one where responses must not wait for further ones."""
        if relation.WhichOneof("rel_type") == "local_relation" and relation.local_relation.data:
            yield relation.local_relation.data
            return
        for response in self.execute_plan(base_pb2.Plan(root=relation), tag):
            yield response.arrow_batch.data if response.HasField("arrow_batch") else b""

    def spark_schema(self, relation: relations_pb2.Relation) -> t.StructType:
        schema = base_pb2.AnalyzePlanRequest.Schema(plan=base_pb2.Plan(root=relation))
        request = self.request(base_pb2.AnalyzePlanRequest, schema=schema)
        data = self.service.AnalyzePlan(request.SerializeToString(), self.call)
        answer = base_pb2.AnalyzePlanResponse.FromString(data)
        found: t.StructType = proto_schema_to_pyspark_data_type(answer.schema.schema)
        return found

    def arrow_schema(self, relation: relations_pb2.Relation) -> pa.Schema:
        return arrow_schema(self.spark_schema(relation), self.setting(TIME_ZONE))

    # ---- settings

    def setting(self, key: str) -> str:
        get = base_pb2.ConfigRequest.Get(keys=[key])
        return str(self.configure(base_pb2.ConfigRequest.Operation(get=get)).pairs[0].value)

    def change_setting(self, key: str, value: str) -> None:
        pair = base_pb2.KeyValue(key=key, value=value)
        self.configure(base_pb2.ConfigRequest.Operation(set=base_pb2.ConfigRequest.Set(pairs=[pair])))

    def configure(self, operation: base_pb2.ConfigRequest.Operation) -> base_pb2.ConfigResponse:
        request = self.request(base_pb2.ConfigRequest, operation=operation)
        return base_pb2.ConfigResponse.FromString(self.service.Config(request.SerializeToString(), self.call))

    # ---- ending

    def interrupt(self, tag: str) -> bool:
        kind = base_pb2.InterruptRequest.INTERRUPT_TYPE_TAG
        request = self.request(base_pb2.InterruptRequest, interrupt_type=kind, operation_tag=tag)
        answer = self.service.Interrupt(request.SerializeToString(), self.call)
        return bool(base_pb2.InterruptResponse.FromString(answer).interrupted_ids)

    def release(self) -> None:
        request = self.request(base_pb2.ReleaseSessionRequest)
        self.service.ReleaseSession(request.SerializeToString(), self.call)

    # ---- the interface that the listings of Thrift need (doors.thrift.backend.BackendSession)

    def prepare(self) -> str:
        return f"flight-{uuid.uuid4()}"

    def execute(self, name: str, sql: str, arguments: Arguments = None) -> "ListedRows":
        try:
            relation = self.run_sql(sql)
            streams = [each for each in self.streams(relation, name) if each]
        except CallRejected as rejection:
            raise BackendError(rejection.details, sqlstate_of(rejection)) from rejection
        return ListedRows([readable(batch) for each in streams for batch in pa.ipc.open_stream(each)])

    def describe(self, sql: str) -> t.StructType:
        try:
            return self.spark_schema(sql_relation(sql))
        except CallRejected as rejection:
            raise BackendError(rejection.details, sqlstate_of(rejection)) from rejection

    def time_zone(self) -> str:
        return self.setting(TIME_ZONE)

    def cancel(self, name: str) -> None:
        self.interrupt(name)

    def progress(self, name: str) -> float:
        return 0.0

    def close(self) -> None:
        self.release()


@dataclass(frozen=True)
class ListedRows:
    """The rows of a short statement."""

    rows: list[pa.RecordBatch]

    @property
    def schema(self) -> t.StructType:
        raise NotImplementedError("listings know the columns of their statements")

    @property
    def batches(self) -> Iterator[pa.RecordBatch]:
        return iter(self.rows)


def sql_relation(
    query: str, positional: Sequence[Literal] = (), named: dict[str, Literal] | None = None
) -> relations_pb2.Relation:
    sql = relations_pb2.SQL(query=query, pos_arguments=positional, named_arguments=named or {})
    return relations_pb2.Relation(common=relations_pb2.RelationCommon(plan_id=0), sql=sql)
