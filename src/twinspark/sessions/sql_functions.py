"""SQL functions (CREATE FUNCTION … RETURN expression): stored as text and inlined into the queries that call them."""

import json
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations import joins
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.local_data import fields_of
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.analysis.scope.names import Scope, is_literal_function, literal_function
from twinspark.analysis.scope.outer_references import map_expression, outer_columns
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.functions.casts.castable import can_store
from twinspark.functions.notation.descriptions import classes, usage
from twinspark.functions.notation.typing import is_foldable
from twinspark.plan.expressions import AggregateCall, Call, Column, Expression, OuterColumn, Subquery, WindowCall
from twinspark.plan.relations import Field, Fields, Join, Values
from twinspark.plan.rewrite import replace_columns
from twinspark.plan.rewrite import walk as expressions_of
from twinspark.read.sql import ParseError, parse_expression, parse_query, parse_statement, parse_type, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.sql_text import parser_config
from twinspark.read.walk import Walk, read_query
from twinspark.sessions.tables import ServerCatalogs
from twinspark.sessions.views.sql_views import context_of_creation
from twinspark.tables.names import quote_name
from twinspark.types import (
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    StructType,
    is_integral,
    is_string,
    quote_identifier,
)

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Catalogs, Name

# Whether a parameter is meant by its name where a function without parentheses, such as current_date, has it too.
SHADOWS = "spark.sql.legacy.allowUdfParameterToShadowParameterlessFunction"
DOCROOT = "https://spark.apache.org/docs/latest"


@dataclass(frozen=True)
class Parameter:
    """A parameter's type and default as SQL text."""

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True)
class SqlFunction:
    """A function's definition; only texts, so that a catalog can store it."""

    name: str  # as Spark displays it: qualified by its database if it has one
    parameters: tuple[Parameter, ...]
    returns: str
    body: str
    comment: str | None
    config: Mapping[str, str]
    catalog: str
    database: str
    characteristics: tuple[str, ...] = ()
    columns: str = ""  # the schema of a function that returns a table, as JSON

    def inline(
        self, arguments: Sequence[Expression], given: int, context: Context, place: QueryContext | None = None
    ) -> Expression:
        """The body over the arguments, both cast as declared, displayed as the original call.

        A failing cast or a scalar subquery of several rows reports the call as its context, other errors the body's own
        text.
        """
        then = context_of_creation(context, self.config, self.catalog, self.database)
        settings = context.settings
        types = [parse_type(each.type) for each in self.parameters]
        values = [
            with_origin(cast_as_declared(value, type, settings), place, value)
            for value, type in zip(arguments, types, strict=True)
        ]
        body = self.resolve_body([(p.name, v) for p, v in zip(self.parameters, values, strict=True)], then)
        body = with_origin(body, place) if isinstance(body, Subquery) else body
        check_memberships(body, values)
        body = replace_columns(in_subqueries(body, values), lambda column: values[column.index])
        made = with_origin(cast_as_declared(body, parse_type(self.returns), settings), place, body)
        shown = ", ".join(each.text for each in arguments[:given])
        return replace(made, text=f"{self.name}({shown})")

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        if self.columns:
            raise SparkError("NOT_A_SCALAR_FUNCTION", functionName=quote_name(self.name.split(".")))
        check_place(node, walk)
        try:
            arguments, given = arguments_of(self, node, scope, walk)
        except SparkError as error:
            if error.condition == "NESTED_AGGREGATE_FUNCTION":
                raise NotNative(
                    reasons.ERROR_MESSAGE,
                    "an aggregate function inside a SQL function inside another one",
                    likely_error=error,
                ) from error
            raise
        made = self.inline(arguments, given, walk.context, walk.context_of(node))
        if any(map(is_correlated, expressions_of(made))) and is_in_join(node, walk):
            raise NotNative(
                reasons.JOIN_CONDITION, f"the body of the function {self.name} is a query over its parameters"
            )
        return made

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        """The relation that the function returns."""
        if not self.columns:
            problem = SparkError("NOT_A_TABLE_FUNCTION", functionName=quote_name(self.name.split(".")))
            raise walk.with_context(problem, node)
        return inline_table(self, node, scope, walk)

    def resolve_body(self, parameters: Sequence[tuple[str, Expression]], context: Context) -> Expression:
        fields = tuple(Field(name, value.type, value.nullable) for name, value in parameters)
        row = Values(rows=(tuple(value for _, value in parameters),), fields=fields)
        frame = frame_of(row, (self.name.split(".")[-1],))
        node = selected_expression(parse_expression(self.body, parser_config(context)))
        hides = any(is_literal_function((name,)) for name, _ in parameters) and not context.flag(SHADOWS)
        return Walk(self.body, context).read(node, Scope(frame, context, first=literal_function if hides else None))


