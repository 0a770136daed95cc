"""SQL functions: CREATE FUNCTION … RETURN expression, kept as text and written into the queries that call them."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.castable import can_store
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.plan.expressions import Expression, OuterColumn, Subquery
from twinspark.plan.relations import Field, OneRow, Values, expressions_in
from twinspark.plan.rewrite import replace_columns
from twinspark.plan.rewrite import walk as expressions_of
from twinspark.read.sql import ParseError, parse_expression, parse_statement, parse_type, tree
from twinspark.read.text import parser_config
from twinspark.read.walk import Walk
from twinspark.session.function_texts import classes, usage
from twinspark.session.sql_names import check_exists, located, parts_of, place_of, quoted, temporary_view
from twinspark.session.sql_results import Answer, answer
from twinspark.session.text_views import kept_settings, surroundings_of_then
from twinspark.session.tree_nodes import nodes_in
from twinspark.session.view_references import tables_named
from twinspark.types import (
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    VarcharType,
    is_integral,
    is_string,
    quote_identifier,
)

if TYPE_CHECKING:
    from twinspark.session.session import Session
    from twinspark.tables.catalogs import Name

DOCROOT = "https://spark.apache.org/docs/latest"


@dataclass(frozen=True)
class Parameter:
    """Its type and default as DDL and SQL texts."""

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True)
class SqlFunction:
    """What is kept of a function; texts only, so that a catalog can keep it too."""

    name: str  # as Spark shows it: with its database where it has one
    parameters: tuple[Parameter, ...]
    returns: str
    body: str
    comment: str | None
    config: Mapping[str, str]
    catalog: str
    database: str
    characteristics: tuple[str, ...] = ()

    def called(self, arguments: Sequence[Expression], given: int, context: Context) -> Expression:
        """The body over the arguments, both cast as declared; it shows itself as the call it was."""
        then = surroundings_of_then(context, self.config, self.catalog, self.database)
        settings = context.settings
        types = [parse_type(each.type) for each in self.parameters]
        values = [stored(value, type, settings) for value, type in zip(arguments, types, strict=True)]
        body = self.resolved([(p.name, v) for p, v in zip(self.parameters, values, strict=True)], then)
        made = stored(replace_columns(body, lambda column: values[column.index]), parse_type(self.returns), settings)
        shown = ", ".join(each.text for each in arguments[:given])
        return replace(made, text=f"{self.name}({shown})")

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        return call(self, node, scope, walk)

    def resolved(self, parameters: Sequence[tuple[str, Expression]], context: Context) -> Expression:
        fields = tuple(Field(name, value.type, value.nullable) for name, value in parameters)
        frame = frame_of(Values(rows=(tuple(value for _, value in parameters),), fields=fields))
        node = parse_expression(self.body, parser_config(context))
        made = Walk(self.body, context).read(node, Scope(frame, context))
        if any(isinstance(each, OuterColumn) or reads_parameters(each) for each in expressions_of(made)):
            raise NotNative(f"the function {self.name}: its body is a query over its parameters")
        return made


def reads_parameters(expression: Expression) -> bool:
    """Whether a query in the body looks at what is around it."""
    if not isinstance(expression, Subquery):
        return False
    inner = (one for each in expressions_in(expression.relation) for one in expressions_of(each))
    return any(isinstance(each, OuterColumn) or reads_parameters(each) for each in inner)


def stored(value: Expression, type: DataType, settings: Any) -> Expression:
    """An argument or a result becomes the declared type as a stored value would; texts are read."""
    if is_string(value.type) and (is_integral(type) or isinstance(type, DoubleType | DecimalType | FloatType)):
        return replace(build.cast(value, type, settings, shown=False), text=value.text)
    if not can_store(value.type, type):
        raise NotNative("SQL: a function's value of another type than declared")
    return build.implicit_cast(value, type, settings)


class Functions:
    """The temporary functions of one session, and the way to those that catalogs keep."""

    def __init__(self, session: "Session", temporary: Mapping[str, SqlFunction] | None = None) -> None:
        self._session = session
        self._temporary = dict(temporary or {})
        self._on_spark: set[str] = set()
        self._lock = threading.Lock()

    def is_temporary(self, name: str) -> bool:
        return name.lower() in self._temporary

    def temporary(self) -> dict[str, SqlFunction]:
        with self._lock:
            return dict(self._temporary)

    def made_on_spark(self, name: str) -> None:
        with self._lock:
            self._temporary.pop(name.lower(), None)
            self._on_spark.add(name.lower())

    def put(self, name: str, function: SqlFunction) -> None:
        with self._lock:
            self._temporary[name.lower()] = function

    def drop(self, name: str) -> bool:
        with self._lock:
            return self._temporary.pop(name.lower(), None) is not None

    def permanent(self) -> "Functions":
        """What a persisted view sees: no temporary ones."""
        return Functions(self._session)

    def unresolved(self, parts: Sequence[str], context: Context) -> SparkError | None:
        """Spark's words for a name nobody knows; None where Spark might know it."""
        if self._session.engine_wanted != "duckdb":
            return None
        path = f"[`system`.`builtin`, `system`.`session`, {quoted((context.catalog, context.database))}]"
        return SparkError("UNRESOLVED_ROUTINE", routineName=quoted(parts), searchPath=path)

    def copy(self, session: "Session") -> "Functions":
        twin = Functions(session, self.temporary())
        twin._on_spark = set(self._on_spark)
        return twin

    # ---- what a query asks

    def find(self, parts: Sequence[str], context: Context) -> SqlFunction | None:
        """Builtin ones come first, so they are not asked for here; then temporary, then persisted ones."""
        names = tuple(part.lower() for part in parts)
        if names[-1] in self._on_spark:
            raise NotNative(f"the function {names[-1]} lives on Spark")
        if len(names) == 1 and names[0] in self._temporary:
            return self._temporary[names[0]]
        if names[:-1] in (("session",), ("system", "session")):
            return self._temporary.get(names[-1])
        return self.persisted(parts, context)

    def has(self, parts: Sequence[str], context: Context) -> bool:
        return self.find(parts, context) is not None or self.class_of(parts, context) is not None

    def class_of(self, parts: Sequence[str], context: Context) -> "tuple[Name, str] | None":
        """A persisted function that is made of a class."""
        found = self.definition(parts, context)
        return (found[0], found[1]["class_name"]) if found is not None and "class_name" in found[1] else None

    def builtin_row(self, name: str) -> tuple[Any, ...]:
        """What spark.catalog tells of one of Spark's own."""
        return (name, None, None, usage(name), classes()[name] or None, True)

    def definition(self, parts: Sequence[str], context: Context) -> "tuple[Name, Mapping[str, Any]] | None":
        if self._session.shared.catalogs.is_empty(context.config):
            return None
        name = self._session.catalogs.resolve(parts, context.catalog, [context.database])
        found = self._session.catalogs.get(name.catalog).load_function(name.identifier)
        return None if found is None else (name, found.definition)

    def persisted(self, parts: Sequence[str], context: Context) -> SqlFunction | None:
        found = self.definition(parts, context)
        if found is None or "class_name" in found[1]:
            return None
        return from_definition(found[1])


