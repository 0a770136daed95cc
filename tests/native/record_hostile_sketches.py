"""Asks a local Spark what it says of sketches with changed bytes: `python tests/native/record_hostile_sketches.py`.

The answers are kept in recorded/hostile_sketches.jsonl; test_hostile_sketches.py compares ours with them.
"""

import json
import random
from pathlib import Path
from typing import Any

import duckdb
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.duck import native

RECORDED = Path(__file__).parent / "recorded" / "hostile_sketches.jsonl"
TOP_K = (
    "approx_top_k_estimate(named_struct('sketch', {0}, 'maxItemsTracked', 100, 'itemDataType', CAST(NULL AS {1}), "
    "'itemDataTypeDDL', 'item {1} NOT NULL'), 3)"
)
FAMILIES: dict[str, tuple[str, list[str]]] = {
    "hll list": ("spark_hll_sketch_agg(x, 12) FROM range(5) t(x)", ["hll_sketch_estimate({0})", "hll_union({0}, {0})"]),
    "hll set": ("spark_hll_sketch_agg(x, 12) FROM range(40) t(x)", ["hll_sketch_estimate({0})", "hll_union({0}, {0})"]),
    "theta": (
        "spark_theta_sketch_agg(x, 12) FROM range(9) t(x)",
        ["theta_sketch_estimate({0})", "theta_union({0}, {0})", "theta_intersection({0}, {0})"],
    ),
    "theta estimating": (
        "spark_theta_sketch_agg(x, 4) FROM range(90) t(x)",
        ["theta_sketch_estimate({0})", "theta_difference({0}, {0})"],
    ),
    "tuple": (
        "spark_tuple_sketch_agg_double(x, 1.5, 12, 0) FROM range(9) t(x)",
        ["tuple_sketch_estimate_double({0})", "tuple_union_double({0}, {0})"],
    ),
    "kll": (
        "spark_kll_sketch_agg_bigint(x, 200) FROM range(9) t(x)",
        [
            "kll_sketch_get_n_bigint({0})",
            "kll_sketch_get_quantile_bigint({0}, 0.5)",
            "kll_sketch_merge_bigint({0}, {0})",
        ],
    ),
    "top-k": ("spark_top_k_state(x % 3, 8) FROM range(9) t(x)", [TOP_K.replace("{1}", "BIGINT")]),
    "top-k texts": ("spark_top_k_state('text ' || x % 3, 8) FROM range(9) t(x)", [TOP_K.replace("{1}", "STRING")]),
}


def changed(image: bytes, source: random.Random) -> list[bytes]:
    """The image itself, cut short, with a byte of its head set to what often matters, with bytes changed at random."""
    heads = [image[:at] + bytes([source.choice((0, 1, 127, 255))]) + image[at + 1 :] for at in range(8)]
    cuts = [image[: source.randrange(len(image))] for _ in range(4)]
    return [image, b"", image + b"\0", *heads, *cuts, *(scribbled(image, source) for _ in range(14))]


def scribbled(image: bytes, source: random.Random) -> bytes:
    made = bytearray(image)
    for _ in range(source.choice((1, 1, 2, 4))):
        made[source.randrange(len(made))] = source.choice((0, 1, 3, 127, 128, 255, source.randrange(256)))
    return bytes(made)


def queries() -> list[str]:
    connection = duckdb.connect(config=native.CONFIG)
    native.load(connection)
    made = []
    for family, (sketch, questions) in FAMILIES.items():
        ((image,),) = connection.execute(f"SELECT {sketch}").fetchall()
        for one in changed(image, random.Random(family)):
            literal = f"X'{one.hex()}'"
            made += [f"SELECT {question.format(literal)}" for question in questions]
    return made


def shown(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex()
    if isinstance(value, list):
        return [shown(item) for item in value]
    return list(value) if isinstance(value, tuple) else value


def asked(spark: SparkSession, query: str) -> dict[str, Any]:
    try:
        return {"value": shown(spark.sql(query).collect()[0][0])}
    except PySparkException as error:
        return {"condition": error.getCondition(), "message": str(error).splitlines()[0][:200]}
    except Py4JJavaError as error:
        cause = error.java_exception.getCause() or error.java_exception
        return {"condition": None, "message": str(cause.toString()).splitlines()[0][:200]}


def main() -> None:
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    with RECORDED.open("w") as into:
        for query in queries():
            into.write(json.dumps({"query": query, **asked(spark, query)}) + "\n")
            into.flush()
    spark.stop()


if __name__ == "__main__":
    main()
