"""Cancels an operation's work in its thread: long work checks at every node or step whether it is still wanted."""

from contextvars import ContextVar
from threading import Event

# Set for the thread that works for an operation; the event is set when the operation is interrupted.
CANCELLED: ContextVar[Event | None] = ContextVar("cancelled", default=None)


class Cancelled(BaseException):
    """Ends the work of an interrupted operation. It is a BaseException, so that no error handler in the analysis
    catches
    it; the operation reports Spark's OPERATION_CANCELED."""


def check_wanted() -> None:
    """Raises Cancelled if the operation that this thread works for was interrupted."""
    cancelled = CANCELLED.get()
    if cancelled is not None and cancelled.is_set():
        raise Cancelled
