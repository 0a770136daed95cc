"""Databases and catalogs: made, changed, dropped, shown, described, and which of them is the current one."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.errors import SparkError
from twinspark.functions.misc import server_user
from twinspark.session.journal import entry_of
from twinspark.session.spark_catalog import Row
from twinspark.session.sql_names import (
    SESSION_CATALOG,
    Place,
    catalog_at,
    check_exists,
    constant,
    exists,
    located,
    matching,
    no_schema,
    parts_of,
    place_of,
    quoted,
)
from twinspark.session.sql_results import Answer, answer, text
from twinspark.session.views import GLOBAL
from twinspark.tables.changes import RemoveProperty, SetProperty
from twinspark.tables.names import make_database
from twinspark.types import quote_if_needed

if TYPE_CHECKING:
    from twinspark.session.session import Session

NAMESPACES = StructType([text("namespace")])
CATALOGS = StructType([text("catalog")])
CURRENT = StructType([text("catalog"), text("namespace")])
DESCRIPTION = StructType([
    text("info_name", comment="name of the namespace info"),
    text("info_value", nullable=True, comment="value of the namespace info"),
])  # fmt: skip
# What a property list may not say, and Spark's advice.
RESERVED = {
    "owner": "it will be set to the current user",
    "location": "please use the LOCATION clause to specify it",
}
PLAIN = ("comment", "collation", "location", "owner")


# ---- made and dropped


def create_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    check_properties(statement, source)
    place = place_of(parts_of(statement.name, source, context, session), context, session)
    given = dict(statement.properties)
    if statement.comment is not None:
        given["comment"] = statement.comment
    if statement.collation is not None:
        given["collation"] = statement.collation

    def create() -> Answer:
        make_namespace(place, given, statement.location, statement.if_not_exists, session)
        return answer()

    return create


def check_properties(statement: Any, source: str) -> None:
    for name, _ in statement.properties:
        if name in RESERVED:
            problem = "UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY"
            raise located(SparkError(problem, property=name, msg=RESERVED[name]), statement, source)


def make_namespace(
    place: Place, properties: dict[str, str], location: str | None, if_not_exists: bool, session: "Session"
) -> None:
    check_single(place)
    if place.namespace == (GLOBAL,) and place.catalog == SESSION_CATALOG:
        raise SparkError("_LEGACY_ERROR_TEMP_1066", database=GLOBAL)
    if exists(place, session):
        if if_not_exists:
            return
        raise SparkError("SCHEMA_ALREADY_EXISTS", schemaName=quoted(place.namespace))
    told = {"comment": "", "owner": server_user(), **properties}
    if place.catalog == SESSION_CATALOG or location is not None:  # elsewhere the catalog knows its own places
        told["location"] = location_of(place, location, session)
    catalog_at(place, session).create_namespace(place.namespace, told)


def check_single(place: Place) -> None:
    if place.catalog == SESSION_CATALOG and len(place.namespace) != 1:
        raise SparkError(
            "REQUIRES_SINGLE_PART_NAMESPACE", sessionCatalog=SESSION_CATALOG, identifier=quoted(place.namespace)
        )


def location_of(place: Place, location: str | None, session: "Session") -> str:
    warehouse = session.config.get("spark.sql.warehouse.dir").rstrip("/")
    if location is None:
        return f"{warehouse}/{'/'.join(place.namespace)}.db"
    if ":" in location:
        return location
    return f"file:{location}" if location.startswith("/") else f"{warehouse}/{location}"


def drop_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = place_of(parts_of(statement.name, source, context, session), context, session)

    def drop() -> Answer:
        remove_namespace(place, statement.if_exists, statement.cascade, session)
        return answer()

    return drop


def remove_namespace(place: Place, if_exists: bool, cascade: bool, session: "Session") -> None:
    if place.catalog == SESSION_CATALOG and len(place.namespace) != 1:
        raise SparkError("_LEGACY_ERROR_TEMP_1126", catalog=".".join(place.namespace))
    if place.catalog == SESSION_CATALOG and place.namespace == ("default",):
        raise SparkError("UNSUPPORTED_FEATURE.DROP_DATABASE", database=str(place))
    if exists(place, session):
        check_empty_on_spark(place, cascade, session)
        catalog_at(place, session).drop_namespace(place.namespace, cascade)
    elif not if_exists:
        raise no_schema(place)


def check_empty_on_spark(place: Place, cascade: bool, session: "Session") -> None:
    """Tables that were made on Spark go with the namespace, or keep it."""
    spark = session.spark_catalog()
    if spark is None or place.catalog != SESSION_CATALOG:
        return
    if not cascade and spark.tables(place.namespace[0]):
        raise SparkError("SCHEMA_NOT_EMPTY", schemaName=quoted(place.namespace))
    spark.drop_shadow(place.namespace[0])


def alter_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    if statement.change == "SET PROPERTIES":
        check_properties(statement, source)
    place = place_of(parts_of(statement.name, source, context, session), context, session)

    def alter() -> Answer:
        check_exists(place, session)
        catalog_at(place, session).alter_namespace(place.namespace, changes_of(statement, place, session))
        return answer()

    return alter


def changes_of(statement: Any, place: Place, session: "Session") -> list[Any]:
    if statement.change == "SET PROPERTIES":
        return [SetProperty(name, value) for name, value in statement.properties]
    if statement.change == "UNSET PROPERTIES":
        return [RemoveProperty(name) for name, _ in statement.properties]
    if statement.change == "LOCATION":
        return [SetProperty("location", location_of(place, statement.value, session))]
    return [SetProperty("collation", statement.value)]


def comment_on_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = place_of(parts_of(statement.name, source, context, session), context, session)

    def comment() -> Answer:
        check_exists(place, session)
        catalog_at(place, session).alter_namespace(place.namespace, [SetProperty("comment", statement.comment or "")])
        return answer()

    return comment


# ---- shown and described


def show_namespaces(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = () if statement.parent is None else parts_of(statement.parent, source, context, session)
    place = place_of(parts, context, session)

    def show() -> Answer:
        if place.namespace:
            check_exists(place, session)
        return answer(NAMESPACES, [(name,) for name in namespaces_in(place, statement.pattern, session)])

    return show


def namespaces_in(place: Place, pattern: str | None, session: "Session") -> list[str]:
    found = catalog_at(place, session).list_namespaces(place.namespace)
    names = {".".join(map(quote_if_needed, each)) for each in found if each[:-1] == place.namespace}
    return matching(names | on_spark(place, session).keys(), pattern)


def on_spark(place: Place, session: "Session") -> dict[str, Row]:
    """Schemas that ours do not know: rows of listDatabases() by the names that lists show."""
    spark = session.spark_catalog()
    if spark is None or place != Place(SESSION_CATALOG, ()):
        return {}
    ours = {name for (name,) in catalog_at(place, session).list_namespaces()}
    return {quote_if_needed(name): row for name, row in spark.schemas().items() if name not in ours}


def shown_name(place: Place) -> str:
    return ".".join(map(quote_if_needed, place.namespace))


def show_catalogs(statement: Any, source: str, context: Context, session: "Session") -> Any:
    return lambda: answer(CATALOGS, [(name,) for name in matching(session.catalogs.names(), statement.pattern)])


def show_current_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    return lambda: answer(CURRENT, [(session.catalog, session.database)])


def describe_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    place = place_of(parts_of(statement.name, source, context, session), context, session)

    def describe() -> Answer:
        return answer(DESCRIPTION, namespace_rows(place, namespace_properties(place, session), statement.extended))

    return describe


def namespace_properties(place: Place, session: "Session") -> dict[str, str]:
    """Its properties with those a database of Spark always has."""
    check_exists(place, session)
    told = dict(catalog_at(place, session).load_namespace(place.namespace).properties)
    told.pop("exists", None)
    place_by_default = (
        session.config.get("spark.sql.warehouse.dir")
        if place.namespace == ("default",)
        else location_of(place, None, session)
    )
    return {"comment": "", "location": place_by_default, "owner": server_user(), **told}


def namespace_rows(place: Place, told: dict[str, str], extended: bool) -> list[tuple[str, str]]:
    rows = [("Catalog Name", place.catalog), ("Namespace Name", place.namespace[-1])]
    rows += [(name.capitalize(), told[name]) for name in PLAIN if name in told]
    if extended:
        rest = sorted((name, value) for name, value in told.items() if name not in PLAIN)
        rows.append(("Properties", f"({', '.join(f'({name},{value})' for name, value in rest)})" if rest else ""))
    return rows


# ---- the current one


def use_namespace(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    return lambda: use(parts, statement.explicit, context, session)


def use(parts: tuple[str, ...], explicit: bool, context: Context, session: "Session") -> Answer:
    """One part may be a catalog; else, or when DATABASE was written, it is a namespace of the current catalog."""
    if len(parts) == 1 and not explicit and parts[0] in session.catalogs.names():
        use_catalog(parts[0], session)
        return answer()
    if explicit and len(parts) == 1:
        place = Place(context.catalog, tuple(part.lower() for part in parts))
    else:
        place = place_of(parts, context, session)
    use_place(place, session)
    return answer()


def use_place(place: Place, session: "Session") -> None:
    if place == Place(SESSION_CATALOG, (GLOBAL,)):
        raise SparkError("_LEGACY_ERROR_TEMP_1068", database=GLOBAL)
    check_exists(place, session)
    tell_spark(place, session)
    session.catalog, session.database = place.catalog, ".".join(map(quote_if_needed, place.namespace))


def tell_spark(place: Place, session: "Session") -> None:
    """Databases are ours; so that Spark can follow a USE in the journal, it gets one of that name first."""
    if place.catalog != SESSION_CATALOG or place.namespace == ("default",):
        return
    request = base_pb2.ExecutePlanRequest(session_id=session.session_id)
    request.user_context.user_id = session.user_id
    request.plan.command.sql_command.input.sql.query = make_database(place.namespace[0])
    session.journal.record(entry_of("ExecutePlan", request.SerializeToString(), f"database {place}"))


def use_catalog(name: str, session: "Session") -> None:
    """A catalog newly entered starts at its default namespace; the one we are in stays where it is."""
    session.catalogs.get(name)
    if name != session.catalog:
        session.catalog, session.database = name, "default"


def set_catalog(statement: Any, source: str, context: Context, session: "Session") -> Any:
    node = statement.catalog
    parts = getattr(node, "parts", None)
    name = parts[0] if parts is not None and len(parts) == 1 else constant(node, source, context, session)

    def change() -> Answer:
        use_catalog(str(name), session)
        return answer()

    return change
