"""Falls back for plans that would take minutes to plan here or in DuckDB: deep reuse of WITH and views, many joins.

DuckDB does not check for interrupts while it plans, so such a plan must not reach it. Measured with DuckDB 2.0:
ordering joins of 60 tables takes 0.4 s, of 100 tables 4 s, of 200 minutes; each level of nested lambdas takes 2.3 times
as long as the one before."""

from twinspark.analysis.scope.outer_references import size_of
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression, Lambda, children_of
from twinspark.plan.relations import Filter, Join, Project, Relation, relations_in
from twinspark.types import DataType, inner_types

MOST_RELATIONS = 20_000  # each counted as often as it is used
MOST_JOINED = 100
MOST_LAMBDAS = 10
MOST_TYPE_LEVELS = 64  # Arrow's limit, in DuckDB and in clients


def check_size(relation: Relation) -> None:
    """WITH and views are planned at each use: forty that each read the previous one twice are 2^40 relations."""
    if size_of(relation) > MOST_RELATIONS:
        raise NotNative(reasons.QUERY_TOO_LARGE, f"a plan of more than {MOST_RELATIONS} relations")


def check_joins(plan: Relation) -> None:
    joined = sum(isinstance(each, Join) for each in relations_in(plan))
    if joined > MOST_JOINED and any(joined_under(each) > MOST_JOINED for each in relations_in(plan)):
        raise NotNative(reasons.QUERY_TOO_LARGE, f"joins of more than {MOST_JOINED} relations")


def joined_under(relation: Relation) -> int:
    """The number of joins that DuckDB orders together: filters and projections between them do not separate them."""
    count = 0
    pending: list[Relation] = [relation] if isinstance(relation, Join) else []
    while pending:
        each = pending.pop()
        count += isinstance(each, Join)
        pending.extend(below for below in each.inputs if isinstance(below, Join | Project | Filter))
    return count


def check_lambda(node: Lambda) -> None:
    if lambdas_in(node) > MOST_LAMBDAS:
        raise NotNative(reasons.QUERY_TOO_LARGE, f"lambda functions nested more than {MOST_LAMBDAS} levels")


def lambdas_in(node: Expression) -> int:
    below = max(map(lambdas_in, children_of(node)), default=0)
    return below + isinstance(node, Lambda)


def check_type_levels(type: DataType) -> None:
    if levels_of(type) > MOST_TYPE_LEVELS:
        raise NotNative(reasons.QUERY_TOO_LARGE, f"a type nested more than {MOST_TYPE_LEVELS} levels")


def levels_of(type: DataType, levels: int = 0) -> int:
    """Stops as soon as the limit is exceeded."""
    inner = inner_types(type)
    if not inner or levels > MOST_TYPE_LEVELS:
        return levels
    return max(levels_of(each, levels + 1) for each in inner)
