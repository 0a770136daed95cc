"""CREATE and DROP FUNCTION: validates functions and stores them in the session or in a catalog."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations.generators import has_generator
from twinspark.analysis.scope.frames import frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.commands.names import (
    SESSION_CATALOG,
    check_exists,
    parts_of,
    place_of,
    quoted,
    temporary_view,
    with_position,
)
from twinspark.commands.results import Answer, answer
from twinspark.commands.views.references import tables_named
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.plan.expressions import AggregateCall, Expression, WindowCall
from twinspark.plan.relations import OneRow
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import parse_expression, parse_query, parse_type, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.sql_text import parser_config
from twinspark.read.walk import Walk
from twinspark.sessions.services import Services
from twinspark.sessions.sql_functions import (
    Parameter,
    SqlFunction,
    cast_as_declared,
    check_not_null,
    table_function,
)
from twinspark.sessions.views.sql_views import stored_settings
from twinspark.types import CharType, VarcharType, quote_identifier

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Name

Resolved = TypeVar("Resolved")


# ---- CREATE FUNCTION


def create_function(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    services.functions.check_not_on_spark(parts[-1])
    if statement.temporary and tuple(part.lower() for part in parts[:-1]) in SESSION_SCHEMAS:
        parts = parts[-1:]
    check_written(statement, source, parts)
    made = function_of(statement, source, parts, context, services)
    if statement.temporary:
        return lambda: keep_temporary(parts[0], made, statement.replace, services)
    name = services.catalogs.resolve(parts, context.catalog, [context.database])
    return lambda: keep_persisted(name, asdict(made), statement, context, services)


SESSION_SCHEMAS = (("session",), ("system", "session"))  # where temporary functions live

# Names that are neither parameters nor known functions in a body, or whose meaning there is not recorded.
OTHER_NAMES = frozenset(
    ["grouping__id", "current_path", "localtimestamp", "current_catalog", "current_database", "current_schema"]
)


def check_written(statement: Any, source: str, parts: tuple[str, ...]) -> None:
    if statement.temporary and len(parts) > 1:
        problem = SparkError(
            "INVALID_TEMP_OBJ_QUALIFIER",
            objectType="FUNCTION",
            objectName=quote_identifier(parts[-1]),
            qualifier=quoted(parts[:-1]),
        )
        raise with_position(problem, statement, source)
    if statement.temporary and statement.if_not_exists:
        raise with_position(SparkError("INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS"), statement, source)
    check_characteristics(statement)
    for parameter in statement.parameters or ():
        if parameter.name.lower() in OTHER_NAMES:
            raise NotNative(reasons.SQL_FUNCTION, f"the parameter {parameter.name} has the name of the function")
    declared = [parameter.type for parameter in statement.parameters or ()]
    if any(isinstance(type, CharType | VarcharType) for type in (*declared, statement.returns)):
        raise SparkError("UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING")


# Characteristics about the data that a function reads; others change its meaning, or raise errors.
DATA_ACCESS = ("CONTAINS SQL", "READS SQL DATA")


def check_characteristics(statement: Any) -> None:
    characteristics = [one for one in statement.characteristics if one.upper() != "LANGUAGE SQL"]
    if statement.collation or len(characteristics) > 1 or any(one not in DATA_ACCESS for one in characteristics):
        raise NotNative(reasons.SQL_FUNCTION, "characteristics or a default collation")


def check_data_access(statement: Any, context: Context, services: Services) -> None:
    """After the body was analyzed (CreateSQLFunctionCommand.deriveSQLDataAccess)."""
    if "CONTAINS SQL" in statement.characteristics and reads_data(statement.body, context, services):
        raise SparkError("INVALID_SQL_FUNCTION_DATA_ACCESS")


def reads_data(body: Any, context: Context, services: Services) -> bool:
    nodes = list(tree_nodes(body))
    if any(isinstance(node, tree.Query) and node.ctes for node in nodes):
        raise NotNative(reasons.SQL_FUNCTION, "CONTAINS SQL on a function with a WITH query")
    if any(isinstance(node, tree.Table) for node in nodes):
        return True
    own = [each for each in functions_named(body) if each[-1].lower() not in SPARK_FUNCTIONS]
    return any(function_reads_data(each, context, services) for each in own)


def function_reads_data(called: Sequence[str], context: Context, services: Services) -> bool:
    """As declared, or else as its body does."""
    found = services.functions.find(called, context)
    if not isinstance(found, SqlFunction):
        raise NotNative(reasons.SQL_FUNCTION, "CONTAINS SQL on a function that calls one that is not a SQL function")
    if "CONTAINS SQL" in found.characteristics:
        return False
    return "READS SQL DATA" in found.characteristics or reads_data(parsed_body(found, context), context, services)


def parsed_body(function: SqlFunction, context: Context) -> Any:
    parse = parse_query if function.columns else parse_expression
    return parse(function.body, parser_config(context))


def function_of(
    statement: Any, source: str, parts: tuple[str, ...], context: Context, services: Services
) -> SqlFunction:
    parameters = tuple(parameter_of(each, source) for each in statement.parameters or ())
    check_not_null([each.nullable for each in statement.parameters or ()], parameters_text(statement, source))
    check_parameters(parameters, parts[-1])
    full = parts if statement.temporary else full_name(parts, context, services)
    made = SqlFunction(
        name=".".join(full).lower() if not statement.temporary else parts[0].lower(),
        parameters=parameters,
        returns="",
        body=body_text(statement),
        comment=statement.comment,
        config=stored_settings(context, services.config.settings()),
        catalog=context.catalog,
        database=context.database,
        characteristics=tuple(statement.characteristics),
    )
    try:
        made = analyzed_function(made, statement, context, services)
    except SparkError as error:
        if error.condition in OF_THE_STATEMENT and (not error.contexts or error.condition.startswith("DATATYPE")):
            with_position(error, statement, source)
        raise
    if not statement.temporary:
        check_temporary_objects(parts, statement, context, services)
    check_data_access(statement, context, services)
    return made


# Errors of the casts and of the subquery that Spark adds around default values and the body.
OF_THE_STATEMENT = (
    "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
    "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
)


def analyzed_function(made: SqlFunction, statement: Any, context: Context, services: Services) -> SqlFunction:
    parameters = made.parameters
    check_defaults(made, context)
    if statement.returns_table and not isinstance(statement.body, tree.Query):
        name = made.name.split(".")[-1]
        raise SparkError("USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY", name=name)
    check_not_cyclic(made, statement.body, context, services)
    if statement.returns_table:
        return resolve_checked(made, lambda: table_function(made, statement, context))
    declared = [(each.name, build.literal(None, parse_type(each.type))) for each in parameters]
    body = resolve_body(made, declared, context)
    check_plain(body, statement)
    returns = statement.returns if statement.returns is not None else body.type
    cast_as_declared(body, returns, context.settings)
    return replace(made, returns=returns.simpleString())


def check_plain(body: Expression, statement: Any) -> None:
    """Aggregates, windows and generators are allowed only in a subquery of the body (checkAggOrWindowOrGeneratorExpr);
    for a
    body that has no subquery Spark raises another error."""
    if any(isinstance(one, AggregateCall | WindowCall) for one in nodes_of(body)) or has_generator(body):
        condition = "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS"
        nearest = SparkError(condition, queryText=str(statement.body_text))
        raise NotNative(
            reasons.ERROR_MESSAGE,
            "the body of a SQL function aggregates, generates rows or uses a window",
            likely_error=nearest,
        )


def body_text(statement: Any) -> str:
    """A query without parentheses is read as a scalar subquery."""
    text = str(statement.body_text)
    is_value = isinstance(statement.body, tree.Query) and not statement.returns_table
    return f"({text})" if is_value and not text.startswith("(") else text


def check_defaults(made: SqlFunction, context: Context) -> None:
    """Defaults must come last, be constants, and match their types."""
    name = made.name.split(".")[-1]
    for each, following in pairwise(made.parameters):
        if each.default is not None and following.default is None:
            raise SparkError(
                "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
                functionName=name,
                parameterName=each.name,
                nextParameterName=following.name,
            )
    for each in made.parameters:
        if each.default is None:
            continue
        node = parse_expression(each.default, parser_config(context))
        if any(isinstance(one, tree.Query) for one in tree_nodes(node)):
            condition = "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_EXPRESSION"
            raise SparkError(condition, functionName=name, parameterName=each.name)
        cast_as_declared(
            Walk(each.default, context).read(node, Scope(frame_of(OneRow()), context)),
            parse_type(each.type),
            context.settings,
        )


def check_temporary_objects(parts: Sequence[str], statement: Any, context: Context, services: Services) -> None:
    """A persistent function cannot use temporary objects (verifyTemporaryObjectsNotExists); views are reported
    first."""
    views = [("VIEW", each) for each in tables_named(statement.body) if temporary_view(each, services)]
    called = functions_named(statement.body)
    functions = [("FUNCTION", each) for each in called if len(each) == 1 and services.functions.is_temporary(each[0])]
    for kind, name in (*views, *functions):
        if len(parts) > 2 or context.catalog != SESSION_CATALOG or len(views) > 1:
            raise NotNative(reasons.SQL_FUNCTION, "a persistent function that uses temporary objects")
        home = (context.database, *parts)[-2:]
        raise SparkError(
            "INVALID_TEMP_OBJ_REFERENCE",
            obj="FUNCTION",
            objName=quoted(home),
            tempObj=kind,
            tempObjName=quoted(name),
        )


def check_not_cyclic(made: SqlFunction, body: Any, context: Context, services: Services) -> None:
    """Names the functions on the way back to this one (checkCyclicFunctionReference)."""
    paths = [path for path in paths_to(made.name, body, context, services, ()) if path]
    if len(paths) > 1:
        raise NotNative(reasons.SQL_FUNCTION, "a function that calls itself in several ways")
    if paths:
        raise SparkError("CYCLIC_FUNCTION_REFERENCE", path=" -> ".join((made.name, *paths[0])))


def paths_to(
    target: str, body: Any, context: Context, services: Services, path: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    for called in functions_named(body):
        found = None if called[-1].lower() in SPARK_FUNCTIONS else services.functions.find(called, context)
        if not isinstance(found, SqlFunction):
            continue
        longer = (*path, found.name)
        if found.name == target:
            yield longer
        elif found.name not in path:
            yield from paths_to(target, parsed_body(found, context), context, services, longer)


def functions_named(body: Any) -> list[tuple[str, ...]]:
    calls = [each for each in tree_nodes(body) if isinstance(each, tree.Function | tree.TableFunction)]
    return [each.name.parts for each in calls if isinstance(each.name, tree.Name)]


def resolve_checked(made: SqlFunction, resolved: Callable[[], Resolved]) -> Resolved:
    try:
        return resolved()
    except SparkError as error:
        if error.parameters.get("objectName", "").startswith(quote_identifier(made.name.split(".")[-1]) + "."):
            raise NotNative(reasons.SQL_FUNCTION, "a parameter qualified by the name of the function") from error
        raise


def resolve_body(made: SqlFunction, declared: Sequence[tuple[str, Expression]], context: Context) -> Expression:
    """An unknown function that the body calls is reported by its full name."""
    try:
        return resolve_checked(made, lambda: made.resolve_body(declared, context))
    except SparkError as error:
        if error.condition.startswith("INVALID_SUBQUERY_EXPRESSION") and not is_whole_body(error, made):
            raise NotNative(
                reasons.ERROR_MESSAGE, "the body of a SQL function is a query that fails analysis", likely_error=error
            ) from error
        if error.condition != "UNRESOLVED_ROUTINE":
            raise
        name = f"{quote_identifier(context.database)}.{error.parameters['routineName']}"
        raise SparkError("ROUTINE_NOT_FOUND", routineName=name) from error


def is_whole_body(error: SparkError, made: SqlFunction) -> bool:
    """Whether the error is that of the body itself, to which Spark gives the position of the statement."""
    whole = error.condition in OF_THE_STATEMENT and all(each.fragment == made.body for each in error.contexts)
    if whole:
        error.contexts = ()
    return whole


def full_name(parts: Sequence[str], context: Context, services: Services) -> tuple[str, ...]:
    return services.catalogs.resolve(parts, context.catalog, [context.database]).qualifier


def parameter_of(definition: Any, source: str) -> Parameter:
    default = definition.default
    written = None if default is None else source[default.start : default.stop]
    return Parameter(definition.name, definition.type.simpleString(), written)


def parameters_text(statement: Any, source: str) -> str:
    given = statement.parameters
    return source[given[0].start : given[-1].stop] if given else ""


def check_parameters(parameters: Sequence[Parameter], name: str) -> None:
    names = [each.name.lower() for each in parameters]
    twice = [each for at, each in enumerate(names) if each in names[:at]]
    if twice:
        shown = ", ".join(quote_identifier(each) for each in dict.fromkeys(twice))
        raise SparkError("DUPLICATE_ROUTINE_PARAMETER_NAMES", routineName=name, names=shown)


def keep_temporary(name: str, function: SqlFunction, may_replace: bool, services: Services) -> Answer:
    if services.functions.is_temporary(name) and not may_replace:
        raise already_exists(quote_identifier(name))
    services.functions.put(name, function)
    return answer()


def already_exists(shown: str) -> SparkError:
    return SparkError(
        "ROUTINE_ALREADY_EXISTS", routineName=shown, newRoutineType="routine", existingRoutineType="routine"
    )


def keep_persisted(
    name: "Name", definition: Mapping[str, Any], statement: Any, context: Context, services: Services
) -> Answer:
    from twinspark.tables.session_catalog import Function

    check_exists(place_of(name.qualifier[:-1], context, services), services)
    catalog = services.catalogs.get(name.catalog)
    if catalog.load_function(name.identifier) is not None:
        if statement.if_not_exists:
            return answer()
        if not statement.replace:
            raise already_exists(str(name.identifier))
    else:
        check_not_on_spark(name, services)
    catalog.create_function(Function(name.identifier, definition), replace=True)
    return answer()


def create_class_function(statement: Any, source: str, context: Context, services: Services) -> Any:
    """Only the class name is stored: Spark loads the class when the function is called."""
    parts = parts_of(statement.name, source, context, services)
    if statement.temporary or (len(parts) == 1 and parts[0].lower() in SPARK_FUNCTIONS):
        raise NotNative(reasons.SQL_FUNCTION, "a temporary function implemented by a Java class")
    name = services.catalogs.resolve(parts, context.catalog, [context.database])
    definition = {"class_name": statement.class_name, "resources": [list(each) for each in statement.resources]}
    return lambda: keep_persisted(name, definition, statement, context, services)


# ---- DROP FUNCTION


def drop_function(statement: Any, source: str, context: Context, services: Services) -> Any:
    parts = parts_of(statement.name, source, context, services)
    services.functions.check_not_on_spark(parts[-1])
    if len(parts) == 1 and parts[0].lower() in SPARK_FUNCTIONS and not services.functions.is_temporary(parts[0]):
        if statement.temporary and statement.if_exists:
            return answer
        shown = quote_identifier(parts[0])
        raise SparkError("FORBIDDEN_OPERATION", statement="DROP", objectType="FUNCTION", objectName=shown)
    if statement.temporary:
        return lambda: drop_temporary(parts, statement.if_exists, services)
    return lambda: drop_persisted(parts, statement.if_exists, context, services)


def drop_temporary(parts: tuple[str, ...], if_exists: bool, services: Services) -> Answer:
    if not services.functions.drop(parts[-1]) and not if_exists:
        raise SparkError("ROUTINE_NOT_FOUND", routineName=quote_identifier(parts[-1]))
    return answer()


def drop_persisted(parts: tuple[str, ...], if_exists: bool, context: Context, services: Services) -> Answer:
    name = services.catalogs.resolve(parts, context.catalog, [context.database])
    check_exists(place_of(name.qualifier[:-1], context, services), services)
    if services.catalogs.get(name.catalog).drop_function(name.identifier):
        return answer()
    check_not_on_spark(name, services)
    if not if_exists:
        raise SparkError("ROUTINE_NOT_FOUND", routineName=str(name.identifier))
    return answer()


def check_not_on_spark(name: "Name", services: Services) -> None:
    spark = services.spark_catalog() if name.catalog == SESSION_CATALOG else None
    if spark is not None and spark.has_function(quoted(name.qualifier)):
        raise NotNative(reasons.LIVES_ON_SPARK, f"function {quoted(name.qualifier)}")
