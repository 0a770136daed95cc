"""Verify: runs a query on both engines, and reports whether columns, rows and errors are the same."""

from __future__ import annotations

from http import HTTPStatus

from twinspark.operations.comparison import Outcome, Verdict, ending
from twinspark.ui.web.guard import FORM_TOKEN
from twinspark.ui.web.html import Html, join, table, tag
from twinspark.ui.web.layout import code_block, facts, live
from twinspark.ui.web.messages import Problem, Response, page_response, redirect
from twinspark.ui.web.pages import operation
from twinspark.ui.web.statements import user_of
from twinspark.ui.web.values import cell_text, count_text, duration_text, moment_text
from twinspark.ui.web.verification import Report
from twinspark.ui.web.view import View

PATH = "/verify"
SENTENCE = (
    "A query runs on the native engine and then on Spark, each in a new session, so temporary views of the SQL page "
    "are unknown to it. Without ORDER BY Spark promises no order of rows. In sessions with twinspark.shadow=true each "
    "native query is compared after it ended."
)
NO_SPARK = "This server has no Spark: its engine is duckdb."
CLASSES = {Verdict.IDENTICAL: "good", Verdict.REORDERED: "warn", Verdict.DIFFERENT: "bad", Verdict.ONLY_SPARK: "none"}


def has_spark(view: View) -> bool:
    return view.sessions.shared.settings.engine != "duckdb"


def show(view: View) -> Response:
    note = SENTENCE if has_spark(view) else NO_SPARK
    content = [
        tag("p", note, class_="note"),
        form(view, ""),
        skipped_note(view.verification.skipped),
        report_table(view.verification.reports(view.visible().user)),
    ]
    return view.page("Verify", content, PATH)


def submit(view: View) -> Response:
    text = view.request.form.get("text", "").strip().rstrip(";")
    if not text:
        return redirect(PATH)
    if not has_spark(view):
        raise Problem(HTTPStatus.CONFLICT, NO_SPARK)
    report = view.verification.new_report(user_of(view.viewer), text)
    view.statements.run_in_background(lambda: view.verification.carry_out(report))
    return redirect(f"{PATH}/{report.report_id}")


def submit_operation(view: View, operation_id: str) -> Response:
    """The query of an operation, with the state that its session has now."""
    record, _ = operation.find(view, operation_id)
    request = view.history.request(operation_id)
    session = view.sessions.find(record.user, record.session_id)
    if request is None or session is None or not has_spark(view) or not operation.is_profilable(view, record):
        raise Problem(HTTPStatus.CONFLICT, "The session or the plan is gone, it is no query, or there is no Spark.")
    report = view.verification.new_report(record.user, record.statement)
    view.statements.run_in_background(lambda: view.verification.carry_out_again(report, session, request.plan))
    return redirect(f"{PATH}/{report.report_id}")


def skipped_note(skipped: int) -> Html | str:
    sentence = f"{count_text(skipped)} queries of shadowed sessions were not compared: another comparison was running."
    return tag("p", sentence, class_="note") if skipped else ""


def find(view: View, report_id: str) -> Report:
    report = view.verification.find(view.visible().user, report_id)
    if report is None:
        raise Problem(HTTPStatus.NOT_FOUND, "There is no such report; only the newest ones are kept.")
    return report


def show_report(view: View, report_id: str) -> Response:
    report = find(view, report_id)
    shown = report_of(report) if report.is_done else live(f"{PATH}/{report_id}/result", report_of(report))
    return view.page("Verify", [form(view, report.text), tag("section", shown, id="result", aria_live="polite")], PATH)


def show_result(view: View, report_id: str) -> Response:
    report = find(view, report_id)
    response = page_response(report_of(report))
    return Response(response.body, headers={"X-Reload": "1"}) if report.is_done else response


def form(view: View, text: str) -> Html:
    area = tag("textarea", text, name="text", id="statement", rows="5", spellcheck="false", required=True)
    return tag(
        "form",
        tag("input", type="hidden", name=FORM_TOKEN, value=view.token),
        tag("label", "Query", for_="statement"),
        area,
        tag("div", tag("button", "Run on both engines", type="submit"), class_="action"),
        method="post",
        action=PATH,
        class_="editor",
    )


def report_of(report: Report) -> Html:
    if report.problem:
        return tag("p", report.problem, class_="error", role="alert")
    if report.comparison is None:
        return tag("p", "Running on both engines.", role="status")
    sides = facts([("Native engine", side(report.native)), ("Spark", side(report.spark))])
    found = [code_block(each, "Difference") for each in report.comparison.differences]
    return join(tag("p", verdict_badge(report), role="status"), sides, found)


def side(outcome: Outcome | None) -> str:
    return "" if outcome is None else f"{ending(outcome)} in {duration_text(outcome.seconds)}"


def verdict_badge(report: Report) -> Html:
    if report.comparison is None:
        text, kind = ("not compared", "warn") if report.problem else ("running", "running")
    else:
        text, kind = report.comparison.verdict.value, CLASSES[report.comparison.verdict]
    return tag("span", text.capitalize(), class_=f"badge state-{kind}")


def report_link(report: Report) -> Html:
    return tag("a", cell_text(report.text), href=f"{PATH}/{report.report_id}")


def report_table(reports: list[Report]) -> Html:
    rows = [
        (moment_text(each.started), verdict_badge(each), report_link(each), side(each.native), side(each.spark))
        for each in reports
    ]
    headings = ("Started (UTC)", "Verdict", "Query", "Native engine", "Spark")
    return table(headings, rows, "Reports", "No query has been verified since the server started.")
