"""Who a Flight call is from: the user of its token or login, and the session of its cookie or connection."""

import base64
import binascii
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import grpc

from twinspark.doors.http2 import CallRejected
from twinspark.sessions.access.tokens import BEARER, Tokens

Headers = Mapping[str, str]
BASIC = "Basic "
LOGIN = "login."  # begins the bearer token that a client gets for its user name and password
URL_SAFE = str.maketrans("-_", "+/")
COOKIE = "twinspark_session"
IN_COOKIES = re.compile(rf"(?:^|[;,]\s*){COOKIE}=([0-9a-f-]{{36}})")


@dataclass(frozen=True)
class Login:
    """What a client sent: a user name (empty with a plain token) and its token or password."""

    user: str
    secret: str

    def bearer(self) -> str:
        """A bearer token that contains the login: nothing is stored, and a token that is withdrawn ends it."""
        text = f"{self.user}:{self.secret}".encode()
        return BEARER + LOGIN + base64.urlsafe_b64encode(text).decode()


def login_of(headers: Headers) -> Login:
    sent = headers.get("authorization", "")
    if sent.startswith(BASIC):
        return decode_login(sent.removeprefix(BASIC))
    if sent.startswith(BEARER + LOGIN):
        return decode_login(sent.removeprefix(BEARER + LOGIN))
    return Login("", sent.removeprefix(BEARER) if sent.startswith(BEARER) else "")


def decode_login(text: str) -> Login:
    """From base64, with either alphabet and with or without padding: Arrow's Go client sends none."""
    padded = text.translate(URL_SAFE) + "=" * (-len(text) % 4)
    try:
        user, _, secret = base64.b64decode(padded).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return Login("", "")
    return Login(user, secret)


def user_of(headers: Headers, tokens: Tokens) -> str:
    """The user that the token belongs to; a token without a name lets the client choose its user name."""
    login = login_of(headers)
    admitted = tokens.admit(login.secret)
    if admitted is None:
        raise CallRejected(grpc.StatusCode.UNAUTHENTICATED, "Invalid authentication token")
    return admitted.name or login.user


def login_check(tokens: Tokens) -> Callable[[Headers], None]:
    def check(headers: Headers) -> None:
        user_of(headers, tokens)

    return check


def cookie_of(headers: Headers) -> str | None:
    found = IN_COOKIES.search(headers.get("cookie", ""))
    return str(uuid.UUID(found[1])) if found and is_uuid(found[1]) else None


def is_uuid(text: str) -> bool:
    try:
        return bool(uuid.UUID(text))
    except ValueError:
        return False


def set_cookie(session_id: str) -> tuple[str, str]:
    return "set-cookie", f"{COOKIE}={session_id}; HttpOnly"
