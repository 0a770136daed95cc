"""The list of operations: those that run now, then the history, filtered and in pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from twinspark.sessions.history.record import OperationRecord
from twinspark.sessions.history.running import records_of
from twinspark.sessions.history.store import Filter
from twinspark.ui.web.html import Html, join, table, tag
from twinspark.ui.web.layout import engine_badge, link_to, live, operation_path, state_badge
from twinspark.ui.web.messages import Response, page_response
from twinspark.ui.web.statements import OWN_TAG
from twinspark.ui.web.values import bytes_text, count_text, duration_text, moment_text
from twinspark.ui.web.view import View

PATH = "/operations"
ROWS = 50  # of one page
MOST_STATEMENT = 160
MOST_PAGE = 10_000
FILTERS = ("text", "engine", "state", "code", "session")
ENGINES = ("duckdb", "spark", "none")
STATES = ("RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "REFUSED")
HEADINGS = ("State", "Started (UTC)", "Time", "Engine", "Reason", "Statement", "Rows", "Bytes", "User", "Source")


def show(view: View) -> Response:
    path = f"{PATH}/rows?{urlencode(given_filters(view))}"
    return view.page("Operations", [filter_form(view), live(path, list_of(view))], PATH)


def show_rows(view: View) -> Response:
    return page_response(list_of(view))


def given_filters(view: View) -> dict[str, str]:
    names = (*FILTERS, "page", "own")
    return {name: view.request.query[name] for name in names if view.request.query.get(name)}


def wanted_by(view: View) -> Filter:
    chosen = {name: view.request.query.get(name, "") for name in FILTERS}
    return replace(view.visible(), **chosen, without_tag="" if view.request.query.get("own") else OWN_TAG)


def filter_form(view: View) -> Html:
    query = view.request.query
    search = tag("input", type="search", name="text", id="text", value=query.get("text", ""), maxlength="200")
    own = tag("input", type="checkbox", name="own", id="own", value="1", checked=bool(query.get("own")))
    kept = [
        tag("input", type="hidden", name=name, value=query[name]) for name in ("code", "session") if query.get(name)
    ]
    return tag(
        "form",
        field("text", "Search", search),
        field("engine", "Engine", choices("engine", ENGINES, query.get("engine", ""))),
        field("state", "State", choices("state", STATES, query.get("state", ""))),
        tag("div", own, tag("label", "Show the UI's own", for_="own"), class_="check"),
        kept,
        tag("button", "Filter", type="submit"),
        tag("a", "Reset", href=PATH, class_="button quiet") if given_filters(view) else "",
        method="get",
        action=PATH,
        class_="filters",
        role="search",
    )


def field(name: str, label: str, control: Html) -> Html:
    return tag("div", tag("label", label, for_=name), control, class_="field")


def choices(name: str, options: Sequence[str], current: str) -> Html:
    every = tag("option", "All", value="")
    return tag("select", every, [tag("option", each, selected=each == current) for each in options], name=name, id=name)


def list_of(view: View) -> Html:
    wanted, page = wanted_by(view), min(view.request.number("page"), MOST_PAGE)
    running = records_of(view.server, wanted) if page == 0 else []
    ended = view.history.page(wanted, page * ROWS, ROWS) if wanted.state != "RUNNING" else []
    count = view.history.count(wanted) if wanted.state != "RUNNING" else 0
    sentence = f"{count_text(len(running))} running, {count_text(count)} ended"
    names = [f"{name} {view.request.query[name]}" for name in ("code", "session") if view.request.query.get(name)]
    shown = tag("p", ", ".join([sentence, *names]), class_="note", role="status")
    rows = [row_of(each) for each in [*running, *ended]]
    found = table(HEADINGS, rows, "Operations", "No operation matches. Queries of any client appear here.", "cards")
    return join(shown, found, pager(view, page, count))


def row_of(record: OperationRecord) -> list[object]:
    return [
        progress_cell(record),
        tag("td", moment_text(record.started), class_="moment", data_moment=f"{record.started:.3f}"),
        tag("td", duration_text(record.seconds), class_="number"),
        engine_badge(record.engine) if record.state != "RUNNING" or record.code != "PLANNING" else "",
        tag("td", link_to(PATH, record.code, code=record.code), title=record.reason),
        tag("td", tag("a", statement_text(record), href=operation_path(record.operation_id)), class_="statement"),
        tag("td", count_text(record.rows), class_="number", data_unit="rows"),
        tag("td", bytes_text(record.bytes), class_="number"),
        record.user,
        tag("td", record.source.rpartition("/")[2], title=record.source, class_="source"),
    ]


def progress_cell(record: OperationRecord) -> Html:
    if record.state != "RUNNING" or record.progress is None:
        return tag("td", state_badge(record.state))
    bar = tag("progress", value=f"{record.progress:.2f}", max="1", aria_label="Progress")
    return tag("td", state_badge(record.state), bar)


def statement_text(record: OperationRecord) -> str:
    text = " ".join(record.statement.split()) or "(nothing)"
    return text if len(text) <= MOST_STATEMENT else text[: MOST_STATEMENT - 1] + "…"


def pager(view: View, page: int, count: int) -> Html:
    last = max(0, (count - 1) // ROWS)
    filters = {name: value for name, value in given_filters(view).items() if name != "page"}
    newer = link_to(PATH, "Newer", **{**filters, "page": page - 1}) if page > 0 else ""
    older = link_to(PATH, "Older", **{**filters, "page": page + 1}) if page < last else ""
    where = tag("span", f"Page {count_text(page + 1)} of {count_text(last + 1)}")
    return tag("nav", newer, where, older, class_="pager", aria_label="Pages of operations") if last else tag("p")
