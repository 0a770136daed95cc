"""The frame of every page: title, navigation, the choice of colours, and parts that several pages use."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, urlencode

from twinspark.ui.web.guard import FORM_TOKEN
from twinspark.ui.web.html import Html, join, tag

PAGES = (
    ("/operations", "Operations"),
    ("/sessions", "Sessions"),
    ("/sql", "SQL"),
    ("/catalog", "Catalog"),
    ("/reasons", "Reasons"),
    ("/engines", "Engines"),
    ("/verify", "Verify"),
    ("/conformance", "Conformance"),
)
LIVE_SECONDS = 2


def whole_page(title: str, content: object, current: str = "", can_log_out: bool = False, token: str = "") -> Html:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · twinspark"),
        tag("link", rel="icon", href="/assets/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/assets/style.css"),
        tag("script", src="/assets/app.js", defer=True),
    )
    log_out = post_button("/logout", "Log out", token, class_="quiet") if can_log_out else ""
    colours = tag("button", "Colours", type="button", id="colours", class_="quiet", aria_label="Change colours")
    header = tag(
        "header",
        tag("a", "Skip to content", href="#content", class_="skip"),
        tag("a", "twinspark", href="/operations", class_="brand"),
        tag("nav", [page_link(path, name, current) for path, name in PAGES], aria_label="Pages"),
        tag("div", colours, log_out, class_="tools"),
    )
    body = tag("body", header, tag("main", tag("h1", title), content, id="content", tabindex="-1"))
    return Html(f"<!doctype html>{tag('html', head, body, lang='en')}")


def page_link(path: str, name: str, current: str) -> Html:
    return tag("a", name, href=path, aria_current="page" if path == current else None)


def post_button(path: str, label: str, token: str, **attributes: object) -> Html:
    """A form of one button; it works without scripts."""
    hidden = tag("input", type="hidden", name=FORM_TOKEN, value=token)
    return tag("form", hidden, tag("button", label, type="submit", **attributes), method="post", action=path)


def live(path: str, content: object, label: str = "") -> Html:
    """A part that the script replaces by what the path returns, again and again."""
    return tag("div", content, data_live=path, data_seconds=LIVE_SECONDS, aria_label=label or None)


def engine_badge(engine: str) -> Html:
    return tag("span", engine, class_=f"badge engine-{engine if engine in ('duckdb', 'spark') else 'none'}")


LABELS = {"REFUSED": "Rejected"}
STATES = {"RUNNING": "running", "SUCCEEDED": "good", "FAILED": "bad", "REFUSED": "bad", "CANCELLED": "warn"}


def state_badge(state: str) -> Html:
    return tag("span", LABELS.get(state, state.capitalize()), class_=f"badge state-{STATES.get(state, 'none')}")


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """A list of names and values; without those that have no value."""
    return tag("dl", [join(tag("dt", name), tag("dd", value)) for name, value in pairs if value not in (None, "")])


def section(title: str, *content: object) -> Html:
    return tag("section", tag("h2", title), *content)


def code_block(text: str, label: str) -> Html:
    return tag("pre", tag("code", text), tabindex="0", role="region", aria_label=label)


def fold(title: str, *content: object, is_open: bool = False) -> Html:
    return tag("details", tag("summary", title), *content, open=is_open)


def link_to(path: str, label: object, **query: object) -> Html:
    given = {key: value for key, value in query.items() if value not in (None, "", 0)}
    return tag("a", label, href=f"{path}?{urlencode(given)}" if given else path)


def operation_path(operation_id: str) -> str:
    return f"/operations/{quote(operation_id, safe='')}"


def summary_tiles(pairs: Iterable[tuple[str, str]]) -> Html:
    return tag("div", [tag("div", tag("b", value), tag("span", name), class_="tile") for name, value in pairs],
               class_="tiles")  # fmt: skip