def with_origin(made: Expression, place: QueryContext | None, given: Expression | None = None) -> Expression:
    """`made` with the call as its origin, unless it is the given expression itself."""
    return made if made is given else replace(made, origin=place)


def is_correlated(expression: Expression) -> bool:
    return isinstance(expression, Subquery) and any(outer_columns(expression.relation))


def check_memberships(body: Expression, values: Sequence[Expression]) -> None:
    """Spark folds NULL IN a query to NULL, where a column that is null gives false (NullPropagation)."""
    tests = any(isinstance(each, Subquery) and each.kind == "in" for each in expressions_of(body))
    if tests and any(value.nullable and is_foldable(value) for value in values):
        raise NotNative(reasons.SQL_FUNCTION, "IN with a query in the body, called with a constant that may be null")


def selected_expression(body: Any) -> Any:
    """A body that selects one expression without FROM is that expression (SQLFunction.getExpressionAndQuery)."""
    query: Any = body.query if isinstance(body, tree.Subquery) else None
    while isinstance(query, tree.Query) and query.ctes is None and query.organization is None:
        query = query.body
    only = only_projection(query) if isinstance(query, tree.Select) else None
    if only is None or isinstance(only, tree.Star):
        return body
    return only.child if isinstance(only, tree.Alias) else only


def only_projection(select: tree.Select) -> Any:
    """The one expression of a SELECT that has no other clause."""
    others = (select.source, select.where, select.grouping, select.having, select.qualify)
    lists = (select.hints, select.quantifier, select.lateral_views, select.windows)
    if any(each is not None for each in others) or any(lists) or not isinstance(select.projections, tuple):
        return None
    return select.projections[0] if len(select.projections) == 1 else None


def in_subqueries(body: Expression, values: Sequence[Expression]) -> Expression:
    """The arguments instead of the parameters that subqueries of the body reference."""

    def argument_of(parameter: Expression) -> Expression:
        assert isinstance(parameter, OuterColumn)
        return as_outer(values[parameter.index], parameter.depth)

    return map_expression(body, argument_of, 0)


def as_outer(value: Expression, depth: int) -> Expression:
    """An argument inside a subquery: columns of the calling query are outer columns there."""
    if any(isinstance(each, OuterColumn | Subquery | AggregateCall | WindowCall) for each in expressions_of(value)):
        raise NotNative(reasons.SQL_FUNCTION, "a query over parameters, called with a subquery or an outer column")
    if any(isinstance(each, Call) and not each.signature.deterministic for each in expressions_of(value)):
        raise NotNative(reasons.SQL_FUNCTION, "a query over parameters, called with a nondeterministic argument")
    return replace_columns(value, lambda column: outer_column(column, depth))


def outer_column(column: Column, depth: int) -> Expression:
    name = column.text.split(".")[-1]
    shown = f"outer({column.text})"
    return OuterColumn(
        type=column.type, nullable=column.nullable, text=shown, index=column.index, depth=depth, name=name
    )


def cast_as_declared(value: Expression, type: DataType, settings: Any) -> Expression:
    """Casts an argument or a result to the declared type, with a cast's own errors."""
    is_parsed = is_string(value.type) and (is_integral(type) or isinstance(type, DoubleType | DecimalType | FloatType))
    if is_parsed or not can_store(value.type, type):
        return replace(build.cast(value, type, settings, shown=False), text=value.text)
    return build.implicit_cast(value, type, settings)


class Owner(Protocol):
    """What functions need of the session that they belong to."""

    @property
    def engine_wanted(self) -> str: ...
    @property
    def catalogs(self) -> "Catalogs": ...
    @property
    def server_catalogs(self) -> ServerCatalogs: ...


