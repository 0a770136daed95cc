"""Decides who may use the web UI: the Host header, the origin of forms, and the tokens of the server."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from twinspark.sessions.access.tokens import AdmittedClient, Tokens
from twinspark.ui.web.messages import Problem, Request

COOKIE = "twinspark_ui"
FORM_TOKEN = "form_token"
LOGIN_SECONDS = 12 * 3600.0
MOST_LOGINS = 1000


@dataclass(frozen=True)
class Viewer:
    """Who looks at the pages. A viewer without a name, on a server whose tokens name nobody, sees everything."""

    name: str | None = None


class Guard:
    """Without tokens everybody who reaches the port is admitted; `host` is the address that the server listens on."""

    def __init__(self, tokens: Tokens, host: str, is_secure: bool) -> None:
        self._tokens = tokens
        self._is_secure = is_secure
        self._names = allowed_names(host)
        self._logins: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._lock = threading.Lock()
        self.form_token = secrets.token_urlsafe(32)  # in every form of this process: other sites cannot read it

    def check_host(self, request: Request) -> None:
        """Against DNS rebinding: a name that leads here only since an attacker's DNS says so is not answered. With
        tokens that is harmless, since a browser sends the cookie to the name that it came from."""
        if self._tokens:
            return
        name = host_name(request.headers.get("host", ""))
        if name not in self._names and not is_address(name):
            raise Problem(HTTPStatus.MISDIRECTED_REQUEST, f"This server is not known as {name!r}.")

    def check_form(self, request: Request) -> None:
        """Against requests that another site makes with this browser."""
        given = request.form.get(FORM_TOKEN, "").encode()
        if not hmac.compare_digest(given, self.form_token.encode()):
            raise Problem(HTTPStatus.FORBIDDEN, "The form is not of this server, or of a time before its restart.")
        origin = request.headers.get("origin", "")
        if origin and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
            raise Problem(HTTPStatus.FORBIDDEN, "The form comes from another site.")

    def viewer(self, request: Request) -> Viewer | None:
        """None if a token is required and none, or a wrong one, was sent."""
        if not self._tokens:
            return Viewer()
        admitted = self._tokens.admit_header(request.headers.get("authorization", "")) or self._by_cookie(request)
        return None if admitted is None else Viewer(admitted.name)

    def log_in(self, token: str) -> str | None:
        """The Set-Cookie header for a valid token."""
        if self._tokens.admit(token) is None:
            return None
        key = secrets.token_urlsafe(32)
        with self._lock:
            self._logins[key] = (time.monotonic() + LOGIN_SECONDS, token)
            while len(self._logins) > MOST_LOGINS:
                self._logins.popitem(last=False)
        return self._cookie(key, int(LOGIN_SECONDS))

    def log_out(self, request: Request) -> str:
        with self._lock:
            self._logins.pop(cookie_of(request), None)
        return self._cookie("", 0)

    @property
    def needs_login(self) -> bool:
        return bool(self._tokens)

    def _by_cookie(self, request: Request) -> AdmittedClient | None:
        """The token is checked again each time: one that was removed from the file no longer counts."""
        with self._lock:
            until, token = self._logins.get(cookie_of(request), (0.0, ""))
        return self._tokens.admit(token) if token and time.monotonic() < until else None

    def _cookie(self, value: str, seconds: int) -> str:
        secure = "; Secure" if self._is_secure else ""
        return f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"


def cookie_of(request: Request) -> str:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def allowed_names(host: str) -> frozenset[str]:
    own: Iterable[str] = ("localhost", host, socket.gethostname(), socket.getfqdn())
    return frozenset(name.strip("[]").lower() for name in own)


def host_name(host: str) -> str:
    """Without the port, and without the brackets of an IPv6 address."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def is_address(name: str) -> bool:
    """An address needs no DNS, so nobody can redirect it."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
