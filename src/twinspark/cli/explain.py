"""`twinspark explain`: a query on one screen, with the engine that would run it and why."""

import sys
import time

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings


def explain_sql(settings: Settings, sql: str) -> int:
    server = ConnectServer(settings)
    try:
        spark = SparkSession.builder.remote(server.url).create()
        started = time.perf_counter()
        print(spark.sql(sql)._explain_string(extended=True))
        print(f"{(time.perf_counter() - started) * 1000:.1f} ms")
    except PySparkException as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        server.stop()
    return 0
