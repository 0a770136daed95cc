"""Asks a running Spark for the answers: record_plans.py sc://localhost:15002 [queries frames relations relations:pivot]

After a colon stands a part of the names to ask again; what is recorded of the others stays."""

import base64
import logging
import os
import sys
from collections.abc import Iterator
from typing import Any

os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"

from dataframes.document_frames import document_frames
from dataframes.found_frames import found_frames
from dataframes.frames import frames
from dataframes.hidden_frames import hidden_frames
from dataframes.hunted_frames import hunted_frames
from dataframes.kind_frames import kind_frames
from dataframes.name_frames import name_frames
from dataframes.nearest_frames import nearest_frames
from dataframes.order_frames import order_frames
from dataframes.parameter_frames import parameter_frames
from dataframes.partition_frames import partition_frames
from dataframes.relation_frames import relation_frames
from dataframes.schema_frames import schema_frames
from pyspark.errors import PySparkException
from pyspark.sql.connect.proto import Plan, Relation
from pyspark.sql.connect.session import SparkSession
from recorded_plans import FILES, HERE, ORDERS, PARTITIONS, Recorded, is_ordered, read, rows_of

QUERIES = {
    "queries": "queries.sql",
    "document_queries": "documents.sql",
    "function_queries": "functions.sql",
    "hunted_queries": "hunted.sql",
}


def queries(file: str) -> Iterator[tuple[str, Plan]]:
    for line in (HERE / "queries" / file).read_text().splitlines():
        if line and not line.startswith("--"):
            text = line.rstrip(";")
            yield text, Plan(root=Relation(sql={"query": text}))


FRAMES = {
    "frames": frames,
    "relations": relation_frames,
    "schemas": schema_frames,
    "documents": document_frames,
    "orders": order_frames,
    "nearest": nearest_frames,
    "parameters": parameter_frames,
    "kinds": kind_frames,
    "names": name_frames,
    "found": found_frames,
    "hidden": hidden_frames,
    "hunted": hunted_frames,
    "partitions": partition_frames,
}


def plans_of(spark: Any, name: str) -> Iterator[tuple[str, Plan]]:
    for case, frame in FRAMES[name](spark):
        yield case, frame._plan.to_proto(spark.client)


def without_origins(message: Any) -> None:
    """Where in which file a column was made says nothing about its meaning."""
    if "origin" in message.DESCRIPTOR.fields_by_name:
        message.ClearField("origin")
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            parts = [v for v in value.values() if hasattr(v, "DESCRIPTOR")]
        else:
            parts = [value] if hasattr(value, "DESCRIPTOR") else list(value)
        for part in parts:
            without_origins(part)


def recorded(spark: Any, name: str, plan: Plan, ordered: bool = False) -> Recorded:
    without_origins(plan)
    text = base64.b64encode(plan.SerializeToString(deterministic=True)).decode()
    client = spark.client
    try:
        table, *_ = client.to_table(plan, {})
    except PySparkException as error:
        return Recorded(name, text, condition=error.getCondition(), parameters=dict(error.getMessageParameters() or {}))
    analyzed = client.schema(plan)
    return Recorded(name, text, analyzed.jsonValue(), rows_of(table, analyzed, ordered or is_ordered(plan)))


def main() -> None:
    logging.disable(logging.CRITICAL)  # the client logs every error it receives
    spark = SparkSession.builder.remote(sys.argv[1]).create()
    files = {**FILES, "orders": ORDERS, "partitions": PARTITIONS}
    for asked in sys.argv[2:] or files:
        name, _, part = asked.partition(":")
        known = {case.name: case for case in read(files[name])} if part else {}
        cases = queries(QUERIES[name]) if name in QUERIES else plans_of(spark, name)
        lines = [
            known[case].line()
            if case in known and part not in case
            else recorded(spark, case, plan, name in ("orders", "partitions")).line()
            for case, plan in cases
        ]
        files[name].parent.mkdir(exist_ok=True)
        files[name].write_text("\n".join(lines) + "\n")
        print(f"{name}: {len(lines)}")


if __name__ == "__main__":
    main()
