"""The output of DESCRIBE, SHOW TABLE EXTENDED and SHOW CREATE TABLE for views."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from twinspark.commands.names import TemporaryView
from twinspark.commands.namespaces.redaction import redact
from twinspark.release import SPARK_VERSION
from twinspark.sessions.views.schema_changes import modes_are_on
from twinspark.sessions.views.sql_views import TextView, text_view
from twinspark.tables.catalog import COLLATION, SCHEMA_MODE
from twinspark.types import StructField, StructType, quote_identifier, quote_if_needed

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Name
    from twinspark.tables.session_catalog import View

CREATED = "view.createdTime"
OWN = "view."  # prefix of the properties in which Spark stores a view's own metadata
Detail = tuple[str, str]


def shown_properties(view: "View") -> dict[str, str]:
    return {key: value for key, value in sorted(view.properties.items()) if not key.startswith(OWN)}


def details(name: "Name", view: "View", config: Mapping[str, str]) -> list[Detail]:
    """In the order of CatalogTable.toLinkedHashMap."""
    kept = text_view(view)
    rows = [("Catalog", name.catalog), ("Database", name.identifier.namespace[-1]), ("Table", name.identifier.name)]
    rows += creation_details(view.properties.get(CREATED))
    rows += [("Comment", view.comment)] if view.comment is not None else []
    rows += collation_details(kept)
    rows += [("View Text", view.text), ("View Original Text", view.text)]
    rows += modes(kept, view.properties.get(SCHEMA_MODE, "COMPENSATION"), config)
    properties = redact(shown_properties(view))
    rows += (
        [("Table Properties", f"[{', '.join(f'{key}={value}' for key, value in properties.items())}]")]
        if properties
        else []
    )
    return rows


def collation_details(view: TextView) -> list[Detail]:
    return [("Collation", view.collation)] if view.collation else []


def creation_details(seconds: str | None, version: str = SPARK_VERSION) -> list[Detail]:
    moment = datetime.fromtimestamp(int(seconds or 0), UTC)
    return [
        ("Created Time", f"{moment:%a %b %d %H:%M:%S} UTC {moment:%Y}"),
        ("Last Access", "UNKNOWN"),
        ("Created By", f"Spark {version}"),
        ("Type", "VIEW"),
    ]


def modes(view: TextView, mode: str, config: Mapping[str, str]) -> list[Detail]:
    return [
        *([("View Schema Mode", mode)] if modes_are_on(config) else []),
        ("View Catalog and Namespace", f"{quote_if_needed(view.catalog)}.{quote_if_needed(view.database)}"),
        ("View Query Output Columns", f"[{', '.join(map(quote_identifier, view.query_columns))}]"),
    ]


def temporary_details(found: TemporaryView, config: Mapping[str, str]) -> list[Detail]:
    view = found.view
    rows = [("Database", found.namespace[0])] if found.namespace else []
    rows.append(("Table", found.name))
    now = str(int(datetime.now(UTC).timestamp()))
    if not isinstance(view, TextView):
        return [*rows, *creation_details(now, ""), *([("View Schema Mode", "BINDING")] if modes_are_on(config) else [])]
    rows += creation_details(now)
    rows += [("Comment", view.comment)] if view.comment is not None else []
    rows += collation_details(view)
    return [*rows, ("View Text", view.text), *modes(view, view.mode, config)]


# ---- SHOW CREATE TABLE


def create_statement(view: "View", config: Mapping[str, str]) -> str:
    """ShowCreateTableCommand's view: names, comment, properties, mode, text."""
    identifier = view.identifier
    name = ".".join(quote_if_needed(part) for part in (*identifier.namespace, identifier.name))
    collation = view.properties.get(COLLATION)
    properties = [f"'{escape(key)}' = '{escape(value)}'" for key, value in shown_properties(view).items()]
    return "".join([
        f"CREATE VIEW {name} ",
        lines([column(field) for field in StructType.fromJson(json.loads(view.schema)).fields]),
        f"COMMENT '{escape(view.comment)}'\n" if view.comment is not None else "",
        f"DEFAULT COLLATION {collation}\n" if collation else "",
        f"TBLPROPERTIES {lines(properties)}" if properties else "",
        f"WITH SCHEMA {view.properties.get(SCHEMA_MODE, 'COMPENSATION')}\n" if modes_are_on(config) else "",
        f"AS {view.text}\n",
    ])  # fmt: skip


def column(field: StructField) -> str:
    metadata = field.metadata or {}
    comment = f" COMMENT '{escape(metadata['comment'])}'" if "comment" in metadata else ""
    return f"{quote_if_needed(field.name)}{comment}"


def lines(items: Sequence[str]) -> str:
    return "(\n  " + ",\n  ".join(items) + ")\n"


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
