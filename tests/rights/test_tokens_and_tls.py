"""Keys from files and the environment, TLS with real clients, and what a server needs that others can reach."""

import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
import typer
from pyspark.sql.connect.proto import base_pb2 as proto
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub
from signed_certificates import Certificates, make_certificates
from waiting import until

from twinspark import driver
from twinspark.cli.serve import ThriftDoor, check_addresses, open_thrift
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.access.tls import Tls
from twinspark.sessions.access.tokens import Tokens
from twinspark.sessions.settings import Settings

CLIENT = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).create()
print(spark.sql("SELECT 42 AS answer").collect()[0].answer)
spark.stop()
"""


# ---- tokens


@pytest.fixture
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twinspark.sessions.access.tokens.LOOK_SECONDS", 0.0)


def test_keys_come_from_lines_or_toml_and_are_read_again(tmp_path: Path, looks_at_once: None) -> None:
    lines, table = tmp_path / "tokens", tmp_path / "tokens.toml"
    lines.write_text("# comment\nalice:one\n\ntwo\n")
    table.write_text('[tokens]\nbob = "three"\n')
    tokens = Tokens(file=str(lines))
    assert [admitted and admitted.name for admitted in map(tokens.admit, ("one", "two", "three", ""))] == [
        *("alice", None, None, None)
    ]
    assert tokens.admit("two") is not None and tokens.admit("three") is None
    assert Tokens(file=str(table)).admit("three").name == "bob"  # type: ignore[union-attr]
    lines.write_text("bob:three\n")
    assert tokens.admit("three") is not None and tokens.admit("one") is None


def test_a_file_that_cannot_be_read_changes_nothing_and_an_empty_one_lets_nobody_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, looks_at_once: None
) -> None:
    file = tmp_path / "tokens"
    file.write_text("alice:the-very-secret\n")
    tokens = Tokens(file=str(file))
    file.write_text(":\n")
    assert tokens.admit("the-very-secret") is not None
    assert "reloading the tokens" in caplog.text and "secret" not in caplog.text
    file.write_text("")
    assert tokens.admit("the-very-secret") is None and tokens.admit_header("") is None
    with pytest.raises(FileNotFoundError):
        Tokens(file=str(tmp_path / "nowhere"))


# ---- a server of its own


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(
    place: Path, *words: str, environment: dict[str, str] | None = None
) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    port = free_port()
    command = [sys.executable, "-m", "twinspark", "serve", "--engine", "duckdb", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--warehouse", str(place / "warehouse"), *words],
        env={**os.environ, **(environment or {})},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(port, process)
        yield port, process
    finally:
        process.kill()
        process.wait()


def wait_for(port: int, process: "subprocess.Popen[str]") -> None:
    def listens() -> bool:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(listens)


def client(url: str, authority: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(authority)}
    return subprocess.run(
        [sys.executable, "-c", CLIENT, url], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@contextmanager
def secured(place: Path, tls: Tls) -> Iterator[ConnectServer]:
    (place / "tokens").write_text("alice:open-sesame\n")
    server = ConnectServer(
        Settings(engine="duckdb", warehouse=str(place / "warehouse"), tls=tls, token_file=str(place / "tokens"))
    )
    try:
        yield server
    finally:
        server.stop()


def test_a_pyspark_client_comes_in_over_tls_with_its_key(tmp_path: Path, certificates: Certificates) -> None:
    with secured(tmp_path, Tls(str(certificates.server))) as server:
        answered = client(f"sc://localhost:{server.port}/;use_ssl=true;token=open-sesame", certificates.authority)
        assert answered.stdout.strip() == "42", answered.stderr
        unknown = server.sessions.all()
        assert {each.user_id for each in unknown} <= {"alice"}


def version_from(port: int, credentials: grpc.ChannelCredentials) -> str:
    request = proto.AnalyzePlanRequest(session_id="00000000-0000-4000-8000-000000000000")
    request.spark_version.SetInParent()
    with grpc.secure_channel(f"localhost:{port}", credentials) as channel:
        key = (("authorization", "Bearer open-sesame"),)
        return str(
            SparkConnectServiceStub(channel).AnalyzePlan(request, timeout=30, metadata=key).spark_version.version
        )


def test_clients_need_a_certificate_where_the_operator_says_so(tmp_path: Path, certificates: Certificates) -> None:
    authority, client_pem = certificates.authority.read_bytes(), certificates.client
    key, certificate = client_pem.with_suffix(".key").read_bytes(), client_pem.with_suffix(".crt").read_bytes()
    with secured(tmp_path, Tls(str(certificates.server), None, str(certificates.authority))) as server:
        assert version_from(server.port, grpc.ssl_channel_credentials(authority, key, certificate))
        with pytest.raises(grpc.RpcError) as caught:
            version_from(server.port, grpc.ssl_channel_credentials(authority))
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_thrift_clients_speak_tls_with_the_same_certificate(tmp_path: Path, certificates: Certificates) -> None:
    trusting = ssl.create_default_context(cafile=str(certificates.authority))
    with secured(tmp_path, Tls(str(certificates.server))) as server:
        settings = Settings(engine="duckdb", tls=Tls(str(certificates.server)))
        door = open_thrift(ThriftDoor(0), settings, server)
        with (
            door,
            driver.connect("localhost", door.port, token="open-sesame", tls=trusting) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute("SELECT 42")
            assert cursor.fetchall() == [(42,)]
        with pytest.raises(driver.Error), door, driver.connect("localhost", door.port, token="wrong", tls=trusting):
            pass


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_an_address_of_other_machines_needs_a_key(
    host: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    for settings, door in ((Settings(host=host), None), (Settings(), ThriftDoor(1, host))):
        with pytest.raises(typer.Exit):
            check_addresses(settings, (door,), insecure=False)
        assert "--insecure" in capsys.readouterr().err
        check_addresses(settings, (door,), insecure=True)
        assert "INSECURE" in caplog.text
        caplog.clear()
    check_addresses(Settings(host=host, token="x"), (), insecure=False)
    assert "unencrypted" in caplog.text
    check_addresses(Settings(host=host, tls=Tls("c", None, "a")), (), insecure=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_this_machine_s_own_addresses_need_none(host: str, caplog: pytest.LogCaptureFixture) -> None:
    check_addresses(Settings(host=host), (), insecure=False)
    assert caplog.text == ""


@pytest.mark.attack
def test_a_key_of_the_environment_is_in_no_other_process_and_no_log(tmp_path: Path) -> None:
    key, metrics = "key-that-nobody-shall-see", free_port()
    words = ["--host", "0.0.0.0", "--metrics-port", str(metrics)]
    with serving(tmp_path, *words, environment={"TWINSPARK_TOKEN": key}) as (port, process):
        answered = client(f"sc://localhost:{port}/;token={key}", Path("/dev/null"))
        assert answered.returncode == 0, answered.stderr
        assert key not in Path(f"/proc/{process.pid}/cmdline").read_text()
        for child in children_of(process.pid):
            assert key.encode() not in Path(f"/proc/{child}/environ").read_bytes()
        address = f"http://127.0.0.1:{metrics}/metrics"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address, timeout=30)
        with_key = urllib.request.Request(address, headers={"Authorization": f"Bearer {key}"})
        assert b"twinspark_operations" in urllib.request.urlopen(with_key, timeout=30).read()
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert key not in process.stderr.read()


def children_of(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(each) for each in found.split()]
