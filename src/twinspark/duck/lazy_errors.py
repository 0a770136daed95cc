"""Decides whether Spark may raise another error than DuckDB, or none: it evaluates fewer values, or in another
order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.common_types import can_up_cast
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    Literal,
    OuterColumn,
    Subquery,
    Variable,
    WindowCall,
    children_of,
)
from twinspark.plan.relations import (
    Aggregate,
    Filter,
    Join,
    Limit,
    OneRow,
    Relation,
    Values,
    own_expressions,
    relations_in,
)
from twinspark.plan.rewrite import walk
from twinspark.types import (
    INTERVAL,
    MAX_PRECISION,
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    is_numeric,
    is_string,
)

# Functions that cannot fail.
QUIET = {"=", "==", "<=>", "<", "<=", ">", ">=", "!=", "and", "or", "not", "isnull", "isnotnull", "in", "coalesce"}


# The divisor is evaluated first (DivModLike.eval).
RIGHT_FIRST = {"/", "%", "mod", "div", "pmod", "try_divide", "try_mod"}


def may_fail(node: Expression) -> bool:
    """Whether this kind of expression can raise an error."""
    if isinstance(node, Cast):
        return node.mode == "ansi" and not is_string(node.type) and not widens(node.child.type, node.type)
    return isinstance(node, Call) and node.name not in QUIET


def widens(source: DataType, target: DataType) -> bool:
    """Whether it is a lossless numeric cast, as most implicit casts are."""
    return is_numeric(source) and is_numeric(target) and can_up_cast(source, target)


def doubt_about(plan: Relation) -> str:
    """Why Spark may raise another error or none; empty if it certainly raises this one."""
    found = (reason for relation in relations_in(plan) for reason in doubts(relation))
    return next(found, "")


def doubts(relation: Relation) -> Iterator[str]:
    if isinstance(relation, Limit):
        yield "LIMIT may leave the row out"
    if isinstance(relation, Join):  # conditions may be pushed to a side or stay after the join
        yield "the join may leave the row out"
    if isinstance(relation, Filter) and isinstance(relation.input, Filter) and any(map(is_busy, conditions(relation))):
        yield "another condition may come first"
    if any(is_known(node) for top in own_expressions(relation) for node in walk(top)):
        yield "Spark may know the result without computing it"
    if any(map(has_wrapping_frame, own_expressions(relation))):
        yield "the bound of a window frame exceeds its type"
    if any(map(beside_null, own_expressions(relation))):
        yield "Spark evaluates nothing beside a null"
    if any(stops_early(node) for top in own_expressions(relation) for node in walk(top)):
        yield "exists and forall evaluate no element after the one that decides"


QUANTIFIERS = {"exists", "forall", "any_match"}


def stops_early(node: Expression) -> bool:
    """ArrayExists and ArrayForAll leave their loop at the first element that decides."""
    return isinstance(node, Call) and node.name in QUANTIFIERS and any(map(may_fail, walk(node.arguments[-1])))


ABOUT_NULLS = {"isnull", "isnotnull", "nvl2", "count"}


def is_known(node: Expression) -> bool:
    """Whether the optimizer knows the result: IS NULL of a non-nullable, equal branches (NullPropagation,
    SimplifyIf)."""
    if isinstance(node, Case):
        values = {value for _, value in node.branches} | {node.otherwise}
        return len(values) == 1 and any(is_busy(test) for test, _ in node.branches)
    if isinstance(node, Call) and node.name == "if":
        return node.arguments[1] == node.arguments[2] and is_busy(node.arguments[0])
    if not isinstance(node, Call) or node.name not in ABOUT_NULLS:
        return False
    tested = node.arguments[:1] if node.name == "nvl2" else node.arguments
    return not any(each.nullable for each in tested) and any(may_fail(node) for each in tested for node in walk(each))


def has_wrapping_frame(expression: Expression) -> bool:
    """Without ANSI mode the bound of a RANGE frame wraps around on overflow."""
    return any(isinstance(node, WindowCall) and wraps(node) for node in walk(expression))


def wraps(call: WindowCall) -> bool:
    if call.frame is None or call.frame.rows or call.function.settings.ansi:
        return False
    return any(bound not in (None, 0) for bound in (call.frame.lower, call.frame.upper))


def conditions(relation: Relation) -> Iterator[Expression]:
    """The conditions of a relation, split at AND."""
    while isinstance(relation, Filter):
        yield relation.condition
        relation = relation.input


def beside_null(expression: Expression) -> bool:
    """A call stops at its first null argument (BinaryExpression.eval), before later arguments can fail."""
    if isinstance(expression, Subquery) and (is_join(expression) or doubt_about(expression.relation)):
        return True
    arguments = expression.arguments if isinstance(expression, Call) else ()
    if isinstance(expression, Call) and expression.name in RIGHT_FIRST:
        arguments = arguments[::-1]
    for place in range(1, len(arguments)):
        if any(one.nullable for one in arguments[:place]) and fails_within(expression, arguments[place]):
            return True
    return any(map(beside_null, children_of(expression)))


def is_join(subquery: Subquery) -> bool:
    """An error in a correlated subquery may be reported as a failed broadcast; too many rows are not."""
    if subquery.kind == "scalar" and not any(outer_columns(subquery.relation)):
        return False
    return any(may_fail(node) for _, node in positioned_expressions(subquery.relation))


def is_busy(expression: Expression) -> bool:
    """Whether it may fail for some rows; constants fail while planning, whatever the other arguments are."""
    return depends_on_rows(expression) and any(map(may_fail, walk(expression)))


def fails_within(call: Expression, argument: Expression) -> bool:
    """Whether the argument may fail; Spark evaluates no part of a constant call alone (ConstantFolding)."""
    if is_busy(argument):
        return True
    is_plain = isinstance(call, Call) and call.name not in CONDITIONAL and not depends_on_rows(call)
    return is_plain and any(map(may_fail, walk(argument)))


# Of these the engines evaluate the same arguments.
CONDITIONAL = {"if", "iff", "coalesce", "nvl", "nvl2", "ifnull", "nullif", "and", "or"}


def depends_on_rows(expression: Expression) -> bool:
    return any(isinstance(node, Column | OuterColumn | Variable | Subquery) for node in walk(expression))


# ---- where Spark evaluates more

FAILING = {"+", "-", "*", "/", "%", "div", "mod", "pmod", "abs", "negative", "element_at", "getarrayitem"}


def check_filtered_arguments(plan: Relation) -> None:
    """With DISTINCT aggregates Spark may evaluate arguments before the FILTER (RewriteDistinctAggregates)."""
    for relation in relations_in(plan):
        if isinstance(relation, Aggregate):
            calls = [node for each in relation.aggregates for node in walk(each) if isinstance(node, AggregateCall)]
            distinct = [call for call in calls if call.distinct]
            if len(distinct) > 1 and any(call.ordering for call in distinct):
                raise NotNative(
                    reasons.AGGREGATE_DISTINCT, "DISTINCT values with an ordering, beside other DISTINCT aggregates"
                )
            if distinct and any(map(fails_unfiltered, calls)):
                raise NotNative(
                    reasons.ERROR_TIMING,
                    "an argument may fail on rows that FILTER excludes, beside DISTINCT aggregates",
                )


def fails_unfiltered(call: AggregateCall) -> bool:
    nodes = [node for argument in call.arguments for node in walk(argument)]
    return call.filter is not None and call.settings.ansi and any(map(is_failing, nodes))


def is_failing(node: Expression) -> bool:
    if isinstance(node, Cast):
        return may_fail(node)
    return isinstance(node, Call) and node.name in FAILING


# ---- errors of different rows

OVERFLOWING = {"+", "-", "*", "abs", "negative"}


def rival(plan: Relation, condition: str) -> str:
    """Why Spark may raise an error of another kind first: it evaluates row by row, DuckDB function by function."""
    if condition not in RIVALS:
        return ""
    looked_at = [found for found in positioned_expressions(plan) if has_one_row(plan) or uses_columns(found[1])]
    raising = [found for found in looked_at if RIVALS[condition](found[1])]
    others = [test for name, test in RIVALS.items() if name != condition and test is not RIVALS[condition]]
    rivals = (found for found in looked_at if any(test(found[1]) for test in others))
    if condition in INTERVALS and len({id(node) for _, node in looked_at if scales_interval(node)}) > 1:
        return "several intervals in the query may have raised it"
    single = has_one_row(plan)  # with one row, operands are evaluated before their operator in both engines
    beside = any(
        not all(is_beneath(one, raiser) or (single and is_inside(raiser[1], one[1])) for raiser in raising)
        for one in rivals
    )
    return "another error may come first" if beside else ""


Placed = tuple[Relation, Expression]


def positioned_expressions(plan: Relation) -> Iterator[Placed]:
    for relation in relations_in(plan):
        yield from ((relation, node) for top in own_expressions(relation) for node in walk(top))


def is_beneath(one: Placed, other: Placed) -> bool:
    """Whether it is evaluated for all rows before the other."""
    if any(relation is one[0] for below in other[0].inputs for relation in relations_in(below)):
        return True
    return is_inside(one[1], other[1])


def is_inside(one: Expression, other: Expression) -> bool:
    return any(node is one for node in walk(other))


def has_one_row(plan: Relation) -> bool:
    leaves = [relation for relation in relations_in(plan) if not relation.inputs]
    return all(isinstance(leaf, OneRow) or (isinstance(leaf, Values) and len(leaf.rows) <= 1) for leaf in leaves)


def uses_columns(node: Expression) -> bool:
    return any(isinstance(inside, Column) for inside in walk(node))


def overflows(*types: type[DataType]) -> Callable[[Expression], bool]:
    return lambda node: (
        isinstance(node, Call) and node.name in OVERFLOWING and isinstance(node.type, types) and node.settings.ansi
    )


def divides(*names: str) -> Callable[[Expression], bool]:
    return lambda node: (
        isinstance(node, Call) and node.name in names and may_be_zero(node.arguments[-1]) and node.settings.ansi
    )


def may_be_zero(divisor: Expression) -> bool:
    """Whether it is anything but a constant other than zero."""
    while isinstance(divisor, Cast):
        divisor = divisor.child
    return not isinstance(divisor, Literal) or isinstance(divisor.value, str) or divisor.value == 0


def reads_text(node: Expression) -> bool:
    return isinstance(node, Cast) and may_fail(node) and is_string(node.child.type)


def indexes(*names: str) -> Callable[[Expression], bool]:
    return lambda node: isinstance(node, Call) and node.name in names and node.settings.ansi


def makes_decimal(node: Expression) -> bool:
    """Whether a decimal may exceed its precision: in a cast, or with 38 digits."""
    if not isinstance(node.type, DecimalType):
        return False
    if isinstance(node, Cast):
        return may_fail(node) and not can_up_cast(node.child.type, node.type)
    return isinstance(node, Call) and node.settings.ansi and node.type.precision == MAX_PRECISION


def scales_interval(node: Expression) -> bool:
    return isinstance(node, Call) and node.name in ("*", "/") and isinstance(node.type, INTERVAL)


def sums_intervals(node: Expression) -> bool:
    return isinstance(node, Call) and node.name in ("+", "-", "sum", "avg") and isinstance(node.type, INTERVAL)


READERS = ("to_timestamp", "to_timestamp_ntz", "to_timestamp_ltz", "to_date", "unix_timestamp", "to_unix_timestamp")


def reads_by_pattern(node: Expression) -> bool:
    """Whether it parses by a pattern: without one the string is cast, except in unix_timestamp."""
    if not isinstance(node, Call) or node.name not in READERS or not node.settings.ansi:
        return False
    return (
        bool(node.arguments) and is_string(node.arguments[0].type) and (len(node.arguments) > 1 or "unix" in node.name)
    )


def may_escape(node: Expression) -> bool:
    """Whether a LIKE pattern contains an escape, or is not constant."""
    if not isinstance(node, Call) or node.name not in ("like", "ilike"):
        return False
    pattern = node.arguments[1]
    is_plain = isinstance(pattern, Literal) and "\\" not in str(pattern.value)
    return not is_plain or len(node.arguments) > 2


DATES = ("make_date", "make_timestamp", "make_timestamp_ntz", "make_timestamp_ltz", "make_time")
INTERVALS = ("INTERVAL_DIVIDED_BY_ZERO", "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "JAVA")
RIVALS: dict[str, Callable[[Expression], bool]] = {
    "ARITHMETIC_OVERFLOW": overflows(IntegerType, LongType),
    "BINARY_ARITHMETIC_OVERFLOW": overflows(ByteType, ShortType),
    "DIVIDE_BY_ZERO": divides("/", "div"),
    "REMAINDER_BY_ZERO": divides("%", "mod", "pmod"),
    "CAST_INVALID_INPUT": reads_text,
    "INVALID_ARRAY_INDEX": indexes("getarrayitem"),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": indexes("element_at"),
    "INVALID_INDEX_OF_ZERO": indexes("element_at", "try_element_at"),
    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION": makes_decimal,
    "DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION": indexes(*DATES),
    "INVALID_FORMAT.ESC_IN_THE_MIDDLE": may_escape,
    "INVALID_FORMAT.ESC_AT_THE_END": may_escape,
    "CANNOT_PARSE_TIMESTAMP": reads_by_pattern,
    "INTERVAL_DIVIDED_BY_ZERO": scales_interval,
    "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION": sums_intervals,
    "JAVA": scales_interval,
}
