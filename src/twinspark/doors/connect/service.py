"""The 12 RPCs of SparkConnectService, one method each, from bytes to bytes."""

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, Protocol

import grpc
from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2

from twinspark.doors.connect.analyze import analyze
from twinspark.doors.connect.config import configure
from twinspark.doors.connect.status import abort_at_once, streaming_rpc, unary_rpc
from twinspark.doors.http2 import Call, Kind, Method
from twinspark.errors import SparkError
from twinspark.operations.housekeeper import release_of
from twinspark.operations.planned_operation import Client, working_for
from twinspark.operations.start import Starter
from twinspark.sessions.operation import Operation
from twinspark.sessions.session import Session
from twinspark.sessions.sessions import Sessions
from twinspark.wire.connect.proto_fields import user_field

SERVICE = "spark.connect.SparkConnectService"
QUICK = ("Config", "ReleaseExecute", "ArtifactStatus", "GetStatus")  # they only read the session's state
# How long to wait for a Spark that may hang; it executes the request when it recovers.
INTERRUPT_SECONDS, DETAILS_SECONDS = 1.0, 10.0

BeginTrace = Callable[[str, Mapping[str, str]], None]  # of the operation with this id, with the headers of its call


class SessionRequest(Protocol):
    """The fields that all requests have about their session."""

    session_id: str
    client_observed_server_side_session_id: str

    @property
    def user_context(self) -> base_pb2.UserContext: ...

    def HasField(self, field_name: Literal["client_observed_server_side_session_id"], /) -> bool: ...


class ConnectService:
    """Finds the session of each request and calls it."""

    def __init__(
        self,
        sessions: Sessions,
        named: Callable[[Mapping[str, str]], str | None] = lambda headers: None,
        begin_trace: BeginTrace | None = None,
    ) -> None:
        self._sessions = sessions
        self._begin_trace = begin_trace
        self._named = named  # the user that the token in the headers belongs to

    def _own(self, data: bytes, call: Call) -> bytes:
        """The request with the user that its token belongs to, whatever user it names."""
        name = self._named(call.headers)
        return data if name is None else data + user_field(name)

    @streaming_rpc
    def ExecutePlan(self, data: bytes, call: Call) -> Iterator[bytes]:
        data = self._own(data, call)
        request = base_pb2.ExecutePlanRequest.FromString(data)
        if self._sessions.shared.is_draining:
            raise Draining
        if self._begin_trace is not None:
            self._begin_trace(request.operation_id, call.headers)
        session = self._session(request, call)
        client = Client(lambda: abort_at_once(call, SparkError("OPERATION_CANCELED")), call.add_callback)
        operation = Starter(session).start(request, data, client)
        if not call.add_callback(operation.hang_up):
            operation.hang_up()
            return
        yield from operation.responses()
        if not operation.plan_request.reattachable:
            session.forget(operation)

    @unary_rpc
    def AnalyzePlan(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.AnalyzePlanRequest.FromString(data)
        session, left = self._session(request, call), threading.Event()
        call.add_callback(left.set)
        with working_for(left):
            return analyze(session, request, data)

    @unary_rpc
    def Config(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.ConfigRequest.FromString(data)
        return serialize(configure(self._session(request, call), request, data))

    @unary_rpc
    def AddArtifacts(self, requests: Iterator[bytes], call: Call) -> bytes:
        parsed = (base_pb2.AddArtifactsRequest.FromString(self._own(each, call)) for each in requests)
        first = next(parsed)
        session = self._session(first, call)
        answer = base_pb2.AddArtifactsResponse(**ids_of(session))
        for upload in session.add_artifacts(chain([first], parsed)):
            answer.artifacts.add(name=upload.name, is_crc_successful=upload.good)
        return serialize(answer)

    @unary_rpc
    def ArtifactStatus(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.ArtifactStatusesRequest.FromString(data)
        session = self._session(request, call)
        answer = base_pb2.ArtifactStatusesResponse(**ids_of(session))
        for name in request.names:
            answer.statuses[name].exists = session.artifacts.has(name)
        return serialize(answer)

    @unary_rpc
    def Interrupt(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.InterruptRequest.FromString(data)
        session = self._session(request, call)
        answer = base_pb2.InterruptResponse(**ids_of(session))
        ours = session.interrupt(chosen_by(request))
        relayed = session.spark.ask("Interrupt", data, INTERRUPT_SECONDS)
        on_spark = base_pb2.InterruptResponse.FromString(relayed or b"").interrupted_ids
        answer.interrupted_ids.extend(dict.fromkeys([*ours, *on_spark]))
        return serialize(answer)

    @streaming_rpc
    def ReattachExecute(self, data: bytes, call: Call) -> Iterator[bytes]:
        data = self._own(data, call)
        request = base_pb2.ReattachExecuteRequest.FromString(data)
        session = self._existing(request, call)
        operation = session.operation(request.operation_id)
        if operation is None:
            raise session.missing(request.operation_id)
        call.add_callback(operation.hang_up)
        yield from operation.reattach(request, data)

    @unary_rpc
    def ReleaseExecute(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.ReleaseExecuteRequest.FromString(data)
        session = self._existing(request, call)
        answer = base_pb2.ReleaseExecuteResponse(**ids_of(session))
        if operation := session.operation(request.operation_id):
            answer.operation_id = request.operation_id
            session.release(operation, request, data)
        return serialize(answer)

    @unary_rpc
    def ReleaseSession(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.ReleaseSessionRequest.FromString(data)
        answer = base_pb2.ReleaseSessionResponse(session_id=request.session_id)
        if session := self._sessions.close(request.user_context.user_id, request.session_id, request.allow_reconnect):
            answer.server_side_session_id = session.server_session_id
            session.close(data)
        return serialize(answer)

    def end_session(self, user_id: str, session_id: str) -> None:
        """Ends the session of a client whose connection has ended."""
        if session := self._sessions.close(user_id, session_id):
            session.close(release_of(session))

    @unary_rpc
    def FetchErrorDetails(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.FetchErrorDetailsRequest.FromString(data)
        session = self._session(request, call)
        kept = session.error(request.error_id)
        if kept is None and (details := session.spark.ask("FetchErrorDetails", data, DETAILS_SECONDS)):
            return details
        answer = base_pb2.FetchErrorDetailsResponse.FromString(kept or b"")
        answer.MergeFrom(base_pb2.FetchErrorDetailsResponse(**ids_of(session)))
        return serialize(answer)

    @unary_rpc
    def CloneSession(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.CloneSessionRequest.FromString(data)
        source = self._existing(request, call)
        request.new_session_id = request.new_session_id or str(uuid.uuid4())
        clone = self._sessions.clone(source, request.new_session_id)
        clone.inherit(source, request)
        answer = base_pb2.CloneSessionResponse(new_session_id=clone.session_id, **ids_of(source))
        answer.new_server_side_session_id = clone.server_session_id
        return serialize(answer)

    @unary_rpc
    def GetStatus(self, data: bytes, call: Call) -> bytes:
        data = self._own(data, call)
        request = base_pb2.GetStatusRequest.FromString(data)
        session = self._existing(request, call)
        answer = base_pb2.GetStatusResponse(**ids_of(session))
        if request.HasField("operation_status"):
            for operation_id, state in statuses(session, list(request.operation_status.operation_ids)):
                answer.operation_statuses.add(operation_id=operation_id, state=state)
        return serialize(answer)

    def _session(self, request: SessionRequest, call: Call) -> Session:
        session = self._sessions.of(request.user_context.user_id, request.session_id, observed_by(request))
        return attach_session(call, session)

    def _existing(self, request: SessionRequest, call: Call) -> Session:
        session = self._sessions.existing(request.user_context.user_id, request.session_id, observed_by(request))
        return attach_session(call, session)


class Draining(grpc.RpcError):  # type: ignore[misc]
    """The server stops soon; clients retry on UNAVAILABLE, and a load balancer sends them to another server."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return "the server is shutting down and starts no operation"

    def trailing_metadata(self) -> tuple[()]:
        return ()


def attach_session(call: Call, session: Session) -> Session:
    """Errors of the call are stored in its session; a session that is open on Spark may have to query Spark."""
    call.known = session
    if session.spark.open:
        call.may_take_long()
    return session


def observed_by(request: SessionRequest) -> str | None:
    if request.HasField("client_observed_server_side_session_id"):
        return str(request.client_observed_server_side_session_id)
    return None


def ids_of(session: Session) -> dict[str, Any]:
    return {"session_id": session.session_id, "server_side_session_id": session.server_session_id}


def serialize(message: Message) -> bytes:
    return bytes(message.SerializeToString())


def chosen_by(request: base_pb2.InterruptRequest) -> Callable[[Operation], bool]:
    """The operations that an Interrupt request selects."""
    kind = request.interrupt_type
    if kind == base_pb2.InterruptRequest.INTERRUPT_TYPE_ALL:
        return lambda operation: True
    if kind == base_pb2.InterruptRequest.INTERRUPT_TYPE_TAG:
        if not request.HasField("operation_tag"):
            raise missing_parameter("TAG_REQUIRES_TAG", "operation_tag")
        return lambda operation: request.operation_tag in operation.plan_request.tags
    if kind == base_pb2.InterruptRequest.INTERRUPT_TYPE_OPERATION_ID:
        if not request.HasField("operation_id"):
            raise missing_parameter("OPERATION_ID_REQUIRES_ID", "operation_id")
        return lambda operation: request.operation_id == operation.plan_request.operation_id
    known = base_pb2.InterruptRequest.InterruptType.values()
    name = base_pb2.InterruptRequest.InterruptType.Name(kind) if kind in known else "UNRECOGNIZED"  # Java's name
    raise SparkError("UNSUPPORTED_FEATURE.INTERRUPT_TYPE", interruptType=name)


def missing_parameter(kind: str, parameter: str) -> SparkError:
    condition = f"INVALID_PARAMETER_VALUE.INTERRUPT_TYPE_{kind}"
    return SparkError(condition, parameter=parameter, functionName="interrupt")


def statuses(session: Session, requested: list[str]) -> Iterator[tuple[str, int]]:
    """The states of the requested operations, or of all that the session knows."""
    known = {each.plan_request.operation_id: each.state for each in session.operations()} | session.outcomes()
    states = base_pb2.GetStatusResponse.OperationStatus.OperationState
    for operation_id in dict.fromkeys(requested or known):
        state = known.get(operation_id)
        yield operation_id, states.Value(f"OPERATION_STATE_{state.value if state else 'UNKNOWN'}")


def methods_of(service: ConnectService) -> dict[str, Method]:
    """The methods by their paths; each takes and returns bytes."""
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
