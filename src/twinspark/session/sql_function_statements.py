"""CREATE and DROP FUNCTION: what is checked before a function is kept, in the session or in a catalog."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeVar

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.generators import has_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.plan.expressions import AggregateCall, Expression, WindowCall
from twinspark.plan.relations import OneRow
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import parse_expression, parse_query, parse_type, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.text import parser_config
from twinspark.read.walk import Walk
from twinspark.session.sql_functions import Parameter, SqlFunction, stored
from twinspark.session.sql_names import (
    SESSION_CATALOG,
    check_exists,
    located,
    parts_of,
    place_of,
    quoted,
    temporary_view,
)
from twinspark.session.sql_results import Answer, answer
from twinspark.session.sql_table_functions import table_function
from twinspark.session.text_views import kept_settings
from twinspark.session.view_references import tables_named
from twinspark.types import CharType, VarcharType, quote_identifier

if TYPE_CHECKING:
    from twinspark.session.session import Session
    from twinspark.tables.catalogs import Name

Resolved = TypeVar("Resolved")


# ---- CREATE FUNCTION


def create_function(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    session.functions.check_not_on_spark(parts[-1])
    check_written(statement, source, parts)
    made = function_of(statement, source, parts, context, session)
    if statement.temporary:
        return lambda: keep_temporary(parts[0], made, statement.replace, session)
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    return lambda: keep_persisted(name, asdict(made), statement, context, session)


# What a body means by these names is the function, not a parameter (and GROUPING__ID is refused).
FUNCTIONS_WITHOUT_PARENTHESES = frozenset(
    {"current_date", "current_timestamp", "current_user", "user", "session_user", "current_time", "localtimestamp"}
    | {"current_catalog", "current_database", "current_schema", "current_path", "grouping__id"}
)


def check_written(statement: Any, source: str, parts: tuple[str, ...]) -> None:
    if statement.temporary and len(parts) > 1:
        problem = SparkError(
            "INVALID_TEMP_OBJ_QUALIFIER",
            objectType="FUNCTION",
            objectName=quote_identifier(parts[-1]),
            qualifier=quoted(parts[:-1]),
        )
        raise located(problem, statement, source)
    if statement.temporary and statement.if_not_exists:
        raise located(SparkError("INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS"), statement, source)
    check_characteristics(statement)
    for parameter in statement.parameters or ():
        if parameter.name.lower() in FUNCTIONS_WITHOUT_PARENTHESES:
            raise NotNative(f"SQL: a parameter named {parameter.name}, which the body takes for the function")
        if not parameter.nullable or isinstance(parameter.type, CharType | VarcharType):
            raise NotNative("SQL: a function with parameters that are required or of a length")
    if isinstance(statement.returns, CharType | VarcharType):
        raise NotNative("SQL: a function that returns a text of a length")


# What a function says of the data it reads; the others change what it is, or are refused.
DATA_ACCESS = ("CONTAINS SQL", "READS SQL DATA")


def check_characteristics(statement: Any) -> None:
    told = [one for one in statement.characteristics if one.upper() != "LANGUAGE SQL"]
    nodes = list(tree_nodes(statement.body))
    reads = any(isinstance(node, tree.Table) for node in nodes) or any(map(calls_another, nodes))
    if statement.collation or len(told) > 1 or any(one not in DATA_ACCESS for one in told):
        raise NotNative("SQL: a function with characteristics or a collation")
    if told == ["CONTAINS SQL"] and reads:
        raise NotNative("SQL: a function that contains SQL and may read data")


def calls_another(node: Any) -> bool:
    """A function that is no built-in one may read data."""
    if not isinstance(node, tree.Function | tree.TableFunction):
        return False
    return not isinstance(node.name, tree.Name) or node.name.parts[-1].lower() not in SPARK_FUNCTIONS


def function_of(
    statement: Any, source: str, parts: tuple[str, ...], context: Context, session: "Session"
) -> SqlFunction:
    parameters = tuple(parameter_of(each, source) for each in statement.parameters or ())
    check_parameters(parameters, parts[-1])
    full = parts if statement.temporary else full_name(parts, context, session)
    made = SqlFunction(
        name=".".join(full).lower() if not statement.temporary else parts[0].lower(),
        parameters=parameters,
        returns="",
        body=body_text(statement),
        comment=statement.comment,
        config=kept_settings(context, session.config.settings()),
        catalog=context.catalog,
        database=context.database,
        characteristics=tuple(statement.characteristics),
    )
    check_defaults(parameters, context)
    check_calls(made, parts, statement, context, session)
    if statement.returns_table and not isinstance(statement.body, tree.Query):
        raise NotNative("SQL: a function of tables whose body is no query")
    if statement.returns_table:
        return checked(made, lambda: table_function(made, statement, context))
    declared = [(each.name, build.literal(None, parse_type(each.type))) for each in parameters]
    body = checked_body(made, declared, context)
    check_plain(body, statement)
    returns = statement.returns if statement.returns is not None else body.type
    stored(body, returns, context.settings)
    return replace(made, returns=returns.simpleString())


def check_plain(body: Expression, statement: Any) -> None:
    """Rows are for the queries of a body alone (checkAggOrWindowOrGeneratorExpr); a body that is none besides is told
    of another mistake."""
    if any(isinstance(one, AggregateCall | WindowCall) for one in nodes_of(body)) or has_generator(body):
        condition = "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS"
        nearest = SparkError(condition, queryText=str(statement.body_text))
        raise NotNative("SQL: a function that aggregates, generates or looks through a window", nearest=nearest)


def body_text(statement: Any) -> str:
    """A query without brackets is read as one that gives a value."""
    text = str(statement.body_text)
    is_value = isinstance(statement.body, tree.Query) and not statement.returns_table
    return f"({text})" if is_value and not text.startswith("(") else text


def check_defaults(parameters: Sequence[Parameter], context: Context) -> None:
    """Defaults stand at the end, are constants, and fit their types."""
    given = [each.default is not None for each in parameters]
    if given != sorted(given):
        raise NotNative("SQL: a function whose defaults do not stand at the end")
    for each in parameters:
        if each.default is None:
            continue
        node = parse_expression(each.default, parser_config(context))
        if any(isinstance(one, tree.Query) for one in tree_nodes(node)):
            raise NotNative("SQL: a default that is a query")
        stored(
            Walk(each.default, context).read(node, Scope(frame_of(OneRow()), context)),
            parse_type(each.type),
            context.settings,
        )


def check_calls(made: SqlFunction, parts: Sequence[str], statement: Any, context: Context, session: "Session") -> None:
    """A function that calls itself, or a kept one that calls a temporary one, is Spark's to refuse."""
    if not statement.temporary and any(temporary_view(each, session) for each in tables_named(statement.body)):
        raise NotNative("SQL: a kept function that reads a temporary view")
    for called in functions_named(statement.body):
        if called[-1].lower() == parts[-1].lower() or reaches(called, parts[-1].lower(), context, session):
            raise NotNative("SQL: a function that comes to call itself")
        if not statement.temporary and len(called) == 1 and session.functions.is_temporary(called[0]):
            raise NotNative("SQL: a kept function that calls a temporary one")


