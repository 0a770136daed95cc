"""The exceptions that make a plan fall back to Spark, since the native engine would not return Spark's exact result."""

from __future__ import annotations

from twinspark.errors import reasons
from twinspark.errors.conditions import JavaError, SparkError
from twinspark.errors.reasons.reason import Cause, Reason

OUT_OF_MEMORY = "java.lang.OutOfMemoryError"


class NotNative(Exception):
    """The native engine cannot answer this exactly as Spark would, so the plan falls back to Spark.

    `detail` names the function, option, type or setting of this query. `likely_error` is the error that Spark would
    probably raise; it is reported only where there is no Spark to run the plan. `where` is the expression or relation
    that it is about, as its SQL text or as Spark prints it, once that is known."""

    def __init__(self, reason: Reason, detail: str = "", likely_error: SparkError | JavaError | None = None) -> None:
        self.cause = Cause(reason, detail)
        self.likely_error = likely_error
        self.where = ""
        super().__init__(self.cause.text)

    def at(self, where: str) -> None:
        """Notes the part of the plan that has the cause; the first call counts, since it is from the innermost part."""
        self.where = self.where or where

    @classmethod
    def without_traceback(cls, raised: NotNative) -> NotNative:
        """A copy without the traceback, which would keep the local variables of the first attempt alive."""
        copied = NotNative(raised.cause.reason, raised.cause.detail, likely_error=raised.likely_error)
        copied.at(raised.where)
        return copied


def nested_too_deeply() -> NotNative:
    """Spark's limit is the stack size of its JVM, so only Spark decides whether a query is nested too deeply."""
    return NotNative(reasons.QUERY_TOO_LARGE, likely_error=SparkError("FAILED_TO_PARSE_TOO_COMPLEX"))


class OutOfMemory(NotNative):
    """A value, or the state of an operation, does not fit into memory; `bytes` is the size of the failed allocation,
    or 0 if it is not known.

    The plan falls back because Spark's JVM may have more memory. Without Spark, the error is the OutOfMemoryError that
    Spark's driver would throw."""

    def __init__(self, bytes: int = 0, likely_error: SparkError | None = None) -> None:
        self.bytes = bytes
        needed = f"{bytes} bytes were needed" if bytes else ""
        error = likely_error or JavaError(OUT_OF_MEMORY, "Java heap space")
        super().__init__(reasons.OUT_OF_MEMORY, needed, likely_error=error)


class MetadataColumnRequested(NotNative):
    """A column name that may mean the hidden column `_metadata`: the plan is analyzed again with that column in its
    file scans."""

    def __init__(self) -> None:
        super().__init__(reasons.FILE_METADATA_COLUMN)
