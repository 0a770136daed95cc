"""Reasons for falling back: catalogs and tables."""

from twinspark.errors.reasons.reason import Reason

CATALOG = Reason("CATALOG", "The native engine does not support this catalog or this use of it.")
DELTA_TABLE = Reason("DELTA_TABLE", "The native engine does not support this Delta table.")
ICEBERG_TABLE = Reason("ICEBERG_TABLE", "The native engine does not support this Iceberg table.")
TABLE_BY_PATH = Reason(
    "TABLE_BY_PATH",
    "The native engine reads Delta and Iceberg as tables, not by path.",
    "CREATE TABLE … USING delta LOCATION '…' reads what is there; Delta needs pip install 'twinspark[delta]'.",
)
TABLE_FORMAT = Reason("TABLE_FORMAT", "The native engine does not support tables of this format.")
TABLE_NOT_VISIBLE = Reason(
    "TABLE_NOT_VISIBLE", "Spark cannot read this table of the native engine when a query falls back."
)
TABLE_OPTION = Reason(
    "TABLE_OPTION", "The native engine does not support this option of a table.", "Leave the option out."
)
TIME_TRAVEL = Reason("TIME_TRAVEL", "The native engine does not support time travel here.")
