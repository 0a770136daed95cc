"""Names in commands: written or computed, of namespaces, tables and views, and what they mean in the session."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.analysis.relations import Named, project
from twinspark.analysis.scope import frame_of
from twinspark.duck import run
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.sql import ParseError, parse_multipart_identifier, tree
from twinspark.read.text import parser_config
from twinspark.read.views import table_frame
from twinspark.read.walk import Walk
from twinspark.session.views import GLOBAL, SparkView
from twinspark.types import quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session
    from twinspark.tables.catalogs import Name
    from twinspark.tables.session_catalog import AnyTable, SessionCatalog, View

SESSION_CATALOG = "spark_catalog"
# Java's and Python's patterns mean the same as long as they are made of these.
PLAIN_PATTERN = re.compile(r"[\w\s*.?|%@/:<>=,;~'\"-]*")


@dataclass(frozen=True)
class Place:
    """A namespace in full."""

    catalog: str
    namespace: tuple[str, ...]

    def __str__(self) -> str:
        return quoted((self.catalog, *self.namespace))


@dataclass(frozen=True)
class TemporaryView:
    """A view of the session; `namespace` is that of global views, or empty."""

    namespace: tuple[str, ...]
    name: str
    view: Any


@dataclass(frozen=True)
class Found:
    """What a name of a table or view turned out to be, and where; exactly one of view and table is there."""

    name: "Name"
    view: "View | None" = None
    table: "AnyTable | None" = None


def quoted(parts: Iterable[str]) -> str:
    return ".".join(quote_identifier(part) for part in parts)


# ---- computed and written


def parts_of(name: Any, text: str, context: Context, session: "Session") -> tuple[str, ...]:
    """The parts of a name; one that is computed must be a constant text."""
    if isinstance(name, tree.Name):
        return name.parts
    computed = constant(name.expression, text, context, session)
    if not isinstance(computed, str):
        raise NotNative("SQL: IDENTIFIER of what is no text")
    return parsed(computed, context)


def parsed(text: str, context: Context) -> tuple[str, ...]:
    return parse_multipart_identifier(text, parser_config(context))


def parsed_or_whole(text: str, context: Context) -> tuple[str, ...]:
    try:
        return parsed(text, context)
    except ParseError:
        return (text,)


def constant(node: Any, text: str, context: Context, session: "Session") -> Any:
    """The value of an expression without columns, computed by the engine itself."""
    walk = Walk(text, context)
    return value_of(walk.read(node, walk.scope(frame_of(OneRow()))), context, session)


def value_of(expression: Expression, context: Context, session: "Session") -> Any:
    plan = project(frame_of(OneRow()), [Named(expression, "value")]).plain()
    cursor = session.shared.native.cursor()
    try:
        return run.stream(cursor, plan, context.settings).read_all().column(0)[0].as_py()
    finally:
        cursor.close()


# ---- namespaces


def place_of(parts: Sequence[str], context: Context, session: "Session") -> Place:
    """A namespace by its name: the first part is a catalog where there is one of that name."""
    if parts and parts[0] in session.catalogs.names():
        return folded(parts[0], parts[1:])
    return folded(context.catalog, parts)


def folded(catalog: str, namespace: Sequence[str]) -> Place:
    """The session catalog keeps its names in small letters."""
    return Place(catalog, tuple(part.lower() for part in namespace) if catalog == SESSION_CATALOG else tuple(namespace))


def constant_place(catalog: str, parts: Sequence[str]) -> Place:
    return folded(catalog, parts)


def namespace_named(text: str, context: Context, session: "Session") -> Place:
    """A name in a call: a database of the session catalog if there is one called just so, else parsed."""
    whole = Place(SESSION_CATALOG, (text.lower(),))
    return whole if exists(whole, session) else place_of(parsed(text, context), context, session)


def catalog_at(place: Place, session: "Session") -> "SessionCatalog":
    return session.catalogs.get(place.catalog)


def exists(place: Place, session: "Session") -> bool:
    if place.catalog == SESSION_CATALOG and len(place.namespace) != 1:
        return False
    if place.namespace in catalog_at(place, session).list_namespaces(place.namespace[:-1]):
        return True
    spark = session.spark_catalog() if place.catalog == SESSION_CATALOG else None
    if spark is not None and spark.has_schema(place.namespace[0]):
        raise NotNative(f"the schema {place} is Spark's")
    return False


def check_exists(place: Place, session: "Session") -> None:
    if not exists(place, session):
        raise no_schema(place) if session.spark_catalog() is None else unknown_to_ours(place)


def no_schema(place: Place) -> SparkError:
    return SparkError("SCHEMA_NOT_FOUND", schemaName=str(place))


def unknown_to_ours(place: Place) -> NotNative:
    """What looks like a schema may be a catalog that only Spark knows."""
    return NotNative(f"no schema {place} of ours", nearest=no_schema(place))


# ---- tables and views


def temporary_view(parts: Sequence[str], session: "Session") -> TemporaryView | None:
    key = tuple(part.lower() for part in parts)
    view = session.views.snapshot().get(key)
    if isinstance(view, SparkView):
        raise NotNative(f"the view {'.'.join(parts)} lives on Spark")
    return None if view is None else TemporaryView(key[:-1], key[-1], view)


def find(parts: Sequence[str], context: Context, session: "Session") -> TemporaryView | Found | None:
    """A temporary view first, then what the catalogs know."""
    temporary = temporary_view(parts, session)
    if temporary is not None or tuple(part.lower() for part in parts[:-1]) == (GLOBAL,):
        return temporary
    return found_in_catalog(parts, context, session)


def found_in_catalog(parts: Sequence[str], context: Context, session: "Session") -> Found | None:
    """What has this name; Spark's turn if ours know none and its own catalog may."""
    found = found_in_ours(parts, context, session)
    if found is None and context.tables is not None:
        context.tables.check_elsewhere(parts)
    return found


