"""Walks calls: functions by name, structs, lambdas and windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.aggregates import has_aggregate
from twinspark.analysis.lambdas import call_with_lambdas, lambda_of, takes_functions
from twinspark.analysis.literals import literal
from twinspark.analysis.names import Scope
from twinspark.analysis.outer import outer_in
from twinspark.analysis.relations import Metadata, Named
from twinspark.analysis.structs import struct_of, with_metadata
from twinspark.analysis.windows import check_order, is_window, window_call
from twinspark.errors import NotNative, SparkError
from twinspark.functions import overloads
from twinspark.functions.known import SPARK_FUNCTIONS
from twinspark.functions.registry import AGGREGATE, GENERATOR
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Expression,
    Frame,
    GetField,
    Lambda,
    Literal,
    SortOrder,
    children_of,
)
from twinspark.read.sql import tree
from twinspark.read.sql.data_types import parse_type
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import Walk, walks
from twinspark.read.walk.identifiers import name_parts
from twinspark.read.walk.lateral_aliases import check_in_window
from twinspark.read.walk.named_arguments import placed
from twinspark.types import (
    DateType,
    DayTimeIntervalType,
    IntegerType,
    StructType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
    quote_identifier,
    quote_if_needed,
)

CAST_NAMES = frozenset(
    {"bigint", "binary", "boolean", "date", "decimal", "double", "float", "int"}
    | {"smallint", "string", "time", "timestamp", "tinyint"}
)


OF_THE_ORDERED = frozenset({"mode", "percentile_cont", "percentile_disc"})  # they take what WITHIN GROUP orders
DATAFRAMES_ONLY = frozenset({"product"})


@walks(tree.Function)
def walk_function(node: tree.Function, scope: Scope, walk: Walk) -> Expression:
    made = walk_call(node, scope, walk)
    if isinstance(made, Call) and made.name.startswith("variant_explode"):
        raise NotNative("SQL: variant_explode is a table function only")
    if isinstance(made, AggregateCall) and any(outer_in(made)):
        raise NotNative("SQL: an aggregate of columns of the query around")
    if node.over is None:
        if isinstance(made, Call) and is_window(made):
            raise NotNative("SQL: a window function without OVER")
        check_not_nested(made, node, walk)
        return made
    return over(made, node.over, scope, walk)


def check_not_nested(made: Expression, node: tree.Function, walk: Walk) -> None:
    if isinstance(made, AggregateCall) and any(map(has_aggregate, children_of(made))):
        inner = next((one for one in tree_nodes(node.arguments) if is_aggregate_node(one, walk)), None)
        if inner is None:
            raise NotNative("SQL: an aggregate in the FILTER of an aggregate")
        if any(is_own_function(one) for one in tree_nodes(node.arguments)):
            raise NotNative("SQL: an aggregate in a SQL function in an aggregate")
        raise walk.located(SparkError("NESTED_AGGREGATE_FUNCTION"), inner)


def is_own_function(node: tree.Node) -> bool:
    return isinstance(node, tree.Function) and isinstance(node.name, tree.Name) and not is_builtin(node.name.parts)


def walk_call(node: tree.Function, scope: Scope, walk: Walk) -> Expression:
    own = session_function(node, scope, walk)
    if own is not None:
        return own
    name = function_name(node, walk)
    node = replace(node, arguments=placed(name, node.arguments))
    if any(isinstance(a, tree.Lambda) for a in node.arguments) or takes_functions(name, len(node.arguments)):
        return higher_order(name, node, scope, walk)
    if scope.first is not None and is_aggregate(name):
        scope = replace(scope, in_aggregate=True)
    if name in CAST_NAMES and len(node.arguments) == 1:
        return build.cast(walk.read(node.arguments[0], scope), parse_type(name), walk.settings, shown=False)
    if name in DATAFRAMES_ONLY:
        raise NotNative(f"function {name}: not one of SQL")
    if node.within_group and name not in OF_THE_ORDERED | TAKES_AN_ORDER:
        raise NotNative(f"SQL: {name} WITHIN GROUP")
    if node.within_group and (node.distinct or (name == "mode" and node.arguments)) and name not in TAKES_AN_ORDER:
        raise NotNative(f"SQL: {name} WITHIN GROUP of distinct values, or with arguments")
    if name == "struct" and node.arguments:
        return struct_of(struct_fields(node.arguments, scope, walk), walk.settings)
    within = tuple(sort_order(item, scope, walk) for item in node.within_group)
    given = arguments(name, node, scope, walk)
    made = build.call(
        name,
        [within[0].child, *given] if within and name in OF_THE_ORDERED else given,
        walk.settings,
        distinct=node.distinct,
        ordering=within,
        filter=walk.read(node.filter, scope) if node.filter is not None else None,
        ignore_nulls=node.nulls == "IGNORE",
    )
    if name == "named_struct" and not any(isinstance(each, tree.Star) for each in node.arguments):
        return with_metadata(made, told_of_values(node, scope, walk))
    return made


TAKES_AN_ORDER = frozenset({"listagg", "string_agg"})


def is_aggregate_node(node: tree.Node, walk: Walk) -> bool:
    return isinstance(node, tree.Function) and is_aggregate(function_name(node, walk))


def is_generator_node(node: tree.Node, walk: Walk) -> bool:
    return isinstance(node, tree.Function) and any(s.kind == GENERATOR for s in overloads(function_name(node, walk)))


def is_aggregate(name: str) -> bool:
    return any(signature.kind == AGGREGATE for signature in overloads(name))


def session_function(node: tree.Function, scope: Scope, walk: Walk) -> Expression | None:
    """A SQL function of the session or of a catalog; builtin names come first, and mean what they mean."""
    functions = walk.context.functions
    if functions is None or not isinstance(node.name, tree.Name) or is_builtin(node.name.parts):
        return None
    found = functions.find(node.name.parts, walk.context)
    over_window = node.over is not None and not getattr(found, "is_aggregate", False)
    if found is not None and not over_window and node.filter is None and not node.distinct:
        made: Expression = found.call(node, scope, walk)
        return made
    problem = None if found is not None else functions.unresolved(node.name.parts, walk.context)
    if problem is not None:
        raise problem
    return None


def is_builtin(parts: tuple[str, ...]) -> bool:
    names = tuple(part.lower() for part in parts)
    return names[-1] in SPARK_FUNCTIONS and names[:-1] in ((), ("builtin",), ("system", "builtin"))


def function_name(node: tree.Function, walk: Walk) -> str:
    parts = [part.lower() for part in name_parts(node.name, walk)]
    if len(parts) > 1 and parts[:-1] not in (["system", "builtin"], ["builtin"]):
        raise NotNative(f"function {'.'.join(parts)}")
    return parts[-1]


def arguments(name: str, node: tree.Function, scope: Scope, walk: Walk) -> list[Expression]:
    """count(*) is count(1); elsewhere a star stands for its columns."""
    out: list[Expression] = []
    for argument in node.arguments:
        if isinstance(argument, tree.Star):
            out += star_arguments(name, argument, scope, walk, node.distinct, len(node.arguments) == 1)
        else:
            out.append(walk.read(argument, scope))
    return out


def star_arguments(
    name: str, node: tree.Star, scope: Scope, walk: Walk, distinct: bool, is_alone: bool
) -> list[Expression]:
    if name == "count" and not node.target and not distinct:
        return [build.literal(1)]
    if name == "count" and is_alone and not distinct and len(node.target) == 1:
        raise SparkError(
            "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT", tableName=quote_identifier(node.target[0])
        )
    columns = walk.star(node, scope)
    return [column.expression for column in columns]


NAMED = (tree.Column, tree.Alias)


def constant_key(node: tree.Expression) -> str | None:
    """A value found by a constant string has that name, before it is known what it is found in (CreateStruct)."""
    if isinstance(node, tree.Dereference):
        return node.field
    index = node.index if isinstance(node, tree.Subscript) else None
    return index.value if isinstance(index, tree.StringLiteral) else None


def struct_fields(nodes: Sequence[tree.Expression], scope: Scope, walk: Walk) -> list[Named]:
    fields: list[Named] = []
    for node in nodes:
        if isinstance(node, tree.Star):
            fields += walk.star(node, scope)
        else:
            fields.append(struct_field(walk.column(node, scope), node, len(fields)))
    return fields


def struct_field(named: Named, node: tree.Expression, index: int) -> Named:
    """Of what has no name of its own nothing is known, but of a struct's field."""
    if isinstance(node, NAMED):
        return named
    name = constant_key(node) or f"col{index + 1}"
    return Named(named.expression, name, is_whole=not isinstance(named.expression, GetField))


