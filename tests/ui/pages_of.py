"""Reads the pages of a server's web UI over HTTP."""

import html
import http.client
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from twinspark.doors.connect.server import ConnectServer

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Page:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def words(self) -> str:
        return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", self.text).split()))


@dataclass(frozen=True)
class Site:
    server: ConnectServer

    @property
    def port(self) -> int:
        assert self.server.ui is not None
        return self.server.ui.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(self, method: str, path: str, body: str | None = None, **headers: str) -> Page:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {**(FORM if body is not None else {}), **given})
        response = connection.getresponse()
        found = Page(response.status, dict(response.getheaders()), response.read().decode())
        connection.close()
        return found

    def get(self, path: str, **headers: str) -> Page:
        return self.request("GET", path, **headers)

    def form_token(self, **headers: str) -> str:
        found = re.search(r'name="form_token" value="([^"]+)"', self.get("/sql", **headers).text)
        assert found is not None
        return found[1]

    def post(self, path: str, fields: dict[str, str] | None = None, **headers: str) -> Page:
        """With the token of a form that this viewer was shown."""
        cookies = {name: value for name, value in headers.items() if name in ("Cookie", "Authorization")}
        body = urlencode({"form_token": self.form_token(**cookies), **(fields or {})})
        return self.request("POST", path, body, **headers)

    def log_in(self, token: str) -> str:
        """The cookie of a viewer with this token."""
        page = self.post("/login", {"token": token})
        assert page.status == 303, page.words
        return page.headers["Set-Cookie"].partition(";")[0]
