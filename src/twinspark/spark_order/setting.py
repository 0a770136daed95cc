"""The setting that turns the emulation of Spark's row order off: `twinspark.rowOrder` is `spark` or `engine`."""

from collections.abc import Mapping

ROW_ORDER_KEY = "twinspark.rowOrder"
SPARK, ENGINE = "spark", "engine"


def emulates_spark(config: Mapping[str, str]) -> bool:
    """Whether rows come as a local Spark would give them; otherwise they come as DuckDB gives them."""
    return config.get(ROW_ORDER_KEY, SPARK) != ENGINE
