"""Writers side by side, in one server and in several; servers killed in the middle of whatever they do.

Everyday a small sample runs; `make tables-stress` runs the whole: TWINSPARK_STRESS=1."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from helpers_tables import rows, run
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer

STRESS = "TWINSPARK_STRESS" in os.environ
SERVERS, CLIENTS, APPENDS = (8, 1, 20) if STRESS else (2, 2, 3)
ROUNDS, KILLS = (20, 5) if STRESS else (1, 2)
# Each changes the table from one whole state to another: the sum tells which one it is in.
CHANGES = {
    "create": "CREATE TABLE fresh AS SELECT id, repeat('x', 100) AS s FROM range(200000)",
    "replace": "CREATE OR REPLACE TABLE t AS SELECT id + 1 AS id, repeat('y', 100) AS s FROM range(200000)",
    "append": "INSERT INTO t SELECT id, repeat('z', 100) AS s FROM range(100000)",
    "overwrite": "INSERT OVERWRITE t SELECT id + 2, repeat('o', 100) FROM range(150000)",
    "merge": "MERGE INTO t USING (SELECT id * 2 AS id FROM range(100000)) x ON t.id = x.id "
    "WHEN MATCHED THEN UPDATE SET id = -1 WHEN NOT MATCHED THEN INSERT (id) VALUES (x.id)",
}


class Served:
    """A server in a process, and a client of it."""

    def __init__(self, warehouse: Path) -> None:
        script = Path(__file__).parent / "served_process.py"
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(warehouse)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def session(self) -> Any:
        return SparkSession.builder.remote(self.url).create()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def test_clients_of_one_server(tables: Any, tables_server: ConnectServer) -> None:
    run(tables, "CREATE TABLE t (id INT)")
    in_threads([lambda at=at: append(tables_server.url, "mine.t", at, 5) for at in range(4)])
    assert rows(tables, "SELECT count(*), count(DISTINCT id) FROM t") == [(20, 20)]


def test_several_servers_on_one_warehouse(tmp_path: Path) -> None:
    servers = [Served(tmp_path) for _ in range(SERVERS)]
    try:
        session = servers[0].session()
        run(session, "CREATE TABLE t (id INT)")
        writers = [
            lambda url=served.url, at=at * CLIENTS + client: append(url, "t", at, APPENDS)
            for at, served in enumerate(servers)
            for client in range(CLIENTS)
        ]
        in_threads(writers)
        expected = SERVERS * CLIENTS * APPENDS
        assert rows(session, "SELECT count(*), count(DISTINCT id) FROM t") == [(expected, expected)]
    finally:
        for served in servers:
            served.kill()


def append(url: str, table: str, writer: int, times: int) -> None:
    session = SparkSession.builder.remote(url).create()
    for at in range(times):
        run(session, f"INSERT INTO {table} VALUES ({writer * 1000 + at})")


def in_threads(work: list[Callable[[], None]]) -> None:
    failures: list[BaseException] = []

    def guarded(each: Callable[[], None]) -> None:
        try:
            each()
        except PySparkException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(each,)) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("time_round", range(ROUNDS))
def test_a_killed_server_leaves_the_table_whole(time_round: int, tmp_path: Path) -> None:
    """Old or new, never between; writable at once; and nothing is left of what was not committed."""
    chance = random.Random(20261115 + time_round)
    served = Served(tmp_path)
    run(served.session(), "CREATE TABLE t AS SELECT id, 's' AS s FROM range(1000)")
    for at in range(KILLS):
        name, change = list(CHANGES.items())[at % len(CHANGES)]
        before = state(served.session())
        threading.Thread(target=attempt, args=(served.url, change), daemon=True).start()
        time.sleep(chance.uniform(0.02, 0.9))
        served.kill()
        served = Served(tmp_path)
        session = served.session()
        after = state(session)
        assert after == before or whole(name, before, after), (name, before, after)
        run(session, "DROP TABLE IF EXISTS fresh", "INSERT INTO t VALUES (0, 'more')")
        assert rows(session, "SELECT count(*) FROM t") == [(after["t"][0] + 1,)]
        assert orphans(session, tmp_path) == set()
    served.kill()


def attempt(url: str, change: str) -> None:
    with suppress(PySparkException, grpc.RpcError):  # its server was killed
        run(SparkSession.builder.remote(url).create(), change)


def state(session: Any) -> dict[str, tuple[Any, ...]]:
    """Counts and sums of what is there; a table that is not there is missing."""
    found = {}
    for name in ("t", "fresh"):
        if session.catalog.tableExists(name):
            found[name] = tuple(session.sql(f"SELECT count(*), sum(id) FROM {name}").collect()[0])
    return found


def whole(change: str, before: dict[str, tuple[Any, ...]], after: dict[str, tuple[Any, ...]]) -> bool:
    count, total = before["t"]
    if change == "create":
        return after == {**before, "fresh": (200000, 19999900000)}
    if change == "merge":
        return after["t"][0] >= count
    expected = {
        "replace": (200000, 20000100000),
        "append": (count + 100000, total + 4999950000),
        "overwrite": (150000, 11250225000),
    }
    return after["t"] == expected[change]


def orphans(session: Any, warehouse: Path) -> set[str]:
    """Data files that no snapshot of any table names."""
    named = {row[0].removeprefix("file://") for row in session.sql("SELECT file_path FROM t.all_data_files").collect()}
    return {str(file) for file in warehouse.rglob("data/**/*.parquet")} - named
