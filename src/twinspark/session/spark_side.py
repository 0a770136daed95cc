"""A session's half on Spark: opened when a plan needs it, brought level by the journal, addressed by its own id."""

import logging
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.session.journal import Entry, Journal
from twinspark.spark.engine import SparkEngine
from twinspark.spark.relay import Relay, until_cancelled
from twinspark.spark.wire import answered_session, observed_session

log = logging.getLogger("twinspark.session")
Answer = TypeVar("Answer")
# Words of a Spark whose context has stopped although its port is open (CORE.md: the zombie).
LAST_WORDS = ("stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown")


class SparkSide:
    """Relays a session's requests under Spark's session id and answers under ours."""

    def __init__(
        self, engine: SparkEngine, user_id: str, session_id: str, server_session_id: str, journal: Journal
    ) -> None:
        self._engine = engine
        self._user_id = user_id
        self._session_id = session_id
        self._server_session_id = server_session_id
        self._journal = journal
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

    def unary(self, rpc: str, request: bytes) -> bytes:
        return self._again_if_dead(lambda relay: relay.unary(rpc, self._addressed(rpc, request))) + self._suffix(rpc)

    def add_artifacts(self, requests: Iterable[bytes]) -> bytes:
        send = [self._addressed("AddArtifacts", each) for each in requests]
        return self._again_if_dead(lambda relay: relay.add_artifacts(send)) + self._suffix("AddArtifacts")

    def stream(self, rpc: str, request: bytes, on_call: Callable[[Any], None] = lambda call: None) -> Iterator[bytes]:
        """Responses as Spark sends them, each with our session id appended; `on_call` may keep the call to cancel."""
        relay, suffix = self.ready(), self._suffix(rpc)
        call = relay.stream(rpc, self._addressed(rpc, request))
        on_call(call)
        try:
            for response in until_cancelled(call):
                yield response + suffix
        except grpc.RpcError as failure:
            self.consider(failure)
            raise

    def ready(self) -> Relay:
        """A relay to a Spark that knows this session and everything in its journal."""
        with self._lock:
            relay = self._engine.relay()
            if self._generation != self._engine.generation:
                self._spark_session_id = self._introduce(relay)
                self._generation = self._engine.generation
            self._journal.replay(self._generation, lambda entry: self._apply(relay, entry))
            return relay

    def consider(self, failure: grpc.RpcError) -> bool:
        """Whether the failure was Spark's own death, after which the next request finds a new one."""
        code, words = failure.code(), failure.details() or ""
        if code == grpc.StatusCode.UNAVAILABLE or any(each in words for each in LAST_WORDS):
            return self._engine.replace_if_ill(self._generation)
        return False

    def release(self, request: bytes) -> None:
        if self.open:
            self._engine.relay().unary("ReleaseSession", request, timeout=30.0)
            self._generation = 0

    def _again_if_dead(self, send: Callable[[Relay], Answer]) -> Answer:
        try:
            return send(self.ready())
        except grpc.RpcError as failure:
            if not self.consider(failure):
                raise
        return send(self.ready())

    def _addressed(self, rpc: str, request: bytes) -> bytes:
        return request + observed_session(rpc, self._spark_session_id)

    def _suffix(self, rpc: str) -> bytes:
        return answered_session(rpc, self._server_session_id)

    def _introduce(self, relay: Relay) -> str:
        request = base_pb2.AnalyzePlanRequest(session_id=self._session_id)
        request.user_context.user_id = self._user_id
        request.spark_version.SetInParent()
        answer = base_pb2.AnalyzePlanResponse.FromString(relay.unary("AnalyzePlan", request.SerializeToString()))
        return str(answer.server_side_session_id)

    def _apply(self, relay: Relay, entry: Entry) -> None:
        """A change that Spark refuses now (a file is gone, say) must not make the session unusable: it is told."""
        try:
            self._send(relay, entry)
        except grpc.RpcError as failure:
            if self.consider(failure):
                raise
            log.warning("replaying %s on Spark failed: %s", entry.what, failure.details())

    def _send(self, relay: Relay, entry: Entry) -> None:
        if entry.rpc == "ExecutePlan":
            for _ in relay.stream("ExecutePlan", self._addressed("ExecutePlan", without_reattach(entry.requests[0]))):
                pass
        elif entry.rpc == "AddArtifacts":
            relay.add_artifacts(self._addressed("AddArtifacts", each) for each in entry.requests)
        else:
            relay.unary(entry.rpc, self._addressed(entry.rpc, entry.requests[0]))


def without_reattach(request: bytes) -> bytes:
    """A replayed command is an operation of its own, and nobody will come to reattach to it or to release it."""
    again = base_pb2.ExecutePlanRequest.FromString(request)
    del again.request_options[:]
    again.operation_id = str(uuid.uuid4())
    return bytes(again.SerializeToString())
