"""ALTER VIEW and DROP VIEW: another query, other properties, another name, and their end."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.read.views import table_frame
from twinspark.session.sql_names import (
    Found,
    TemporaryView,
    find,
    located,
    not_found,
    parts_of,
    quoted,
)
from twinspark.session.sql_results import Answer, answer
from twinspark.session.view_references import check_not_recursive
from twinspark.tables.catalog import SCHEMA_MODE
from twinspark.types import quote_if_needed

if TYPE_CHECKING:
    from twinspark.session.session import Session

from twinspark.session.sql_views import (
    as_text_view,
    check_names,
    check_permanent,
    definition_of,
    expected_view,
    keep,
    with_query,
)

# ---- ALTER VIEW


def alter_query(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    found = found_view(statement.name, source, parts, context, session, "ALTER VIEW ... AS")
    definition = definition_of(statement, source, context)

    def alter() -> Answer:
        check_names(definition, context)
        if isinstance(found, TemporaryView):
            check_not_recursive(quoted((*found.namespace, found.name)), statement.query, context, session)
            view = as_text_view(definition, "BINDING", None, context, session)
            session.views.keep(found.name, bool(found.namespace), True, view)
            return answer()
        assert found.view is not None
        full = quoted(found.name.qualifier)
        check_permanent(full, statement.query, definition, False, session)
        check_not_recursive(full, statement.query, context, session)
        keep(found.name, with_query(found.view, definition, context, session), session)
        return answer()

    return alter


def found_view(
    node: Any,
    source: str,
    parts: tuple[str, ...],
    context: Context,
    session: "Session",
    operation: str | None = None,
) -> TemporaryView | Found:
    found = find(parts, context, session)
    if found is None:
        raise not_found(node, source, parts, context)
    if isinstance(found, Found) and found.view is None:
        if operation is None:
            raise NotNative("SQL: ALTER VIEW of a table")
        raise located(expected_view(quoted(found.name.qualifier), operation), node, source)
    return found


def alter_view(statement: Any, source: str, context: Context, session: "Session") -> Any:
    """ALTER VIEW RENAME, SET and UNSET TBLPROPERTIES; changes by the names of their nodes."""
    parts = parts_of(statement.name, source, context, session)
    found = found_view(statement.name, source, parts, context, session)
    kind = type(statement.change).__name__
    if kind == "RenameTable":
        with suppress(NotNative):  # Spark resolves a view that it renames, and fails where its tables are gone
            table_frame(parts, context)
        return lambda: rename(found, statement.change.to.parts, session)
    if kind not in ("SetProperties", "UnsetProperties"):
        raise NotNative(f"SQL: ALTER VIEW {kind}")
    if isinstance(found, TemporaryView):
        operation = f"ALTER VIEW ... {kind.removesuffix('Properties').upper()} TBLPROPERTIES"
        problem = SparkError("EXPECT_PERMANENT_VIEW_NOT_TEMP", viewName=quoted(parts), operation=operation)
        raise located(problem, statement.name, source)
    return lambda: change_properties(found, kind, statement.change.properties, session)


def change_properties(found: Found, kind: str, properties: Any, session: "Session") -> Answer:
    assert found.view is not None
    told = dict(found.view.properties)
    for name, value in properties:
        if kind == "SetProperties":
            told[name] = value
        else:
            told.pop(name, None)
    keep(found.name, replace(found.view, properties=told), session)
    return answer()


def rename(found: TemporaryView | Found, to: tuple[str, ...], session: "Session") -> Answer:
    if isinstance(found, TemporaryView):
        rename_temporary(found, to, session)
    else:
        rename_persisted(found, to, session)
    return answer()


def rename_temporary(found: TemporaryView, to: tuple[str, ...], session: "Session") -> None:
    if len(to) > 1 and to[:-1] != found.namespace:
        raise NotNative("SQL: a temporary view renamed into a database")
    is_global = bool(found.namespace)
    if session.views.has(to[-1], is_global):
        raise NotNative("SQL: a temporary view renamed to one that is there")
    session.views.keep(to[-1], is_global, False, found.view)
    session.views.drop(found.name, is_global)


def rename_persisted(found: Found, to: tuple[str, ...], session: "Session") -> None:
    assert found.view is not None
    identifier = found.name.identifier
    (database,) = identifier.namespace
    if len(to) == 2 and to[0].lower() != database:
        raise SparkError("_LEGACY_ERROR_TEMP_1073", db=database, newDb=to[0])
    if len(to) > 2:
        raise NotNative("SQL: a view renamed into another catalog")
    catalog = session.catalogs.get(found.name.catalog)
    new = replace(identifier, name=to[-1].lower())
    if catalog.load_view(new) is not None or catalog.table_exists(new):
        raise SparkError("TABLE_OR_VIEW_ALREADY_EXISTS", relationName=quoted((database, new.name)))
    catalog.create_view(replace(found.view, identifier=new))
    catalog.drop_view(identifier)


def alter_binding(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    found = found_view(statement.name, source, parts, context, session)
    if isinstance(found, TemporaryView):
        raise NotNative("SQL: a binding of a temporary view")
    return lambda: change_properties(found, "SetProperties", [(SCHEMA_MODE, statement.binding)], session)


# ---- DROP VIEW


def drop_view(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    return lambda: drop(parts, statement.if_exists, context, session)


def drop(parts: tuple[str, ...], if_exists: bool, context: Context, session: "Session") -> Answer:
    found = find(parts, context, session)
    if isinstance(found, TemporaryView):
        session.views.drop(found.name, bool(found.namespace))
    elif found is None:
        if not if_exists:
            raise gone(parts, context, session)
    elif found.view is None:
        raise wrong_command(found)
    else:
        session.catalogs.get(found.name.catalog).drop_view(found.name.identifier)
    return answer()


def wrong_command(found: Found) -> SparkError:
    return SparkError(
        "WRONG_COMMAND_FOR_OBJECT_TYPE",
        operation="DROP VIEW",
        requiredType="VIEW or METRIC_VIEW",
        objectName=".".join(map(quote_if_needed, found.name.qualifier)),
        foundType="MANAGED" if getattr(found.table, "managed", True) else "EXTERNAL",
        alternative="DROP TABLE",
    )


def gone(parts: tuple[str, ...], context: Context, session: "Session") -> SparkError:
    """DROP looks in one place only, and says so."""
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    return SparkError(
        "TABLE_OR_VIEW_NOT_FOUND",
        relationName=quoted(name.qualifier),
        searchPath=f"[{quoted(name.qualifier[:-1])}]",
    )