def from_definition(told: Mapping[str, Any]) -> SqlFunction:
    parameters = tuple(Parameter(**each) for each in told["parameters"])
    return SqlFunction(**{**told, "parameters": parameters, "characteristics": tuple(told["characteristics"])})


# ---- CREATE FUNCTION


def create_function(statement: Any, source: str, context: Context, session: "Session") -> Any:
    parts = parts_of(statement.name, source, context, session)
    check_written(statement, source, parts)
    made = function_of(statement, source, parts, context, session)
    if statement.temporary:
        return lambda: keep_temporary(parts[0], made, statement.replace, session)
    name = session.catalogs.resolve(parts, context.catalog, [context.database])
    return lambda: keep_persisted(name, asdict(made), statement, context, session)


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
    if statement.returns_table:
        raise NotNative("SQL: a function that returns a table")
    if statement.collation or statement.characteristics:
        raise NotNative("SQL: a function with characteristics or a collation")
    for parameter in statement.parameters or ():
        if not parameter.nullable or isinstance(parameter.type, CharType | VarcharType):
            raise NotNative("SQL: a function with parameters that are required or of a length")
    if isinstance(statement.returns, CharType | VarcharType):
        raise NotNative("SQL: a function that returns a text of a length")


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
    declared = [(each.name, build.literal(None, parse_type(each.type))) for each in parameters]
    body = checked_body(made, declared, context)
    returns = statement.returns if statement.returns is not None else body.type
    stored(body, returns, context.settings)
    return replace(made, returns=returns.simpleString())


