"""ALTER VIEW and DROP VIEW: changes the query, the properties or the name of a view, or drops it."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.names import (
    SESSION_CATALOG,
    CatalogEntry,
    TemporaryView,
    find,
    not_found,
    parts_of,
    quoted,
    with_position,
)
from twinspark.commands.results import Answer, answer
from twinspark.commands.views.create import (
    as_text_view,
    check_names,
    check_permanent,
    definition_of,
    expected_view,
    store_view,
    with_query,
)
from twinspark.commands.views.references import check_not_recursive
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.views import table_frame
from twinspark.sessions.services import Services
from twinspark.sessions.views.sql_views import TextView
from twinspark.tables.catalog import COLLATION, SCHEMA_MODE
from twinspark.tables.valid_names import check_relation_name
from twinspark.types import quote_if_needed

# ---- ALTER VIEW


def alter_query(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    found = found_view(statement.name, source, parts, context, services, "ALTER VIEW ... AS")
    collation = known_collation(found)
    definition = definition_of(statement, source, context, collation)

    def alter() -> Answer:
        check_names(definition, context)
        if isinstance(found, TemporaryView):
            check_not_recursive(quoted((*found.namespace, found.name)), statement.query, context, services)
            view = as_text_view(definition, "BINDING", None, context, services, collation)
            services.views.keep(found.name, bool(found.namespace), True, view)
            return answer()
        assert found.view is not None
        full = quoted(found.name.qualifier)
        check_permanent(full, statement.query, definition, False, services)
        check_not_recursive(full, statement.query, context, services)
        store_view(found.name, with_query(found.view, definition, context, services), services)
        return answer()

    return alter


def known_collation(found: TemporaryView | CatalogEntry) -> str:
    """The view keeps its DEFAULT COLLATION."""
    if isinstance(found, TemporaryView):
        return found.view.collation if isinstance(found.view, TextView) else ""
    return found.view.properties.get(COLLATION, "") if found.view is not None else ""


def found_view(
    node: Any,
    source: str,
    parts: tuple[str, ...],
    context: Context,
    services: Services,
    operation: str | None = None,
) -> TemporaryView | CatalogEntry:
    found = find(parts, context, services)
    if found is None:
        raise not_found(node, source, parts, context)
    if isinstance(found, CatalogEntry) and found.view is None:
        if operation is None:
            raise NotNative(reasons.ERROR_MESSAGE, "ALTER VIEW of a table")
        raise with_position(expected_view(quoted(found.name.qualifier), operation), node, source)
    return found


def alter_view(statement: Any, source: str, context: Context, services: Services) -> Any:
    """ALTER VIEW RENAME, SET and UNSET TBLPROPERTIES."""
    parts = parts_of(statement.name, source, context, services)
    found = found_view(statement.name, source, parts, context, services)
    kind = type(statement.change).__name__
    if kind == "RenameTable":
        with suppress(NotNative):  # Spark resolves a view that it renames, and fails if its tables are missing
            table_frame(parts, context)
        return lambda: rename(found, statement.change.to.parts, services)
    if kind not in ("SetProperties", "UnsetProperties"):
        raise NotNative(reasons.SQL_CLAUSE, f"ALTER VIEW {kind}")
    if isinstance(found, TemporaryView):
        operation = f"ALTER VIEW ... {kind.removesuffix('Properties').upper()} TBLPROPERTIES"
        problem = SparkError("EXPECT_PERMANENT_VIEW_NOT_TEMP", viewName=quoted(parts), operation=operation)
        raise with_position(problem, statement.name, source)
    return lambda: change_properties(found, kind, statement.change.properties, services)


def change_properties(found: CatalogEntry, kind: str, properties: Any, services: Services) -> Answer:
    assert found.view is not None
    updated = dict(found.view.properties)
    for name, value in properties:
        if kind == "SetProperties":
            updated[name] = value
        else:
            updated.pop(name, None)
    store_view(found.name, replace(found.view, properties=updated), services)
    return answer()


def rename(found: TemporaryView | CatalogEntry, to: tuple[str, ...], services: Services) -> Answer:
    if isinstance(found, TemporaryView):
        rename_temporary(found, to, services)
    else:
        rename_persisted(found, to, services)
    return answer()


def rename_temporary(found: TemporaryView, to: tuple[str, ...], services: Services) -> None:
    if len(to) > 1 and to[:-1] != found.namespace:
        raise NotNative(reasons.ERROR_MESSAGE, "a temporary view renamed into a schema")
    is_global = bool(found.namespace)
    if services.views.has(to[-1], is_global):
        raise NotNative(reasons.ERROR_MESSAGE, "a temporary view renamed to a name that exists already")
    services.views.keep(to[-1], is_global, False, found.view)
    services.views.drop(found.name, is_global)


def rename_persisted(found: CatalogEntry, to: tuple[str, ...], services: Services) -> None:
    assert found.view is not None
    identifier = found.name.identifier
    (database,) = identifier.namespace
    if len(to) == 2 and to[0].lower() != database:
        raise SparkError("_LEGACY_ERROR_TEMP_1073", db=database, newDb=to[0])
    if len(to) > 2:
        raise NotNative(reasons.ERROR_MESSAGE, "a view renamed into another catalog")
    catalog = services.catalogs.get(found.name.catalog)
    new = replace(identifier, name=to[-1].lower())
    if found.name.catalog == SESSION_CATALOG:
        check_relation_name(new.name)
    if catalog.load_view(new) is not None or catalog.table_exists(new):
        raise SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=quoted((database, new.name)))
    catalog.create_view(replace(found.view, identifier=new))
    catalog.drop_view(identifier)


def alter_binding(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    found = found_view(statement.name, source, parts, context, services)
    if isinstance(found, TemporaryView):
        raise NotNative(reasons.SQL_CLAUSE, "WITH SCHEMA on a temporary view")
    return lambda: change_properties(found, "SetProperties", [(SCHEMA_MODE, statement.binding)], services)


# ---- DROP VIEW


def drop_view(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    return lambda: drop(parts, statement.if_exists, context, services)


def drop(parts: tuple[str, ...], if_exists: bool, context: Context, services: Services) -> Answer:
    found = find(parts, context, services)
    if isinstance(found, TemporaryView):
        services.views.drop(found.name, bool(found.namespace))
    elif found is None:
        if not if_exists:
            raise gone(parts, context, services)
    elif found.view is None:
        raise wrong_command(found)
    else:
        services.catalogs.get(found.name.catalog).drop_view(found.name.identifier)
    return answer()


def wrong_command(found: CatalogEntry) -> SparkError:
    return SparkError(
        "WRONG_COMMAND_FOR_OBJECT_TYPE",
        operation="DROP VIEW",
        requiredType="VIEW or METRIC_VIEW",
        objectName=".".join(map(quote_if_needed, found.name.qualifier)),
        foundType="MANAGED" if getattr(found.table, "managed", True) else "EXTERNAL",
        alternative="DROP TABLE",
    )


def gone(parts: tuple[str, ...], context: Context, services: Services) -> SparkError:
    """The error of DROP, which searches one namespace only."""
    name = services.catalogs.resolve(parts, context.catalog, [context.database])
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND",
        relationName=quoted(name.qualifier),
        searchPath=f"[{quoted(name.qualifier[:-1])}]",
    )
