"""SQL functions: CREATE FUNCTION … RETURN expression, kept as text and written into the queries that call them."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import frame_of
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.functions.castable import can_store
from twinspark.plan.expressions import Expression, OuterColumn, Subquery
from twinspark.plan.relations import Field, Values, expressions_in
from twinspark.plan.rewrite import replace_columns
from twinspark.plan.rewrite import walk as expressions_of
from twinspark.read.sql import ParseError, parse_expression, parse_statement, parse_type, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.text import parser_config
from twinspark.read.walk import Walk
from twinspark.session.function_texts import classes, usage
from twinspark.session.later import imported
from twinspark.session.sql_names import quoted
from twinspark.session.text_views import surroundings_of_then
from twinspark.types import (
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    is_integral,
    is_string,
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
    columns: str = ""  # the schema of a function that returns a table, as JSON

    def called(
        self, arguments: Sequence[Expression], given: int, context: Context, place: QueryContext | None = None
    ) -> Expression:
        """The body over the arguments, both cast as declared; it shows itself as the call it was.

        A cast that fails, or a query of several rows, is told of the call, anything else of the body's own text.
        """
        then = surroundings_of_then(context, self.config, self.catalog, self.database)
        settings = context.settings
        types = [parse_type(each.type) for each in self.parameters]
        values = [
            placed(stored(value, type, settings), place, value) for value, type in zip(arguments, types, strict=True)
        ]
        body = self.resolved([(p.name, v) for p, v in zip(self.parameters, values, strict=True)], then)
        body = placed(body, place) if isinstance(body, Subquery) else body
        body = replace_columns(body, lambda column: values[column.index])
        made = placed(stored(body, parse_type(self.returns), settings), place, body)
        shown = ", ".join(each.text for each in arguments[:given])
        return replace(made, text=f"{self.name}({shown})")

    def call(self, node: Any, scope: Scope, walk: Walk) -> Expression:
        if self.columns:
            raise NotNative(f"the function {self.name} returns a table")
        check_place(node, walk)
        try:
            arguments, given = arguments_of(self, node, scope, walk)
        except SparkError as error:
            if error.condition == "NESTED_AGGREGATE_FUNCTION":
                raise NotNative("SQL: an aggregate in a function in an aggregate", nearest=error) from error
            raise
        return self.called(arguments, given, walk.context, walk.context_of(node))

    def table(self, node: Any, scope: Scope, walk: Walk) -> Any:
        """The frame of the rows it returns."""
        if not self.columns:
            raise NotNative(f"the function {self.name} returns a value")
        return imported("session.sql_table_functions").called_table(self, node, scope, walk)

    def resolved(self, parameters: Sequence[tuple[str, Expression]], context: Context) -> Expression:
        fields = tuple(Field(name, value.type, value.nullable) for name, value in parameters)
        frame = frame_of(Values(rows=(tuple(value for _, value in parameters),), fields=fields))
        node = parse_expression(self.body, parser_config(context))
        made = Walk(self.body, context).read(node, Scope(frame, context))
        if any(isinstance(each, OuterColumn) or reads_parameters(each) for each in expressions_of(made)):
            raise NotNative(f"the function {self.name}: its body is a query over its parameters")
        return made


def placed(made: Expression, place: QueryContext | None, given: Expression | None = None) -> Expression:
    """What was made around what was given stands where the call does."""
    return made if made is given else replace(made, origin=place)


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
        self._on_spark: Counter[str] = Counter()  # a name may be made in several databases
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
            raise NotNative(f"the function {name.lower()} lives on Spark")

    def put(self, name: str, function: Any) -> None:
        """A SQL function, or one of Python, which can be called just so."""
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
        twin._on_spark = Counter(self._on_spark)
        return twin

    # ---- what a query asks

    def find(self, parts: Sequence[str], context: Context) -> SqlFunction | None:
        """Builtin ones come first, so they are not asked for here; then temporary, then persisted ones."""
        names = tuple(part.lower() for part in parts)
        self.check_not_on_spark(names[-1])
        if len(names) == 1 and names[0] in self._temporary:
            return self._temporary[names[0]]
        if names[:-1] in (("session",), ("system", "session")):
            return self._temporary.get(names[-1])
        return self.persisted(parts, context)

    def python(self, parts: Sequence[str], context: Context) -> Any:
        """A Python function that was registered under the name."""
        found = self.find(parts, context)
        return None if isinstance(found, SqlFunction) else found

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


# ---- a call in a query


def arguments_of(function: SqlFunction, node: Any, scope: Scope, walk: Walk) -> tuple[list[Expression], int]:
    """By place or by name, those that are missing by default; and how many of them the call shows."""
    placed = [each for each in node.arguments if not isinstance(each, tree.NamedArgument)]
    named = {each.name.lower(): each.value for each in node.arguments if isinstance(each, tree.NamedArgument)}
    wanted = [each.name.lower() for each in function.parameters]
    if len(placed) > len(wanted) or set(named) - set(wanted[len(placed) :]):
        raise wrong_count(function, len(node.arguments))
    values = [walk.read(each, scope) for each in placed]
    for parameter in function.parameters[len(placed) :]:
        values.append(argument(parameter, named.get(parameter.name.lower()), function, node, scope, walk))
    return values, len(values) if named else len(placed)


def check_place(node: Any, walk: Walk) -> None:
    """Spark takes SQL functions in SELECT, WHERE, joins and groups, and refuses them elsewhere."""
    try:
        statement = parse_statement(walk.text, parser_config(walk.context))
    except ParseError:
        return  # an expression on its own
    for each in tree_nodes(statement):
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
