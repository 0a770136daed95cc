"""Reads calls: functions by name, structs, lambdas and windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.lambdas import call_with_lambdas, lambda_of, parameter_names, takes_functions
from twinspark.analysis.expressions.literals import literal
from twinspark.analysis.expressions.structs import struct_of, with_metadata
from twinspark.analysis.expressions.windows import check_order, is_window, window_call
from twinspark.analysis.relations.aggregates import has_aggregate
from twinspark.analysis.relations.basics import Metadata, Named
from twinspark.analysis.scope.names import Scope
from twinspark.analysis.scope.outer_references import outer_in
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions import overloads
from twinspark.functions.notation.registry import AGGREGATE, GENERATOR
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Expression,
    GetField,
    Lambda,
    Literal,
    SortOrder,
    WindowFrame,
    children_of,
)
from twinspark.read.sql import parse_type, tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import CAST_NAMES, Walk, walks
from twinspark.read.walk.identifiers import name_parts
from twinspark.read.walk.lateral_aliases import check_in_window
from twinspark.read.walk.named_arguments import by_position
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

OF_THE_ORDERED = frozenset({"mode", "percentile_cont", "percentile_disc"})  # their argument is the WITHIN GROUP order
DATAFRAMES_ONLY = frozenset({"product"})


@walks(tree.Function)
def walk_function(node: tree.Function, scope: Scope, walk: Walk) -> Expression:
    made = walk_call(node, scope, walk)
    if isinstance(made, Call) and made.name.startswith("variant_explode"):
        raise NotNative(reasons.TABLE_FUNCTION, "variant_explode outside FROM")
    if isinstance(made, AggregateCall) and any(outer_in(made)):
        raise NotNative(reasons.SUBQUERY_CORRELATED, "an aggregate function of outer columns")
    if node.over is None:
        if isinstance(made, Call) and is_window(made):
            raise NotNative(reasons.ERROR_MESSAGE, "a window function without OVER")
        check_not_nested(made, node, walk)
        return made
    return over(made, node.over, scope, walk)


def check_not_nested(made: Expression, node: tree.Function, walk: Walk) -> None:
    if isinstance(made, AggregateCall) and any(map(has_aggregate, children_of(made))):
        inner = next((one for one in tree_nodes(node.arguments) if is_aggregate_node(one, walk)), None)
        if inner is None:
            raise NotNative(reasons.ERROR_MESSAGE, "an aggregate function in the FILTER clause of another one")
        if any(is_own_function(one) for one in tree_nodes(node.arguments)):
            raise NotNative(reasons.ERROR_MESSAGE, "an aggregate function inside a SQL function inside another one")
        raise walk.with_context(SparkError("NESTED_AGGREGATE_FUNCTION"), inner)


def is_own_function(node: tree.Node) -> bool:
    return isinstance(node, tree.Function) and isinstance(node.name, tree.Name) and not is_builtin(node.name.parts)


def walk_call(node: tree.Function, scope: Scope, walk: Walk) -> Expression:
    own = session_function(node, scope, walk)
    if own is not None:
        return own
    name = function_name(node, walk)
    node = replace(node, arguments=by_position(name, node.arguments))
    if any(isinstance(a, tree.Lambda) for a in node.arguments) or takes_functions(name, len(node.arguments)):
        return higher_order(name, node, scope, walk)
    if scope.first is not None and is_aggregate(name):
        scope = replace(scope, in_aggregate=True)
    if name in CAST_NAMES and len(node.arguments) == 1:
        return build.cast(walk.read(node.arguments[0], scope), parse_type(name), walk.settings, shown=False)
    if name in DATAFRAMES_ONLY:
        raise NotNative(reasons.FUNCTION_UNKNOWN, f"{name} is not a SQL function")
    if node.within_group and name not in OF_THE_ORDERED | TAKES_AN_ORDER:
        raise NotNative(reasons.AGGREGATE_ORDER, f"{name} WITHIN GROUP")
    if node.within_group and (node.distinct or (name == "mode" and node.arguments)) and name not in TAKES_AN_ORDER:
        raise NotNative(reasons.AGGREGATE_ORDER, f"{name} WITHIN GROUP with DISTINCT or further arguments")
    if name == "struct" and node.arguments:
        return struct_of(struct_fields(node.arguments, scope, walk), walk.settings)
    check_nulls_clause(name, node, walk)
    within = tuple(sort_order(item, scope, walk) for item in node.within_group)
    metadata: list[Metadata] = []
    given = named_values(node, scope, walk, metadata) if name == "named_struct" else arguments(name, node, scope, walk)
    made = build.call(
        name,
        [within[0].child, *given] if within and name in OF_THE_ORDERED else given,
        walk.settings,
        distinct=node.distinct,
        ordering=within,
        filter=walk.read(node.filter, scope) if node.filter is not None else None,
        ignore_nulls=node.nulls == "IGNORE",
    )
    return with_metadata(made, metadata) if metadata else made


# FunctionResolution.applyIgnoreNulls: the functions that have the clause, by what they do without it.
KEEP_NULLS = frozenset({"first", "first_value", "last", "last_value", "any_value", "nth_value", "lead", "lag"})
DROP_NULLS = frozenset({"collect_list", "array_agg", "collect_set"})


def check_nulls_clause(name: str, node: tree.Function, walk: Walk) -> None:
    """RESPECT NULLS adds the nulls that collect_list leaves out, and outweighs an argument: `first(x, true)`."""
    if node.nulls == "RESPECT" and (name in DROP_NULLS or (name in KEEP_NULLS and has_nulls_argument(name, node))):
        raise NotNative(reasons.FUNCTION_OPTION, f"RESPECT NULLS of {name}")
    if node.nulls == "IGNORE" and is_aggregate(name) and name not in KEEP_NULLS | DROP_NULLS:
        shown = next(signature for signature in overloads(name)).function
        condition = "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"
        raise walk.with_context(SparkError(condition, prettyName=f"`{shown}`", syntax="IGNORE NULLS"), node)


def has_nulls_argument(name: str, node: tree.Function) -> bool:
    return len(node.arguments) > {"nth_value": 2, "lead": 3, "lag": 3}.get(name, 1)


TAKES_AN_ORDER = frozenset({"listagg", "string_agg"})


def is_aggregate_node(node: tree.Node, walk: Walk) -> bool:
    return isinstance(node, tree.Function) and is_aggregate(function_name(node, walk))


def is_generator_node(node: tree.Node, walk: Walk) -> bool:
    return isinstance(node, tree.Function) and any(s.kind == GENERATOR for s in overloads(function_name(node, walk)))


def is_aggregate(name: str) -> bool:
    return any(signature.kind == AGGREGATE for signature in overloads(name))


def session_function(node: tree.Function, scope: Scope, walk: Walk) -> Expression | None:
    """A SQL function of the session or of a catalog; built-in names take precedence."""
    functions = walk.context.functions
    if functions is None or not isinstance(node.name, tree.Name) or is_builtin(node.name.parts):
        return None
    found = functions.find(node.name.parts, walk.context)
    over_window = node.over is not None and not getattr(found, "is_aggregate", False)
    if found is not None and not over_window and node.filter is None and not node.distinct:
        made: Expression = found.call(node, scope, walk)
        return made
    problem = None if found is not None else functions.unresolved_error(node.name.parts, walk.context)
    if problem is not None:
        raise problem
    return None


def is_builtin(parts: tuple[str, ...]) -> bool:
    names = tuple(part.lower() for part in parts)
    return names[-1] in SPARK_FUNCTIONS and names[:-1] in ((), ("builtin",), ("system", "builtin"))


def function_name(node: tree.Function, walk: Walk) -> str:
    parts = [part.lower() for part in name_parts(node.name, walk)]
    if len(parts) > 1 and parts[:-1] not in (["system", "builtin"], ["builtin"]):
        raise NotNative(reasons.FUNCTION_UNKNOWN, ".".join(parts))
    return parts[-1]


def arguments(name: str, node: tree.Function, scope: Scope, walk: Walk) -> list[Expression]:
    """count(*) is count(1); other stars are expanded."""
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
    """A value extracted by a constant string has that name, whatever it is extracted from (CreateStruct)."""
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
    """A field without a name of its own has no metadata, except a field of a struct."""
    if isinstance(node, NAMED):
        return named
    name = constant_key(node) or f"col{index + 1}"
    return Named(named.expression, name, is_whole=not isinstance(named.expression, GetField))


def named_values(node: tree.Function, scope: Scope, walk: Walk, metadata: list[Metadata]) -> list[Expression]:
    """The arguments of named_struct(name, value, …); collects the metadata of the values."""
    if any(isinstance(each, tree.Star) for each in node.arguments):
        return arguments("named_struct", node, scope, walk)
    columns = [walk.column(each, scope) for each in node.arguments]
    metadata += [
        struct_field(*pair, 0).output_metadata for pair in zip(columns[1::2], node.arguments[1::2], strict=True)
    ]
    return [each.expression for each in columns]


@walks(tree.Struct, tree.Row)
def walk_struct(node: tree.Struct | tree.Row, scope: Scope, walk: Walk) -> Expression:
    made = struct_of(struct_fields(node.fields, scope, walk), walk.settings)
    if not isinstance(made, Call) or any(isinstance(each, tree.Star) for each in node.fields):
        return made
    return replace(made, text=struct_text(node, made.arguments))


def struct_text(node: tree.Struct | tree.Row, parts: Sequence[Expression]) -> str:
    """(a, b) is shown as named_struct; STRUCT(a, b AS c) is shown as it was called."""
    shown = [
        f"{value.text} AS {quote_if_needed(name.text)}" if isinstance(field, tree.Alias) else value.text
        for field, name, value in zip(node.fields, parts[::2], parts[1::2], strict=True)
    ]
    if isinstance(node, tree.Struct):
        return f"struct({', '.join(shown)})"
    pairs = [f"{name.text}, {value}" for name, value in zip(parts[::2], shown, strict=True)]
    return f"named_struct({', '.join(pairs)})"


def like_row(made: Expression, model: Expression) -> Expression:
    """A row with the field names of another: comparisons go by position, not by name."""
    if not isinstance(made.type, StructType) or not isinstance(model.type, StructType) or not isinstance(made, Call):
        return made
    names = model.type.names
    if made.name != "struct" or names == made.type.names or not have_same_types(made.type, model.type):
        return made
    parts = [part for name, value in zip(names, made.arguments[1::2], strict=True) for part in (literal(name), value)]
    return replace(build.call("struct", parts, made.settings), text=made.text)


def have_same_types(one: StructType, other: StructType) -> bool:
    return [f.dataType.simpleString() for f in one] == [f.dataType.simpleString() for f in other]


@walks(tree.FirstLast)
def walk_first_last(node: tree.FirstLast, scope: Scope, walk: Walk) -> Expression:
    name = node.function.lower()
    child = walk.read(node.child, scope)
    return build.call(name, [child], walk.settings, ignore_nulls=node.ignore_nulls)


# ---- lambdas


def higher_order(name: str, node: tree.Function, scope: Scope, walk: Walk) -> Expression:
    def body(argument: tree.Lambda) -> Any:
        def make(variables: list[Any]) -> Lambda:
            try:
                names = parameter_names(argument.parameters, walk.settings)
            except SparkError as error:
                raise walk.with_context(error, argument) from error
            inner = scope.within(dict(zip(names, variables, strict=False)))
            return lambda_of(lambda_body(argument.body, inner, walk), variables[: len(names)])

        return make, len(argument.parameters)

    parts = [body(a) if isinstance(a, tree.Lambda) else walk.read(a, scope) for a in node.arguments]
    return call_with_lambdas(name, parts, walk.settings)


def lambda_body(node: tree.Expression, scope: Scope, walk: Walk) -> Expression:
    """Falls back for unresolved names, since Spark's query context is the whole column or the SELECT."""
    try:
        return walk.read(node, scope)
    except SparkError as error:
        if not error.condition.startswith(("DATATYPE_MISMATCH.", "WRONG_NUM_ARGS.")):
            raise NotNative(reasons.ERROR_MESSAGE, "an error inside a lambda function", likely_error=error) from error
        raise


