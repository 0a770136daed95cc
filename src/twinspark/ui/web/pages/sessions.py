"""The list of sessions."""

from twinspark.sessions.history.running import SessionRow, rows_of_sessions
from twinspark.ui.web.html import table, tag
from twinspark.ui.web.layout import link_to
from twinspark.ui.web.messages import Response
from twinspark.ui.web.values import duration_text
from twinspark.ui.web.view import View

HEADINGS = ("Session", "User", "Engine", "Running", "Idle", "Also open on Spark")


def show(view: View) -> Response:
    rows = [row_of(each) for each in rows_of_sessions(view.server, view.visible())]
    return view.page("Sessions", table(HEADINGS, rows, "Sessions", "No client is connected."), "/sessions")


def row_of(row: SessionRow) -> list[object]:
    return [
        link_to("/operations", row.session_id, session=row.session_id),
        row.user,
        row.engine,
        row.running,
        tag("td", duration_text(row.idle_seconds), class_="number"),
        "yes" if row.on_spark else "no",
    ]
