"""The page of one operation: state, reason, plan, SQL, passes and error; it can be cancelled and profiled here."""

from __future__ import annotations

import time
import uuid
from http import HTTPStatus

from pyspark.sql.connect.proto import base_pb2

from twinspark.operations.native_operation import PROFILE_TAG
from twinspark.sessions.history.describe import describe_running, details_of_result
from twinspark.sessions.history.record import Details, OperationRecord
from twinspark.sessions.operation import State
from twinspark.sessions.plan_effects import may_run_twice
from twinspark.ui.web.html import Html, join, tag
from twinspark.ui.web.layout import (
    code_block,
    engine_badge,
    facts,
    fold,
    link_to,
    live,
    operation_path,
    post_button,
    section,
    state_badge,
)
from twinspark.ui.web.messages import Problem, Response, page_response, redirect
from twinspark.ui.web.plan_drawing import draw_plan
from twinspark.ui.web.statements import OWN_TAG, run_plan
from twinspark.ui.web.values import bytes_text, count_text, duration_text, moment_text
from twinspark.ui.web.view import View

PATH = "/operations"
INTERRUPT_SECONDS = 1.0
APPEARING_SECONDS, LOOK_SECONDS = 2.0, 0.05
ORIGINS = {
    "plan": "The relations of the typed plan. DuckDB ran them as one query, so single ones have no numbers.",
    "profile": "DuckDB's physical operators, measured while the query ran.",
    "spark": "Spark's physical operators with the metrics that it reported.",
}


BY_TAG = f"To measure a query while it runs, give it the tag {PROFILE_TAG}."


def find(view: View, operation_id: str) -> tuple[OperationRecord, Details]:
    """One that was just started, or cancelled, is in neither list for a moment."""
    until = time.monotonic() + APPEARING_SECONDS
    while (found := look_up(view, operation_id)) is None:
        if time.monotonic() > until:
            raise Problem(HTTPStatus.NOT_FOUND, "There is no such operation, or it is no longer in the history.")
        time.sleep(LOOK_SECONDS)
    return found


def look_up(view: View, operation_id: str) -> tuple[OperationRecord, Details] | None:
    running = view.find_running(operation_id)
    if running is not None and running[1].state is State.RUNNING:
        session, operation = running
        record = describe_running(operation, session.session_id, session.user_id)
        return record, details_of_result(operation.result(), operation.cause, operation.plan_request)
    return view.history.find(operation_id, view.visible())


def show(view: View, operation_id: str) -> Response:
    record, details = find(view, operation_id)
    path = f"{operation_path(operation_id)}/state"
    state = live(path, state_of(view, record)) if record.state == "RUNNING" else state_of(view, record)
    content = [
        state,
        section("Statement", code_block(record.statement, "Statement")),
        section("Error", tag("p", record.condition, class_="error"), code_block(record.error, "Error"))
        if record.error
        else "",
        plan_section(view, record, details),
        section("SQL that DuckDB ran", code_block(details.sql, "Generated SQL")) if details.sql else "",
        fold("Passes of the compiler", code_block(details.passes, "Passes")) if details.passes else "",
        fold("Calls of the client's program", code_block("\n".join(details.stack), "Calls")) if details.stack else "",
    ]
    return view.page("Operation", content, PATH)


def show_state(view: View, operation_id: str) -> Response:
    """A part of the page; once the operation has ended, the script loads the whole page again."""
    record, _ = find(view, operation_id)
    response = page_response(state_of(view, record))
    if record.state == "RUNNING":
        return response
    return Response(response.body, headers={"X-Reload": "1"})


def state_of(view: View, record: OperationRecord) -> Html:
    is_running = record.state == "RUNNING"
    progress = "" if record.progress is None else f"{record.progress:.0%}"
    button = post_button(f"{operation_path(record.operation_id)}/cancel", "Cancel", view.token, class_="danger")
    return join(
        facts(
            [
                ("State", state_badge(record.state)),
                ("Engine", engine_badge(record.engine)),
                ("Reason", join(link_to(PATH, record.code, code=record.code), " ", record.reason)),
                ("Started (UTC)", moment_text(record.started)),
                ("Time", duration_text(record.seconds)),
                ("Progress", progress if is_running else ""),
                ("Rows", count_text(record.rows)),
                ("Bytes sent", bytes_text(record.bytes)),
                ("User", record.user),
                ("Session", link_to(PATH, record.session_id, session=record.session_id)),
                ("Operation", record.operation_id),
                ("Source", record.source),
                ("Tags", record.tags),
                ("Client", record.client),
            ]
        ),
        button if is_running else "",
    )


def plan_section(view: View, record: OperationRecord, details: Details) -> Html | str:
    instead = section("To run it natively", tag("p", details.instead)) if details.instead else ""
    if not details.nodes:
        return instead
    note = tag("p", ORIGINS.get(details.origin, ""), class_="note")
    drawing = tag(
        "div", draw_plan(details.nodes), class_="scroll frame", tabindex="0", role="region", aria_label="Plan"
    )
    forms = (profile_form(view, record, details), verify_form(view, record))
    return join(instead, section("Plan", note, *forms, drawing))


def profile_form(view: View, record: OperationRecord, details: Details) -> Html | str:
    """Measuring costs 2 to 4 % of the time, so it is done on request: by running a query again, and by the tag."""
    if details.origin != "plan" or not is_profilable(view, record):
        return tag("p", BY_TAG, class_="note") if details.origin == "plan" else ""
    sentence = " runs this query once more, in its session, and measures each operator. Its rows are discarded."
    path = f"{operation_path(record.operation_id)}/profile"
    return tag("div", post_button(path, "Run again with a profile", view.token), tag("span", sentence), class_="action")


def verify_form(view: View, record: OperationRecord) -> Html | str:
    if view.sessions.shared.settings.engine == "duckdb" or not is_profilable(view, record):
        return ""
    button = post_button(f"{operation_path(record.operation_id)}/verify", "Run on both engines", view.token)
    return tag("div", button, tag("span", " compares the native engine's answer with Spark's."), class_="action")


def is_profilable(view: View, record: OperationRecord) -> bool:
    request = view.history.request(record.operation_id)
    session = view.sessions.find(record.user, record.session_id)
    is_query = request is not None and request.plan.WhichOneof("op_type") == "root"
    return session is not None and request is not None and is_query and may_run_twice(request)


def cancel(view: View, operation_id: str) -> Response:
    """As an Interrupt request of the operation's own client does it."""
    found = view.find_running(operation_id)
    if found is not None:
        session, _ = found
        session.interrupt(lambda each: each.plan_request.operation_id == operation_id)
        request = base_pb2.InterruptRequest(session_id=session.session_id, operation_id=operation_id)
        request.user_context.user_id = session.user_id
        request.interrupt_type = base_pb2.InterruptRequest.INTERRUPT_TYPE_OPERATION_ID
        session.spark.ask("Interrupt", request.SerializeToString(), INTERRUPT_SECONDS)
    return redirect(operation_path(operation_id))


def profile(view: View, operation_id: str) -> Response:
    record, _ = find(view, operation_id)
    request = view.history.request(operation_id)
    session = view.sessions.find(record.user, record.session_id)
    if request is None or session is None or not is_profilable(view, record):
        raise Problem(HTTPStatus.CONFLICT, "The session or the plan of this operation is gone, or it is no query.")
    again = str(uuid.uuid4())
    view.statements.run_in_background(lambda: run_plan(session, request.plan, again, (PROFILE_TAG, OWN_TAG), True))
    return redirect(operation_path(again))
