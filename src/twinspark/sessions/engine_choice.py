"""Chooses DuckDB or Spark: first by the session's setting, then by what the plan needs, then by how much it reads."""

from collections.abc import Mapping

from twinspark.compile.query import CompiledQuery
from twinspark.config.own import own_value
from twinspark.errors import Cause, NotNative, reasons
from twinspark.installed import missing_spark
from twinspark.sessions.settings import ENGINE_KEY, Settings

SCAN_KEY = "twinspark.native.maxScanBytes"
NATIVE = Cause(reasons.NATIVE)
REQUESTED_SPARK = Cause(reasons.ENGINE_SETTING)


def engine_wanted(config: Mapping[str, str], default: str) -> str:
    return config.get(ENGINE_KEY) or default


def is_spark_available(settings: Settings) -> bool:
    """Whether Spark is installed here, or is at a remote address; it may still fail to start."""
    return not settings.never_spark and (settings.spark_remote is not None or not missing_spark())


def check_scan(query: CompiledQuery, config: Mapping[str, str], wanted: str) -> None:
    """Sends a scan above the size limit to Spark, unless the session requires DuckDB."""
    limit = own_value(config, SCAN_KEY)
    if wanted == "auto" and query.scan_bytes > limit:
        raise NotNative(reasons.SCAN_LIMIT, f"{query.scan_bytes} bytes, and {SCAN_KEY} = {limit}")
