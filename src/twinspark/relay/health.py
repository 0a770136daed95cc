"""Two health checks of a Spark: whether it runs a query, and whether its server answers at all."""

import threading
import uuid
from enum import Enum

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.relay.grpc_calls import Relay

LATE = (grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED)
ABSENT = (*LATE, grpc.StatusCode.UNAVAILABLE)
HEALTH_USER = "twinspark-health"


class Health(Enum):
    WELL = "it answered a query"
    BUSY = "it did not answer in time, which a long queue explains"
    ILL = "it rejected a query that cannot fail"


def health(relay: Relay, seconds: float) -> Health:
    """Runs a query: a Spark whose context has stopped still has its port open."""
    request = health_query()
    try:
        responses = responses_within(relay, request, seconds)
        release_health_session(relay, request.session_id)
    except grpc.RpcError as failure:  # a relay that was closed meanwhile raises one, too
        return Health.BUSY if failure.code() in LATE else Health.ILL
    return Health.WELL if any(response.HasField("arrow_batch") for response in responses) else Health.ILL


def health_query() -> base_pb2.ExecutePlanRequest:
    request = base_pb2.ExecutePlanRequest(session_id=str(uuid.uuid4()))
    request.user_context.user_id = HEALTH_USER
    request.plan.root.range.start, request.plan.root.range.end, request.plan.root.range.step = 0, 1, 1
    request.plan.root.range.num_partitions = 1
    return request


def responses_within(
    relay: Relay, request: base_pb2.ExecutePlanRequest, seconds: float
) -> list[base_pb2.ExecutePlanResponse]:
    call = relay.stream("ExecutePlan", request.SerializeToString())
    timer = threading.Timer(seconds, call.cancel)
    timer.daemon = True
    timer.start()
    try:
        return [base_pb2.ExecutePlanResponse.FromString(each) for each in call]
    finally:
        timer.cancel()


def release_health_session(relay: Relay, session_id: str) -> None:
    release = base_pb2.ReleaseSessionRequest(session_id=session_id)
    release.user_context.user_id = HEALTH_USER
    relay.unary("ReleaseSession", release.SerializeToString(), timeout=5.0)


class Ping:
    """Requests Spark's version: any response, even an error, shows that the server's threads run."""

    def __init__(self, relay: Relay) -> None:
        request = base_pb2.AnalyzePlanRequest(session_id=str(uuid.uuid4()))
        request.user_context.user_id = HEALTH_USER
        request.spark_version.SetInParent()
        self._relay, self._request = relay, request.SerializeToString()

    def failure(self, timeout: float) -> str:
        """Why no response came; empty if one did."""
        try:
            self._relay.ping(self._request, timeout)
        except grpc.RpcError as failure:
            if failure.code() in ABSENT:
                return absence(failure, timeout)
        return ""


def absence(failure: grpc.RpcError, timeout: float) -> str:
    if failure.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no answer within {timeout:g} s"
    return failure.details() or failure.code().name
