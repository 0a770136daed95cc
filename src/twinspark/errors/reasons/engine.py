"""Reasons for the choice of an engine: settings, limits and the installation."""

from twinspark.errors.reasons.reason import Reason

CLUSTER_RESOURCES = Reason("CLUSTER_RESOURCES", "Resource profiles belong to a Spark cluster.")
DUCKDB_ERROR = Reason("DUCKDB_ERROR", "DuckDB rejects the statement or fails.")
ENGINE_SETTING = Reason(
    "ENGINE_SETTING", "The setting twinspark.engine requests Spark.", "Set twinspark.engine to auto."
)
MACHINE_LEARNING = Reason("MACHINE_LEARNING", "Machine learning runs only on Spark.")
NATIVE = Reason("NATIVE", "The native engine runs the whole plan.")
NATIVE_LIBRARY = Reason(
    "NATIVE_LIBRARY",
    "The native library was built without this function, or was not built.",
    "Build the native library again.",
)
OUT_OF_DISK = Reason("OUT_OF_DISK", "DuckDB has no disk space left for intermediate results.")
OUT_OF_MEMORY = Reason("OUT_OF_MEMORY", "The native engine has not enough memory for this.")
PIPELINES = Reason("PIPELINES", "Declarative pipelines run only on Spark.")
PLANNING = Reason("PLANNING", "The operation ended before an engine was chosen.")
SCAN_LIMIT = Reason(
    "SCAN_LIMIT",
    "The query would scan more bytes than the native engine may.",
    "Raise the setting twinspark.native.maxScanBytes.",
)
SETTING_VALUE = Reason(
    "SETTING_VALUE",
    "The native engine does not support this value of a setting.",
    "Set it to another value, usually its default.",
)
SPARK_DISABLED = Reason(
    "SPARK_DISABLED", "This server runs without Spark.", "Start the server without --engine duckdb and --no-java."
)
