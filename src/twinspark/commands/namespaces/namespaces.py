"""Databases and catalogs: CREATE, ALTER, DROP, SHOW, DESCRIBE and USE."""

from typing import Any

from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.types import StructType

from twinspark.analysis.context import Context
from twinspark.commands.names import (
    SESSION_CATALOG,
    QualifiedNamespace,
    catalog_at,
    check_exists,
    check_parses,
    constant,
    exists,
    matching,
    no_schema,
    parts_of,
    place_of,
    quoted,
    with_position,
)
from twinspark.commands.namespaces.system_listings import is_below_system, system_namespaces
from twinspark.commands.results import Answer, answer, text
from twinspark.errors import SparkError
from twinspark.functions.session_info.misc import server_user
from twinspark.relay.catalog import Row
from twinspark.sessions.journal import entry_of
from twinspark.sessions.services import Services
from twinspark.sessions.views.temporary import GLOBAL
from twinspark.tables.changes import RemoveProperty, SetProperty
from twinspark.tables.names import make_database
from twinspark.tables.valid_names import check_schema_name
from twinspark.types import quote_if_needed

NAMESPACES = StructType([text("namespace")])
CATALOGS = StructType([text("catalog")])
CURRENT = StructType([text("catalog"), text("namespace")])
DESCRIPTION = StructType([
    text("info_name", comment="name of the namespace info"),
    text("info_value", nullable=True, comment="value of the namespace info"),
])  # fmt: skip
# Reserved properties, with Spark's advice.
RESERVED = {
    "owner": "it will be set to the current user",
    "location": "please use the LOCATION clause to specify it",
}
PLAIN = ("comment", "collation", "location", "owner")


# ---- CREATE, ALTER, DROP


def create_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    check_properties(statement, source)
    place = place_of(parts_of(statement.name, source, context, services), context, services)
    given = dict(statement.properties)
    if statement.comment is not None:
        given["comment"] = statement.comment
    if statement.collation is not None:
        given["collation"] = statement.collation

    def create() -> Answer:
        make_namespace(place, given, statement.location, statement.if_not_exists, services)
        return answer()

    return create


def check_properties(statement: Any, source: str) -> None:
    for name, _ in statement.properties:
        if name in RESERVED:
            problem = "UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY"
            raise with_position(SparkError(problem, property=name, msg=RESERVED[name]), statement, source)


def make_namespace(
    place: QualifiedNamespace, properties: dict[str, str], location: str | None, if_not_exists: bool, services: Services
) -> None:
    check_single(place)
    if place.namespace == (GLOBAL,) and place.catalog == SESSION_CATALOG:
        raise SparkError("_LEGACY_ERROR_TEMP_1066", database=GLOBAL)
    if exists(place, services):
        if if_not_exists:
            return
        raise SparkError("SCHEMA_ALREADY_EXISTS", schemaName=quoted(place.namespace))
    if place.catalog == SESSION_CATALOG:
        check_schema_name(place.namespace[0])
    all_properties = {"comment": "", "owner": server_user(), **properties}
    if place.catalog == SESSION_CATALOG or location is not None:  # other catalogs choose their own locations
        all_properties["location"] = location_of(place, location, services)
    catalog_at(place, services).create_namespace(place.namespace, all_properties)


def check_single(place: QualifiedNamespace) -> None:
    if place.catalog == SESSION_CATALOG and len(place.namespace) != 1:
        raise SparkError(
            "REQUIRES_SINGLE_PART_NAMESPACE", sessionCatalog=SESSION_CATALOG, identifier=quoted(place.namespace)
        )


def location_of(place: QualifiedNamespace, location: str | None, services: Services) -> str:
    warehouse = services.config.get("spark.sql.warehouse.dir").rstrip("/")
    if location is None:
        return f"{warehouse}/{'/'.join(place.namespace)}.db"
    if ":" in location:
        return location
    return f"file:{location}" if location.startswith("/") else f"{warehouse}/{location}"