def reaches(called: Sequence[str], target: str, context: Context, session: "Session", depth: int = 0) -> bool:
    if depth > 20 or called[-1].lower() in SPARK_FUNCTIONS:
        return False
    found = session.functions.find(called, context)
    if not isinstance(found, SqlFunction):
        return False
    parse = parse_query if found.columns else parse_expression
    inner = functions_named(parse(found.body, parser_config(context)))
    return any(each[-1].lower() == target or reaches(each, target, context, session, depth + 1) for each in inner)


def functions_named(body: Any) -> list[tuple[str, ...]]:
    calls = [each for each in tree_nodes(body) if isinstance(each, tree.Function | tree.TableFunction)]
    return [each.name.parts for each in calls if isinstance(each.name, tree.Name)]


def checked(made: SqlFunction, resolved: Callable[[], Resolved]) -> Resolved:
    try:
        return resolved()
    except SparkError as error:
        if error.parameters.get("objectName", "").startswith(quote_identifier(made.name.split(".")[-1]) + "."):
            raise NotNative("SQL: a parameter named by its function") from error
        raise


def checked_body(made: SqlFunction, declared: Sequence[tuple[str, Expression]], context: Context) -> Expression:
    """A function that the body calls and nobody knows is told by its full name."""
    try:
        return checked(made, lambda: made.resolved(declared, context))
    except SparkError as error:
        if error.condition.startswith("INVALID_SUBQUERY_EXPRESSION"):
            raise NotNative("SQL: a function with a query that is refused", nearest=error) from error
        if error.condition != "UNRESOLVED_ROUTINE":
            raise
        name = f"{quote_identifier(context.database)}.{error.parameters['routineName']}"
        raise SparkError("ROUTINE_NOT_FOUND", routineName=name) from error


