"""Profiles of Python functions reach the client as they do from Spark: one for each call, by PySpark's own profiler."""

from collections.abc import Iterator
from typing import Any

import pytest

from twinspark.doors.connect.server import ConnectServer


@pytest.fixture
def profiled(native_functions_server: ConnectServer) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(native_functions_server.url).create()
    session.conf.set("spark.sql.pyspark.udf.profiler", "perf")
    yield session
    session.stop()


def profiled_names(session: Any) -> list[set[str]]:
    """Of each profile the names of the functions that were called."""
    results = session._profiler_collector._perf_profile_results
    return [{name for _, _, name in stats.stats} for stats in results.values()]


def test_each_call_has_a_profile(profiled: Any) -> None:
    from pyspark.sql import functions as F

    def twice(x: int) -> int:
        return 2 * x

    def thrice(x: int) -> int:
        return 3 * x

    rows = profiled.range(5).select(F.udf(twice, "long")("id"), F.udf(thrice, "long")("id")).collect()
    assert [tuple(row) for row in rows] == [(2 * n, 3 * n) for n in range(5)]
    assert sorted(next(iter(names & {"twice", "thrice"})) for names in profiled_names(profiled)) == ["thrice", "twice"]


def test_without_a_profiler_nothing_is_told(profiled: Any) -> None:
    from pyspark.sql import functions as F

    profiled.conf.unset("spark.sql.pyspark.udf.profiler")
    assert profiled.range(1).select(F.udf(lambda x: x, "long")("id")).collect() == [(0,)]
    assert profiled_names(profiled) == []
