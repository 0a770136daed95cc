"""Writers side by side, in one server and in several; servers killed in the middle of whatever they do.

The everyday suite runs a sample, `make tables-stress` the whole: TWINSPARK_TEST_STRESS names the file of its counts."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tables"))

import grpc
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from stress_counts import STRESS, count
from table_helpers import rows, run

from twinspark.doors.connect.server import ConnectServer

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


class Nursery:
    """Forks servers of one interpreter, which has imported everything once."""

    def __init__(self) -> None:
        script = str(Path(__file__).parent / "served_process.py")
        self.parent = subprocess.Popen(
            [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def serve(self, warehouse: Path) -> "Served":
        assert self.parent.stdin is not None and self.parent.stdout is not None
        self.parent.stdin.write(f"{warehouse}\n")
        self.parent.stdin.flush()
        process, url = self.parent.stdout.readline().split()
        return Served(int(process), url)

    def close(self) -> None:
        self.parent.communicate()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@dataclass(frozen=True)
class Served:
    """A server in a process, and clients of it."""

    process: int
    url: str

    def session(self) -> Any:
        return SparkSession.builder.remote(self.url).create()

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        while is_there(self.process):
            time.sleep(0.002)


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_clients_of_one_server(tables: Any, tables_server: ConnectServer) -> None:
    run(tables, "CREATE TABLE t (id INT)")
    in_threads([lambda at=at: append(tables_server.url, "mine.t", at, 5) for at in range(4)])
    assert rows(tables, "SELECT count(*), count(DISTINCT id) FROM t") == [(20, 20)]


def test_several_servers_on_one_warehouse(tmp_path: Path, nursery: Nursery) -> None:
    servers = [nursery.serve(tmp_path) for _ in range(SERVERS)]
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
        count(f"appends of {SERVERS} processes at the same time", expected)
        session.stop()
    finally:
        for served in servers:
            served.kill()


def append(url: str, table: str, writer: int, times: int) -> None:
    session = SparkSession.builder.remote(url).create()
    for at in range(times):
        run(session, f"INSERT INTO {table} VALUES ({writer * 1000 + at})")
    session.stop()


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
def test_a_killed_server_leaves_the_table_whole(time_round: int, tmp_path: Path, nursery: Nursery) -> None:
    """Old or new, never between; writable at once; and nothing is left of what was not committed."""
    chance = random.Random(20261115 + time_round)
    served = nursery.serve(tmp_path)
    session = served.session()
    run(session, "CREATE TABLE t AS SELECT id, 's' AS s FROM range(1000)")
    for at in range(KILLS):
        name, change = list(CHANGES.items())[at % len(CHANGES)]
        before, wanted = state(session), merged(session) if name == "merge" else None
        session.stop()
        threading.Thread(target=attempt, args=(served.url, change), daemon=True).start()
        time.sleep(chance.uniform(0.02, 0.9))
        served.kill()
        served = nursery.serve(tmp_path)
        session = served.session()
        after = state(session)
        assert after in (before, expected(name, before) if wanted is None else {**before, "t": wanted}), (name, before)
        run(session, "DROP TABLE IF EXISTS fresh", "INSERT INTO t VALUES (0, 'more')")
        assert rows(session, "SELECT count(*) FROM t") == [(after["t"][0] + 1,)]
        assert orphans(session, tmp_path) == set()
        count(f"servers killed in the middle of {name}")
    session.stop()
    served.kill()


def attempt(url: str, change: str) -> None:
    session = SparkSession.builder.remote(url).create()
    session.client.set_retry_policies([])  # its server is going to be killed: there is nothing to wait for
    with suppress(PySparkException, grpc.RpcError):
        run(session, change)


State = dict[str, tuple[int, int]]  # counts and sums of the tables that are there


def state(session: Any) -> State:
    found = {}
    for name in ("t", "fresh"):
        if session.catalog.tableExists(name):
            found[name] = tuple(session.sql(f"SELECT count(*), sum(id) FROM {name}").collect()[0])
    return found


def expected(change: str, before: State) -> State:
    """The state after a change that depends on no row."""
    count, total = before["t"]
    return {
        "create": {**before, "fresh": (200000, 19999900000)},
        "replace": {**before, "t": (200000, 20000100000)},
        "append": {**before, "t": (count + 100000, total + 4999950000)},
        "overwrite": {**before, "t": (150000, 11250225000)},
    }[change]


def merged(session: Any) -> tuple[int, int]:
    """Count and sum after the MERGE: even numbers that are there become -1, those that are not come in."""
    met = "id % 2 = 0 AND id BETWEEN 0 AND 199999"
    asked = "count(*), sum(id), count(DISTINCT id), sum(DISTINCT id)"
    count, total = state(session)["t"]
    [(times, gone, distinct, once)] = rows(session, f"SELECT {asked} FROM t WHERE {met}")
    return count + 100000 - distinct, total - (gone or 0) - times + 100000 * 99999 - (once or 0)


def orphans(session: Any, warehouse: Path) -> set[str]:
    """Data files that no snapshot of any table names."""
    named = {row[0].removeprefix("file://") for row in session.sql("SELECT file_path FROM t.all_data_files").collect()}
    return {str(file) for file in warehouse.rglob("data/**/*.parquet")} - named