# ---- windows


def over(function: Expression, spec: tree.WindowSpec, scope: Scope, walk: Walk) -> Expression:
    definition = window_definition(spec, scope)
    partition = walk.reads(definition.partition, scope)
    ordering = [sort_order(item, scope, walk) for item in definition.order]
    frame = read_frame(definition.frame, ordering, scope, walk) if definition.frame is not None else None
    made = window_call(function, partition, ordering, frame, walk.settings)
    if scope.aliases:  # otherwise it is not in a SELECT list
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
        raise walk.with_context(error, item) from None
    return order


def direction(item: tree.SortItem, child: Expression) -> SortOrder:
    ascending = item.ordering != "DESC"
    nulls_first = item.nulls == "FIRST" if item.nulls else ascending
    return SortOrder(child=child, ascending=ascending, nulls_first=nulls_first)


def read_frame(node: tree.WindowFrame, ordering: Sequence[SortOrder], scope: Scope, walk: Walk) -> WindowFrame:
    lower = read_bound(node.begin, scope, walk)
    upper = read_bound(node.end, scope, walk, True) if node.end is not None else 0
    if isinstance(lower, int) and isinstance(upper, int) and lower > upper:
        raise NotNative(reasons.WINDOW_FRAME, "a frame that ends before it begins")
    check_intervals((lower, upper), ordering, node.unit == "RANGE")
    types = [type(o.child.type) for o in ordering]
    is_cast = node.unit == "RANGE" and types not in ([IntegerType], *([kind] for kind in MOMENTS))
    if is_cast and len(ordering) != 1 and (node.begin.value is not None or (node.end and node.end.value is not None)):
        raise NotNative(reasons.WINDOW_FRAME, "RANGE with several orderings or none")
    text = " AND ".join(bound_text(n, b, is_cast) for n, b in ((node.begin, lower), (node.end, upper)))
    return WindowFrame(rows=node.unit == "ROWS", lower=lower, upper=upper, text=f"{node.unit} BETWEEN {text}")


