"""Requests and responses of the web UI, between WSGI and the pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from twinspark.ui.web.html import Html

MOST_BODY = 1024 * 1024  # of a form: statements are shorter
MOST_FIELDS = 50
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # a form must send its Origin
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Problem(Exception):
    """Ends a request with this status and sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case

    @classmethod
    def of(cls, environment: Mapping[str, Any]) -> Request:
        headers = {
            key.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
            for key, value in environment.items()
            if key.startswith("HTTP_")
        }
        method = str(environment["REQUEST_METHOD"])
        path = str(environment.get("PATH_INFO") or "/").encode("latin-1").decode("utf-8", "replace")
        form = read_form(environment) if method == "POST" else {}
        return cls(method, path, fields_of(str(environment.get("QUERY_STRING", ""))), form, headers)

    def number(self, name: str, default: int = 0) -> int:
        """A number that is not negative."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def fields_of(text: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as error:
        raise Problem(HTTPStatus.BAD_REQUEST, "The request has too many fields.") from error


def read_form(environment: Mapping[str, Any]) -> dict[str, str]:
    length = str(environment.get("CONTENT_LENGTH") or "0")
    if not (length.isascii() and length.isdigit()):
        raise Problem(HTTPStatus.BAD_REQUEST, "The request has no valid length.")
    if int(length) > MOST_BODY:
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A form has at most {MOST_BODY} bytes.")
    body = environment["wsgi.input"].read(int(length))
    return fields_of(body.decode("utf-8", "replace"))


@dataclass(frozen=True)
class Response:
    body: bytes = b""
    status: HTTPStatus = HTTPStatus.OK
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)

    def start_line(self) -> str:
        return f"{self.status.value} {self.status.phrase}"

    def header_list(self) -> list[tuple[str, str]]:
        own = {"Content-Type": self.kind, "Content-Length": str(len(self.body)), "Cache-Control": "no-store"}
        return list({**HEADERS, **own, **self.headers}.items())


def page_response(content: Html, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(content.encode("utf-8", "replace"), status)


def json_response(value: Any) -> Response:
    return Response(json.dumps(value).encode(), kind="application/json")


def redirect(path: str, **headers: str) -> Response:
    return Response(status=HTTPStatus.SEE_OTHER, headers={"Location": path, **headers})