class Functions:
    """The temporary functions of one session, and lookups of those in catalogs."""

    def __init__(self, session: Owner, temporary: Mapping[str, SqlFunction] | None = None) -> None:
        self._session = session
        self._temporary = dict(temporary or {})
        self._on_spark: Counter[str] = Counter()  # a name may be created in several databases
        self._lock = threading.Lock()

    def is_temporary(self, name: str) -> bool:
        return name.lower() in self._temporary

    def temporary(self) -> dict[str, SqlFunction]:
        with self._lock:
            return dict(self._temporary)

    def made_on_spark(self, name: str) -> None:
        with self._lock:
            self._temporary.pop(name.lower(), None)
            self._on_spark[name.lower()] += 1

    def dropped_on_spark(self, name: str) -> None:
        with self._lock:
            self._on_spark -= Counter((name.lower(),))

    def check_not_on_spark(self, name: str) -> None:
        if name.lower() in self._on_spark:
            raise NotNative(reasons.LIVES_ON_SPARK, f"function {name.lower()}")

    def put(self, name: str, function: Any) -> None:
        """Adds a SQL function, or a Python function, which has the same interface."""
        with self._lock:
            self._temporary[name.lower()] = function

    def drop(self, name: str) -> bool:
        with self._lock:
            return self._temporary.pop(name.lower(), None) is not None

    def permanent(self) -> "Functions":
        """The functions that a persisted view can use: none of the temporary ones."""
        return Functions(self._session)

    def unresolved_error(self, parts: Sequence[str], context: Context) -> SparkError | None:
        """Spark's error for an unknown name; None if Spark might know it."""
        if self._session.engine_wanted != "duckdb":
            return None
        path = f"[`system`.`builtin`, `system`.`session`, {quote_name((context.catalog, context.database))}]"
        return SparkError("UNRESOLVED_ROUTINE", routineName=quote_name(parts), searchPath=path)

    def copy(self, session: Owner) -> "Functions":
        twin = Functions(session, self.temporary())
        twin._on_spark = Counter(self._on_spark)
        return twin

    # ---- lookups while a query is read

    def find(self, parts: Sequence[str], context: Context) -> SqlFunction | None:
        """Temporary functions first, then persisted ones; built-in functions were looked up before."""
        names = tuple(part.lower() for part in parts)
        self.check_not_on_spark(names[-1])
        if len(names) == 1 and names[0] in self._temporary:
            return self._temporary[names[0]]
        if names[:-1] in (("session",), ("system", "session")):
            return self._temporary.get(names[-1])
        return self.find_persisted(parts, context)

    def python(self, parts: Sequence[str], context: Context) -> Any:
        """The Python function that was registered under the name."""
        found = self.find(parts, context)
        return None if isinstance(found, SqlFunction) else found

    def has(self, parts: Sequence[str], context: Context) -> bool:
        return self.find(parts, context) is not None or self.class_of(parts, context) is not None

    def class_of(self, parts: Sequence[str], context: Context) -> "tuple[Name, str] | None":
        """A persisted function that is implemented by a Java class."""
        found = self.definition(parts, context)
        return (found[0], found[1]["class_name"]) if found is not None and "class_name" in found[1] else None

    def builtin_row(self, name: str) -> tuple[Any, ...]:
        """What spark.catalog returns for a built-in function."""
        return (name, None, None, usage(name), classes()[name] or None, True)

    def definition(self, parts: Sequence[str], context: Context) -> "tuple[Name, Mapping[str, Any]] | None":
        if self._session.server_catalogs.is_empty(context.config):
            return None
        name = self._session.catalogs.resolve(parts, context.catalog, [context.database])
        found = self._session.catalogs.get(name.catalog).load_function(name.identifier)
        return None if found is None else (name, found.definition)

    def find_persisted(self, parts: Sequence[str], context: Context) -> SqlFunction | None:
        found = self.definition(parts, context)
        if found is None or "class_name" in found[1]:
            return None
        return from_definition(found[1])


def from_definition(definition: Mapping[str, Any]) -> SqlFunction:
    parameters = tuple(Parameter(**each) for each in definition["parameters"])
    return SqlFunction(
        **{**definition, "parameters": parameters, "characteristics": tuple(definition["characteristics"])}
    )


# ---- calls in a query


def arguments_of(function: SqlFunction, node: Any, scope: Scope, walk: Walk) -> tuple[list[Expression], int]:
    """Arguments by position or by name, missing ones by default; and how many of them the call displays."""
    placed = [each for each in node.arguments if not isinstance(each, tree.NamedArgument)]
    named = {each.name.lower(): each.value for each in node.arguments if isinstance(each, tree.NamedArgument)}
    wanted = [each.name.lower() for each in function.parameters]
    if named and (len(placed) > len(wanted) or set(named) - set(wanted[len(placed) :])):
        raise NotNative(reasons.ERROR_MESSAGE, f"the function {function.name} with other named arguments")
    if len(placed) > len(wanted):
        raise wrong_count(function, len(node.arguments))
    values = [walk.read(each, scope) for each in placed]
    for parameter in function.parameters[len(placed) :]:
        values.append(argument(parameter, named.get(parameter.name.lower()), function, node, scope, walk))
    return values, len(values) if named else len(placed)


def check_place(node: Any, walk: Walk) -> None:
    """Spark accepts SQL functions in SELECT, WHERE, joins and groups only; other clauses fall back to Spark for its
    error."""
    for each in nodes_around(node, walk):
        if isinstance(each, tree.Organization | tree.LateralView):
            raise NotNative(reasons.ERROR_MESSAGE, "a SQL function where Spark allows none")