def bound_text(node: tree.FrameBound | None, bound: Expression | int | None, is_cast: bool) -> str:
    """SQL shows the keyword that was written, unless the bound is cast; DataFrames always show FOLLOWING."""
    if node is None or node.value is None:
        return node.kind if node is not None else "CURRENT ROW"
    shown = abs(bound) if isinstance(bound, int) else bound.text if bound is not None else ""
    if is_cast and node.kind == "PRECEDING":
        return f"(- {shown}) FOLLOWING"
    return f"{shown} {node.kind}"


def read_bound(node: tree.FrameBound, scope: Scope, walk: Walk, is_end: bool = False) -> Expression | int | None:
    if node.value is None:
        if (node.kind == "UNBOUNDED FOLLOWING") != is_end and node.kind != "CURRENT ROW":
            raise NotNative(reasons.WINDOW_FRAME, "a frame that begins at its end")
        return 0 if node.kind == "CURRENT ROW" else None
    value = walk.read(node.value, scope)
    if isinstance(value, Literal) and isinstance(value.type, IntegerType) and value.value is not None:
        return -value.value if node.kind == "PRECEDING" else value.value
    if isinstance(value, Literal) and isinstance(value.type, INTERVALS) and value.value is not None:
        return replace(value, value=-value.value) if node.kind == "PRECEDING" else value
    raise NotNative(reasons.WINDOW_FRAME, "a bound that is not a whole number")