def drop_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    place = place_of(parts_of(statement.name, source, context, services), context, services)

    def drop() -> Answer:
        remove_namespace(place, statement.if_exists, statement.cascade, services)
        return answer()

    return drop


def remove_namespace(place: QualifiedNamespace, if_exists: bool, cascade: bool, services: Services) -> None:
    if place.catalog == SESSION_CATALOG and len(place.namespace) != 1:
        raise SparkError("_LEGACY_ERROR_TEMP_1126", catalog=".".join(place.namespace))
    if place.catalog == SESSION_CATALOG and place.namespace == ("default",):
        raise SparkError("UNSUPPORTED_FEATURE.DROP_DATABASE", database=str(place))
    if exists(place, services):
        check_empty_on_spark(place, cascade, services)
        catalog_at(place, services).drop_namespace(place.namespace, cascade)
    elif if_exists:
        check_parses(place)
    else:
        raise no_schema(place)


def check_empty_on_spark(place: QualifiedNamespace, cascade: bool, services: Services) -> None:
    """CASCADE also drops tables that were created on Spark; without it they keep the namespace from being dropped."""
    spark = services.spark_catalog()
    if spark is None or place.catalog != SESSION_CATALOG:
        return
    if not cascade and spark.tables(place.namespace[0]):
        raise SparkError("SCHEMA_NOT_EMPTY", schemaName=quoted(place.namespace))
    spark.drop_shadow(place.namespace[0])


def alter_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    if statement.change == "SET PROPERTIES":
        check_properties(statement, source)
    place = place_of(parts_of(statement.name, source, context, services), context, services)

    def alter() -> Answer:
        check_exists(place, services)
        catalog_at(place, services).alter_namespace(place.namespace, changes_of(statement, place, services))
        return answer()

    return alter


def changes_of(statement: Any, place: QualifiedNamespace, services: Services) -> list[Any]:
    if statement.change == "SET PROPERTIES":
        return [SetProperty(name, value) for name, value in statement.properties]
    if statement.change == "UNSET PROPERTIES":
        return [RemoveProperty(name) for name, _ in statement.properties]
    if statement.change == "LOCATION":
        return [SetProperty("location", location_of(place, statement.value, services))]
    return [SetProperty("collation", statement.value)]


def comment_on_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    place = place_of(parts_of(statement.name, source, context, services), context, services)

    def comment() -> Answer:
        check_exists(place, services)
        catalog_at(place, services).alter_namespace(place.namespace, [SetProperty("comment", statement.comment or "")])
        return answer()

    return comment


# ---- SHOW and DESCRIBE


