"""Builds HTML from Python values; everything that is not HTML already is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

EMPTY_ELEMENTS = {"input", "meta", "link", "br", "hr"}


class Html(str):
    """A text that is HTML."""

    __slots__ = ()


NUMBER = '<td class="number"'


def text_of(content: object) -> str:
    """HTML as it is, the parts of an iterable, any other value escaped."""
    if content is None or content is False:
        return ""
    if isinstance(content, Html):
        return str(content)
    if isinstance(content, str | int | float):
        return escape(str(content))
    if isinstance(content, Iterable):
        return "".join(map(text_of, content))
    return escape(str(content))


def tag(element: str, /, *content: object, **attributes: object) -> Html:
    """`tag("a", "text", href="/x", class_="y")`. An attribute that is None or False is left out, True has no value;
    underscores in names become dashes."""
    start = f"<{element}{''.join(attribute(key, value) for key, value in attributes.items())}>"
    return Html(start if element in EMPTY_ELEMENTS else f"{start}{text_of(content)}</{element}>")


def attribute(key: str, value: object) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def join(*content: object) -> Html:
    return Html(text_of(content))


def table(
    headings: Iterable[object],
    rows: Iterable[Iterable[object]],
    caption: str,
    empty: str = "None.",
    class_: str | None = None,
) -> Html:
    """Cells are values or finished `td` elements. Wide tables scroll inside of their frame, also by keyboard."""
    cells = [[as_cell(cell) for cell in row] for row in rows]
    if not cells:
        return tag("p", empty, class_="empty")
    are_numbers = [cell.startswith(NUMBER) for cell in cells[0]]
    head = [as_heading(each, is_number) for each, is_number in zip(headings, are_numbers, strict=True)]
    body = tag("tbody", [tag("tr", row) for row in cells])
    whole = tag("table", tag("caption", caption, class_="hidden"), tag("thead", tag("tr", head)), body, class_=class_)
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def as_cell(value: object) -> Html:
    if isinstance(value, Html) and value.startswith("<td"):
        return value
    return tag("td", value, class_="number" if isinstance(value, int | float) else None)


def as_heading(value: object, is_number: bool) -> Html:
    return tag("th", value, scope="col", class_="number" if is_number else None)