def body_text(statement: Any) -> str:
    """A query without brackets is read as one that gives a value."""
    text = str(statement.body_text)
    return f"({text})" if isinstance(statement.body, tree.Query) and not text.startswith("(") else text


def check_defaults(parameters: Sequence[Parameter], context: Context) -> None:
    """Defaults stand at the end, are constants, and fit their types."""
    given = [each.default is not None for each in parameters]
    if given != sorted(given):
        raise NotNative("SQL: a function whose defaults do not stand at the end")
    for each in parameters:
        if each.default is None:
            continue
        node = parse_expression(each.default, parser_config(context))
        if any(isinstance(one, tree.Query) for one in nodes_in(node)):
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
    if found is None:
        return False
    inner = functions_named(parse_expression(found.body, parser_config(context)))
    return any(each[-1].lower() == target or reaches(each, target, context, session, depth + 1) for each in inner)


def functions_named(body: Any) -> list[tuple[str, ...]]:
    calls = [each for each in nodes_in(body) if isinstance(each, tree.Function)]
    return [each.name.parts for each in calls if isinstance(each.name, tree.Name)]


def checked_body(made: SqlFunction, declared: Sequence[tuple[str, Expression]], context: Context) -> Expression:
    """A function that the body calls and nobody knows is told by its full name."""
    try:
        return made.resolved(declared, context)
    except SparkError as error:
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
    if not session.catalogs.get(name.catalog).drop_function(name.identifier) and not if_exists:
        raise SparkError("ROUTINE_NOT_FOUND", routineName=str(name.identifier))
    return answer()


# ---- a call in a query


def call(function: SqlFunction, node: Any, scope: Scope, walk: Walk) -> Expression:
    """Arguments by place or by name; those that are missing are the defaults."""
    check_place(node, walk)
    placed = [each for each in node.arguments if not isinstance(each, tree.NamedArgument)]
    named = {each.name.lower(): each.value for each in node.arguments if isinstance(each, tree.NamedArgument)}
    wanted = [each.name.lower() for each in function.parameters]
    if len(placed) > len(wanted) or set(named) - set(wanted[len(placed) :]):
        raise wrong_count(function, len(node.arguments))
    values = [walk.read(each, scope) for each in placed]
    for parameter in function.parameters[len(placed) :]:
        values.append(argument(parameter, named.get(parameter.name.lower()), function, node, scope, walk))
    given = len(values) if named else len(placed)
    return function.called(values, given, walk.context)


def check_place(node: Any, walk: Walk) -> None:
    """Spark takes SQL functions in SELECT, WHERE, joins and groups, and refuses them elsewhere."""
    try:
        statement = parse_statement(walk.text, parser_config(walk.context))
    except ParseError:
        return  # an expression on its own
    for each in nodes_in(statement):
        if isinstance(each, tree.Organization | tree.LateralView) and each.start <= node.start < each.stop:
            raise NotNative("SQL: a SQL function where only Spark can refuse it")


def argument(
    parameter: Parameter, value: Any, function: SqlFunction, node: Any, scope: Scope, walk: Walk
) -> Expression:
    if value is not None:
        return walk.read(value, scope)
    if parameter.default is None:
        raise wrong_count(function, len(node.arguments))
    default = parse_expression(parameter.default, parser_config(walk.context))
    return Walk(parameter.default, walk.context).read(default, scope)


def wrong_count(function: SqlFunction, actual: int) -> SparkError:
    if any(each.default is not None for each in function.parameters):
        raise NotNative(f"the function {function.name} with another number of arguments")
    return SparkError(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        functionName=quoted(function.name.split(".")),
        expectedNum=len(function.parameters),
        actualNum=actual,
        docroot=DOCROOT,
    )
