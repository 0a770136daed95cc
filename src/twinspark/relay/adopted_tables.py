"""Takes file tables that Spark created in its own catalog into ours: the tables of pipelines and streams.

Their files stay where they are, and on Spark the tables stay what they are: a pipeline empties a materialized view by
TRUNCATE TABLE, which Spark allows for managed tables only."""

import json
import logging
import time
from typing import Any

import grpc
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from twinspark.relay.catalog import HOME, SparkCatalog
from twinspark.relay.engine import SparkUnavailable
from twinspark.relay.session import side_of
from twinspark.relay.table_views import TableViews
from twinspark.sessions.session import Session
from twinspark.tables.catalog import Identifier
from twinspark.tables.files.table import FORMATS, FileTable, partitions_last
from twinspark.tables.files.write import PARTITION_TYPES
from twinspark.tables.transforms import Identity
from twinspark.types import StructType

log = logging.getLogger("twinspark.session")
TABLES = ("MANAGED", "EXTERNAL")
BUCKETS = "num_buckets"  # only Spark reads and writes tables with buckets


def adopt_tables(session: Session) -> None:
    """Compares Spark's catalog with ours, database by database. A table in a database that only Spark has stays there:
    a remote Spark's catalog, or a Hive metastore, outlives this server."""
    side = side_of(session.spark)
    if not side.shown.owns_catalog or not side.open:
        return
    try:
        adopt_new_tables(session, side.catalog(), side.shown)
    except (grpc.RpcError, SparkUnavailable) as failure:  # such as a Spark that died: its tables died with it
        log.warning("the tables that Spark created were not taken over: %s", failure)


def adopt_new_tables(session: Session, catalog: SparkCatalog, shown: TableViews) -> None:
    home = session.shared.catalogs.of({}).get(HOME)
    for (database,) in home.list_namespaces():
        for name, row in catalog.tables(database).items():
            identifier = Identifier.of(database, name)
            if row[4] in TABLES and home.find_table(identifier) is None:
                adopt_table(session, catalog, shown, identifier)


def adopt_table(session: Session, catalog: SparkCatalog, shown: TableViews, identifier: Identifier) -> None:
    described = json.loads(catalog.ask(f"DESCRIBE TABLE EXTENDED {identifier} AS JSON").column(0)[0].as_py())
    if described.get("provider", "").lower() not in FORMATS or BUCKETS in described:
        return
    table = table_of(identifier, described, schema_of(session, identifier))
    partitions = described.get("partition_columns", [])
    if not all(isinstance(table.schema[name].dataType, PARTITION_TYPES) for name in partitions):
        return  # only Spark writes the directory names of other types
    session.shared.catalogs.of({}).get(HOME).redefine(table)
    shown.note_adopted(table)


def table_of(identifier: Identifier, described: dict[str, Any], schema: StructType) -> FileTable:
    """All partition directories are the table's: a running stream or pipeline registers none here."""
    partitions = described.get("partition_columns", [])
    comment = {"comment": described["comment"]} if described.get("comment") else {}
    return FileTable(
        identifier,
        described["provider"].lower(),
        partitions_last(schema, partitions),
        tuple(Identity((name,)) for name in partitions),
        described["location"],
        described.get("storage_properties", {}),
        {**described.get("table_properties", {}), **comment},
        described["type"] == "MANAGED",
        created=time.time(),
    )


def schema_of(session: Session, identifier: Identifier) -> StructType:
    request = base_pb2.AnalyzePlanRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    request.schema.plan.root.read.named_table.unparsed_identifier = str(identifier)
    answer = base_pb2.AnalyzePlanResponse.FromString(session.spark.unary("AnalyzePlan", request.SerializeToString()))
    schema = proto_schema_to_pyspark_data_type(answer.schema.schema)
    assert isinstance(schema, StructType)
    return schema