def told_of_values(node: tree.Function, scope: Scope, walk: Walk) -> list[Metadata]:
    """What is known of the values of named_struct(name, value, …)."""
    return [struct_field(walk.column(each, scope), each, 0).told for each in node.arguments[1::2]]


@walks(tree.Struct, tree.Row)
def walk_struct(node: tree.Struct | tree.Row, scope: Scope, walk: Walk) -> Expression:
    made = struct_of(struct_fields(node.fields, scope, walk), walk.settings)
    if not isinstance(made, Call) or any(isinstance(each, tree.Star) for each in node.fields):
        return made
    return replace(made, text=struct_text(node, made.arguments))


def struct_text(node: tree.Struct | tree.Row, parts: Sequence[Expression]) -> str:
    """(a, b) is a named_struct; STRUCT(a, b AS c) is shown as it was called."""
    shown = [
        f"{value.text} AS {quote_if_needed(name.text)}" if isinstance(field, tree.Alias) else value.text
        for field, name, value in zip(node.fields, parts[::2], parts[1::2], strict=True)
    ]
    if isinstance(node, tree.Struct):
        return f"struct({', '.join(shown)})"
    pairs = [f"{name.text}, {value}" for name, value in zip(parts[::2], shown, strict=True)]
    return f"named_struct({', '.join(pairs)})"