def found_in_ours(parts: Sequence[str], context: Context, session: "Session") -> Found | None:
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    catalog = session.catalogs.get(name.catalog)
    if (view := catalog.load_view(name.identifier)) is not None:
        return Found(name, view=view)
    if catalog.table_exists(name.identifier):
        return Found(name, table=catalog.load_table(name.identifier))
    return None


def schema_of(parts: Sequence[str], context: Context) -> StructType:
    return table_frame(tuple(parts), context).plain().schema


def check_no_collation(catalog: Any, namespace: Sequence[str]) -> None:
    """Texts of what is made in a namespace with a collation are of that collation."""
    if tuple(namespace) in catalog.list_namespaces():
        collation = catalog.load_namespace(namespace).properties.get("collation", "UTF8_BINARY")
        if collation != "UTF8_BINARY":
            raise NotNative(f"SQL: a namespace of the collation {collation}")


def located(error: SparkError, node: Any, text: str) -> SparkError:
    error.contexts = (QueryContext(text[node.start : node.stop], node.start, node.stop - 1, text=text),)
    return error


def not_found(node: Any, text: str, parts: Sequence[str], context: Context) -> SparkError:
    """As Spark says it of a command's table, at the name."""
    current = quoted((context.catalog, context.database))
    path = f"[`system`.`session`, {current}]"
    return located(SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(parts), searchPath=path), node, text)


# ---- patterns


def matching(names: Iterable[str], pattern: str | None) -> list[str]:
    """Those that one of the patterns between bars means, in order (StringUtils.filterPattern)."""
    if pattern is None:
        return sorted(names)
    if not PLAIN_PATTERN.fullmatch(pattern):
        raise NotNative("a pattern that Java and Python may read in different ways")
    found: set[str] = set()
    for one in java_split(pattern.strip()):
        try:
            rule = re.compile(one.replace("*", ".*"), re.IGNORECASE | re.ASCII)
        except re.error:
            continue  # as Spark: what is no pattern matches nothing
        found |= {name for name in names if rule.fullmatch(name)}
    return sorted(found)


def java_split(pattern: str) -> list[str]:
    """Java's split leaves out empty parts at the end."""
    parts = pattern.split("|")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts
