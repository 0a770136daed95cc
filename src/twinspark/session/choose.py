"""Native or Spark: the session's wish first, then what the plan needs, then how much it reads."""

from collections.abc import Mapping

from twinspark.errors import NotNative, SparkError
from twinspark.session.native import Query
from twinspark.session.settings import ENGINES

ENGINE_KEY = "twinspark.engine"
SCAN_KEY = "twinspark.native.maxScanBytes"
MAX_SCAN_BYTES = 200 * 1024**3
NATIVE = "every part of the plan is native"
ASKED_FOR_SPARK = "the session asked for spark"


def engine_wanted(config: Mapping[str, str], default: str) -> str:
    return config.get(ENGINE_KEY) or default


def check_engine(value: str) -> None:
    if value not in ENGINES:
        options = ", ".join(ENGINES)
        raise SparkError(
            "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", confName=ENGINE_KEY, confValue=value, confOptions=options
        )


def check_scan(query: Query, config: Mapping[str, str], wanted: str) -> None:
    """A scan beyond what one machine should read goes to Spark, unless the session insists on DuckDB."""
    limit = int(config.get(SCAN_KEY) or MAX_SCAN_BYTES)
    if wanted == "auto" and query.scan_bytes > limit:
        raise NotNative(f"it would scan {query.scan_bytes} bytes, more than {SCAN_KEY} = {limit}")
