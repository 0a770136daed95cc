"""Chooses DuckDB or Spark: first by the session's setting, then by what the plan needs, then by how much it reads."""

from collections.abc import Mapping

from twinspark.compile.query import CompiledQuery
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.sessions.settings import ENGINE_KEY, OPTIONS

SCAN_KEY = "twinspark.native.maxScanBytes"
MAX_SCAN_BYTES = 200 * 1024**3
NATIVE = Cause(reasons.NATIVE)
REQUESTED_SPARK = Cause(reasons.ENGINE_SETTING)


def engine_wanted(config: Mapping[str, str], default: str) -> str:
    return config.get(ENGINE_KEY) or default


def check_own_setting(key: str, value: str) -> None:
    """Raises Spark's error for a value that a setting of twinspark does not have."""
    options = OPTIONS.get(key)
    if options is not None and value not in options:
        raise SparkError(
            "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS",
            confName=key,
            confValue=value,
            confOptions=", ".join(options),
        )


def check_scan(query: CompiledQuery, config: Mapping[str, str], wanted: str) -> None:
    """Sends a scan above the size limit to Spark, unless the session requires DuckDB."""
    limit = int(config.get(SCAN_KEY) or MAX_SCAN_BYTES)
    if wanted == "auto" and query.scan_bytes > limit:
        raise NotNative(reasons.SCAN_LIMIT, f"{query.scan_bytes} bytes, and {SCAN_KEY} = {limit}")