def full_name(parts: Sequence[str], context: Context, session: "Session") -> tuple[str, ...]:
    return session.catalogs.resolve(parts, context.catalog, [context.database]).qualifier


def parameter_of(definition: Any, source: str) -> Parameter:
    default = definition.default
    written = None if default is None else source[default.start : default.stop]
    return Parameter(definition.name, definition.type.simpleString(), written)


def check_parameters(parameters: Sequence[Parameter], name: str) -> None:
    names = [each.name.lower() for each in parameters]
    twice = [each for at, each in enumerate(names) if each in names[:at]]
    if twice:
        shown = ", ".join(quote_identifier(each) for each in dict.fromkeys(twice))
        raise SparkError("DUPLICATE_ROUTINE_PARAMETER_NAMES", routineName=name, names=shown)


def keep_temporary(name: str, function: SqlFunction, may_replace: bool, session: "Session") -> Answer:
    if session.functions.is_temporary(name) and not may_replace:
        raise already_exists(quote_identifier(name))
    session.functions.put(name, function)
    return answer()


def already_exists(shown: str) -> SparkError:
    return SparkError(
        "ROUTINE_ALREADY_EXISTS", routineName=shown, newRoutineType="routine", existingRoutineType="routine"
    )


def keep_persisted(
    name: "Name", told: Mapping[str, Any], statement: Any, context: Context, session: "Session"
) -> Answer:
    from twinspark.tables.session_catalog import Function

    check_exists(place_of(name.qualifier[:-1], context, session), session)
    catalog = session.catalogs.get(name.catalog)
    if catalog.load_function(name.identifier) is not None:
        if statement.if_not_exists:
            return answer()
        if not statement.replace:
            raise already_exists(str(name.identifier))
    else:
        check_not_on_spark(name, session)
    catalog.create_function(Function(name.identifier, told), replace=True)
    return answer()


def create_class_function(statement: Any, source: str, context: Context, session: "Session") -> Any:
    """A class is only noted: it is Spark that loads it, when somebody calls the function."""
    parts = parts_of(statement.name, source, context, session)
    if statement.temporary or (len(parts) == 1 and parts[0].lower() in SPARK_FUNCTIONS):
        raise NotNative("SQL: a temporary function made of a class")
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    told = {"class_name": statement.class_name, "resources": [list(each) for each in statement.resources]}
    return lambda: keep_persisted(name, told, statement, context, session)


# ---- DROP FUNCTION


def drop_function(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    session.functions.check_not_on_spark(parts[-1])
    if len(parts) == 1 and parts[0].lower() in SPARK_FUNCTIONS and not session.functions.is_temporary(parts[0]):
        if statement.temporary and statement.if_exists:
            return answer
        shown = quote_identifier(parts[0])
        raise SparkError("FORBIDDEN_OPERATION", statement="DROP", objectType="FUNCTION", objectName=shown)
    if statement.temporary:
        return lambda: drop_temporary(parts, statement.if_exists, session)
    return lambda: drop_persisted(parts, statement.if_exists, context, session)


def drop_temporary(parts: tuple[str, ...], if_exists: bool, session: "Session") -> Answer:
    if not session.functions.drop(parts[-1]) and not if_exists:
        raise SparkError("ROUTINE_NOT_FOUND", routineName=quote_identifier(parts[-1]))
    return answer()


def drop_persisted(parts: tuple[str, ...], if_exists: bool, context: Context, session: "Session") -> Answer:
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    check_exists(place_of(name.qualifier[:-1], context, session), session)
    if session.catalogs.get(name.catalog).drop_function(name.identifier):
        return answer()
    check_not_on_spark(name, session)
    if not if_exists:
        raise SparkError("ROUTINE_NOT_FOUND", routineName=str(name.identifier))
    return answer()


def check_not_on_spark(name: "Name", session: "Session") -> None:
    spark = session.spark_catalog() if name.catalog == SESSION_CATALOG else None
    if spark is not None and spark.has_function(quoted(name.qualifier)):
        raise NotNative(f"the function {quoted(name.qualifier)} is Spark's")