INTERVALS = (DayTimeIntervalType, YearMonthIntervalType)
MOMENTS = (DateType, TimestampType, TimestampNTZType)


def has_time(bound: Expression | int | None) -> bool:
    return isinstance(bound, Literal) and isinstance(bound.type, DayTimeIntervalType) and bound.type.endField > 0


def check_intervals(bounds: Sequence[Expression | int | None], ordering: Sequence[SortOrder], is_range: bool) -> None:
    """Interval bounds are valid only in a RANGE over one date or timestamp."""
    if not any(isinstance(bound, Literal) for bound in bounds):
        return
    if not is_range or len(ordering) != 1 or not isinstance(ordering[0].child.type, MOMENTS):
        raise NotNative(reasons.WINDOW_FRAME, "an interval as a bound of ROWS, or beside a number")
    if isinstance(ordering[0].child.type, DateType) and any(has_time(bound) for bound in bounds):
        raise NotNative(reasons.WINDOW_FRAME, "RANGE with hours over dates")
    values: list[Any] = [bound.value if isinstance(bound, Literal) else bound for bound in bounds]
    types = {bound.type.simpleString() for bound in bounds if isinstance(bound, Literal)}
    if len(types) > 1 or (None not in values and values[0] > values[1]):
        raise NotNative(reasons.WINDOW_FRAME, "a frame that ends before it begins")
