"""A pre-shared key: clients send it as a bearer token, as they would to spark.connect.authenticate.token."""

import hmac
from collections.abc import Callable, Mapping

import grpc

from twinspark.doors.http2 import Refused


def anyone(headers: Mapping[str, str]) -> None:
    """Whoever reaches the port may ask."""


def with_token(token: str) -> Callable[[Mapping[str, str]], None]:
    """Lets through only those who know the key."""
    expected = f"Bearer {token}".encode()

    def check(headers: Mapping[str, str]) -> None:
        if not hmac.compare_digest(headers.get("authorization", "").encode(), expected):
            raise Refused(grpc.StatusCode.UNAUTHENTICATED, "Invalid authentication token")

    return check
