"""Says when an error of a running plan may not be Spark's: Spark looks at fewer values, or in another order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twinspark.analysis.outer import outer_columns
from twinspark.errors import NotNative
from twinspark.functions.common_types import can_up_cast
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

# What cannot fail itself, whatever its arguments do.
QUIET = {"=", "==", "<=>", "<", "<=", ">", ">=", "!=", "and", "or", "not", "isnull", "isnotnull", "in", "coalesce"}


# The divisor is looked at first (DivModLike.eval).
RIGHT_FIRST = {"/", "%", "mod", "div", "pmod", "try_divide", "try_mod"}


def may_fail(node: Expression) -> bool:
    """As far as its kind tells."""
    if isinstance(node, Cast):
        return node.mode == "ansi" and not is_string(node.type) and not widens(node.child.type, node.type)
    return isinstance(node, Call) and node.name not in QUIET


def widens(source: DataType, target: DataType) -> bool:
    """From a number to one that holds them all: what most casts are that nobody wrote."""
    return is_numeric(source) and is_numeric(target) and can_up_cast(source, target)


def doubtful(plan: Relation) -> str:
    """Why Spark may have no such error, or another one; nothing where it surely has this one."""
    found = (reason for relation in relations_in(plan) for reason in reasons(relation))
    return next(found, "")


def reasons(relation: Relation) -> Iterator[str]:
    if isinstance(relation, Limit):
        yield "rows that a limit may leave out"
    if isinstance(relation, Join):  # conditions, those above it too, move to its sides or stay behind it
        yield "which rows meet in a join"
    if isinstance(relation, Filter) and isinstance(relation.input, Filter) and any(map(is_busy, conditions(relation))):
        yield "which of several conditions comes first"
    if any(is_known(node) for top in own_expressions(relation) for node in walk(top)):
        yield "what Spark knows without looking"
    if any(map(has_wrapping_frame, own_expressions(relation))):
        yield "a bound of a frame beyond its type"
    if any(map(beside_null, own_expressions(relation))):
        yield "beside a null Spark looks no further"


ABOUT_NULLS = {"isnull", "isnotnull", "nvl2", "count"}


def is_known(node: Expression) -> bool:
    """Whether something is null that never is, or which of equal branches is taken (NullPropagation, SimplifyIf)."""
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
    """With ANSI off what a bound of values comes to begins anew at the least value."""
    return any(isinstance(node, WindowCall) and wraps(node) for node in walk(expression))


def wraps(call: WindowCall) -> bool:
    if call.frame is None or call.frame.rows or call.function.settings.ansi:
        return False
    return any(bound not in (None, 0) for bound in (call.frame.lower, call.frame.upper))


def conditions(relation: Relation) -> Iterator[Expression]:
    """Those joined by AND are filters over each other."""
    while isinstance(relation, Filter):
        yield relation.condition
        relation = relation.input


def beside_null(expression: Expression) -> bool:
    """A call stops at its first null argument (BinaryExpression.eval), before what stands behind it can fail."""
    if isinstance(expression, Subquery) and (is_join(expression) or doubtful(expression.relation)):
        return True
    arguments = expression.arguments if isinstance(expression, Call) else ()
    if isinstance(expression, Call) and expression.name in RIGHT_FIRST:
        arguments = arguments[::-1]
    for place in range(1, len(arguments)):
        if any(one.nullable for one in arguments[:place]) and is_busy(arguments[place]):
            return True
    return any(map(beside_null, children_of(expression)))


def is_join(subquery: Subquery) -> bool:
    """What fails on one side of a join may be told as a failure to bring it over; more rows than one are not."""
    if subquery.kind == "scalar" and not any(outer_columns(subquery.relation)):
        return False
    return any(may_fail(node) for _, node in placed(subquery.relation))


def is_busy(expression: Expression) -> bool:
    """Whether it may fail. What is constant fails before any row is looked at, beside a null or not."""
    nodes = list(walk(expression))
    return any(isinstance(node, Column | OuterColumn | Variable | Subquery) for node in nodes) and any(
        map(may_fail, nodes)
    )


# ---- where Spark looks at more

FAILING = {"+", "-", "*", "/", "%", "div", "mod", "pmod", "abs", "negative", "element_at", "getarrayitem"}


def check_filtered_arguments(plan: Relation) -> None:
    """Beside distinct ones Spark may compute an aggregate's arguments before its FILTER (RewriteDistinctAggregates)."""
    for relation in relations_in(plan):
        if isinstance(relation, Aggregate):
            calls = [node for each in relation.aggregates for node in walk(each) if isinstance(node, AggregateCall)]
            distinct = [call for call in calls if call.distinct]
            if len(distinct) > 1 and any(call.ordering for call in distinct):
                raise NotNative("distinct values in an order, beside other distinct ones: Spark loses the order")
            if distinct and any(map(fails_unfiltered, calls)):
                raise NotNative("an argument that may fail in rows that its FILTER leaves out, beside distinct values")


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
    """Why an error of another kind may come first: Spark takes row by row, DuckDB call by call."""
    if condition not in RIVALS:
        return ""
    looked_at = [found for found in placed(plan) if has_one_row(plan) or uses_columns(found[1])]
    raising = [found for found in looked_at if RIVALS[condition](found[1])]
    others = [test for name, test in RIVALS.items() if name != condition and test is not RIVALS[condition]]
    rivals = (found for found in looked_at if any(test(found[1]) for test in others))
    if condition in INTERVALS and len({id(node) for _, node in looked_at if scales_interval(node)}) > 1:
        return "which of several intervals it is"
    single = has_one_row(plan)  # then what an operand is made of has been computed before its operator
    beside = any(
        not all(is_beneath(one, raiser) or (single and is_inside(raiser[1], one[1])) for raiser in raising)
        for one in rivals
    )
    return "which of several errors comes first" if beside else ""


Placed = tuple[Relation, Expression]


def placed(plan: Relation) -> Iterator[Placed]:
    for relation in relations_in(plan):
        yield from ((relation, node) for top in own_expressions(relation) for node in walk(top))


def is_beneath(one: Placed, other: Placed) -> bool:
    """Computed for all rows before the other is."""
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
    """A constant that is not zero, or null, never fails."""
    while isinstance(divisor, Cast):
        divisor = divisor.child
    return not isinstance(divisor, Literal) or isinstance(divisor.value, str) or divisor.value == 0


def reads_text(node: Expression) -> bool:
    return isinstance(node, Cast) and may_fail(node) and is_string(node.child.type)


def indexes(*names: str) -> Callable[[Expression], bool]:
    return lambda node: isinstance(node, Call) and node.name in names and node.settings.ansi


def makes_decimal(node: Expression) -> bool:
    """Beyond its digits: what a cast or the longest decimals cannot hold."""
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
    """Without a pattern a text is cast, but where seconds are counted."""
    if not isinstance(node, Call) or node.name not in READERS or not node.settings.ansi:
        return False
    return (
        bool(node.arguments) and is_string(node.arguments[0].type) and (len(node.arguments) > 1 or "unix" in node.name)
    )


def may_escape(node: Expression) -> bool:
    """A pattern of LIKE with an escape in it, or one that is not known."""
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
