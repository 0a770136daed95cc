"""One of several processes that append to one table at the same time."""

import sys

import duckdb

from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog

if __name__ == "__main__":
    directory, number, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    catalog = IcebergCatalog.local("spark_catalog", directory)
    duck = duckdb.connect(config={"threads": "1"})
    for at in range(times):
        with catalog.stage_append(Identifier.of("db", "t")) as write:
            write.write(duck, f"SELECT {number * 1000 + at} AS id")
            write.commit()
