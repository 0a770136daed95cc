"""Reasons for falling back to Spark, ranked by the time that operations spent there."""

from dataclasses import replace

from twinspark.sessions.history.store import ReasonCount
from twinspark.ui.web.html import Html, table, tag
from twinspark.ui.web.layout import link_to, section
from twinspark.ui.web.messages import Response
from twinspark.ui.web.values import count_text, duration_text
from twinspark.ui.web.view import View

HEADINGS = ("Reason", "Operations", "Time", "Share", "Longest example")


def show(view: View) -> Response:
    found = view.history.reasons(view.visible())
    on_spark = [each for each in found if each.engine == "spark"]
    rejected = view.history.reasons(replace(view.visible(), state="REFUSED"))
    sentence = "What the operations of the history cost on Spark, by the reason for which they did not run natively."
    content = [
        tag("p", sentence, class_="note"),
        section("On Spark", reason_table(on_spark, "Reasons on Spark", "No operation of the history ran on Spark.")),
        section("Rejected", reason_table(rejected, "Rejected", "No operation was rejected.")),
        section("Native", reason_table([each for each in found if each.engine == "duckdb"], "Native", "None.")),
    ]
    return view.page("Reasons", content, "/reasons")


def reason_table(rows: list[ReasonCount], caption: str, empty: str) -> Html:
    whole = sum(each.seconds for each in rows) or 1.0
    return table(HEADINGS, [row_of(each, whole) for each in rows], caption, empty)


def row_of(each: ReasonCount, whole: float) -> list[object]:
    share = each.seconds / whole
    meter = tag("meter", f"{share:.0%}", value=f"{share:.3f}", min="0", max="1", aria_label=f"{share:.0%} of the time")
    return [
        link_to("/operations", each.code, code=each.code, engine=each.engine),
        tag("td", count_text(each.count), class_="number"),
        tag("td", duration_text(each.seconds), class_="number"),
        tag("td", meter),
        tag("td", each.reason, class_="wide"),
    ]
