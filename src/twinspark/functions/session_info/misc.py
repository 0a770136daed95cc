"""Functions about the session, the current file or row, and the type of a value."""

from __future__ import annotations

import os
import pwd
from functools import cache
from typing import Any

from twinspark.errors import Cause, reasons
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.release import SPARK_REVISION, SPARK_VERSION
from twinspark.types.duckdb import duck_text


def type_name(call: Any, *_: str) -> str:
    return duck_text(call.arguments[0].type.simpleString())


fn("typeof(any?) -> string!", type_name)

# ---- functions that depend on Spark's partitions, files and random numbers

WHERE = Cause(reasons.PARTITIONS)
fn("monotonically_increasing_id() -> bigint!", SPARK, cause=WHERE, deterministic=False)
fn("spark_partition_id() -> int!", SPARK, cause=WHERE, shows="SPARK_PARTITION_ID", deterministic=False)
fn("input_file_name() -> string!", SPARK, cause=WHERE, deterministic=False)
fn("input_file_block_start() -> bigint!", SPARK, cause=WHERE, deterministic=False)
fn("input_file_block_length() -> bigint!", SPARK, cause=WHERE, deterministic=False)
fn("uuid() -> string!", "CAST(uuid() AS VARCHAR)", deterministic=False)  # random in Spark too

# ---- the session and the server


@cache
def server_user() -> str:
    """The user who runs the server: Spark ignores the user id of a Connect client."""
    return os.environ.get("SPARK_USER") or pwd.getpwuid(os.getuid()).pw_name


fn("version() -> string!", lambda call: duck_text(f"{SPARK_VERSION} {SPARK_REVISION}"))
fn("current_user() -> string!", lambda call: duck_text(server_user()), "user", "session_user", keeps_alias=True)


def path(call: Any) -> str:
    """The search path of functions; SET PATH falls back."""
    return duck_text(f"system.builtin,system.session,{call.settings.catalog}.{call.settings.database}")


fn("current_path() -> string!", path)
fn("current_catalog() -> string!", lambda call: duck_text(call.settings.catalog))
fn(
    "current_database() -> string!",
    lambda call: duck_text(call.settings.database),
    "current_schema",
    shows="current_schema",
)
