"""How Spark aggregates: in a hash map if the aggregation buffer has a fixed size, otherwise by sorting."""

from __future__ import annotations

from enum import Enum

from twinspark.functions.strings.collations import WITHOUT_ICU
from twinspark.plan.expressions import AggregateCall, Column
from twinspark.plan.relations import Aggregate, Filter, Project, Relation
from twinspark.plan.rewrite import walk
from twinspark.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    StringType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
    is_collated,
    is_numeric,
)

FIXED = (BooleanType, DateType, TimestampType, TimestampNTZType, TimeType, DayTimeIntervalType, YearMonthIntervalType)
HASHABLE = (StringType, BinaryType, BooleanType, DateType, TimestampType, TimestampNTZType, TimeType, DecimalType)
ARGUMENTS = "min max first last first_value last_value any_value max_by min_by bool_and bool_or every some any"
NUMBERS = (
    "count sum avg mean try_sum try_avg stddev stddev_samp stddev_pop std variance var_samp var_pop skewness kurtosis "
    "corr covar_samp covar_pop count_if bit_and bit_or bit_xor regr_avgx regr_avgy regr_count regr_intercept regr_r2 "
    "regr_slope regr_sxx regr_sxy regr_syy"
)
OBJECTS = (
    "collect_list collect_set array_agg percentile percentile_approx approx_percentile median mode listagg string_agg"
)
KEEPS_ITS_ARGUMENTS = frozenset(ARGUMENTS.split(" "))
KEEPS_NUMBERS = frozenset(NUMBERS.split(" "))
KEEPS_AN_OBJECT = frozenset(OBJECTS.split(" "))
ABOUT_SETS = frozenset({"grouping", "grouping_id"})  # functions of the grouping id, which Spark groups by as a key
SHORT_DECIMAL = 18  # largest precision of a decimal that is stored as a long
SUM_DIGITS = 10  # a sum has this many digits more than its input


class GroupOrder(Enum):
    """HASHED: groups in the order of their first rows. QUICK: the same, but each task's groups with null keys come
    last, as they are not in its fast hash map. VALUES: all groups with null keys come last. SORTED: by their keys."""

    HASHED = 1
    QUICK = 2
    VALUES = 3
    SORTED = 4


def grouping_of(relation: Aggregate) -> GroupOrder | None:
    """The choice of AggUtils.createAggregate; None where Spark aggregates in more than one step, or the keys' hash is
    not known."""
    found = [node for e in relation.aggregates for node in walk(e) if isinstance(node, AggregateCall)]
    calls = [call for call in found if call.name not in ABOUT_SETS]
    if any(call.distinct for call in calls):
        return None
    if not all(hashable(key.type) or is_sortable(key.type) for key in relation.grouping):
        return None
    names = {call.name for call in calls}
    objects = names & KEEPS_AN_OBJECT | {name for name in names if name.startswith(("kll_sketch_agg_", "histogram_"))}
    if not names <= KEEPS_ITS_ARGUMENTS | KEEPS_NUMBERS | objects:
        return None
    if any(is_collated(key.type) for key in relation.grouping):
        return GroupOrder.SORTED  # only types that are equal byte by byte are hashed
    if objects:
        return GroupOrder.HASHED
    if not all(map(is_fixed, calls)):
        return GroupOrder.SORTED
    quick = all(map(is_quick, calls)) and not any(isinstance(key.type, BinaryType) for key in relation.grouping)
    return GroupOrder.HASHED if not quick else GroupOrder.QUICK if calls else GroupOrder.VALUES


def is_quick(call: AggregateCall) -> bool:
    """Decimals that are not stored as longs are not supported by the fast hash map
    (HashAggregateExec.checkIfFastHashMapSupported)."""
    digits = [argument.type.precision for argument in call.arguments if isinstance(argument.type, DecimalType)]
    more = SUM_DIGITS if call.name in KEEPS_NUMBERS else 0
    return all(precision + more <= SHORT_DECIMAL for precision in digits)


def is_fixed(call: AggregateCall) -> bool:
    return call.name in KEEPS_NUMBERS or all(mutable(argument.type) for argument in call.arguments)


def mutable(type: DataType) -> bool:
    """UnsafeRow.isMutable: values of this type can be updated in place."""
    return is_numeric(type) or isinstance(type, FIXED)


def hashable(type: DataType) -> bool:
    """Types whose hash is known; strings only if they are compared by their bytes."""
    if isinstance(type, StringType):
        return type == StringType()
    return (is_numeric(type) and not isinstance(type, FloatType | DoubleType)) or isinstance(type, HASHABLE)


def is_sortable(type: DataType) -> bool:
    """Strings whose collation keys are known."""
    return isinstance(type, StringType) and type.collation in WITHOUT_ICU


def are_groups(relation: Relation) -> bool:
    """Whether the rows are groups with all grouping keys among the columns."""
    shown = set(range(len(relation.fields)))
    while isinstance(relation, Filter | Project):
        if isinstance(relation, Project):
            shown = {e.index for i, e in enumerate(relation.expressions) if i in shown and isinstance(e, Column)}
        relation = relation.input
    keyed = isinstance(relation, Aggregate) and bool(relation.grouping) and not relation.grouping_sets
    return keyed and isinstance(relation, Aggregate) and shown >= set(range(len(relation.grouping)))
