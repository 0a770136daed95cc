"""Asks a real Spark to write ORC files into data/orc, and what it reads there: `record_orc.py sc://host:port`."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from pyspark.sql.connect.session import SparkSession
from record_files import RECORDED, answer

DATA = Path(__file__).parent / "data" / "orc"
ANSWERS = RECORDED / "orc.json"
TYPES = """SELECT id, CAST(id AS byte) b, CAST(id AS short) s, CAST(id AS int) i, CAST(id AS float) f,
  IF(id % 2 = 0, double('NaN'), id / 3D) d, IF(id % 3 = 0, NULL, concat('é', id)) st, CAST('ab' AS binary) bin,
  id % 2 = 0 bo, date_add(DATE'1969-12-30', CAST(id AS int)) da,
  timestamp_micros(id * 1234567890123 - 3000000000001) ts, TIMESTAMP_NTZ'1900-01-01 00:00:00.5' n,
  CAST(id AS decimal(20, 3)) de, CAST(id AS decimal(38, 18)) de2, make_dt_interval(CAST(id AS int)) iv,
  IF(id % 2 = 0, NULL, named_struct('x', id, 'Y', array(timestamp_seconds(id), NULL))) x,
  IF(id % 3 = 1, NULL, map('k', TIMESTAMP_NTZ'2020-01-01 00:00:00', 'l', NULL)) m,
  array(array(id), NULL) aa, array(named_struct('z', NULL, 'w', DATE'2020-02-02')) ast
  FROM range(0, 7, 1, 1)""".replace("'z', NULL", "'z', CAST(NULL AS string)")
PARTITIONED = """SELECT id, id % 3 p, IF(id % 5 = 0, NULL, concat('k=', id % 2, '/x')) q FROM range(0, 12, 1, 1)"""
CASES: dict[str, dict[str, Any]] = {
    "types": {"query": TYPES},
    "zlib": {"query": TYPES, "options": {"compression": "zlib"}},
    "snappy": {"query": TYPES, "options": {"compression": "snappy"}},
    "none": {"query": TYPES, "options": {"compression": "none"}},
    "partitions": {"query": PARTITIONED, "partition_by": ["p", "q"]},
    "no rows": {"query": f"{TYPES} WHERE id < 0"},
    "user schema": {"query": TYPES, "schema": "st string, missing int, ID bigint"},
}
# What pyarrow reads otherwise, or not at all.
LEFT_TO_SPARK: dict[str, dict[str, Any]] = {
    "lz4": {"query": TYPES, "options": {"compression": "lz4"}},
    "old dates": {"query": "SELECT DATE'1500-01-01' d"},
    "old times": {"query": "SELECT TIMESTAMP'1500-01-01 00:00:00' t"},
    "late times": {"query": "SELECT TIMESTAMP'9999-01-01 00:00:00' t"},
    "another type": {"query": TYPES, "schema": "id string"},
}


def record(address: str) -> None:
    spark = SparkSession.builder.remote(address).create()
    answers: dict[str, Any] = {}
    shutil.rmtree(DATA, ignore_errors=True)
    for name, case in {**CASES, **LEFT_TO_SPARK}.items():
        place = str(DATA / name.replace(" ", "_"))
        frame = spark.sql(case["query"]).write.options(**case.get("options", {}))
        frame.partitionBy(*case.get("partition_by", [])).orc(place)
        for checksum in Path(place).rglob(".*.crc"):
            checksum.unlink()
        reader = spark.read.schema(case["schema"]) if "schema" in case else spark.read
        if name in CASES:
            found = reader.orc(place)
            answers[name] = {"schema": found.schema.jsonValue(), "rows": answer(found.toArrow().to_pylist())}
            answers[name]["user_schema"] = found.schema.jsonValue() if "schema" in case else None
    ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")
    spark.stop()


if __name__ == "__main__":
    record(sys.argv[1])
