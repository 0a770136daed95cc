"""Reasons for falling back: the query fails, and only Spark decides with which error message."""

from twinspark.errors.reasons.reason import Reason

ERROR_MESSAGE = Reason(
    "ERROR_MESSAGE",
    "The query is not valid, and only Spark generates the exact error message.",
    "Correct the query; Spark rejects it too.",
)
ERROR_ORDER = Reason(
    "ERROR_ORDER",
    "The query has several errors, and only Spark decides which of them it reports.",
    "Correct the query; Spark rejects it too.",
)
ERROR_POSITION = Reason(
    "ERROR_POSITION",
    "An expression fails, and only Spark decides which part of the query its message points at.",
    "Use the try_ form of the failing function, such as try_cast or try_divide, or remove the values that fail.",
)
ERROR_TIMING = Reason(
    "ERROR_TIMING",
    "An expression fails or may fail, and only Spark decides whether it evaluates that expression.",
    "Use the try_ form of the failing function, such as try_cast or try_divide, or remove the values that fail.",
)