def like_row(made: Expression, model: Expression) -> Expression:
    """A row under the field names of another: comparisons look at places, not at names."""
    if not isinstance(made.type, StructType) or not isinstance(model.type, StructType) or not isinstance(made, Call):
        return made
    names = model.type.names
    if made.name != "struct" or len(names) != len(made.type.names) or names == made.type.names:
        return made
    parts = [part for name, value in zip(names, made.arguments[1::2], strict=True) for part in (literal(name), value)]
    return replace(build.call("struct", parts, made.settings), text=made.text)


@walks(tree.FirstLast)
def walk_first_last(node: tree.FirstLast, scope: Scope, walk: Walk) -> Expression:
    name = node.function.lower()
    child = walk.read(node.child, scope)
    return build.call(name, [child], walk.settings, ignore_nulls=node.ignore_nulls)


# ---- lambdas


def higher_order(name: str, node: tree.Function, scope: Scope, walk: Walk) -> Expression:
    def body(argument: tree.Lambda) -> Any:
        def make(variables: list[Any]) -> Lambda:
            names = [p.lower() for p in argument.parameters]
            inner = scope.within(dict(zip(names, variables, strict=False)))
            return lambda_of(lambda_body(argument.body, inner, walk), variables[: len(names)])

        return make, len(argument.parameters)

    parts = [body(a) if isinstance(a, tree.Lambda) else walk.read(a, scope) for a in node.arguments]
    return call_with_lambdas(name, parts, walk.settings)


