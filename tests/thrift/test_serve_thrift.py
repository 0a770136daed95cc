"""`twinspark serve --thrift-port` as a user types it."""

import os
import signal
import subprocess
import sys

import pytest

import twinspark.driver as driver
from twinspark.relay.launch import free_port


@pytest.fixture
def thrift_port() -> int:
    return free_port()


def test_the_second_door_takes_the_token_of_the_first(thrift_port: int) -> None:
    words = [
        "serve",
        "--no-ui",
        "--engine",
        "duckdb",
        "--port",
        "0",
        "--token",
        "sesame",
        "--thrift-port",
        str(thrift_port),
    ]
    server = subprocess.Popen([sys.executable, "-m", "twinspark", *words], stderr=subprocess.PIPE)
    try:
        assert server.stderr is not None
        told = b"".join(server.stderr.readline() for _ in range(2)).decode()
        assert "listening at sc://127.0.0.1:" in told
        assert f"Thrift (HTTP, SASL, binary) at 127.0.0.1:{thrift_port}" in told
        with pytest.raises(driver.OperationalError) as refused:
            driver.connect("127.0.0.1", thrift_port, password="wrong")
        assert refused.value.sqlstate == "28000"
        with driver.connect("127.0.0.1", thrift_port, token="sesame") as connection:
            assert connection.cursor().execute("select sum(id) s from range(5)").fetchall() == [(10,)]
    finally:
        os.kill(server.pid, signal.SIGTERM)
        assert server.wait(30) == 0
