"""The 12 RPCs of SparkConnectService, one short method each: bytes in, bytes out."""

import uuid
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from pyspark.sql.connect.proto import base_pb2

from twinspark.doors.connect.analyze import analyze
from twinspark.doors.connect.config import configure
from twinspark.doors.connect.status import answered, streamed
from twinspark.doors.http2 import Call, Kind, Method
from twinspark.errors import SparkError
from twinspark.session.operation import Operation
from twinspark.session.session import Session
from twinspark.session.sessions import Sessions

SERVICE = "spark.connect.SparkConnectService"
QUICK = ("Config", "ReleaseExecute", "ArtifactStatus", "GetStatus")  # they look at what the session knows


class ConnectService:
    """Finds the session, asks it, and gives back what it says."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    @streamed
    def ExecutePlan(self, data: bytes, call: Call) -> Iterator[bytes]:
        request = base_pb2.ExecutePlanRequest.FromString(data)
        session = self._session(request, call)
        operation = session.start(request, data)
        call.add_callback(operation.hang_up)
        yield from operation.responses()
        if not operation.asked.reattachable:
            session.forget(operation)

    @answered
    def AnalyzePlan(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.AnalyzePlanRequest.FromString(data)
        return analyze(self._session(request, call), request, data)

    @answered
    def Config(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.ConfigRequest.FromString(data)
        return packed(configure(self._session(request, call), request, data))

    @answered
    def AddArtifacts(self, requests: Iterator[bytes], call: Call) -> bytes:
        parsed = map(base_pb2.AddArtifactsRequest.FromString, requests)
        first = next(parsed)
        session = self._session(first, call)
        answer = base_pb2.AddArtifactsResponse(**ids_of(session))
        for upload in session.add_artifacts(chain([first], parsed)):
            answer.artifacts.add(name=upload.name, is_crc_successful=upload.good)
        return packed(answer)

    @answered
    def ArtifactStatus(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.ArtifactStatusesRequest.FromString(data)
        session = self._session(request, call)
        answer = base_pb2.ArtifactStatusesResponse(**ids_of(session))
        for name in request.names:
            answer.statuses[name].exists = session.artifacts.has(name)
        return packed(answer)

    @answered
    def Interrupt(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.InterruptRequest.FromString(data)
        session = self._session(request, call)
        answer = base_pb2.InterruptResponse(**ids_of(session))
        answer.interrupted_ids.extend(session.interrupt(chosen_by(request)))
        if session.spark.open:
            relayed = base_pb2.InterruptResponse.FromString(session.spark.unary("Interrupt", data))
            answer.interrupted_ids.extend(relayed.interrupted_ids)
        return packed(answer)

    @streamed
    def ReattachExecute(self, data: bytes, call: Call) -> Iterator[bytes]:
        request = base_pb2.ReattachExecuteRequest.FromString(data)
        session = self._existing(request, call)
        operation = session.operation(request.operation_id)
        if operation is None:
            raise session.missing(request.operation_id)
        call.add_callback(operation.hang_up)
        yield from operation.reattach(request, data)

    @answered
    def ReleaseExecute(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.ReleaseExecuteRequest.FromString(data)
        session = self._existing(request, call)
        answer = base_pb2.ReleaseExecuteResponse(**ids_of(session))
        if operation := session.operation(request.operation_id):
            answer.operation_id = request.operation_id
            session.release(operation, request, data)
        return packed(answer)

    @answered
    def ReleaseSession(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.ReleaseSessionRequest.FromString(data)
        answer = base_pb2.ReleaseSessionResponse(session_id=request.session_id)
        if session := self._sessions.close(request.user_context.user_id, request.session_id, request.allow_reconnect):
            answer.server_side_session_id = session.server_session_id
            session.close(data)
        return packed(answer)

    @answered
    def FetchErrorDetails(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.FetchErrorDetailsRequest.FromString(data)
        session = self._session(request, call)
        kept = session.error(request.error_id)
        if kept is None and session.spark.open:
            return session.spark.unary("FetchErrorDetails", data)
        answer = base_pb2.FetchErrorDetailsResponse.FromString(kept or b"")
        answer.MergeFrom(base_pb2.FetchErrorDetailsResponse(**ids_of(session)))
        return packed(answer)

    @answered
    def CloneSession(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.CloneSessionRequest.FromString(data)
        source = self._existing(request, call)
        request.new_session_id = request.new_session_id or str(uuid.uuid4())
        clone = self._sessions.clone(source, request.new_session_id)
        clone.inherit(source, request)
        answer = base_pb2.CloneSessionResponse(new_session_id=clone.session_id, **ids_of(source))
        answer.new_server_side_session_id = clone.server_session_id
        return packed(answer)

    @answered
    def GetStatus(self, data: bytes, call: Call) -> bytes:
        request = base_pb2.GetStatusRequest.FromString(data)
        session = self._existing(request, call)
        answer = base_pb2.GetStatusResponse(**ids_of(session))
        if request.HasField("operation_status"):
            for operation_id, state in statuses(session, list(request.operation_status.operation_ids)):
                answer.operation_statuses.add(operation_id=operation_id, state=state)
        return packed(answer)

    def _session(self, request: Any, call: Call) -> Session:
        session = self._sessions.of(request.user_context.user_id, request.session_id, observed_by(request))
        return remembered(call, session)

    def _existing(self, request: Any, call: Call) -> Session:
        session = self._sessions.existing(request.user_context.user_id, request.session_id, observed_by(request))
        return remembered(call, session)


def remembered(call: Call, session: Session) -> Session:
    """The errors of a call are kept in its session; one that lives on Spark too has to ask there."""
    call.known = session
    if session.spark.open:
        call.may_take_long()
    return session


def observed_by(request: Any) -> str | None:
    if request.HasField("client_observed_server_side_session_id"):
        return str(request.client_observed_server_side_session_id)
    return None


def ids_of(session: Session) -> dict[str, Any]:
    return {"session_id": session.session_id, "server_side_session_id": session.server_session_id}


def packed(message: Any) -> bytes:
    return bytes(message.SerializeToString())


def chosen_by(request: Any) -> Callable[[Operation], bool]:
    """Which operations an Interrupt means."""
    kind = request.interrupt_type
    if kind == base_pb2.InterruptRequest.INTERRUPT_TYPE_ALL:
        return lambda operation: True
    if kind == base_pb2.InterruptRequest.INTERRUPT_TYPE_TAG:
        if not request.HasField("operation_tag"):
            raise missing_parameter("TAG_REQUIRES_TAG", "operation_tag")
        return lambda operation: request.operation_tag in operation.asked.tags
    if kind == base_pb2.InterruptRequest.INTERRUPT_TYPE_OPERATION_ID:
        if not request.HasField("operation_id"):
            raise missing_parameter("OPERATION_ID_REQUIRES_ID", "operation_id")
        return lambda operation: request.operation_id == operation.asked.operation_id
    name = base_pb2.InterruptRequest.InterruptType.Name(kind)
    raise SparkError("UNSUPPORTED_FEATURE.INTERRUPT_TYPE", interruptType=name)


def missing_parameter(kind: str, parameter: str) -> SparkError:
    condition = f"INVALID_PARAMETER_VALUE.INTERRUPT_TYPE_{kind}"
    return SparkError(condition, parameter=parameter, functionName="interrupt")


def statuses(session: Session, asked: list[str]) -> Iterator[tuple[str, int]]:
    """Of the operations asked for, or of all this session remembers."""
    known = {each.asked.operation_id: each.state for each in session.operations()} | session.outcomes()
    states = base_pb2.GetStatusResponse.OperationStatus.OperationState
    for operation_id in dict.fromkeys(asked or known):
        state = known.get(operation_id)
        yield operation_id, states.Value(f"OPERATION_STATE_{state.value if state else 'UNKNOWN'}")


def methods_of(service: ConnectService) -> dict[str, Method]:
    """By their paths; every method takes and gives bytes."""
    kinds: dict[Kind, tuple[str, ...]] = {
        Kind.STREAM: ("ExecutePlan", "ReattachExecute"),
        Kind.UPLOAD: ("AddArtifacts",),
        Kind.UNARY: (
            *("AnalyzePlan", "Config", "ArtifactStatus", "Interrupt", "ReleaseExecute", "ReleaseSession"),
            *("FetchErrorDetails", "CloneSession", "GetStatus"),
        ),
    }
    return {
        f"/{SERVICE}/{name}": Method(kind, getattr(service, name), name in QUICK)
        for kind, names in kinds.items()
        for name in names
    }
