"""The sessions the tests of JSON plans run on: twinspark's own, and a real Spark to compare with."""

import os
from functools import cache
from typing import Any

from pyspark.sql import SparkSession


def remote(url: str) -> Any:
    return SparkSession.builder.remote(url).create()


@cache
def spark_session() -> Any:
    """Real Spark: the server of TWINSPARK_TEST_REMOTE, or one that twinspark starts itself."""
    url = os.environ.get("TWINSPARK_TEST_REMOTE")
    if url:
        return remote(url)
    import twinspark

    return twinspark.session(engine="spark")
