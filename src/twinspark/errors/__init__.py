"""Errors in Spark's terms: conditions, the query context they point at, and reasons for falling back to Spark."""

from twinspark.errors import reasons
from twinspark.errors.conditions import JavaError, NotAllowed, SparkError, error_conditions
from twinspark.errors.context import QueryContext
from twinspark.errors.fall_back import OUT_OF_MEMORY, MetadataColumnRequested, NotNative, OutOfMemory, nested_too_deeply
from twinspark.errors.reasons.reason import Cause, Reason

__all__ = [
    "OUT_OF_MEMORY",
    "Cause",
    "JavaError",
    "MetadataColumnRequested",
    "NotAllowed",
    "NotNative",
    "OutOfMemory",
    "QueryContext",
    "Reason",
    "SparkError",
    "error_conditions",
    "nested_too_deeply",
    "reasons",
]
