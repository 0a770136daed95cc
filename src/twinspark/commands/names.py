"""Resolves names in commands: literal or computed names of namespaces, tables and views."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import frame_of
from twinspark.compile.query import stream_rows
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.sql import ParseError, parse_multipart_identifier, tree
from twinspark.read.sql_text import parser_config
from twinspark.read.views import table_frame
from twinspark.read.walk import Walk
from twinspark.sessions.catalog_lookup import CatalogEntry, find_in_own_catalogs
from twinspark.sessions.services import Services
from twinspark.sessions.views.temporary import GLOBAL, SparkView
from twinspark.tables.names import quote_name as quoted

if TYPE_CHECKING:
    from twinspark.tables.session_catalog import SessionCatalog

SESSION_CATALOG = "spark_catalog"
# Java and Python interpret patterns of these characters alike.
PLAIN_PATTERN = re.compile(r"[\w\s*.?|%@/:<>=,;~'\"-]*")


@dataclass(frozen=True)
class QualifiedNamespace:
    """A fully qualified namespace."""

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


# ---- computed and literal names


def parts_of(name: Any, text: str, context: Context, services: Services) -> tuple[str, ...]:
    """The parts of a name; a computed one must be a constant string."""
    if isinstance(name, tree.Name):
        return name.parts
    computed = constant(name.expression, text, context, services)
    if not isinstance(computed, str):
        raise NotNative(reasons.IDENTIFIER_CLAUSE, "the argument is not a string")
    return parse_name(computed, context)


def parse_name(text: str, context: Context) -> tuple[str, ...]:
    return parse_multipart_identifier(text, parser_config(context))


def parse_name_or_whole(text: str, context: Context) -> tuple[str, ...]:
    try:
        return parse_name(text, context)
    except ParseError:
        return (text,)


def constant(node: Any, text: str, context: Context, services: Services) -> Any:
    """The value of an expression without columns, computed by DuckDB."""
    walk = Walk(text, context)
    return value_of(walk.read(node, walk.scope(frame_of(OneRow()))), context, services)


def value_of(expression: Expression, context: Context, services: Services) -> Any:
    plan = project(frame_of(OneRow()), [Named(expression, "value")]).plain()
    cursor = services.native.cursor()
    try:
        return stream_rows(plan, context, cursor).read_all().column(0)[0].as_py()
    finally:
        cursor.close()


# ---- namespaces


def place_of(parts: Sequence[str], context: Context, services: Services) -> QualifiedNamespace:
    """A namespace by its name: the first part is a catalog if there is one of that name."""
    if parts and parts[0] in services.catalogs.names():
        return fold_case(parts[0], parts[1:])
    return fold_case(context.catalog, parts)


def fold_case(catalog: str, namespace: Sequence[str]) -> QualifiedNamespace:
    """The session catalog stores names in lower case."""
    return QualifiedNamespace(
        catalog, tuple(part.lower() for part in namespace) if catalog == SESSION_CATALOG else tuple(namespace)
    )


def constant_place(catalog: str, parts: Sequence[str]) -> QualifiedNamespace:
    return fold_case(catalog, parts)


def namespace_named(text: str, context: Context, services: Services) -> QualifiedNamespace:
    """A name in a catalog call: a database of the session catalog if one has exactly that name, else parsed."""
    whole = QualifiedNamespace(SESSION_CATALOG, (text.lower(),))
    return whole if exists(whole, services) else place_of(parse_name(text, context), context, services)


def catalog_at(place: QualifiedNamespace, services: Services) -> "SessionCatalog":
    return services.catalogs.get(place.catalog)


def exists(place: QualifiedNamespace, services: Services) -> bool:
    if place.catalog == SESSION_CATALOG and len(place.namespace) != 1:
        return False
    if place.namespace in catalog_at(place, services).list_namespaces(place.namespace[:-1]):
        return True
    spark = services.spark_catalog() if place.catalog == SESSION_CATALOG else None
    if spark is not None and spark.has_schema(place.namespace[0]):
        raise NotNative(reasons.LIVES_ON_SPARK, f"schema {place}")
    return False


def check_exists(place: QualifiedNamespace, services: Services) -> None:
    if not exists(place, services):
        raise no_schema(place) if services.spark_catalog() is None else unknown_to_ours(place)


def no_schema(place: QualifiedNamespace) -> SparkError:
    check_parses(place)
    return SparkError("SCHEMA_NOT_FOUND", schemaName=str(place))


def check_parses(place: QualifiedNamespace) -> None:
    """In its error for a missing schema the session catalog parses the name again (toSQLId)."""
    if place.catalog == SESSION_CATALOG:
        for part in place.namespace:
            attribute_parts(part)


def unknown_to_ours(place: QualifiedNamespace) -> NotNative:
    """What looks like a schema may be a catalog that only Spark knows."""
    return NotNative(reasons.LIVES_ON_SPARK, f"schema {place}", likely_error=no_schema(place))


# ---- tables and views


def temporary_view(parts: Sequence[str], services: Services) -> TemporaryView | None:
    key = tuple(part.lower() for part in parts)
    view = services.views.snapshot().get(key)
    if isinstance(view, SparkView):
        raise NotNative(reasons.LIVES_ON_SPARK, f"view {'.'.join(parts)}")
    return None if view is None else TemporaryView(key[:-1], key[-1], view)


def find(parts: Sequence[str], context: Context, services: Services) -> TemporaryView | CatalogEntry | None:
    """A temporary view first, then the catalogs."""
    temporary = temporary_view(parts, services)
    if temporary is not None or tuple(part.lower() for part in parts[:-1]) == (GLOBAL,):
        return temporary
    return found_in_catalog(parts, context, services)


def found_in_catalog(parts: Sequence[str], context: Context, services: Services) -> CatalogEntry | None:
    """The table or view of this name; falls back to Spark if ours have none and its own catalog may."""
    found = find_in_own_catalogs(parts, context, services.catalogs)
    if found is None and context.tables is not None:
        context.tables.check_elsewhere(parts)
    return found


def schema_of(parts: Sequence[str], context: Context) -> StructType:
    return table_frame(tuple(parts), context).plain().schema


def check_no_collation(catalog: Any, namespace: Sequence[str]) -> None:
    """In a namespace with a default collation, string columns of new objects have that collation."""
    if tuple(namespace) in catalog.list_namespaces():
        collation = catalog.load_namespace(namespace).properties.get("collation", "UTF8_BINARY")
        if collation != "UTF8_BINARY":
            raise NotNative(reasons.COLLATION_STORAGE, f"a schema with the default collation {collation}")


def with_position(error: SparkError, node: Any, text: str) -> SparkError:
    error.contexts = (QueryContext(text[node.start : node.stop], node.start, node.stop - 1, text=text),)
    return error


def not_found(node: Any, text: str, parts: Sequence[str], context: Context) -> SparkError:
    """Spark's error for a command's table, at the position of the name."""
    current = quoted((context.catalog, context.database))
    path = f"[`system`.`session`, {current}]"
    return with_position(SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=quoted(parts), searchPath=path), node, text)


# ---- patterns


def matching(names: Iterable[str], pattern: str | None) -> list[str]:
    """Names that match one of the patterns separated by `|`, in order (StringUtils.filterPattern)."""
    if pattern is None:
        return sorted(names)
    if not PLAIN_PATTERN.fullmatch(pattern):
        raise NotNative(reasons.REGEX)
    found: set[str] = set()
    for one in java_split(pattern.strip()):
        try:
            rule = re.compile(one.replace("*", ".*"), re.IGNORECASE | re.ASCII)
        except re.error:
            continue  # as in Spark, an invalid pattern matches nothing
        found |= {name for name in names if rule.fullmatch(name)}
    return sorted(found)


def java_split(pattern: str) -> list[str]:
    """Java's split omits empty strings at the end."""
    parts = pattern.split("|")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts
