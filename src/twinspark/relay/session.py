"""A session's counterpart on Spark: opened when a plan needs it, updated by replaying the journal, with its own id."""

import logging
import re
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import Cause, NotNative
from twinspark.relay.catalog import SparkCatalog
from twinspark.relay.engine import SparkEngine, SparkUnavailable
from twinspark.relay.grpc_calls import Relay, Responses, until_cancelled
from twinspark.relay.inlined_tables import inline_tables
from twinspark.relay.stream_sinks import StreamSinks
from twinspark.relay.table_views import TableViews
from twinspark.relay.uploaded_tables import UploadedTables
from twinspark.sessions.artifacts import CACHE
from twinspark.sessions.journal import Entry
from twinspark.sessions.session import Session
from twinspark.sessions.spark_half import SparkHalf
from twinspark.wire.connect.proto_fields import encode_observed_session, encode_response_session

log = logging.getLogger("twinspark.session")
Answer = TypeVar("Answer")
RELEASE_SECONDS = 1.0
GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
HASH = re.compile(rb"[0-9a-f]{64}")  # how a plan refers to uploaded rows: by their SHA-256
# Messages of a Spark whose context has stopped although its port is open.
LAST_WORDS = ("stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown")


@dataclass(frozen=True)
class SparkCall:
    """A running streaming call: its relay, its responses, and the bytes that put our session id into each of them."""

    relay: Relay
    responses: Responses
    suffix: bytes

    def __iter__(self) -> Iterator[bytes]:
        return self.responses

    def cancel(self) -> None:
        self.responses.cancel()


class SparkSide(SparkHalf):
    """Relays a session's requests under Spark's session id, and returns responses under ours."""

    def __init__(
        self,
        session: Session,
        engine: SparkEngine,
        shown: TableViews,
        sinks: StreamSinks,
        owners: "list[SparkSide]",
    ) -> None:
        self.sinks = sinks
        self._session = session
        self._engine = engine
        self._user_id = session.user_id
        self._session_id = session.session_id
        self._server_session_id = session.server_session_id
        self._journal = session.journal
        self._artifacts = session.artifacts
        self._owners = owners  # of global views: Spark must replay their journals before it reads any
        self.shown = shown
        self.sent = UploadedTables(session, self)
        self._sent_hashes: set[str] = set()
        self._lock = threading.RLock()
        self._generation = 0
        self._spark_session_id = ""

    @property
    def open(self) -> bool:
        """Whether the running Spark knows this session."""
        return self._generation != 0 and self._generation == self._engine.generation and self._engine.running

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def missing(self) -> str:
        return self._engine.missing

    def unary(self, rpc: str, request: bytes) -> bytes:
        request = inline_tables(self._session, self.shown, self.sent, rpc, request, False)

        def send(relay: Relay) -> bytes:
            self._bring(relay, rpc, request)
            return relay.unary(rpc, self._address(rpc, request))

        return self._twice_if_dead(self.ready, send) + self._suffix(rpc)

    def stream(self, rpc: str, request: bytes) -> Iterator[bytes]:
        """Responses as Spark sends them, each with our session id appended."""
        call = self.prepare_stream(rpc, request)()
        try:
            for response in until_cancelled(call):
                yield response + call.suffix
        except grpc.RpcError as failure:
            if self.consider(failure, call.relay):
                raise self.lost_error(call.relay) from failure
            raise

    def prepare_stream(self, rpc: str, request: bytes) -> "Callable[[], SparkCall]":
        """Does everything slow before a streaming call: starts Spark, replays the journal, uploads what the request
        names."""

        def bring(relay: Relay) -> tuple[Relay, bytes]:
            sent = inline_tables(self._session, self.shown, self.sent, rpc, request, False)
            self._bring(relay, rpc, sent)
            return relay, sent

        relay, sent = self._twice_if_dead(self.ready, bring)
        return lambda: self.call(relay, rpc, sent)

    def call(self, relay: Relay, rpc: str, request: bytes) -> "SparkCall":
        return SparkCall(relay, relay.stream(rpc, self._address(rpc, request)), self._suffix(rpc))

    def reattach(self, request: bytes) -> "SparkCall":
        """Reattaches to an operation that the running Spark knows: there is nothing to prepare."""
        return self.call(self._engine.relay(), "ReattachExecute", request)

    def ask(self, rpc: str, request: bytes, patience: float) -> bytes | None:
        """A call that only a Spark which knows this session can answer; None if it does not answer in time. The call
        continues:
        a hung Spark that recovers then executes it."""
        if not self.open:
            return None
        try:
            answer = self._engine.relay().ask(rpc, self._address(rpc, request), patience)
        except grpc.RpcError as failure:
            if failure.code() in GONE:
                return None
            raise
        return None if answer is None else answer + self._suffix(rpc)

    def inform(self, rpc: str, request: bytes, timeout: float) -> None:
        """A call that is unnecessary if Spark is gone, and whose failure is ignored."""
        if self.open:
            try:
                self._engine.relay().unary(rpc, self._address(rpc, request), timeout)
            except grpc.RpcError as failure:
                if failure.code() not in (*GONE, grpc.StatusCode.DEADLINE_EXCEEDED):
                    raise

    def lost_error(self, relay: Relay) -> SparkUnavailable:
        return SparkUnavailable(f"Spark was lost while it ran this: {relay.failure or self._engine.loss}")

    def open_generation(self) -> int:
        """The generation of the Spark that now knows the session."""
        if not self.open:
            self.ready()
        return self._generation

    def execute_command(self, request: bytes) -> None:
        """Executes a command of our own before the current request."""
        self.open_generation()
        drain(self._engine.relay().stream("ExecutePlan", self._address("ExecutePlan", request)))

    def ready(self) -> Relay:
        """A relay to a Spark that knows this session, everything in its journal, and every global view."""
        for other in list(self._owners):
            if other is not self:
                other.level()
        return self.level()

    def level(self) -> Relay:
        return self._twice_if_dead(self._engine.relay, self._bring_level)

    def _bring_level(self, relay: Relay) -> Relay:
        with self._lock:
            if self._generation != self._engine.generation:
                self._spark_session_id = self._introduce(relay)
                self._sent_hashes.clear()
                self._generation = self._engine.generation
            self._journal.replay(self._generation, lambda entry: self._apply(relay, entry))
            return relay

    @property
    def starting(self) -> bool:
        """Whether a request has to wait for the start of a Spark."""
        return not self._engine.running

    def consider(self, failure: grpc.RpcError, relay: Relay) -> bool:
        """Whether the failure was caused by Spark's death; the next request then starts a new Spark."""
        if relay.failure:
            return True
        code, details = failure.code(), failure.details() or ""
        if code == grpc.StatusCode.UNAVAILABLE or any(each in details for each in LAST_WORDS):
            return self._engine.replace_if_ill(relay)
        return False

    def clone(self, source: SparkHalf, request: base_pb2.CloneSessionRequest) -> None:
        source = side_of(source)
        relay = source.ready()
        answer = base_pb2.CloneSessionResponse.FromString(
            relay.unary("CloneSession", source._address("CloneSession", request.SerializeToString()))
        )
        self._spark_session_id = answer.new_server_side_session_id
        self._generation = source.generation

    def catalog(self) -> SparkCatalog:
        return SparkCatalog(self._session, self.shown)

    def own_global_views(self) -> None:
        if self not in self._owners:
            self._owners.append(self)

    def release(self, request: bytes) -> None:
        if self in self._owners:
            self._owners.remove(self)
        self.inform("ReleaseSession", request, RELEASE_SECONDS)
        self._generation = 0

    def _twice_if_dead(self, find: Callable[[], Relay], work: Callable[[Relay], Answer]) -> Answer:
        """Retries once on a new Spark if the first one died; a second death is an error that says why."""
        relay = find()
        try:
            return work(relay)
        except grpc.RpcError as failure:
            if not self.consider(failure, relay):
                raise
        relay = find()
        try:
            return work(relay)
        except grpc.RpcError as failure:
            if self.consider(failure, relay):
                raise self.lost_error(relay) from failure
            raise

    def _bring(self, relay: Relay, rpc: str, request: bytes) -> None:
        """Uploads what the request names and Spark does not have yet."""
        self._bring_cached_rows(relay, request)
        self.shown.bring(relay, self._generation, rpc, request)

    def _bring_cached_rows(self, relay: Relay, request: bytes) -> None:
        """Rows of createDataFrame that were uploaded to us are sent to Spark once a plan for Spark refers to them."""
        if not (missing := self._artifacts.hashes() - self._sent_hashes):
            return
        for found in missing.intersection(hash.decode() for hash in HASH.findall(request)):
            self._upload(relay, self._artifacts.requests(self._session_id, self._user_id, CACHE + found))
            self._sent_hashes.add(found)

    def _upload(self, relay: Relay, requests: Iterable[bytes]) -> None:
        relay.add_artifacts(self._address("AddArtifacts", each) for each in requests)

    def _address(self, rpc: str, request: bytes) -> bytes:
        return request + encode_observed_session(rpc, self._spark_session_id)

    def _suffix(self, rpc: str) -> bytes:
        return encode_response_session(rpc, self._server_session_id)

    def _introduce(self, relay: Relay) -> str:
        request = base_pb2.AnalyzePlanRequest(session_id=self._session_id)
        request.user_context.user_id = self._user_id
        request.spark_version.SetInParent()
        answer = base_pb2.AnalyzePlanResponse.FromString(relay.unary("AnalyzePlan", request.SerializeToString()))
        return str(answer.server_side_session_id)

    def _apply(self, relay: Relay, entry: Entry) -> None:
        """A change that Spark rejects now (such as for a missing file) must not make the session unusable: it is
        logged."""
        try:
            self._send(relay, entry)
        except grpc.RpcError as failure:
            if self.consider(failure, relay):
                raise
            log.warning("replaying %s on Spark failed: %s", entry.what, failure.details())

    def _send(self, relay: Relay, entry: Entry) -> None:
        if entry.rpc == "AddArtifacts":
            self._upload(relay, entry.requests())
            return
        for recorded in entry.requests():
            request = inline_tables(self._session, self.shown, self.sent, entry.rpc, recorded, True)
            self._bring(relay, entry.rpc, request)
            if entry.rpc == "ExecutePlan":
                drain(relay.stream("ExecutePlan", self._address("ExecutePlan", without_reattach(request))))
            else:
                relay.unary(entry.rpc, self._address(entry.rpc, request))


def drain(responses: Iterable[bytes]) -> None:
    for _ in responses:
        pass


def without_reattach(request: bytes) -> bytes:
    """A replayed command is an operation of its own, to which no client will reattach."""
    again = base_pb2.ExecutePlanRequest.FromString(request)
    del again.request_options[:]
    again.operation_id = str(uuid.uuid4())
    return bytes(again.SerializeToString())


def cause_to_relay(half: SparkHalf, why: NotNative) -> Cause:
    """Why a plan falls back to Spark. If Spark is not installed, raises an error that names the reason and what to
    install, or the error that Spark would have raised as well."""
    if half.missing and why.likely_error is None:
        raise SparkUnavailable(f"{why} This runs on Spark, and {half.missing}") from why
    if half.missing:
        raise why
    return why.cause


def side_of(half: SparkHalf) -> SparkSide:
    """The counterpart of a session that this room created."""
    assert isinstance(half, SparkSide)
    return half
