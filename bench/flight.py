"""One million rows of ten columns as Arrow through each of the three protocols, and `select 1`; seconds and ratios.

One server on the embedded engine; clients run in processes of their own and in turns, the best of three counts:
ADBC's Flight SQL driver, our Thrift driver, and PySpark's Spark Connect client. Run: `make flight-bench`.
"""

import json
import subprocess
import sys
import tempfile

sys.path.insert(0, ".")
from bench.thrift import QUERY, TIMING

CLIENTS = {
    "flight": """
import warnings; warnings.simplefilter("ignore")
import adbc_driver_flightsql.dbapi as flightsql
cursor = flightsql.connect(f"grpc://127.0.0.1:{port}").cursor()
def run():
    cursor.execute(query)
    return cursor.fetch_arrow_table().num_rows""",
    "thrift": """
import twinspark.driver as driver
cursor = driver.connect("127.0.0.1", port, transport="sasl").cursor()
run = lambda: cursor.execute(query).fetch_arrow_table().num_rows""",
    "connect": """
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
run = lambda: spark.sql(query).toArrow().num_rows""",
}
CASES = {"1,000,000 rows": (QUERY, 1_000_000, 3), "select 1": ("select 1", 1, 100)}


def seconds(client: str, port: int, query: str, rows: int, times: int) -> float:
    command = [sys.executable, "-c", TIMING.format(setup=CLIENTS[client])]
    options = [str(port), query.format(rows=rows), str(rows), str(times)]
    ran = subprocess.run([*command, *options], capture_output=True, text=True, timeout=3600)
    if ran.returncode:
        raise SystemExit(f"{client} failed: {ran.stderr[-2000:]}")
    return float(min(json.loads(ran.stdout.strip().splitlines()[-1])))


def main() -> None:
    from twinspark.doors.connect.server import ConnectServer
    from twinspark.doors.flight import FlightServer
    from twinspark.doors.thrift import ConnectBackend, start
    from twinspark.sessions.access.limits import Limits
    from twinspark.sessions.settings import Settings

    server = ConnectServer(Settings(engine="duckdb", port=0, warehouse=tempfile.mkdtemp()))
    thrift = start("127.0.0.1", 0, ConnectBackend(server.url))
    flight = FlightServer("127.0.0.1", 0, server.sessions, server.tokens, Limits())
    ports = {"flight": flight.port, "thrift": thrift.port, "connect": server.port}
    try:
        for name, case in CASES.items():
            report(name, {client: seconds(client, port, *case) for client, port in ports.items()})
    finally:
        flight.stop()
        thrift.stop()
        server.stop()


def report(case: str, found: dict[str, float]) -> None:
    fastest = min(found.values())
    print(f"{case:16} {'seconds':>8} {'ratio':>6}")
    for client, taken in sorted(found.items(), key=lambda pair: pair[1]):
        print(f"  {client:14} {taken:8.4f} {taken / fastest:6.1f}")


if __name__ == "__main__":
    main()
