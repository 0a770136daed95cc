"""Results larger than anybody wants to hold: they pass through the door and the driver in bounded memory."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from twinspark.relay.launch import free_port
from twinspark.wire.thrift.protocol import HIVE_V6, HIVE_V10, SPARK_V9

MEGABYTES = 150
READER = """
import sys
import twinspark.driver as driver
connection = driver.connect("127.0.0.1", int(sys.argv[1]), protocol=int(sys.argv[2]), fetch_rows=10_000)
cursor = connection.cursor()
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
for _ in cursor.execute(sys.argv[3].format(rows=1000)).fetch_record_batch():
    pass
before, size = peak(), 0
for batch in cursor.execute(sys.argv[3].format(rows=sys.argv[4])).fetch_record_batch():
    size += batch.nbytes
print(size >> 20, (peak() - before) >> 10)
connection.close()
"""
QUERY = "select repeat(cast(id % 10 as string), 1000) s from range({rows})"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """Process id and Thrift port of a server of its own, so that its memory is nobody else's."""
    port, warehouse = free_port(), str(tmp_path_factory.mktemp("warehouse"))
    words = [
        "serve",
        "--no-ui",
        "--engine",
        "duckdb",
        "--port",
        "0",
        "--warehouse",
        warehouse,
        "--thrift-port",
        str(port),
    ]
    server = subprocess.Popen([sys.executable, "-m", "twinspark", *words], stderr=subprocess.PIPE)
    assert server.stderr is not None
    told = b"".join(server.stderr.readline() for _ in range(2)).decode()
    assert f"Thrift (HTTP, SASL, binary) at 127.0.0.1:{port}" in told
    yield server.pid, port
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait(30) == 0


def peak_of(process: int) -> int:
    """Megabytes; resource.getrusage would count what a process's parent had before it."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) >> 10


def read(port: int, version: int, rows: int) -> tuple[int, int]:
    command = [sys.executable, "-c", READER, str(port), str(version), QUERY, str(rows)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    size, grown = map(int, ran.stdout.split())
    return size, grown


@pytest.mark.parametrize("version", [HIVE_V6 - 1, HIVE_V6, HIVE_V10, SPARK_V9])
def test_the_driver_reads_a_large_result_in_less_than_half_of_its_size(version: int, serving: tuple[int, int]) -> None:
    size, grown = read(serving[1], version, MEGABYTES * 1000)
    assert size >= MEGABYTES * 1000 * 1000 >> 20
    assert grown < MEGABYTES // 2


def test_the_door_holds_no_more_of_a_result_four_times_as_large(serving: tuple[int, int]) -> None:
    """What it holds, with Spark Connect's server in the same process, is a sum of fixed amounts."""
    process, port = serving
    read(port, SPARK_V9, MEGABYTES * 1000)
    before = peak_of(process)
    size, _ = read(port, SPARK_V9, 4 * MEGABYTES * 1000)
    assert peak_of(process) - before < size // 2
