"""The 12 RPCs of SparkConnectService, one short method each: bytes in, bytes out."""

from collections.abc import Callable, Iterator
from typing import Any

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.doors.connect.status import answered, streamed
from twinspark.errors import SparkError
from twinspark.session.session import Session
from twinspark.session.sessions import Sessions

SERVICE = "spark.connect.SparkConnectService"


class ConnectService:
    """Finds the session, asks it, and gives back what it says."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._session_of_call: dict[Any, Session] = {}

    @streamed
    def ExecutePlan(self, data: bytes, context: Any) -> Iterator[bytes]:
        request = base_pb2.ExecutePlanRequest.FromString(data)
        session = self._session(request, context)
        operation = session.start(request, data)
        context.add_callback(operation.hang_up)
        yield from operation.responses()
        if not operation.asked.reattachable:
            session.forget(operation.asked.operation_id)

    @answered
    def AnalyzePlan(self, data: bytes, context: Any) -> bytes:
        return self._session(base_pb2.AnalyzePlanRequest.FromString(data), context).spark.unary("AnalyzePlan", data)

    @answered
    def Config(self, data: bytes, context: Any) -> bytes:
        return self._session(base_pb2.ConfigRequest.FromString(data), context).spark.unary("Config", data)

    @answered
    def AddArtifacts(self, requests: Iterator[bytes], context: Any) -> bytes:
        first = next(requests)
        session = self._session(base_pb2.AddArtifactsRequest.FromString(first), context)
        return session.spark.add_artifacts([first, *requests])

    @answered
    def ArtifactStatus(self, data: bytes, context: Any) -> bytes:
        session = self._session(base_pb2.ArtifactStatusesRequest.FromString(data), context)
        return session.spark.unary("ArtifactStatus", data)

    @answered
    def Interrupt(self, data: bytes, context: Any) -> bytes:
        return self._session(base_pb2.InterruptRequest.FromString(data), context).spark.unary("Interrupt", data)

    @streamed
    def ReattachExecute(self, data: bytes, context: Any) -> Iterator[bytes]:
        request = base_pb2.ReattachExecuteRequest.FromString(data)
        operation = self._existing(request, context).operation(request.operation_id)
        if operation is None:
            raise SparkError("INVALID_HANDLE.OPERATION_NOT_FOUND", handle=request.operation_id)
        context.add_callback(operation.hang_up)
        yield from operation.reattach(request, data)

    @answered
    def ReleaseExecute(self, data: bytes, context: Any) -> bytes:
        request = base_pb2.ReleaseExecuteRequest.FromString(data)
        session = self._existing(request, context, observed=None)
        answer = base_pb2.ReleaseExecuteResponse(
            session_id=session.session_id, server_side_session_id=session.server_session_id
        )
        if operation := session.operation(request.operation_id):
            answer.operation_id = request.operation_id
            session.release(operation, request, data)
        return bytes(answer.SerializeToString())

    @answered
    def ReleaseSession(self, data: bytes, context: Any) -> bytes:
        request = base_pb2.ReleaseSessionRequest.FromString(data)
        answer = base_pb2.ReleaseSessionResponse(session_id=request.session_id)
        if session := self._sessions.close(request.user_context.user_id, request.session_id, request.allow_reconnect):
            answer.server_side_session_id = session.server_session_id
            session.close(data)
        return bytes(answer.SerializeToString())

    @answered
    def FetchErrorDetails(self, data: bytes, context: Any) -> bytes:
        request = base_pb2.FetchErrorDetailsRequest.FromString(data)
        session = self._session(request, context)
        kept = session.error(request.error_id)
        if kept is None and session.spark.open:
            return session.spark.unary("FetchErrorDetails", data)
        answer = base_pb2.FetchErrorDetailsResponse.FromString(kept or b"")
        answer.session_id, answer.server_side_session_id = session.session_id, session.server_session_id
        return bytes(answer.SerializeToString())

    @answered
    def CloneSession(self, data: bytes, context: Any) -> bytes:
        return self._session(base_pb2.CloneSessionRequest.FromString(data), context).spark.unary("CloneSession", data)

    @answered
    def GetStatus(self, data: bytes, context: Any) -> bytes:
        return self._session(base_pb2.GetStatusRequest.FromString(data), context).spark.unary("GetStatus", data)

    def session_of(self, context: Any) -> Session | None:
        """The session of a call that failed, if it had found one: its errors are kept there."""
        return self._session_of_call.pop(context, None)

    def _session(self, request: Any, context: Any) -> Session:
        session = self._sessions.of(request.user_context.user_id, request.session_id, observed_by(request))
        return self._remember(context, session)

    def _existing(self, request: Any, context: Any, **observed: None) -> Session:
        seen = observed.get("observed", observed_by(request)) if observed else observed_by(request)
        session = self._sessions.existing(request.user_context.user_id, request.session_id, seen)
        return self._remember(context, session)

    def _remember(self, context: Any, session: Session) -> Session:
        self._session_of_call[context] = session
        context.add_callback(lambda: self._session_of_call.pop(context, None))
        return session


def observed_by(request: Any) -> str | None:
    if request.HasField("client_observed_server_side_session_id"):
        return str(request.client_observed_server_side_session_id)
    return None


def method_handlers(service: ConnectService) -> grpc.GenericRpcHandler:
    """No serializers: every method takes and gives bytes."""
    kinds: dict[Callable[..., Any], tuple[str, ...]] = {
        grpc.unary_stream_rpc_method_handler: ("ExecutePlan", "ReattachExecute"),
        grpc.stream_unary_rpc_method_handler: ("AddArtifacts",),
        grpc.unary_unary_rpc_method_handler: (
            *("AnalyzePlan", "Config", "ArtifactStatus", "Interrupt", "ReleaseExecute", "ReleaseSession"),
            *("FetchErrorDetails", "CloneSession", "GetStatus"),
        ),
    }
    handlers = {name: kind(getattr(service, name)) for kind, names in kinds.items() for name in names}
    return grpc.method_handlers_generic_handler(SERVICE, handlers)
