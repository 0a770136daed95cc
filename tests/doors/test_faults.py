"""What may go wrong between a client and the server: cut streams, killed clients, restarts, garbage, crowds."""

import os
import signal
import socket
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pyarrow.compute as pc
import pytest
from cutting_proxy import CuttingProxy
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.connect.client import SparkConnectClient
from waiting import until

from twinspark.doors.connect.server import ConnectServer
from twinspark.operations import housekeeper as maintenance
from twinspark.sessions.settings import Settings

ROWS = int(os.environ.get("TWINSPARK_TEST_STREAM_ROWS", 8_000_000))  # 64,000,000 are a gigabyte: make faults


def test_a_stream_cut_again_and_again_loses_and_doubles_nothing(duck_server: ConnectServer) -> None:
    proxy = CuttingProxy(duck_server.port, cut_after=20_000_000, cuts=4)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{proxy.port}").create()
    ids = session.sql(f"select id, id * 3 as t from range({ROWS})").toArrow().column("id")
    assert proxy.cuts_left == 0
    assert len(ids) == ROWS
    assert pc.sum(ids).as_py() == ROWS * (ROWS - 1) // 2
    assert pc.all(pc.equal(pc.subtract(ids[1:], ids[:-1]), 1)).as_py()
    session.stop()
    proxy.close()


def test_a_killed_client_leaves_nothing_running(duck_server: ConnectServer) -> None:
    program = (
        "import sys; from pyspark.sql import SparkSession;"
        "s = SparkSession.builder.remote(sys.argv[1]).create(); print(s.session_id, flush=True);"
        "s.sql('select count(*) from range(100000000000) where id % 7 = id % 11 and id % 13 = id % 17').collect()"
    )
    client = subprocess.Popen([sys.executable, "-c", program, duck_server.url], stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    session_id = client.stdout.readline().strip()
    session = until(lambda: next((s for s in duck_server.sessions.all() if s.session_id == session_id), None))
    until(lambda: session.busy)
    client.send_signal(signal.SIGKILL)
    client.wait()
    until(lambda: session.operations()[0].detached_seconds > 0.1)
    maintenance.look_after(duck_server.sessions, session_seconds=3600, detached_seconds=0.1)
    assert session.operations() == []
    assert until(lambda: not session.busy)


def test_a_restarted_server_is_a_clear_error_and_a_new_session_works() -> None:
    first = ConnectServer(Settings(engine="duckdb"))
    session = SparkSession.builder.remote(first.url).create()
    assert session.range(3).count() == 3
    first.stop()
    second = ConnectServer(Settings(engine="duckdb", port=first.port))
    try:
        with pytest.raises(PySparkException) as caught:
            session.range(3).count()
        assert caught.value.getCondition() == "INVALID_HANDLE.SESSION_CHANGED"
        again = SparkSession.builder.remote(second.url).create()
        assert again.range(3).count() == 3
        again.stop()
    finally:
        session.stop()
        second.stop()


def test_a_hundred_sessions_at_once_do_not_see_each_other(duck_server: ConnectServer) -> None:
    def work(number: int) -> tuple[int, str, int]:
        session = SparkSession.builder.remote(duck_server.url).create()
        session.conf.set("my.number", str(number))
        session.range(number).createOrReplaceTempView("numbers")
        count = session.sql("select count(*) as n from numbers").collect()[0].n
        mine = session.conf.get("my.number")
        session.stop()
        return count, mine, number

    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(work, range(100)))
    assert answers == [(number, str(number), number) for number in range(100)]


@pytest.mark.parametrize("garbage", [b"\x00" * 1000, b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096)])
def test_garbage_on_the_port_hurts_nobody(duck_server: ConnectServer, duck: Any, garbage: bytes) -> None:
    with socket.create_connection(("127.0.0.1", duck_server.port)) as line:
        line.sendall(garbage)
    assert duck.range(3).count() == 3


@pytest.mark.parametrize("payload", [b"\xff" * 50, b"\x1a\x7fnonsense", b"", b"\x0a" * 200_000])
def test_garbage_in_a_message_is_refused(duck_server: ConnectServer, payload: bytes) -> None:
    import grpc

    channel = grpc.insecure_channel(f"127.0.0.1:{duck_server.port}")
    for rpc in ("AnalyzePlan", "Config", "Interrupt", "GetStatus"):
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(f"/spark.connect.SparkConnectService/{rpc}")(payload, timeout=20)
        assert caught.value.code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.INVALID_ARGUMENT)
    channel.close()


def test_nesting_without_end_is_refused(duck_server: ConnectServer) -> None:
    """A message nested deeper than any plan must be an error, not a crash of the server."""
    import grpc

    nested = b""
    for _ in range(20_000):
        nested = b"\x12" + varint(len(nested)) + nested  # Relation { project { input { ... } } } by turns
        if len(nested) > 300_000:
            break
    channel = grpc.insecure_channel(f"127.0.0.1:{duck_server.port}")
    with pytest.raises(grpc.RpcError):
        list(channel.unary_stream("/spark.connect.SparkConnectService/ExecutePlan")(nested, timeout=60))
    channel.close()
    session = SparkSession.builder.remote(duck_server.url).create()
    assert session.range(2).count() == 2
    session.stop()


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def test_a_client_without_reattach_gets_its_rows(duck_server: ConnectServer) -> None:
    client = SparkConnectClient(duck_server.url, use_reattachable_execute=False)
    session = SparkSession.builder.remote(duck_server.url).create()
    plan = session.range(100_000)._plan.to_proto(client)
    table, *_ = client.to_table(plan, {})
    assert table.num_rows == 100_000
    client.close()
    session.stop()


def test_the_same_plan_again_under_its_id_attaches_and_another_is_refused(duck_server: ConnectServer) -> None:
    session = SparkSession.builder.remote(duck_server.url).create()
    client = session.client
    request = client._execute_plan_request_with_metadata()
    request.operation_id = str(uuid.uuid4())
    request.plan.CopyFrom(session.range(10)._plan.to_proto(client))
    request.request_options.add().reattach_options.reattachable = True
    first = [response.response_id for response in client._stub.ExecutePlan(request)]
    assert first == [response.response_id for response in client._stub.ExecutePlan(request)]
    request.plan.CopyFrom(session.range(11)._plan.to_proto(client))
    with pytest.raises(grpc.RpcError, match="OPERATION_ALREADY_EXISTS"):
        list(client._stub.ExecutePlan(request))
    session.stop()


def test_a_server_that_ends_stops_what_runs() -> None:
    server = ConnectServer(Settings(engine="duckdb"))
    session = SparkSession.builder.remote(server.url).create()
    request = session.client._execute_plan_request_with_metadata()
    text = "select count(*) from range(100000000000) where id % 7 = id % 11 and id % 13 = id % 17"
    request.plan.CopyFrom(session.sql(text)._plan.to_proto(session.client))
    call = session.client._stub.ExecutePlan(request)  # gRPC cancels a call that nobody holds
    running = until(lambda: next((each for each in server.sessions.all() if each.busy), None))
    call.cancel()
    server.stop()
    assert until(lambda: not running.busy)
    assert server.native._database is None
    session.client.close()
    session.stop()
