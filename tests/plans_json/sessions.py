"""The sessions that plans are compared on: twinspark's own, and a real Spark.

TWINSPARK_TEST_REMOTE names a Spark to ask instead of starting one; TWINSPARK_TEST_NATIVE a twinspark to test.
"""

import os
from functools import cache
from typing import Any

from pyspark.sql import SparkSession

SPARK_URL = os.environ.get("TWINSPARK_TEST_REMOTE")
NATIVE_URL = os.environ.get("TWINSPARK_TEST_NATIVE")


def remote(url: str) -> Any:
    session = SparkSession.builder.remote(url).create()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return session


@cache
def spark_session() -> Any:
    """Real Spark, for recording: the server of TWINSPARK_TEST_REMOTE, or one that twinspark starts itself."""
    if SPARK_URL:
        return remote(SPARK_URL)
    import twinspark

    return twinspark.session(engine="spark")
