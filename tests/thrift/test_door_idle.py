"""What the door does while nobody speaks, and when it is told to stop."""

import socket
import time

import pytest

import twinspark.driver as driver
from twinspark.doors.thrift import ConnectBackend, start
from twinspark.doors.thrift.idle_sessions import look_after
from twinspark.doors.thrift.service import key_of

pytestmark = pytest.mark.spark


def test_a_forgotten_session_is_closed_and_one_in_use_is_not(connect_url: str) -> None:
    with start("127.0.0.1", 0, ConnectBackend(connect_url)) as door:
        forgotten, used = (driver.connect("127.0.0.1", door.port, transport="http") for _ in range(2))
        door.service.sessions[key_of(forgotten.handle["sessionId"])].used -= 3600
        look_after(door.service, idle_seconds=1800)
        assert len(door.service.all_sessions()) == 1
        assert used.cursor().execute("select 2").fetchall() == [(2,)]
        with pytest.raises(driver.Error, match="Invalid SessionHandle"):
            forgotten.cursor().execute("select 3")
        used.close()


def test_stopping_frees_the_port_and_ends_connections(connect_url: str) -> None:
    door = start("127.0.0.1", 0, ConnectBackend(connect_url))
    connection = driver.connect("127.0.0.1", door.port)
    door.stop()
    with pytest.raises(driver.OperationalError):
        connection.cursor().execute("select 1")
    with socket.create_server(("127.0.0.1", door.port)) as again:
        assert again.getsockname()[1] == door.port


def test_a_kept_http_connection_that_was_dropped_is_opened_again(connect_url: str) -> None:
    """Proxies and servers close what is idle; a session over HTTP does not end with that."""
    with start("127.0.0.1", 0, ConnectBackend(connect_url)) as door:
        connection = driver.connect("127.0.0.1", door.port, transport="http")
        connection.cursor().execute("create or replace temp view kept as select 7 x")
        for kept in door.connections:
            kept.line.hang_up()
        time.sleep(0.2)
        assert connection.cursor().execute("select x from kept").fetchall() == [(7,)]
        connection.close()
