"""What a statement costs before it runs, in CPU milliseconds: parsed, analysed, and found again in the cache of plans.

usage: planning.py   (TPC-DS: views of the tables that `tests/tpcds/tpcds_data.py` makes; the best of seven)
"""

from __future__ import annotations

import gc
import logging
import os
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from pyspark.sql.connect.proto import Relation
from pyspark.sql.connect.session import SparkSession
from tpch_sql import QUERIES

from twinspark.doors.connect.server import ConnectServer
from twinspark.errors import NotNative, SparkError
from twinspark.read.sql import parse_query
from twinspark.read.sql_text import read_query_text
from twinspark.sessions.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tpcds"))

SCALE = "0.01"
TIMES = 7


def main() -> None:
    logging.disable(logging.CRITICAL)
    report("TPC-H parsed", [(f"q{number}", parsing(text)) for number, text in QUERIES.items()], 2.0)
    data, answers = import_module("tpcds_data"), import_module("tpcds_answers")
    data.generated(SCALE)
    server = ConnectServer(Settings(engine="duckdb"))
    spark = answers.with_views(SparkSession.builder.remote(server.url).create(), SCALE)
    (session,) = server.sessions.all()
    gc.collect()
    gc.freeze()  # as `twinspark serve` does
    gc.set_threshold(20_000, 20, 20)
    texts = {name: text.strip().rstrip(";") for name, text in data.queries(SCALE).items()}
    read = {name: text for name, text in texts.items() if is_native(text, server, session)}
    report("TPC-DS parsed and analysed", [(n, analysing(t, server, session)) for n, t in read.items()], 25.0)
    report("TPC-DS found again", [(n, finding(t, server, session)) for n, t in read.items()], 1.0)
    print(f"({len(texts) - len(read)} of {len(texts)} texts are not read natively)")
    spark.stop()
    os._exit(0)


def report(name: str, times: list[tuple[str, float]], target: float) -> None:
    ordered = sorted(times, key=lambda each: each[1])
    values = [value for _, value in ordered]
    over = [f"{query} {value:.1f}" for query, value in ordered if value >= target]
    print(
        f"{name}: {len(values)} queries, median {statistics.median(values):.2f} ms, longest {values[-1]:.2f} ms "
        f"({ordered[-1][0]}), {len(over)} not under {target:.0f} ms {over}"
    )


def best(action: Callable[[], Any]) -> float:
    """In milliseconds of this thread's CPU."""
    found = float("inf")
    for _ in range(TIMES):
        began = time.thread_time()
        action()
        found = min(found, time.thread_time() - began)
    return found * 1000


def parsing(text: str) -> float:
    return best(lambda: parse_query(text))


def is_native(text: str, server: ConnectServer, session: Any) -> bool:
    try:
        read(text, server, session)
    except (NotNative, SparkError):
        return False
    return True


def read(text: str, server: ConnectServer, session: Any) -> None:
    read_query_text(text, session.services.surroundings().context(server.shared.native.cursor()))


def analysing(text: str, server: ConnectServer, session: Any) -> float:
    return best(lambda: read(text, server, session))


def finding(text: str, server: ConnectServer, session: Any) -> float:
    """What stands between the statement's message and its SQL, files looked at again, once it is known."""
    message, cursor = Relation(), server.shared.native.cursor()
    message.sql.query = text
    known = server.shared.plans.hits
    found = best(lambda: server.shared.plans.read(message, session.services.surroundings(), cursor))
    assert server.shared.plans.hits >= known + TIMES - 1, f"not kept: {text[:60]}"
    return found


if __name__ == "__main__":
    main()
