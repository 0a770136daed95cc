"""Lifts the nesting limit of Python's protobuf, which is 100: a loop of withColumn nests thousands of messages."""

from google.protobuf.internal import api_implementation


def lift_depth_limit() -> None:
    """upb then allows 65,535 levels; a message beyond that is an error and not a crash."""
    if api_implementation.Type() == "upb":
        from google._upb import _message

        _message.SetAllowOversizeProtos(True)
