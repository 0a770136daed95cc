"""A session's half on Spark: opened when a plan needs it, brought level by the journal, addressed by its own id."""

import logging
import re
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.session.artifacts import CACHE, Artifacts
from twinspark.session.journal import Entry, Journal
from twinspark.spark.engine import SparkEngine
from twinspark.spark.relay import Relay, until_cancelled
from twinspark.spark.wire import answered_session, observed_session

log = logging.getLogger("twinspark.session")
Answer = TypeVar("Answer")
HASH = re.compile(rb"[0-9a-f]{64}")  # how a plan names rows that were uploaded: by their SHA-256
# Words of a Spark whose context has stopped although its port is open (CORE.md: the zombie).
LAST_WORDS = ("stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown")


class SparkSide:
    """Relays a session's requests under Spark's session id and answers under ours."""

    def __init__(
        self,
        engine: SparkEngine,
        user_id: str,
        session_id: str,
        server_session_id: str,
        journal: Journal,
        artifacts: Artifacts,
        global_owners: Callable[[], "list[SparkSide]"] = list,
        bring_tables: Callable[[Relay, int, str, bytes], None] = lambda relay, generation, rpc, request: None,
        inlined: Callable[[str, bytes, bool], bytes] = lambda rpc, request, replayed: request,
    ) -> None:
        self._engine = engine
        self._user_id = user_id
        self._session_id = session_id
        self._server_session_id = server_session_id
        self._journal = journal
        self._artifacts = artifacts
        self._global_owners = global_owners
        self._bring_tables = bring_tables
        self._inlined = inlined
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

    def unary(self, rpc: str, request: bytes) -> bytes:
        request = self._inlined(rpc, request, False)

        def send(relay: Relay) -> bytes:
            self._bring(relay, rpc, request)
            return relay.unary(rpc, self._addressed(rpc, request))

        return self._again_if_dead(send) + self._suffix(rpc)

    def stream(self, rpc: str, request: bytes, on_call: Callable[[Any], None] = lambda call: None) -> Iterator[bytes]:
        """Responses as Spark sends them, each with our session id appended; `on_call` may keep the call to cancel."""
        relay, suffix = self.ready(), self._suffix(rpc)
        request = self._inlined(rpc, request, False)
        self._bring(relay, rpc, request)
        call = relay.stream(rpc, self._addressed(rpc, request))
        on_call(call)
        try:
            for response in until_cancelled(call):
                yield response + suffix
        except grpc.RpcError as failure:
            self.consider(failure)
            raise

    def opened(self) -> int:
        """Which Spark this is that now knows the session."""
        if not self.open:
            self.ready()
        return self._generation

    def tell(self, request: bytes) -> None:
        """A command of our own, ahead of the request that is under way."""
        self.opened()
        drain(self._engine.relay().stream("ExecutePlan", self._addressed("ExecutePlan", request)))

    def ready(self) -> Relay:
        """A relay to a Spark that knows this session, everything in its journal, and every global view."""
        for other in self._global_owners():
            if other is not self:
                other.level()
        return self.level()

    def level(self) -> Relay:
        with self._lock:
            relay = self._engine.relay()
            if self._generation != self._engine.generation:
                self._spark_session_id = self._introduce(relay)
                self._sent_hashes.clear()
                self._generation = self._engine.generation
            self._journal.replay(self._generation, lambda entry: self._apply(relay, entry))
            return relay

    def consider(self, failure: grpc.RpcError) -> bool:
        """Whether the failure was Spark's own death, after which the next request finds a new one."""
        code, words = failure.code(), failure.details() or ""
        if code == grpc.StatusCode.UNAVAILABLE or any(each in words for each in LAST_WORDS):
            return self._engine.replace_if_ill(self._generation)
        return False

    def cloned_from(self, source: "SparkSide", request: Any) -> None:
        """Spark clones its half itself, with all that only it knows."""
        relay = source.ready()
        answer = base_pb2.CloneSessionResponse.FromString(
            relay.unary("CloneSession", source._addressed("CloneSession", request.SerializeToString()))
        )
        self._spark_session_id = answer.new_server_side_session_id
        self._generation = source.generation

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

    def _bring(self, relay: Relay, rpc: str, request: bytes) -> None:
        """What the request names and Spark does not have yet."""
        self._bring_cached_rows(relay, request)
        self._bring_tables(relay, self._generation, rpc, request)

    def _bring_cached_rows(self, relay: Relay, request: bytes) -> None:
        """Rows of createDataFrame that were uploaded to us: Spark gets those a plan names, when it names them."""
        if not (missing := self._artifacts.hashes() - self._sent_hashes):
            return
        for found in missing.intersection(hash.decode() for hash in HASH.findall(request)):
            self._upload(relay, self._artifacts.requests(self._session_id, self._user_id, CACHE + found))
            self._sent_hashes.add(found)

    def _upload(self, relay: Relay, requests: Iterable[bytes]) -> None:
        relay.add_artifacts(self._addressed("AddArtifacts", each) for each in requests)

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
        if entry.rpc == "AddArtifacts":
            self._upload(relay, entry.requests())
            return
        for recorded in entry.requests():
            request = self._inlined(entry.rpc, recorded, True)
            self._bring(relay, entry.rpc, request)
            if entry.rpc == "ExecutePlan":
                drain(relay.stream("ExecutePlan", self._addressed("ExecutePlan", without_reattach(request))))
            else:
                relay.unary(entry.rpc, self._addressed(entry.rpc, request))


def drain(responses: Iterable[bytes]) -> None:
    for _ in responses:
        pass


def without_reattach(request: bytes) -> bytes:
    """A replayed command is an operation of its own, and nobody will come to reattach to it or to release it."""
    again = base_pb2.ExecutePlanRequest.FromString(request)
    del again.request_options[:]
    again.operation_id = str(uuid.uuid4())
    return bytes(again.SerializeToString())
