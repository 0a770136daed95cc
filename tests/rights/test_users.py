"""One user cannot see, interrupt, clone, reattach to, release or learn the errors of another's sessions."""

import uuid
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from pyspark.sql.connect.proto import base_pb2 as proto
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub

from twinspark import driver
from twinspark.doors import thrift
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.thrift.service import Peer
from twinspark.sessions.settings import Settings

ALICE, BOB = "alices-key-1", "bobs-key-2"
LONG = "SELECT sum(a.id * b.id) AS s FROM range(3000000) a CROSS JOIN range(3000000) b"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    place = tmp_path_factory.mktemp("users")
    (place / "tokens").write_text(f"# who may come in\nalice:{ALICE}\nbob: {BOB}\n")
    started = ConnectServer(
        Settings(engine="duckdb", warehouse=str(place / "warehouse"), token_file=str(place / "tokens"))
    )
    yield started
    started.stop()


class User:
    """A client by hand: it says of itself whatever it likes."""

    def __init__(self, server: ConnectServer, token: str, claims: str, session_id: str) -> None:
        self.stub = SparkConnectServiceStub(grpc.insecure_channel(f"127.0.0.1:{server.port}"))
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.claims, self.session_id = claims, session_id

    def ask(self, rpc: str, request: Any) -> Any:
        request.session_id, request.user_context.user_id = self.session_id, self.claims
        return getattr(self.stub, rpc)(request, metadata=self.metadata)

    def condition(self, rpc: str, request: Any) -> str:
        """Of the error that it gets."""
        with pytest.raises(grpc.RpcError) as caught:
            answer = self.ask(rpc, request)
            list(answer) if hasattr(answer, "__next__") else None
        return str(caught.value.details()).partition("]")[0].removeprefix("[")

    def run(self, sql: str, operation_id: str = "", reattachable: bool = False) -> Any:
        request = proto.ExecutePlanRequest()
        request.plan.root.sql.query = sql
        if operation_id:
            request.operation_id = operation_id
        if reattachable:
            request.request_options.add().reattach_options.reattachable = True
        return self.ask("ExecutePlan", request)


@pytest.fixture
def session_id() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def alice(server: ConnectServer, session_id: str) -> User:
    return User(server, ALICE, "anyone", session_id)


@pytest.fixture(params=["bob", "alice"])
def bob(server: ConnectServer, session_id: str, request: pytest.FixtureRequest) -> User:
    """He knows alice's session, and may even say that he is alice."""
    return User(server, BOB, request.param, session_id)


def rows(responses: Any) -> list[dict[str, Any]]:
    import pyarrow as pa

    batches = [each.arrow_batch.data for each in responses if each.HasField("arrow_batch")]
    return [row for data in batches for row in pa.ipc.open_stream(data).read_all().to_pylist()]


def test_a_user_has_the_name_of_the_key(server: ConnectServer, alice: User, session_id: str) -> None:
    assert rows(alice.run("SELECT 1 AS one")) == [{"one": 1}]
    assert [each.user_id for each in server.sessions.all() if each.session_id == session_id] == ["alice"]


def test_a_wrong_key_opens_nothing(server: ConnectServer, session_id: str) -> None:
    for key in ("wrong", ALICE[:-1], f"alice:{ALICE}"):
        with pytest.raises(grpc.RpcError) as caught:
            list(User(server, key, "alice", session_id).run("SELECT 1"))
        assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
        assert key not in str(caught.value)


def test_another_s_operations_are_not_there(alice: User, bob: User, session_id: str) -> None:
    operation = str(uuid.uuid4())
    running = alice.run(LONG, operation, reattachable=True)
    missing = "INVALID_HANDLE.SESSION_NOT_FOUND"
    try:
        assert bob.condition("ReattachExecute", proto.ReattachExecuteRequest(operation_id=operation)) == missing
        release = proto.ReleaseExecuteRequest(operation_id=operation)
        release.release_all.SetInParent()
        assert bob.condition("ReleaseExecute", release) == missing
        assert bob.condition("CloneSession", proto.CloneSessionRequest(new_session_id=str(uuid.uuid4()))) == missing
        status = proto.GetStatusRequest()
        status.operation_status.operation_ids.append(operation)
        assert bob.condition("GetStatus", status) == missing
        everything = proto.InterruptRequest(interrupt_type=proto.InterruptRequest.INTERRUPT_TYPE_ALL)
        assert list(bob.ask("Interrupt", everything).interrupted_ids) == []
        bob.ask("ReleaseSession", proto.ReleaseSessionRequest())
        own = alice.ask("Interrupt", everything)
        assert list(own.interrupted_ids) == [operation], "it still ran, and hers could be stopped by her"
    finally:
        running.cancel()


def test_another_s_errors_settings_and_views_are_not_there(alice: User, bob: User, session_id: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        list(alice.run("SELECT * FROM nowhere"))
    error_id = error_id_of(caught.value)
    details = proto.FetchErrorDetailsRequest(error_id=error_id)
    assert len(alice.ask("FetchErrorDetails", details).errors) == 1
    assert len(bob.ask("FetchErrorDetails", proto.FetchErrorDetailsRequest(error_id=error_id)).errors) == 0
    chosen = proto.ConfigRequest()
    chosen.operation.set.pairs.add(key="my.own", value="hers")
    alice.ask("Config", chosen)
    asked = proto.ConfigRequest()
    asked.operation.get_option.keys.append("my.own")
    assert [pair.value for pair in alice.ask("Config", asked).pairs] == ["hers"]
    assert [pair.value for pair in bob.ask("Config", asked).pairs] == [""]


def error_id_of(failure: Any) -> str:
    from google.rpc import error_details_pb2
    from grpc_status import rpc_status

    info = error_details_pb2.ErrorInfo()
    rpc_status.from_call(failure).details[0].Unpack(info)
    return str(info.metadata["errorId"])


def test_thrift_handles_are_their_user_s(server: ConnectServer) -> None:
    """The server answers another user as if the handle were none, whoever got hold of it."""
    backend = thrift.ConnectBackend(server.inner_url())
    with (
        thrift.start("127.0.0.1", 0, backend, authenticate=thrift.with_tokens(server.tokens)) as door,
        driver.connect("127.0.0.1", door.port, token=ALICE) as alice,
        driver.connect("127.0.0.1", door.port, token=BOB) as bob,
    ):
        for connection in (alice, bob):
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                assert cursor.fetchall() == [(1,)]
        assert {each.user for each in door.service.all_sessions()} == {"alice", "bob"}
        assert {"alice", "bob"} <= {each.user_id for each in server.sessions.all()}
        (hers,) = [each for each in door.service.all_sessions() if each.user == "alice"]
        for method in ("GetInfo", "CloseSession", "ExecuteStatement"):
            request = {"sessionHandle": hers.handle, "statement": "SELECT 1"}
            answer = door.service.answer(method, request, Peer("bob", True, lambda: False))
            assert answer["status"]["errorMessage"].startswith("Invalid SessionHandle")
        assert hers in door.service.all_sessions()
