"""The page that requires a token."""

from http import HTTPStatus

from twinspark.ui.web.guard import FORM_TOKEN
from twinspark.ui.web.html import tag
from twinspark.ui.web.layout import whole_page
from twinspark.ui.web.messages import Response, page_response


def login_page(token: str, path: str, status: HTTPStatus, is_wrong: bool = False) -> Response:
    problem = tag("p", "That token is not valid.", role="alert", class_="error") if is_wrong else ""
    form = tag(
        "form",
        tag("input", type="hidden", name=FORM_TOKEN, value=token),
        tag("label", "Token", for_="token"),
        tag("input", type="password", name="token", id="token", autocomplete="current-password", required=True),
        tag("button", "Log in", type="submit"),
        method="post",
        action="/login",
        class_="login",
    )
    sentence = tag("p", "This server requires one of the tokens that its clients connect with.")
    return page_response(whole_page("Log in", [sentence, problem, form]), status)
