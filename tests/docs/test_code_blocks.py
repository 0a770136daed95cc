"""Every code block of README.md and docs/ is run, page by page, against a real server; blocks of a page share their
variables, their directory and the servers that they start."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from code_blocks import Block, blocks_of, pages
from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession

from twinspark.doors import thrift
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.flight import FlightServer
from twinspark.read.sql import split_statements
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.settings import Settings

PAGES = [page for page in pages() if any(not block.not_run for block in blocks_of(page))]
SERVE = re.compile(r"^twinspark serve\b.*$", re.MULTILINE)
MOST_NOT_RUN = 12  # raise it for a block that no machine of ours can run, not for one that is broken


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """The server at sc://localhost:15002 of the pages."""
    started = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("warehouse"))))
    make_orders_table(SparkSession.builder.remote(started.url).create())
    yield started
    started.stop()


@pytest.fixture(scope="module")
def thrift_port(server: ConnectServer) -> Iterator[int]:
    """The Thrift server at localhost:10000 of the pages."""
    door = thrift.start("127.0.0.1", 0, thrift.ConnectBackend(server.inner_url()))
    yield door.port
    door.stop()


@pytest.fixture(scope="module")
def flight_port(server: ConnectServer) -> Iterator[int]:
    """The Flight SQL server at localhost:31337 of the pages."""
    with FlightServer("127.0.0.1", 0, server.sessions, server.tokens, Limits()) as door:
        yield int(door.url.rpartition(":")[2])


def make_orders_table(spark: Any) -> None:
    spark.sql("create table orders (id bigint, country string, day date, price decimal(10,2))")
    spark.sql("insert into orders values (1, 'de', date'2026-01-03', 12.50), (2, 'fr', date'2026-02-01', 8.00)")
    spark.stop()


class Page:
    """The state that the blocks of one page share."""

    def __init__(self, folder: Path, server: ConnectServer, thrift_port: int, flight_port: int) -> None:
        self.folder, self.thrift_port, self.flight_port = folder, thrift_port, flight_port
        self.url = server.url
        self.spark = SparkSession.builder.remote(server.url).create()
        self.names: dict[str, Any] = {"__name__": "__main__", "spark": self.spark}
        self.servers: list[subprocess.Popen[str]] = []

    def make_files(self) -> None:
        rows = [(1, "de", Decimal("12.50")), (2, "fr", Decimal("8.00")), (3, "de", Decimal("3.10"))]
        frame = self.spark.createDataFrame(rows, "id long, country string, price decimal(10,2)")
        frame.write.parquet(str(self.folder / "orders"))
        ConnectSession._default_session = ConnectSession._active_session.session = None  # as in a new program

    def here(self, text: str) -> str:
        """The text with the addresses of this run."""
        text = text.replace("sc://localhost:15002", self.url).replace("sc://127.0.0.1:15002", self.url)
        text = text.replace("localhost:31337", f"localhost:{self.flight_port}")
        return text.replace("localhost:10000", f"localhost:{self.thrift_port}").replace(
            '"localhost", 10000', f'"localhost", {self.thrift_port}'
        )

    def run(self, block: Block) -> None:
        getattr(self, f"run_{block.language}")(block)

    def run_python(self, block: Block) -> None:
        source = "\n" * (block.line - 1) + self.here(block.text)
        exec(compile(source, block.page, "exec"), self.names)

    def run_sql(self, block: Block) -> None:
        for statement in split_statements(block.text):
            self.spark.sql(statement).collect()

    def run_toml(self, block: Block) -> None:
        (self.folder / "twinspark.toml").write_text(block.text.replace("/data", str(self.folder)))
        self.run_text("twinspark config", block)

    def run_bash(self, block: Block) -> None:
        for command in SERVE.findall(block.text):
            self.start_server(command)
        if rest := SERVE.sub("", block.text).strip():
            self.run_text(self.here(rest), block)

    def run_text(self, text: str, block: Block) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{block.page}:{block.line}\n{done.stdout}{done.stderr}"

    def start_server(self, command: str) -> None:
        """`twinspark serve …` on a free port; it has to listen."""
        words = (
            command.split(" #")[0].replace("--thrift-port 10000", "--thrift-port 0").replace("/data", str(self.folder))
        )
        server = subprocess.Popen(
            ["bash", "-c", f"exec {words} --port 0"],
            cwd=self.folder,
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        self.servers.append(server)
        assert server.stderr is not None
        lines = []
        for line in server.stderr:
            lines.append(line)
            if "listening at" in line:
                return
        raise AssertionError(f"{command}\n{''.join(lines)}")

    def close(self) -> None:
        for session in (self.spark, *self.names.values()):
            if isinstance(session, ConnectSession):
                session.stop()
        for server in self.servers:
            server.terminate()
            server.communicate(timeout=60)


def environment() -> dict[str, str]:
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("TWINSPARK_", "SPARK_REMOTE"))}
    return {**bare, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page(
    page: Path,
    server: ConnectServer,
    thrift_port: int,
    flight_port: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shared = Page(tmp_path, server, thrift_port, flight_port)
    try:
        shared.make_files()
        for block in blocks_of(page):
            if not block.not_run:
                shared.run(block)
    finally:
        shared.close()


def test_few_blocks_are_not_run() -> None:
    every = [block for page in pages() for block in blocks_of(page)]
    left = Counter(block.page for block in every if block.not_run)
    print(f"{len(every) - left.total()} blocks run, {left.total()} not run: {dict(left)}")
    assert left.total() <= MOST_NOT_RUN
