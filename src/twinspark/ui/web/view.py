"""What a page has of the server while it answers one request of one viewer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus

from twinspark.relay.engine import SparkEngine
from twinspark.sessions.history.history import History
from twinspark.sessions.history.running import Watched
from twinspark.sessions.history.store import Filter
from twinspark.sessions.operation import Operation
from twinspark.sessions.session import Session
from twinspark.sessions.sessions import Sessions
from twinspark.ui.web.guard import Guard, Viewer
from twinspark.ui.web.layout import whole_page
from twinspark.ui.web.messages import Request, Response, page_response
from twinspark.ui.web.statements import Statements, user_of
from twinspark.ui.web.verification import Verification

EMPTY, NOBODY = Request("GET", "/", {}, {}, {}), Viewer()


@dataclass(frozen=True)
class View:
    sessions: Sessions
    spark: SparkEngine
    guard: Guard
    statements: Statements
    verification: Verification
    request: Request = EMPTY
    viewer: Viewer = NOBODY

    def of(self, request: Request, viewer: Viewer) -> View:
        return replace(self, request=request, viewer=viewer)

    @property
    def server(self) -> Watched:
        return self.sessions.shared.watched

    @property
    def history(self) -> History:
        return self.server.history

    @property
    def token(self) -> str:
        """For the forms of the page."""
        return self.guard.form_token

    def visible(self) -> Filter:
        """A viewer with a name sees what belongs to that user."""
        return Filter(user_of(self.viewer) if self.viewer.name is not None else None)

    def find_running(self, operation_id: str) -> tuple[Session, Operation] | None:
        for session in self.sessions.all():
            if self.visible().user in (None, session.user_id):
                operation = session.operation(operation_id)
                if operation is not None:
                    return session, operation
        return None

    def page(self, title: str, content: object, current: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
        return page_response(whole_page(title, content, current, self.guard.needs_login, self.token), status)
