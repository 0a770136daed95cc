"""Functions about the session, the file or the row being read, and about a value's type."""

from __future__ import annotations

import os
import pwd
import zipfile
from functools import cache
from typing import Any

from twinspark.errors import common_utils_jar
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
fn("uuid() -> string!", "CAST(uuid() AS VARCHAR)", deterministic=False)  # by chance in Spark as well

# ---- the session and the server


@cache
def spark_build() -> str:
    """Spark's version and revision, as its own jar tells them."""
    with zipfile.ZipFile(common_utils_jar()) as jar:
        lines = jar.read("spark-version-info.properties").decode().splitlines()
    told = dict(line.split("=", 1) for line in lines if "=" in line)
    return f"{told['version']} {told['revision']}"


@cache
def server_user() -> str:
    """Whoever runs the server: a Connect client's user id does not count for Spark."""
    return os.environ.get("SPARK_USER") or pwd.getpwuid(os.getuid()).pw_name


fn("version() -> string!", lambda call: text(spark_build()))
fn("current_user() -> string!", lambda call: text(server_user()), "user", "session_user", keeps_alias=True)


def path(call: Any) -> str:
    """Where functions are looked for, in order; SET PATH is Spark's."""
    return text(f"system.builtin,system.session,{call.settings.catalog}.{call.settings.database}")


fn("current_path() -> string!", path)
fn("current_catalog() -> string!", lambda call: text(call.settings.catalog))
fn("current_database() -> string!", lambda call: text(call.settings.database), "current_schema", shows="current_schema")
