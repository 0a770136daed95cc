"""Steps of a pipeline, each beside DuckDB's own words for it: CPU seconds of the server, of PySpark, and of DuckDB.

usage: etl.py [ROWS]   (ROWS of TPC-H SF 1's lineitem as Parquet, CSV and JSON; `make bench` generates it)
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

DATA = Path(__file__).parents[1] / ".data" / "tpch" / "sf1"
ROWS = 1_000_000
TIMES = 2
MANY = 200  # small files
SCHEMA = (
    "orderkey long, partkey long, quantity decimal(15,2), price decimal(15,2), flag string, shipped date, mode string"
)
COLUMNS = (
    "l_orderkey AS orderkey, l_partkey AS partkey, l_quantity AS quantity, l_extendedprice AS price, "
    "l_returnflag AS flag, l_shipdate AS shipped, l_shipmode AS mode"
)
# A name, what is asked of twinspark, what is asked of DuckDB where its words are others. {w} is the folder of the run.
QUERIES: list[tuple[str, str, str]] = [
    ("count a CSV file with a schema", "select count(*), sum(price) from csv", ""),
    ("group a CSV file", "select mode, count(*), sum(quantity) from csv group by mode", ""),
    ("group a JSON file", "select mode, count(*), sum(price) from json group by mode", ""),
    (
        "many aggregates",
        "select mode, flag, count(*), sum(price), avg(price), min(price), max(price), avg(quantity), "
        "stddev(price), count(distinct partkey) from items group by mode, flag",
        "",
    ),
    (
        "filter and project",
        "select count(*), max(x) from (select price * (1 - quantity / 100) x from items "
        "where shipped >= date'1995-01-01' and mode in ('AIR', 'RAIL'))",
        "",
    ),
    (
        "join and group",
        "select o_orderpriority, count(*), sum(price) from items join orders on orderkey = o_orderkey group by 1",
        "",
    ),
    (
        "left join",
        "select count(*), count(o_orderkey) from items left join orders on orderkey = o_orderkey "
        "and o_orderstatus = 'F'",
        "",
    ),
    (
        "anti join",
        "select count(*) from orders left anti join items on orderkey = o_orderkey",
        "select count(*) from orders anti join items on orderkey = o_orderkey",
    ),
    (
        "the last row of a key",
        "select count(*), sum(price) from (select *, row_number() over (partition by partkey "
        "order by shipped desc, orderkey) n from items) where n = 1",
        "",
    ),
    (
        "windows",
        "select count(*), max(s) from (select sum(price) over (partition by partkey order by shipped "
        "rows between 2 preceding and current row) s from items)",
        "",
    ),
    (
        "lag",
        "select count(*), max(d) from (select datediff(shipped, lag(shipped) over (partition by partkey "
        "order by shipped)) d from items)",
        "select count(*), max(d) from (select shipped - lag(shipped) over (partition "
        "by partkey order by shipped) d from items)",
    ),
    (
        "explode",
        "select count(*), sum(x) from (select explode(sequence(1, cast(quantity as int))) x from items)",
        "select count(*), sum(x) from (select unnest(generate_series(1, cast(quantity as int))) x from items)",
    ),
    (
        "split texts",
        "select count(distinct w) from (select explode(split(concat(mode, ' ', flag, ' ', partkey), ' ')) w "
        "from items)",
        "select count(distinct w) from (select unnest(string_split(concat(mode, ' ', flag, ' ', partkey), ' '))"
        " w from items)",
    ),
    (
        "clean texts",
        "select count(*), max(t) from (select regexp_replace(lower(trim(mode)), '[aeiou]', '_') t from items)",
        "select count(*), max(t) from (select regexp_replace(lower(trim(mode)), '[aeiou]', '_', 'g') t from items)",
    ),
    (
        "dates",
        "select count(*), max(m), max(d) from (select date_trunc('month', shipped) m, date_format(shipped, "
        "'yyyy-MM') d from items)",
        "select count(*), max(m), max(d) from (select date_trunc('month', shipped) m, "
        "strftime(shipped, '%Y-%m') d from items)",
    ),
    (
        "pivot",
        "select * from (select mode, flag, price from items) pivot (sum(price) for flag in ('A', 'N', 'R'))",
        "select mode, sum(price) filter (flag = 'A'), sum(price) filter (flag = 'N'), sum(price) filter (flag = 'R') "
        "from items group by mode",
    ),
    ("distinct", "select count(*) from (select distinct partkey, mode from items)", ""),
    ("sort all", "select count(*), max(price) from (select * from items order by shipped, orderkey limit 500000)", ""),
    ("top rows", "select * from items order by price desc, orderkey limit 100", ""),
    ("union", "select mode, count(*) from (select mode from items union all select mode from csv) group by mode", ""),
    (
        "collect sets",
        "select count(*), max(size(s)) from (select partkey, collect_set(mode) s from items group by partkey)",
        "select count(*), max(len(s)) from (select partkey, list(distinct mode) s from items group by partkey)",
    ),
    (
        "median",
        "select mode, percentile(price, 0.5) from items group by mode",
        "select mode, quantile_cont(price, 0.5) from items group by mode",
    ),
]


def main() -> None:
    logging.disable(logging.CRITICAL)
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    work = Path(tempfile.mkdtemp(prefix="etl-"))
    duck = with_data(duckdb.connect(config={"threads": 2}), work, rows)
    server = ConnectServer(Settings(engine="duckdb"))
    spark = with_views(SparkSession.builder.remote(server.url).create(), work)
    print(f"{rows} rows, CPU seconds, the best of {TIMES}\n\n{'':34}  server PySpark  DuckDB server / DuckDB")
    for name, ours, theirs in steps(spark, duck, work):
        (spent, client), least = best(ours), sum(best(theirs))
        mark = "  <-- more than twice" if spent > 2 * least and spent > 0.05 else ""
        print(f"{name:34} {spent:7.3f} {client:7.3f} {least:7.3f} {spent / least:6.1f}x{mark}", flush=True)
    spark.stop()
    shutil.rmtree(work)
    os._exit(0)


def with_data(duck: Any, work: Path, rows: int) -> Any:
    """The rows as files of three formats, and views of them by the names that the queries use."""
    source = f"(SELECT {COLUMNS} FROM '{DATA}/lineitem.parquet' LIMIT {rows})"
    duck.execute(f"COPY {source} TO '{work}/items.parquet'")
    duck.execute(f"COPY {source} TO '{work}/items.csv' (HEADER true)")
    duck.execute(f"COPY {source} TO '{work}/items.json'")
    typed = ", ".join(f"'{name}': '{type}'" for name, type in (each.split(" ", 1) for each in duck_schema()))
    duck.execute(f"CREATE VIEW items AS FROM '{work}/items.parquet'")
    duck.execute(f"CREATE VIEW orders AS FROM '{DATA}/orders.parquet'")
    duck.execute(f"CREATE VIEW csv AS FROM read_csv('{work}/items.csv', header = true, columns = {{{typed}}})")
    duck.execute(f"CREATE VIEW json AS FROM read_json('{work}/items.json', columns = {{{typed}}})")
    return duck


def duck_schema() -> list[str]:
    words = {"long": "BIGINT", "string": "VARCHAR", "date": "DATE", "decimal(15,2)": "DECIMAL(15,2)"}
    return [f"{name} {words[type]}" for name, type in (each.split(" ") for each in SCHEMA.split(", "))]


def with_views(spark: SparkSession, work: Path) -> SparkSession:
    spark.read.parquet(f"{work}/items.parquet").createOrReplaceTempView("items")
    spark.read.parquet(f"{DATA}/orders.parquet").createOrReplaceTempView("orders")
    spark.read.schema(SCHEMA).csv(f"{work}/items.csv", header=True).createOrReplaceTempView("csv")
    spark.read.schema(SCHEMA).json(f"{work}/items.json").createOrReplaceTempView("json")
    return spark


Step = tuple[str, Callable[[], Any], Callable[[], Any]]


def steps(spark: SparkSession, duck: Any, work: Path) -> list[Step]:
    asked = [(name, partial(answer, spark, text), partial(floor, duck, other or text)) for name, text, other in QUERIES]
    return [*asked, *reading(spark, duck, work), *small_files(spark, duck, work), *writing(spark, duck, work)]


def answer(spark: SparkSession, text: str) -> Any:
    return spark.sql(text).collect()


def floor(duck: Any, text: str) -> Any:
    return duck.execute(text).fetchall()


def reading(spark: SparkSession, duck: Any, work: Path) -> list[Step]:
    """Files are touched before their schemas are asked for: what is known of one that stays is kept."""
    csv, json = f"{work}/items.csv", f"{work}/items.json"
    return [
        (
            "infer a CSV file's schema",
            lambda: spark.read.csv(touched(csv), header=True, inferSchema=True).schema,
            lambda: duck.execute(f"DESCRIBE FROM read_csv('{csv}', sample_size = -1)").fetchall(),
        ),
        (
            "infer a JSON file's schema",
            lambda: spark.read.json(touched(json)).schema,
            lambda: duck.execute(f"DESCRIBE FROM read_json('{json}', sample_size = -1)").fetchall(),
        ),
        ("all rows to Arrow", lambda: spark.table("items").toArrow(), lambda: duck.sql("FROM items").to_arrow_table()),
        ("all rows to pandas", lambda: spark.table("items").toPandas(), lambda: duck.execute("FROM items").df()),
    ]


def small_files(spark: SparkSession, duck: Any, work: Path) -> list[Step]:
    """Many of them, wide ones and compressed ones; all were changed since they were last read."""
    many, wide, zipped = f"{work}/many", f"{work}/wide.csv", f"{work}/items.json.gz"
    os.mkdir(many)
    for at in range(MANY):
        duck.execute(f"COPY (FROM items LIMIT 200 OFFSET {at * 200}) TO '{many}/{at}.csv' (HEADER true)")
    columns = ", ".join(f"i % {n + 7} AS c{n}" if n % 3 else f"'t' || i % {n + 7} AS c{n}" for n in range(200))
    duck.execute(f"COPY (SELECT {columns} FROM range(20000) t(i)) TO '{wide}' (HEADER true)")
    duck.execute(f"COPY items TO '{zipped}'")
    return [
        (
            "many CSV files, inferred",
            lambda: spark.read.csv(all_touched(many), header=True, inferSchema=True).groupBy("mode").count().collect(),
            lambda: floor(duck, f"SELECT mode, count(*) FROM read_csv('{many}/*.csv', sample_size = -1) GROUP BY mode"),
        ),
        (
            "a wide CSV file, inferred",
            lambda: spark.read.csv(touched(wide), header=True, inferSchema=True).count(),
            lambda: floor(duck, f"SELECT count(*) FROM read_csv('{wide}', sample_size = -1)"),
        ),
        (
            "count a CSV file of strings",
            lambda: spark.read.csv(touched(f"{work}/items.csv"), header=True).count(),
            lambda: floor(duck, f"SELECT count(*) FROM read_csv('{work}/items.csv', all_varchar = true)"),
        ),
        (
            "a compressed JSON file, inferred",
            lambda: spark.read.json(touched(zipped)).groupBy("mode").count().collect(),
            lambda: floor(duck, f"SELECT mode, count(*) FROM read_json('{zipped}', sample_size = -1) GROUP BY mode"),
        ),
    ]


def all_touched(folder: str) -> str:
    for name in os.listdir(folder):
        os.utime(f"{folder}/{name}")
    return folder


def touched(path: str) -> str:
    os.utime(path)
    return path


def writing(spark: SparkSession, duck: Any, work: Path) -> list[Step]:
    copy = "OVERWRITE_OR_IGNORE true"
    return [
        (
            "write Parquet",
            lambda: spark.table("items").write.mode("overwrite").parquet(f"{work}/ours"),
            lambda: duck.execute(f"COPY items TO '{work}/theirs.parquet'"),
        ),
        (
            "write Parquet by a column",
            lambda: spark.table("items").write.mode("overwrite").partitionBy("mode").parquet(f"{work}/ours_by"),
            lambda: duck.execute(f"COPY items TO '{work}/theirs_by' (FORMAT parquet, PARTITION_BY (mode), {copy})"),
        ),
        (
            "write CSV",
            lambda: spark.table("items").write.mode("overwrite").csv(f"{work}/ours_csv"),
            lambda: duck.execute(f"COPY items TO '{work}/theirs.csv'"),
        ),
        (
            "write JSON",
            lambda: spark.table("items").write.mode("overwrite").json(f"{work}/ours_json"),
            lambda: duck.execute(f"COPY items TO '{work}/theirs.json'"),
        ),
        (
            "rows of pandas, grouped",
            pandas_step(lambda rows: spark.createDataFrame(rows).groupBy("flag").count().collect(), duck),
            pandas_step(lambda rows: duck.execute("SELECT flag, count(*) FROM rows GROUP BY flag").fetchall(), duck),
        ),
    ]


def pandas_step(ask: Callable[[Any], Any], duck: Any) -> Callable[[], Any]:
    rows = duck.execute("SELECT orderkey, price::double AS price, flag, shipped::timestamp AS at FROM items").df()
    return lambda: ask(rows)


def best(action: Callable[[], Any]) -> tuple[float, float]:
    """In CPU seconds: of the other threads, and of this one, which is PySpark's. The server is in this process."""
    return min((measured(action) for _ in range(TIMES)), key=sum)


def measured(action: Callable[[], Any]) -> tuple[float, float]:
    whole, here = time.process_time(), time.thread_time()
    action()
    here = time.thread_time() - here
    return time.process_time() - whole - here, here


if __name__ == "__main__":
    main()
