"""Python's protobuf refuses messages nested over 100 deep, and a loop of withColumn nests thousands: lifted here."""

from google.protobuf.internal import api_implementation


def lift_depth_limit() -> None:
    """upb then allows 65,535 levels; a message beyond that is an error and not a crash."""
    if api_implementation.Type() == "upb":
        from google._upb import _message

        _message.SetAllowOversizeProtos(True)
