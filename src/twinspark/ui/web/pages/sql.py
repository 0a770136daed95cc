"""The SQL editor: a statement, its rows with their types, and a chart of two columns."""

from __future__ import annotations

import time
from decimal import Decimal
from http import HTTPStatus

from twinspark.ui.web.charts import as_number, draw_chart
from twinspark.ui.web.guard import FORM_TOKEN
from twinspark.ui.web.html import Html, join, table, tag
from twinspark.ui.web.layout import code_block, live, operation_path
from twinspark.ui.web.messages import Problem, Response, page_response, redirect
from twinspark.ui.web.pages.operations import choices, field
from twinspark.ui.web.statements import MOST_ROWS, Rows, Run
from twinspark.ui.web.values import cell_text, count_text, duration_text
from twinspark.ui.web.view import View

PATH = "/sql"
KINDS = ("bar", "line")


def show(view: View) -> Response:
    return view.page("SQL", editor(view, view.request.query.get("text", "")), PATH)


def submit(view: View) -> Response:
    text = view.request.form.get("text", "").strip().rstrip(";")
    if not text:
        return redirect(PATH)
    return redirect(f"{PATH}/{view.statements.submit(view.viewer, text).run_id}")


def find(view: View, run_id: str) -> Run:
    run = view.statements.run(view.viewer, run_id)
    if run is None:
        raise Problem(HTTPStatus.NOT_FOUND, "There is no such result; only the newest ones are kept.")
    return run


def show_run(view: View, run_id: str) -> Response:
    run = find(view, run_id)
    shown = result_of(view, run) if run.is_done else live(f"{PATH}/{run_id}/result", result_of(view, run))
    return view.page("SQL", [editor(view, run.text), tag("section", shown, id="result", aria_live="polite")], PATH)


def show_result(view: View, run_id: str) -> Response:
    run = find(view, run_id)
    response = page_response(result_of(view, run))
    return Response(response.body, headers={"X-Reload": "1"}) if run.is_done else response


def editor(view: View, text: str) -> Html:
    area = tag(
        "textarea",
        text,
        name="text",
        id="statement",
        rows="5",
        spellcheck="false",
        autocapitalize="off",
        autocomplete="off",
        placeholder="SELECT …",
        required=True,
    )
    return tag(
        "form",
        tag("input", type="hidden", name=FORM_TOKEN, value=view.token),
        tag("label", "Spark SQL", for_="statement"),
        area,
        tag("div", tag("button", "Run", type="submit"), tag("span", "Ctrl+Enter", class_="note"), class_="action"),
        method="post",
        action=PATH,
        class_="editor",
    )


def result_of(view: View, run: Run) -> Html:
    link = tag("a", "operation", href=operation_path(run.operation_id))
    if not run.is_done:
        seconds = duration_text(time.monotonic() - run.started)
        return tag("p", f"Running for {seconds}: ", link, role="status")
    if run.rows is None:
        return join(tag("p", run.condition or "Error", class_="error", role="alert"), code_block(run.error, "Error"))
    rows = run.rows
    more = f" (only the first {count_text(MOST_ROWS)} are shown)" if rows.is_cut else ""
    sentence = f"{count_text(len(rows.values))} rows{more} in {duration_text(run.seconds)}: "
    return join(tag("p", sentence, link, role="status", class_="note"), chart_of(view, run, rows), result_table(rows))


def result_table(rows: Rows) -> Html:
    headings = [join(name, tag("small", kind)) for name, kind in zip(rows.names, rows.types, strict=True)]
    cells = [[value_cell(value) for value in row] for row in rows.values]
    return table(headings, cells, "Result", "The result has no rows.")


def value_cell(value: object) -> Html:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    kind = "null" if value is None else "number" if is_number else None
    return tag("td", cell_text(value), class_=kind)


# ---- the chart


def chart_of(view: View, run: Run, rows: Rows) -> Html | str:
    numeric = [name for number, name in enumerate(rows.names) if is_numeric(rows, number)]
    if not numeric or len(rows.values) < 2:
        return ""
    query = view.request.query
    y = query.get("y", "") if query.get("y") in numeric else numeric[-1]
    x = query.get("x", "") if query.get("x") in rows.names else rows.names[0]
    kind = query.get("chart", "") if query.get("chart") in KINDS else ""
    drawing = drawing_of(rows, x, y, kind) if kind else ""
    return tag("details", tag("summary", "Chart"), chart_form(run, rows, numeric, (x, y, kind)), drawing,
               open=bool(kind))  # fmt: skip


def is_numeric(rows: Rows, number: int) -> bool:
    return any(as_number(row[number]) is not None and not isinstance(row[number], str) for row in rows.values)


def chart_form(run: Run, rows: Rows, numeric: list[str], chosen: tuple[str, str, str]) -> Html:
    x, y, kind = chosen
    return tag(
        "form",
        field("chart", "Kind", choices("chart", KINDS, kind)),
        field("x", "Labels", choices("x", rows.names, x)),
        field("y", "Values", choices("y", numeric, y)),
        tag("button", "Draw", type="submit"),
        method="get",
        action=f"{PATH}/{run.run_id}",
        class_="filters",
    )


def drawing_of(rows: Rows, x: str, y: str, kind: str) -> Html:
    across, up = rows.names.index(x), rows.names.index(y)
    points = [(cell_text(row[across]), as_number(row[up])) for row in rows.values]
    known = [(label, value) for label, value in points if value is not None]
    return draw_chart([label for label, _ in known], [value for _, value in known], kind, f"{y} by {x}")
