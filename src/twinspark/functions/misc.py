"""Functions about the session, the file or the row being read, and about a value's type."""

from __future__ import annotations

from typing import Any

from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import text


def type_name(call: Any, *_: str) -> str:
    return text(call.arguments[0].type.simpleString())


fn("typeof(any?) -> string!", type_name)

# ---- what only Spark can say: its own partitions, files, session and chance

WHERE = "Spark's own partitions and files"
fn("monotonically_increasing_id() -> bigint!", SPARK, reason=WHERE, deterministic=False)
fn("spark_partition_id() -> int!", SPARK, reason=WHERE, shows="SPARK_PARTITION_ID", deterministic=False)
fn("input_file_name() -> string!", SPARK, reason=WHERE, deterministic=False)
fn("input_file_block_start() -> bigint!", SPARK, reason=WHERE, deterministic=False)
fn("input_file_block_length() -> bigint!", SPARK, reason=WHERE, deterministic=False)
fn("uuid() -> string!", SPARK, reason="random", deterministic=False)
fn("version() -> string!", SPARK, reason="Spark's build")
fn("current_user() -> string!", SPARK, "user", "session_user", reason="the session's user", keeps_alias=True)
fn("current_catalog() -> string!", SPARK, reason="the session's catalog")
fn("current_database() -> string!", SPARK, "current_schema", reason="the session's catalog", shows="current_schema")