def show_namespaces(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = () if statement.parent is None else parts_of(statement.parent, source, context, services)
    if is_below_system(parts, context):
        return lambda: answer(NAMESPACES, [(name,) for name in system_namespaces(parts, statement.pattern)])
    place = place_of(parts, context, services)

    def show() -> Answer:
        if place.namespace:
            check_exists(place, services)
        return answer(NAMESPACES, [(name,) for name in namespaces_in(place, statement.pattern, services)])

    return show


def namespaces_in(place: QualifiedNamespace, pattern: str | None, services: Services) -> list[str]:
    found = catalog_at(place, services).list_namespaces(place.namespace)
    names = {".".join(map(quote_if_needed, each)) for each in found if each[:-1] == place.namespace}
    return matching(names | on_spark(place, services).keys(), pattern)


def on_spark(place: QualifiedNamespace, services: Services) -> dict[str, Row]:
    """Schemas that our catalogs do not have: rows of listDatabases() by their listed names."""
    spark = services.spark_catalog()
    if spark is None or place != QualifiedNamespace(SESSION_CATALOG, ()):
        return {}
    ours = {name for (name,) in catalog_at(place, services).list_namespaces()}
    return {quote_if_needed(name): row for name, row in spark.schemas().items() if name not in ours}


def shown_name(place: QualifiedNamespace) -> str:
    return ".".join(map(quote_if_needed, place.namespace))


def show_catalogs(statement: Any, source: str, context: Context, services: Services) -> Any:
    return lambda: answer(CATALOGS, [(name,) for name in matching(services.catalogs.names(), statement.pattern)])


def show_current_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    return lambda: answer(CURRENT, [(services.current.catalog, services.current.database)])


def describe_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    place = place_of(parts_of(statement.name, source, context, services), context, services)

    def describe() -> Answer:
        return answer(DESCRIPTION, namespace_rows(place, namespace_properties(place, services), statement.extended))

    return describe


def namespace_properties(place: QualifiedNamespace, services: Services) -> dict[str, str]:
    """The properties, with those that every Spark database has."""
    check_exists(place, services)
    properties = dict(catalog_at(place, services).load_namespace(place.namespace).properties)
    properties.pop("exists", None)
    place_by_default = (
        services.config.get("spark.sql.warehouse.dir")
        if place.namespace == ("default",)
        else location_of(place, None, services)
    )
    return {"comment": "", "location": place_by_default, "owner": server_user(), **properties}


def namespace_rows(place: QualifiedNamespace, properties: dict[str, str], extended: bool) -> list[tuple[str, str]]:
    rows = [("Catalog Name", place.catalog), ("Namespace Name", place.namespace[-1])]
    rows += [(name.capitalize(), properties[name]) for name in PLAIN if name in properties]
    if extended:
        rest = sorted((name, value) for name, value in properties.items() if name not in PLAIN)
        rows.append(("Properties", f"({', '.join(f'({name},{value})' for name, value in rest)})" if rest else ""))
    return rows


# ---- USE


def use_namespace(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    return lambda: use(parts, statement.explicit, context, services)


def use(parts: tuple[str, ...], explicit: bool, context: Context, services: Services) -> Answer:
    """A single part may be a catalog; otherwise, or if DATABASE was written, it is a namespace of the current
    catalog."""
    if len(parts) == 1 and not explicit and parts[0] in services.catalogs.names():
        use_catalog(parts[0], services)
        return answer()
    if explicit and len(parts) == 1:
        place = QualifiedNamespace(context.catalog, tuple(part.lower() for part in parts))
    else:
        place = place_of(parts, context, services)
    use_place(place, services)
    return answer()


def use_place(place: QualifiedNamespace, services: Services) -> None:
    if place == QualifiedNamespace(SESSION_CATALOG, (GLOBAL,)):
        raise SparkError("_LEGACY_ERROR_TEMP_1068", database=GLOBAL)
    check_exists(place, services)
    create_on_spark(place, services)
    services.current.catalog, services.current.database = place.catalog, ".".join(map(quote_if_needed, place.namespace))


def create_on_spark(place: QualifiedNamespace, services: Services) -> None:
    """Creates the database on Spark, so that Spark can execute the USE when the journal is replayed."""
    if place.catalog != SESSION_CATALOG or place.namespace == ("default",):
        return
    request = base_pb2.ExecutePlanRequest(session_id=services.session_id)
    request.user_context.user_id = services.user_id
    request.plan.command.sql_command.input.sql.query = make_database(place.namespace[0])
    services.journal.record(entry_of("ExecutePlan", request.SerializeToString(), f"database {place}"))


def use_catalog(name: str, services: Services) -> None:
    """Entering another catalog selects its default namespace; the current catalog keeps its namespace."""
    services.catalogs.get(name)
    if name != services.current.catalog:
        services.current.catalog, services.current.database = name, "default"


def set_catalog(statement: Any, source: str, context: Context, services: Services) -> Any:
    node = statement.catalog
    parts = getattr(node, "parts", None)
    name = parts[0] if parts is not None and len(parts) == 1 else constant(node, source, context, services)

    def change() -> Answer:
        use_catalog(str(name), services)
        return answer()

    return change
