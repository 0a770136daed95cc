"""The web UI's application: routes requests to pages, after the checks of who sends them."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from twinspark.relay.engine import SparkEngine
from twinspark.sessions.sessions import Sessions
from twinspark.ui.web.guard import Guard, Viewer
from twinspark.ui.web.html import tag
from twinspark.ui.web.layout import whole_page
from twinspark.ui.web.messages import Problem, Request, Response, page_response, redirect
from twinspark.ui.web.pages import catalog, conformance, engines, operation, operations, reasons, sessions, sql, verify
from twinspark.ui.web.pages.login import login_page
from twinspark.ui.web.statements import Statements
from twinspark.ui.web.verification import Verification
from twinspark.ui.web.view import View

log = logging.getLogger("twinspark.ui")
ASSETS = {"style.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}
Handler = Callable[..., Response]
# Paths with `*` pass that part, decoded, to the handler.
GET: dict[str, Handler] = {
    "/": lambda view: redirect("/operations"),
    "/operations": operations.show,
    "/operations/rows": operations.show_rows,
    "/operations/*": operation.show,
    "/operations/*/state": operation.show_state,
    "/sessions": sessions.show,
    "/sql": sql.show,
    "/sql/*": sql.show_run,
    "/sql/*/result": sql.show_result,
    "/catalog": catalog.show,
    "/catalog/*": catalog.show_table,
    "/reasons": reasons.show,
    "/engines": engines.show,
    "/engines/state": engines.show_state,
    "/verify": verify.show,
    "/verify/*": verify.show_report,
    "/verify/*/result": verify.show_result,
    "/conformance": conformance.show,
}
POST: dict[str, Handler] = {
    "/operations/*/cancel": operation.cancel,
    "/operations/*/profile": operation.profile,
    "/operations/*/verify": verify.submit_operation,
    "/sql": sql.submit,
    "/verify": verify.submit,
}


class WebApplication:
    """The WSGI application."""

    def __init__(self, sessions: Sessions, spark: SparkEngine, guard: Guard) -> None:
        verification = Verification(sessions)
        self._view = View(sessions, spark, guard, Statements(sessions), verification)
        if sessions.shared.settings.engine != "duckdb":
            sessions.shared.listeners.append(verification.shadow)
        self._guard = guard

    def __call__(self, environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        response = self.respond(environment)
        start(response.start_line(), response.header_list())
        return [] if environment["REQUEST_METHOD"] == "HEAD" else [response.body]

    def respond(self, environment: dict[str, Any]) -> Response:
        try:
            return self._answer(Request.of(environment))
        except Problem as problem:
            return problem_page(problem.status, str(problem))
        except Exception:  # the only place of the UI that catches every exception, as doors/connect/status.py does
            number = uuid.uuid4().hex[:12]
            log.exception("internal error %s", number)
            return problem_page(HTTPStatus.INTERNAL_SERVER_ERROR, f"An error; see {number} in the server's log.")

    def _answer(self, request: Request) -> Response:
        self._guard.check_host(request)
        if request.method not in ("GET", "HEAD", "POST"):
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and POST are answered.")
        if request.path.startswith("/assets/"):
            return asset(request.path.removeprefix("/assets/"))
        if request.method == "POST":
            self._guard.check_form(request)
        if request.path in ("/login", "/logout"):
            return self._log_in_or_out(request)
        viewer = self._guard.viewer(request)
        if viewer is None:
            return login_page(self._guard.form_token, request.path, HTTPStatus.UNAUTHORIZED)
        return self._route(request, viewer)

    def _log_in_or_out(self, request: Request) -> Response:
        if request.method != "POST":
            return redirect("/")
        if request.path == "/logout":
            return redirect("/", **{"Set-Cookie": self._guard.log_out(request)})
        cookie = self._guard.log_in(request.form.get("token", ""))
        if cookie is None:
            return login_page(self._guard.form_token, "/", HTTPStatus.UNAUTHORIZED, is_wrong=True)
        return redirect("/", **{"Set-Cookie": cookie})

    def _route(self, request: Request, viewer: Viewer) -> Response:
        found = find_handler(POST if request.method == "POST" else GET, request.path)
        if found is None:
            raise Problem(HTTPStatus.NOT_FOUND, "There is no such page.")
        handler, parts = found
        return handler(self._view.of(request, viewer), *parts)


def find_handler(routes: dict[str, Handler], path: str) -> tuple[Handler, list[str]] | None:
    """An exact path, or one with `*` in the place of its second part."""
    if path in routes:
        return routes[path], []
    parts = path.split("/")
    if len(parts) < 3 or not parts[2]:
        return None
    handler = routes.get("/".join([*parts[:2], "*", *parts[3:]]))
    return None if handler is None else (handler, [unquote(parts[2])])


def asset(name: str) -> Response:
    if name not in ASSETS:
        raise Problem(HTTPStatus.NOT_FOUND, "There is no such file.")
    body = (files("twinspark.ui.web") / "assets" / name).read_bytes()
    return Response(body, kind=ASSETS[name], headers={"Cache-Control": "no-cache"})


def problem_page(status: HTTPStatus, sentence: str) -> Response:
    return page_response(whole_page(status.phrase, tag("p", sentence)), status)
