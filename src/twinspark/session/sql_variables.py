"""Session variables: DECLARE, SET VARIABLE, DROP, and their values as constants in queries."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.scope import frame_of
from twinspark.duck import run
from twinspark.errors import NotNative, SparkError
from twinspark.functions.castable import can_cast, can_store
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.relations import OneRow
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk import Walk, read_query
from twinspark.session.sql_names import located, parts_of, quoted
from twinspark.session.sql_results import Answer, answer
from twinspark.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    StructType,
    TimestampNTZType,
    TimestampType,
    is_integral,
    is_string,
    quote_if_needed,
)

if TYPE_CHECKING:
    from twinspark.session.session import Session

HOME = ("system", "session")
UNKNOWN = "\0"  # in the name of a column: Spark would show what nobody knows
PLAIN = (BooleanType, BinaryType, DateType, DecimalType, DoubleType, FloatType, TimestampNTZType, TimestampType)


@dataclass(frozen=True)
class Variable:
    """Its type, its value now, and the text of its default, which SET … = DEFAULT computes again."""

    name: str
    type: DataType
    value: Any
    default: tree.Expression | None
    default_source: str
    home: tuple[str, ...] = HOME

    @property
    def is_nested(self) -> bool:
        return isinstance(self.type, ArrayType | StructType) and self.value is not None

    def expression(self) -> Expression:
        """A constant that shows itself as Spark's VariableReference does in the names of columns; of an array or struct
        Spark shows an object's number, which nobody knows."""
        if self.is_nested:
            text = f"variablereference({UNKNOWN})"
            return Literal(value=self.value, type=self.type, nullable=self.value is None, text=text)
        made = build.literal(self.value, self.type)
        home = ".".join(map(quote_if_needed, self.home))
        shown = f"variablereference({home}.{self.name}={sql_text(made)})"
        return replace(made, text=shown)


SUFFIXES = {"bigint": "L", "smallint": "S", "tinyint": "Y", "double": "D"}


def sql_text(made: Literal) -> str:
    """A constant as Spark's Literal.sql writes it."""
    if made.value is None:
        return f"CAST(NULL AS {made.type.simpleString().upper()})"
    if is_string(made.type):
        return "'" + made.text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(made.type, FloatType) or made.text in ("NaN", "Infinity", "-Infinity"):
        return f"CAST('{made.text}' AS {made.type.simpleString().upper()})"
    if isinstance(made.type, DecimalType):
        return f"{made.value:.{made.type.scale}f}BD"
    return made.text + SUFFIXES.get(made.type.simpleString(), "")


class Values(dict[str, Expression]):
    """What queries find; a variable whose value only Spark knows sends them there."""

    def __init__(self, known: Mapping[str, Expression], on_spark: Collection[str]) -> None:
        super().__init__(known)
        self._on_spark = on_spark

    def __bool__(self) -> bool:
        return bool(len(self) or self._on_spark)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self._on_spark:
            raise NotNative(f"the variable {name} lives on Spark")
        return super().get(name, default)


class Variables:
    """The variables of one session, by name, and the names of those that live on Spark."""

    def __init__(self) -> None:
        self._known: dict[str, Variable] = {}
        self._on_spark: set[str] = set()
        self._lock = threading.Lock()

    def get(self, name: str) -> Variable | None:
        with self._lock:
            if name.lower() in self._on_spark:
                raise NotNative(f"the variable {name} lives on Spark")
            return self._known.get(name.lower())

    def put(self, variable: Variable) -> None:
        if variable.is_nested:
            raise NotNative(f"SQL: a variable of type {variable.type.simpleString()}")
        with self._lock:
            self._known[variable.name.lower()] = variable

    def made_on_spark(self, name: str) -> None:
        with self._lock:
            self._known.pop(name.lower(), None)
            self._on_spark.add(name.lower())

    def all_on_spark(self) -> None:
        """Something on Spark may have set any of them."""
        for name in list(self._known):
            self.made_on_spark(name)

    def drop(self, name: str) -> bool:
        with self._lock:
            return self._known.pop(name.lower(), None) is not None

    def expressions(self) -> Mapping[str, Expression]:
        with self._lock:
            return Values({name: each.expression() for name, each in self._known.items()}, frozenset(self._on_spark))

    def copy(self) -> "Variables":
        twin = Variables()
        twin._known, twin._on_spark = dict(self._known), set(self._on_spark)
        return twin


