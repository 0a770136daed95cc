"""Asks a real Spark what it writes to files: `python tests/files/record_writes.py sc://host:port`."""

import gzip
import json
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

RECORDED = Path(__file__).parent / "recorded" / "writes.json"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Write:
    """A query that both engines understand, and how its rows are written."""

    query: str
    format: str
    partition_by: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    duck: str | None = None  # the same rows in DuckDB's words, where they differ
    zone: str = "UTC"


STRINGS = "SELECT * FROM VALUES (1, ' a b ', 'x,y'), (2, 'q\"r', 'l\nm'), (3, '', NULL), (4, 'é', '#') t(a, b, c)"
NAMED = "SELECT * FROM VALUES (1, 'x y'), (2, 'a/b'), (3, NULL), (4, ''), (5, 'é=:%'), (6, 'it''s') t(a, k)"
TIMES = (
    "SELECT 1 AS a, DATE '2020-01-02' AS d, TIMESTAMP '2020-01-02 03:04:05.6789' AS t,"
    " TIMESTAMP_NTZ '2020-01-02 03:04:05' AS n"
)
DUCK_TIMES = TIMES.replace("TIMESTAMP '2", "TIMESTAMPTZ '2").replace("TIMESTAMP_NTZ '", "TIMESTAMP '")
NESTED = (
    "SELECT 1 AS a, CAST(NULL AS int) AS b, 'é\"\n\t/' AS c, array(1, NULL) AS d, map('k', 1) AS e,"
    " named_struct('x', 1, 'y', CAST(NULL AS int)) AS f, array(named_struct('z', 'w')) AS g"
)
DUCK_NESTED = (
    "SELECT 1 AS a, CAST(NULL AS int) AS b, 'é\"\n\t/' AS c, [1, NULL] AS d, MAP {'k': 1} AS e,"
    " {'x': 1, 'y': CAST(NULL AS int)} AS f, [{'z': 'w'}] AS g"
)
DOUBLES = (
    "SELECT CAST(x AS double) AS a, CAST(x AS float) AS b FROM VALUES ('1'), ('-0.0'), ('1e10'), ('1.5e-7'),"
    " ('123456.789'), ('NaN'), ('-Infinity'), (NULL), ('3.4028235e38') t(x)"
)
FAR_TIMES = "SELECT CAST(x AS timestamp) AS a FROM VALUES ('1850-01-02 03:04:05Z'), ('2024-07-01 00:00:00Z') t(x)"
WRITES = {
    "csv doubles": Write(DOUBLES, "csv"),
    "json doubles": Write(DOUBLES, "json"),
    "csv times elsewhere": Write(
        FAR_TIMES, "csv", duck=FAR_TIMES.replace("timestamp", "timestamptz"), zone="America/New_York"
    ),
    "json times elsewhere": Write(
        FAR_TIMES, "json", duck=FAR_TIMES.replace("timestamp", "timestamptz"), zone="Asia/Kolkata"
    ),
    "csv plain": Write("SELECT 1 AS a, 'x' AS b", "csv"),
    "csv header": Write(
        "SELECT 1 AS a, 'x' AS `b c`", "csv", options={"header": "true"}, duck="SELECT 1 AS a, 'x' AS \"b c\""
    ),
    "csv header, no rows": Write("SELECT 1 AS a WHERE false", "csv", options={"header": "true"}),
    "csv strings": Write(STRINGS, "csv"),
    "csv bars and nulls": Write(STRINGS, "csv", options={"sep": "|", "nullValue": "NA"}),
    "csv times": Write(TIMES, "csv", duck=DUCK_TIMES),
    "csv decimals": Write("SELECT CAST(1.5 AS decimal(9,2)) AS a, true AS b", "csv"),
    "csv gzip": Write("SELECT 1 AS a", "csv", options={"compression": "gzip"}),
    "csv partitions": Write(NAMED, "csv", ("k",)),
    "csv typed partitions": Write(
        "SELECT 1 AS a, DATE '2020-01-02' AS d, true AS b, CAST(1.5 AS decimal(9,2)) AS c, 5 AS i",
        "csv",
        ("d", "b", "c", "i"),
    ),
    "json plain": Write("SELECT 1 AS a, 'x' AS b, CAST(NULL AS int) AS c", "json"),
    "json no rows": Write("SELECT 1 AS a WHERE false", "json"),
    "json nested": Write(NESTED, "json", duck=DUCK_NESTED),
    "json times": Write(TIMES, "json", duck=DUCK_TIMES),
    "json all null": Write("SELECT CAST(NULL AS int) AS a", "json"),
    "text": Write("SELECT 'a' AS x", "text"),
    "text null": Write("SELECT CAST(NULL AS string) AS x", "text"),
    "parquet": Write("SELECT 1 AS a", "parquet"),
    "parquet no rows": Write("SELECT 1 AS a WHERE false", "parquet"),
    "parquet zstd": Write("SELECT 1 AS a", "parquet", options={"compression": "zstd"}),
    "parquet gzip": Write("SELECT 1 AS a", "parquet", options={"compression": "gzip"}),
    "parquet uncompressed": Write("SELECT 1 AS a", "parquet", options={"compression": "none"}),
    "parquet partitions": Write(NAMED, "parquet", ("k",)),
    "parquet partitions, no rows": Write("SELECT 1 AS a, 2 AS k WHERE false", "parquet", ("k",)),
}


def laid_out(directory: Path) -> dict[str, str]:
    """Names (with the job's id and the task's number taken out) and, for text, contents."""
    found = {}
    for file in sorted(directory.rglob("*")):
        if file.is_file() and not file.name.endswith(".crc"):
            name = re.sub(r"part-\d{5}", "part-N", UUID.sub("ID", str(file.relative_to(directory))))
            raw = file.read_bytes()
            text = gzip.decompress(raw).decode() if name.endswith("csv.gz") else raw.decode(errors="replace")
            found[name] = "" if "parquet" in name else "\n".join(sorted(text.split("\n")))
    return found


def record(address: str) -> None:
    spark = SparkSession.builder.remote(address).create()
    answers: dict[str, object] = {}
    for name, write in WRITES.items():
        with tempfile.TemporaryDirectory() as directory:
            target = Path(directory) / "out"
            spark.conf.set("spark.sql.session.timeZone", write.zone)
            frame = spark.sql(write.query).coalesce(1)
            try:
                writer = frame.write.format(write.format).options(**write.options)
                (writer.partitionBy(*write.partition_by) if write.partition_by else writer).save(str(target))
                answers[name] = {"schema": frame.schema.jsonValue(), "files": laid_out(target)}
            except PySparkException as error:
                answers[name] = {"error": error.getCondition()}
    RECORDED.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    record(sys.argv[1])
