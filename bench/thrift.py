"""One million rows of ten columns through each pair of client and Thrift server; seconds, and ratios to the fastest.

Servers: the door (over a Spark Connect URL) and Spark's own Thrift server, both on the same kind of Spark. Clients run
in processes of their own and in turns, the best of three counts. `make thrift-bench` prepares the environments.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
QUERY = """select id, cast(id % 100 as int) i, id * 0.5D d, cast(id * 0.01 as decimal(18,2)) m, cast(id as string) s,
 concat('name ', id % 1000) n, date_add(date'2020-01-01', cast(id % 1000 as int)) t,
 timestamp_seconds(1577836800 + id) w, id % 2 = 0 b, if(id % 10 = 0, null, id) o from range({rows})"""

# What each client does to hold all rows in memory, as its users would; run by `python -c` with the port and query.
CLIENTS = {
    "driver": """
import twinspark.driver as driver
cursor = driver.connect("127.0.0.1", port, transport="sasl").cursor()
run = lambda: cursor.execute(query).fetch_arrow_table().num_rows""",
    "driver rows": """
import twinspark.driver as driver
cursor = driver.connect("127.0.0.1", port, transport="sasl").cursor()
run = lambda: len(cursor.execute(query).fetchall())""",
    "pyhive": """
from pyhive import hive
cursor = hive.connect("127.0.0.1", port=port, username="u").cursor(arraysize=100000)
def run():
    cursor.execute(query)
    return len(cursor.fetchall())""",
    "impyla": """
from impala.dbapi import connect
cursor = connect("127.0.0.1", port=port, auth_mechanism="PLAIN", user="u", password="p").cursor()
cursor.set_arraysize(100000)
def run():
    cursor.execute(query)
    return len(cursor.fetchall())""",
    "databricks": """
from databricks import sql
options = {"_connection_uri": f"http://127.0.0.1:{port}/cliservice", "enable_telemetry": False}
cursor = sql.connect("127.0.0.1", http_path="/cliservice", access_token="x", **options).cursor()
def run():
    cursor.execute(query)
    return cursor.fetchall_arrow().num_rows""",
}
TIMING = """
import json, sys, time
port, query, rows, times = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
{setup}
taken = []
for _ in range(times):
    began = time.perf_counter()
    assert run() == rows
    taken.append(time.perf_counter() - began)
print(json.dumps(taken))
"""
PAIRS = [
    ("driver", "door"), ("driver rows", "door"), ("databricks", "door"), ("pyhive", "door"), ("impyla", "door"),
    ("driver", "spark"), ("pyhive", "spark"), ("impyla", "spark"),
]  # fmt: skip


def python_of(client: str) -> str:
    return (
        sys.executable if client.startswith("driver") else str(ROOT / ".data" / "thrift" / "clients" / "bin" / "python")
    )


def seconds(client: str, port: int, rows: int, times: int) -> float:
    script = TIMING.format(setup=CLIENTS[client])
    options = [str(port), QUERY.format(rows=rows), str(rows), str(times)]
    command = [python_of(client), "-W", "ignore", "-c", script, *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if ran.returncode:
        raise SystemExit(f"{client} failed: {ran.stderr[-2000:]}")
    return float(min(json.loads(ran.stdout.strip().splitlines()[-1])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--connect", default="", help="the door's Spark Connect URL; without it a server is started")
    parser.add_argument("--door-only", action="store_true", help="leave out Spark's own Thrift server")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests" / "thrift"))
    from spark_thrift_server import SparkThriftServer

    from twinspark.doors.connect.server import ConnectServer
    from twinspark.doors.thrift import ConnectBackend, start
    from twinspark.sessions.settings import Settings

    own = None if arguments.connect else ConnectServer(Settings(spark_memory="2g"))
    door = start("127.0.0.1", 0, ConnectBackend(arguments.connect or own.url))
    spark = None if arguments.door_only else SparkThriftServer("binary", Path(tempfile.mkdtemp()))
    ports = {"door": door.port} | ({"spark": spark.port} if spark is not None else {})
    pairs = [(client, server) for client, server in PAIRS if server in ports]
    try:
        report([measured(client, server, ports[server], arguments.rows, arguments.times) for client, server in pairs])
    finally:
        if spark is not None:
            spark.stop()
        door.stop()
        if own is not None:
            own.stop()


def measured(client: str, server: str, port: int, rows: int, times: int) -> tuple[str, str, float]:
    taken = seconds(client, port, rows, times)
    print(f"{client} on {server}: {taken:.2f} s", file=sys.stderr)
    return client, server, taken


def report(found: list[tuple[str, str, float]]) -> None:
    fastest = min(taken for _, _, taken in found)
    print(f"{'client':12} {'server':8} {'seconds':>8} {'ratio':>6}")
    for client, server, taken in sorted(found, key=lambda row: row[2]):
        print(f"{client:12} {server:8} {taken:8.2f} {taken / fastest:6.1f}")


if __name__ == "__main__":
    main()