# ---- values


def computed(expression: Expression, type: DataType, context: Context, session: "Session") -> Any:
    """The value that a variable of this type takes, as constants hold it. Where the types only can be cast, the words
    of an error tell of a place that is not the expression's."""
    storable = can_store(expression.type, type)
    if not storable and not (context.settings.ansi and can_cast(expression.type, type, "ansi")):
        raise NotNative("SQL: a variable of another type than its value")
    made = (build.implicit_cast if storable else build.cast)(expression, type, context.settings)
    try:
        return value_as(made, context, session)
    except SparkError as error:
        if storable and not error.condition.startswith("NUMERIC_VALUE_OUT_OF_RANGE"):
            raise
        raise NotNative("SQL: a value that its variable cannot hold", nearest=error) from error


def value_as(cast: Expression, context: Context, session: "Session") -> Any:
    return one_value(rows_of(frame_of(OneRow()), [cast], context, session).column(0), cast.type)


def rows_of(frame: Any, expressions: Sequence[Expression], context: Context, session: "Session") -> pa.Table:
    from twinspark.analysis.relations import Named, project

    plan = project(frame, [Named(each, f"c{at}") for at, each in enumerate(expressions)]).plain()
    cursor = session.shared.native.cursor()
    try:
        return run.stream(cursor, plan, context.settings).read_all()
    finally:
        cursor.close()


def one_value(column: Any, type: DataType) -> Any:
    """Dates as days and timestamps as microseconds: what a constant of the plan holds."""
    return held(column[0], type)


def held(value: Any, type: DataType) -> Any:
    if not value.is_valid:
        return None
    if isinstance(type, ArrayType):
        return [held(each, type.elementType) for each in value.values]
    if isinstance(type, StructType):
        return [held(value[at], field.dataType) for at, field in enumerate(type.fields)]
    if not (is_integral(type) or is_string(type) or isinstance(type, PLAIN)):
        raise NotNative(f"SQL: a variable of type {type.simpleString()}")
    if isinstance(type, DateType):
        return value.cast(pa.int32()).as_py()
    if isinstance(type, TimestampType | TimestampNTZType):
        return value.cast(pa.int64()).as_py()
    return value.as_py()


# ---- DECLARE and DROP


def create_variable(statement: Any, source: str, context: Context, session: "Session") -> Any:
    names = [session_name(name, source, context, session) for name in statement.names]
    walk = Walk(source, context)
    default = statement.default
    made = None if default is None else walk.read(default, walk.scope(frame_of(OneRow())))
    if made is not None and has_query(default):
        raise NotNative("SQL: a variable whose default is a query")
    type = statement.type if statement.type is not None else made.type if made is not None else None
    if type is None:
        raise NotNative("SQL: a variable without type and default")

    for at, name in enumerate(names):
        if name in names[:at]:
            raise SparkError("DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", variableName=quoted((*HOME, name)))

    def create() -> Answer:
        value = None if made is None else computed(made, type, context, session)
        for name in names:
            if not statement.replace and session.variables.get(name) is not None:
                raise SparkError("VARIABLE_ALREADY_EXISTS", variableName=quoted((*HOME, name)))
            session.variables.put(Variable(name, type, value, default, source))
        return answer()

    return create


def has_query(node: Any) -> bool:
    return any(isinstance(each, tree.Query) for each in tree_nodes(node))


def session_name(node: Any, source: str, context: Context, session: "Session") -> str:
    parts = parts_of(node, source, context, session)
    if tuple(part.lower() for part in parts[:-1]) not in ((), HOME[1:], HOME):
        problem = SparkError("UNRESOLVED_VARIABLE", variableName=quoted(parts), searchPath=f"[{quoted(HOME)}]")
        raise located(problem, node, source)
    return parts[-1].lower()


