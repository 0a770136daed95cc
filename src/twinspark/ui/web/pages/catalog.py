"""The catalog browser: schemas and tables; of a table its columns, details, snapshots, partitions, files and rows."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from twinspark.errors import NotAllowed, NotNative, SparkError
from twinspark.sessions.history.describe import error_columns
from twinspark.types import quote_identifier
from twinspark.ui.web.html import Html, join, table, tag
from twinspark.ui.web.layout import fold, link_to, section
from twinspark.ui.web.messages import Response
from twinspark.ui.web.pages.sql import result_table
from twinspark.ui.web.statements import OWN_TAG, Rows, execute
from twinspark.ui.web.view import View

PATH = "/catalog"
PREVIEW_ROWS = 50
METADATA = (("Snapshots", "snapshots"), ("History", "history"), ("Partitions", "partitions"), ("Files", "files"))


def query(view: View, text: str) -> Rows:
    return execute(view.statements.browsing(view.viewer), text, "", OWN_TAG)


def show(view: View) -> Response:
    wanted = view.request.query.get("schema", "default")
    schemas = attempt(lambda: schema_list(view, wanted))
    tables = attempt(lambda: table_list(view, wanted))
    views = "Tables of the server itself: "
    own = [link_to("/sql", f"system.runtime.{name}", text=f"SELECT * FROM system.runtime.{name}") for name in SYSTEM]
    content = [
        section("Schemas", schemas),
        section(f"Tables in {wanted}", tables),
        tag("p", views, [join(" ", each) for each in own], class_="note"),
    ]
    return view.page("Catalog", content, PATH)


SYSTEM = ("operations", "sessions", "reasons")


def schema_list(view: View, current: str) -> Html:
    names = [str(row[0]) for row in query(view, "SHOW SCHEMAS").values]
    links = [
        tag("a", name, href=f"{PATH}?schema={quote(name)}", aria_current="true" if name == current else None)
        for name in names
    ]
    return tag("nav", links, class_="chips", aria_label="Schemas")


def table_list(view: View, schema: str) -> Html:
    rows = query(view, f"SHOW TABLES IN {quote_identifier(schema)}").values
    shown = [
        [tag("a", name, href=f"{PATH}/{quote(f'{space}.{name}', safe='')}"), "temporary" if is_temporary else "table"]
        for space, name, is_temporary in rows
    ]
    return table(("Name", "Kind"), shown, f"Tables in {schema}", "This schema has no tables.")


def show_table(view: View, name: str) -> Response:
    parts = [part for part in name.split(".") if part]
    quoted = ".".join(map(quote_identifier, parts))
    text = f"SELECT * FROM {quoted}"
    content = [
        tag("p", link_to("/sql", "Open in the SQL editor", text=text)),
        section("Columns and details", attempt(lambda: details_of(view, quoted))),
        section("First rows", attempt(lambda: result_table(query(view, f"{text} LIMIT {PREVIEW_ROWS}")))),
        [metadata(view, quoted, title, kind) for title, kind in METADATA] if len(parts) > 1 else "",
    ]
    return view.page(name, content, PATH)


def details_of(view: View, quoted: str) -> Html:
    rows = query(view, f"DESCRIBE TABLE EXTENDED {quoted}").values
    blank = next((number for number, row in enumerate(rows) if not row[0] or row[0].startswith("# ")), len(rows))
    columns = [row[:3] for row in rows[:blank]]
    details = [row[:2] for row in rows[blank:] if row[0]]
    return join(
        table(("Column", "Type", "Comment"), [[text or "" for text in row] for row in columns], "Columns"),
        fold("Details", table(("Name", "Value"), details, "Details")) if details else "",
    )


def metadata(view: View, quoted: str, title: str, kind: str) -> Html | str:
    """Iceberg's metadata tables; other tables have none."""
    try:
        return fold(title, result_table(query(view, f"SELECT * FROM {quoted}.{kind}")))
    except (SparkError, NotNative, NotAllowed):
        return ""


def attempt(make: Callable[[], Html]) -> Html:
    """What this viewer may not see, or what only Spark could show, is said in place of it."""
    try:
        return make()
    except (SparkError, NotNative, NotAllowed) as failure:
        condition, sentence = error_columns(failure)
        return tag("p", f"{condition}: {sentence}", class_="error")