def lambda_body(node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
    """Spark places a name that means nothing here where the whole column stands, or the SELECT."""
    try:
        return walk.read(node, scope)
    except SparkError as error:
        if not error.condition.startswith(("DATATYPE_MISMATCH.", "WRONG_NUM_ARGS.")):
            raise NotNative("SQL: a mistake in a lambda", nearest=error) from error
        raise


# ---- windows


def over(function: Expression, spec: tree.WindowSpec, scope: Scope, walk: Walk) -> Expression:
    definition = window_definition(spec, scope)
    partition = walk.reads(definition.partition, scope)
    ordering = [sort_order(item, scope, walk) for item in definition.order]
    frame = read_frame(definition.frame, ordering, scope, walk) if definition.frame is not None else None
    made = window_call(function, partition, ordering, frame, walk.settings)
    if scope.aliases:  # else it stands outside of the list
        check_in_window(made)
    return made


def window_definition(spec: tree.WindowSpec, scope: Scope) -> tree.WindowDefinition:
    if isinstance(spec, tree.WindowDefinition):
        return spec
    found = scope.windows.get(spec.name.lower())
    if not isinstance(found, tree.WindowDefinition):
        raise SparkError(
            "MISSING_WINDOW_SPECIFICATION", windowName=spec.name, docroot="https://spark.apache.org/docs/latest"
        )
    return found


def sort_order(item: tree.SortItem, scope: Scope, walk: Walk) -> SortOrder:
    order = direction(item, walk.read(item.child, scope))
    try:
        check_order(order)
    except SparkError as error:
        raise walk.located(error, item) from None
    return order


def direction(item: tree.SortItem, child: Expression) -> SortOrder:
    ascending = item.ordering != "DESC"
    nulls_first = item.nulls == "FIRST" if item.nulls else ascending
    return SortOrder(child=child, ascending=ascending, nulls_first=nulls_first)


def read_frame(node: tree.WindowFrame, ordering: Sequence[SortOrder], scope: Scope, walk: Walk) -> Frame:
    lower = read_bound(node.begin, scope, walk)
    upper = read_bound(node.end, scope, walk, True) if node.end is not None else 0
    if isinstance(lower, int) and isinstance(upper, int) and lower > upper:
        raise NotNative("SQL: a frame that ends before it begins")
    check_intervals((lower, upper), ordering, node.unit == "RANGE")
    types = [type(o.child.type) for o in ordering]
    is_cast = node.unit == "RANGE" and types not in ([IntegerType], *([kind] for kind in MOMENTS))
    if is_cast and len(ordering) != 1 and (node.begin.value is not None or (node.end and node.end.value is not None)):
        raise NotNative("SQL: a range of values over several orders, or none")
    text = " AND ".join(bound_text(n, b, is_cast) for n, b in ((node.begin, lower), (node.end, upper)))
    return Frame(rows=node.unit == "ROWS", lower=lower, upper=upper, text=f"{node.unit} BETWEEN {text}")


def bound_text(node: tree.FrameBound | None, bound: Expression | int | None, is_cast: bool) -> str:
    """SQL keeps the word that was written, unless a cast hides it; DataFrames know only FOLLOWING."""
    if node is None or node.value is None:
        return node.kind if node is not None else "CURRENT ROW"
    shown = abs(bound) if isinstance(bound, int) else bound.text if bound is not None else ""
    if is_cast and node.kind == "PRECEDING":
        return f"(- {shown}) FOLLOWING"
    return f"{shown} {node.kind}"


def read_bound(node: tree.FrameBound, scope: Scope, walk: Walk, is_end: bool = False) -> Expression | int | None:
    if node.value is None:
        if (node.kind == "UNBOUNDED FOLLOWING") != is_end and node.kind != "CURRENT ROW":
            raise NotNative("SQL: a frame that begins at its end")
        return 0 if node.kind == "CURRENT ROW" else None
    value = walk.read(node.value, scope)
    if isinstance(value, Literal) and isinstance(value.type, IntegerType) and value.value is not None:
        return -value.value if node.kind == "PRECEDING" else value.value
    if isinstance(value, Literal) and isinstance(value.type, INTERVALS) and value.value is not None:
        return replace(value, value=-value.value) if node.kind == "PRECEDING" else value
    raise NotNative("SQL: a frame bound that is no whole number")


INTERVALS = (DayTimeIntervalType, YearMonthIntervalType)
MOMENTS = (DateType, TimestampType, TimestampNTZType)


def has_time(bound: Expression | int | None) -> bool:
    return isinstance(bound, Literal) and isinstance(bound.type, DayTimeIntervalType) and bound.type.endField > 0


def check_intervals(bounds: Sequence[Expression | int | None], ordering: Sequence[SortOrder], is_range: bool) -> None:
    """Intervals are bounds of a range over one date or timestamp."""
    if not any(isinstance(bound, Literal) for bound in bounds):
        return
    if not is_range or len(ordering) != 1 or not isinstance(ordering[0].child.type, MOMENTS):
        raise NotNative("SQL: an interval as the bound of another frame")
    if isinstance(ordering[0].child.type, DateType) and any(has_time(bound) for bound in bounds):
        raise NotNative("SQL: a range of hours over dates")
    values: list[Any] = [bound.value if isinstance(bound, Literal) else bound for bound in bounds]
    types = {bound.type.simpleString() for bound in bounds if isinstance(bound, Literal)}
    if len(types) > 1 or (None not in values and values[0] > values[1]):
        raise NotNative("SQL: a frame that ends before it begins")