def is_in_join(node: Any, walk: Walk) -> bool:
    """Whether the call is part of a join's condition."""
    return any(isinstance(each, tree.Join) and is_around(each.condition, node) for each in nodes_around(node, walk))


def nodes_around(node: Any, walk: Walk) -> list[Any]:
    """The nodes of the statement that contain the call; none for an expression outside of a query."""
    try:
        statement = parse_statement(walk.text, parser_config(walk.context))
    except ParseError:
        return []
    return [each for each in tree_nodes(statement) if is_around(each, node)]


def is_around(outer: Any, node: Any) -> bool:
    return outer is not None and outer.start <= node.start < outer.stop


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
    return SparkError(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        functionName=quote_name(function.name.split(".")),
        expectedNum=len(function.parameters),
        actualNum=actual,
        docroot=DOCROOT,
    )


# ---- functions that return tables: their query, correlated with one row of arguments


def table_function(made: SqlFunction, statement: Any, context: Context) -> SqlFunction:
    """The function with its columns: those declared, or those of its query."""
    declared = [build.literal(None, parse_type(each.type)) for each in made.parameters]
    found = body_frame(made, declared, context)[1]
    if isinstance(statement.returns_table, StructType):
        columns = statement.returns_table
        check_returns(made, statement, columns, context)
    else:
        columns = found.plain().schema
    check_count(made, columns, found)
    cast_columns(found, fields_of(columns), context)
    return replace(made, columns=columns.json())


def check_returns(made: SqlFunction, statement: Any, columns: StructType, context: Context) -> None:
    check_not_null([each.nullable for each in columns.fields], statement.returns_text)
    exact = context.flag("spark.sql.caseSensitive")
    names = [name if exact else name.lower() for name in columns.names]
    twice = dict.fromkeys(name for at, name in enumerate(names) if name in names[:at])
    if twice:
        shown = ", ".join(map(quote_identifier, twice))
        raise SparkError("DUPLICATE_ROUTINE_RETURNS_COLUMNS", routineName=made.name.split(".")[-1], columns=shown)


def check_not_null(nullables: Sequence[bool], written: str) -> None:
    if not all(nullables):
        raise SparkError("USER_DEFINED_FUNCTIONS.NOT_NULL_ON_FUNCTION_PARAMETERS", input=written)


def check_count(made: SqlFunction, columns: StructType, found: Frame) -> None:
    if len(columns) != len(found.attributes):
        raise SparkError(
            "USER_DEFINED_FUNCTIONS.RETURN_COLUMN_COUNT_MISMATCH",
            outputSize=len(found.attributes),
            returnParamSize=len(columns),
            name=made.name,
        )


def body_frame(function: SqlFunction, values: Sequence[Expression], context: Context) -> tuple[Frame, Frame]:
    """One row of arguments, and the query that references it."""
    fields = tuple(Field(p.name, v.type, v.nullable) for p, v in zip(function.parameters, values, strict=True))
    left = frame_of(Values(rows=(tuple(values),), fields=fields), (function.name.split(".")[-1],))
    query = parse_query(function.body, parser_config(context))
    right = read_query(query, Walk(function.body, context, outer=Scope(left, context)))
    return left, frame_of(right.plain())


def cast_columns(frame: Frame, columns: Fields, context: Context) -> list[Named]:
    if not all(can_store(a.type, c.type) for a, c in zip(frame.attributes, columns, strict=True)):
        raise NotNative(reasons.SQL_FUNCTION, "a table function whose columns have other types than its query")
    return [
        Named(build.implicit_cast(frame.column(a), c.type, context.settings), c.name)
        for a, c in zip(frame.attributes, columns, strict=True)
    ]


def inline_table(function: SqlFunction, node: tree.TableFunction, scope: Scope, walk: Walk) -> Frame:
    """The rows of the function for these arguments: a lateral join of one row with the query."""
    then = context_of_creation(walk.context, function.config, function.catalog, function.database)
    types = [parse_type(each.type) for each in function.parameters]
    given, _ = arguments_of(function, node, scope, walk)
    values = [cast_as_declared(value, type, walk.settings) for value, type in zip(given, types, strict=True)]
    columns = fields_of(StructType.fromJson(json.loads(function.columns)))
    if not values:
        frame = body_frame(function, [], then)[1]
        return make.project(frame, cast_columns(frame, columns, then))
    left, right = body_frame(function, values, then)
    joined = joins.join(left, right, "inner", lambda sides: None)
    assert isinstance(joined.relation, Join)
    joined = replace(joined, relation=replace(joined.relation, lateral=True))
    shown = replace(joined, attributes=joined.attributes[len(left.attributes) :])
    return make.project(shown, cast_columns(shown, columns, then))