def drop_variable(statement: Any, source: str, context: Context, session: "Session") -> Any:
    name = session_name(statement.name, source, context, session)

    session.variables.get(name)

    def drop() -> Answer:
        if not session.variables.drop(name) and not statement.if_exists:
            raise SparkError("VARIABLE_NOT_FOUND", variableName=quoted((*HOME, name)))
        return answer()

    return drop


# ---- SET VARIABLE


def set_variable(statement: Any, source: str, context: Context, session: "Session") -> Any:
    return assignment(
        statement, source, context, session, lambda name: known(name, source, context, session), session.variables.put
    )


def assignment(
    statement: Any,
    source: str,
    context: Context,
    session: "Session",
    target_of: Callable[[Any], Variable],
    put: Callable[[Variable], None],
) -> Any:
    """SET of variables wherever they live: `target_of` finds one by its name, `put` keeps its new value."""
    if statement.query is not None:
        targets = [target_of(name) for name in statement.targets]
        return set_from_query(targets, statement.query, source, context, session, put)
    targets = [target_of(name) for name, _ in statement.assignments]
    check_distinct(targets)
    walk = Walk(source, context)
    scope = walk.scope(frame_of(OneRow()))
    made = [
        assigned(value, target, walk, scope) for (_, value), target in zip(statement.assignments, targets, strict=True)
    ]

    def change() -> Answer:
        values = [computed(one, target.type, context, session) for one, target in zip(made, targets, strict=True)]
        for value, target in zip(values, targets, strict=True):
            put(replace(target, value=value))
        return answer()

    return change


def assigned(value: Any, target: Variable, walk: Walk, scope: Any) -> Expression:
    """DEFAULT is what the variable was declared with, computed anew."""
    if isinstance(value, tree.Column) and [part.upper() for part in value.parts] == ["DEFAULT"]:
        if target.default is None:
            return build.literal(None, target.type)
        return replace(walk, text=target.default_source).read(target.default, scope)
    return walk.read(value, scope)


def known(node: Any, source: str, context: Context, session: "Session") -> Variable:
    parts = node.parts if isinstance(node, tree.Column | tree.Name) else parts_of(node, source, context, session)
    found = session.variables.get(parts[-1])
    if found is None or tuple(part.lower() for part in parts[:-1]) not in ((), HOME[1:], HOME):
        path = f"[`system`.`builtin`, `system`.`session`, {quoted((context.catalog, context.database))}]"
        raise located(SparkError("UNRESOLVED_VARIABLE", variableName=quoted(parts), searchPath=path), node, source)
    return found


def check_distinct(targets: Sequence[Variable]) -> None:
    names = [target.name for target in targets]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise SparkError("DUPLICATE_ASSIGNMENTS", nameList=", ".join(quoted((name,)) for name in dict.fromkeys(twice)))


def set_from_query(
    targets: Sequence[Variable],
    query: Any,
    source: str,
    context: Context,
    session: "Session",
    put: Callable[[Variable], None],
) -> Any:
    check_distinct(targets)
    if any(isinstance(each, tree.Column) and each.parts[-1].upper() == "DEFAULT" for each in tree_nodes(query)):
        raise NotNative("SQL: DEFAULT in the query of SET VARIABLE")
    frame = frame_of(read_query(query, Walk(source, context)).plain())
    if len(frame.attributes) != len(targets):
        raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numTarget=len(targets), numExpr=len(frame.attributes))
    pairs = list(zip(frame.attributes, targets, strict=True))
    if not all(can_store(a.type, target.type) for a, target in pairs):
        raise NotNative("SQL: a variable of another type than its value")
    casts = [build.implicit_cast(frame.column(a), target.type, context.settings) for a, target in pairs]
    return lambda: set_to_row(rows_of(frame, casts, context, session), targets, put)


def set_to_row(rows: pa.Table, targets: Sequence[Variable], put: Callable[[Variable], None]) -> Answer:
    if rows.num_rows > 1:
        raise SparkError("ROW_SUBQUERY_TOO_MANY_ROWS")
    for column, target in zip(rows.columns, targets, strict=True):
        value = one_value(column, target.type) if rows.num_rows else None
        put(replace(target, value=value))
    return answer()
