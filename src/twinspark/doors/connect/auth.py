"""Pre-shared tokens: clients send one as a bearer token, as for spark.connect.authenticate.token."""

import secrets
from collections.abc import Callable, Mapping

import grpc

from twinspark.doors.http2 import CallRejected
from twinspark.sessions.access.tokens import Tokens

Headers = Mapping[str, str]


def token_check(tokens: Tokens) -> Callable[[Headers], None]:
    """Accepts only calls with a valid token; every call if there are no tokens."""

    def check(headers: Headers) -> None:
        if tokens.admit_header(headers.get("authorization", "")) is None:
            raise CallRejected(grpc.StatusCode.UNAUTHENTICATED, "Invalid authentication token")

    return check


def user_by_token(tokens: Tokens) -> Callable[[Headers], str | None]:
    """The user that a token belongs to; None if the token has no name, or is that of our own Thrift server."""

    def name(headers: Headers) -> str | None:
        admitted = tokens.admit_header(headers.get("authorization", "")) if tokens else None
        return admitted.name if admitted is not None else None

    return name


def new_secret() -> str:
    return secrets.token_urlsafe(32)
