"""Builds subquery expressions (scalar, EXISTS, IN) and checks which correlated ones Spark supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from twinspark.analysis.collations.calls import collation_key as collation_key
from twinspark.analysis.expressions import build
from twinspark.analysis.scope import outer_references as outer
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import wider_type
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import is_null_constant, quote_expression
from twinspark.plan.expressions import AggregateCall, Column, Expression, GetField, Literal, OuterColumn, Subquery
from twinspark.plan.python_functions import ARROW_TABLE
from twinspark.plan.python_relations import PythonTable
from twinspark.plan.relations import (
    Field,
    Filter,
    Generate,
    Join,
    OneRow,
    Project,
    Relation,
    expressions_in,
    own_expressions,
    relations_in,
)
from twinspark.plan.rewrite import walk
from twinspark.types import BOOLEAN, DataType, has_collation, has_variant, is_null, is_numeric, is_string

SKETCHES = ("bitmap_", "hll_", "kll_", "theta_", "tuple_", "count_min_sketch", "approx_top_k", "histogram_numeric")


def check_no_sketch(relation: Relation) -> None:
    """Falls back if a correlated subquery aggregates a sketch: the sketch of no rows depends on how the join is
    planned."""
    if any(outer.outer_columns(relation)) and any(map(has_sketch, relations_in(relation))):
        raise NotNative(reasons.SUBQUERY_CORRELATED, "a sketch function in a correlated subquery")


def has_sketch(relation: Relation) -> bool:
    nodes = (node for each in own_expressions(relation) for node in walk(each))
    return any(isinstance(node, AggregateCall) and node.name.startswith(SKETCHES) for node in nodes)


def scalar_subquery(relation: Relation) -> Expression:
    check_correlation(relation)
    check_no_sketch(relation)
    if len(relation.fields) != 1:
        raise SparkError(
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
            number=len(relation.fields),
        )
    text = f"scalarsubquery({', '.join(outer_names(relation))})"
    return Subquery(type=relation.fields[0].type, nullable=True, text=text, kind="scalar", relation=relation)


def exists_subquery(relation: Relation) -> Expression:
    check_correlation(relation)
    text = f"exists({', '.join(outer_names(relation))})"
    return Subquery(type=BOOLEAN, nullable=False, text=text, kind="exists", relation=relation)


def in_subquery(values: Sequence[Expression], relation: Relation, negated: bool, settings: Settings) -> Expression:
    """Spark treats an unknown result of IN and of NOT IN as false (RewritePredicateSubquery), but types it as
    nullable."""
    check_correlation(relation)
    raw = raw_in(values, relation, settings)
    test = build.call("not", [raw], settings) if negated else raw
    if len(values) == 1 and is_null_constant(values[0]) and not any(outer.outer_columns(relation)):
        return null_in(test, settings)
    known = build.call("coalesce", [test, build.literal(False)], settings, text=test.text)
    return replace(known, nullable=raw.nullable)


def null_in(test: Expression, settings: Settings) -> Expression:
    """NULL IN a query: unknown unless the query has no rows, or always unknown without ANSI (NullPropagation)."""
    return test if settings.ansi else Literal(type=BOOLEAN, nullable=True, text=test.text, value=None)


def raw_in(values: Sequence[Expression], relation: Relation, settings: Settings) -> Subquery:
    left = values[0].text if len(values) == 1 else f"named_struct({', '.join(map(row_field, values, count()))})"
    text = f"({left} IN (listquery({', '.join(outer_names(relation))})))"
    if len(values) != len(relation.fields):
        raise different_lengths(text, values, relation)
    types = [wider_type(v.type, f.type, settings.ansi) for v, f in zip(values, relation.fields, strict=True)]
    wanted = [type for type in types if type is not None]
    if len(wanted) < len(types) or any(map(has_variant, wanted)):
        raise NotNative(reasons.TYPES_MIXED, "IN between types without a common type")
    made = tuple(collation_key(build.implicit_cast(v, t, settings)) for v, t in zip(values, wanted, strict=True))
    return Subquery(
        type=BOOLEAN,
        nullable=any(v.nullable for v in made) or any(f.nullable for f in relation.fields),
        text=text,
        kind="in",
        relation=by_keys(cast_columns(relation, wanted, settings)),
        values=made,
    )


def by_keys(relation: Relation) -> Relation:
    """Replaces strings with a collation by their collation keys."""
    if not any(has_collation(field.type) for field in relation.fields):
        return relation
    keys = tuple(map(collation_key, relation.columns()))
    fields = tuple(Field(f.name, k.type, f.nullable) for f, k in zip(relation.fields, keys, strict=True))
    return Project(input=relation, expressions=keys, fields=fields)


def row_field(value: Expression, index: int) -> str:
    """Columns, their fields, and literals of numbers, strings or NULL have names; others are numbered."""
    plain = isinstance(value, Literal) and (is_numeric(value.type) or is_string(value.type) or is_null(value.type))
    name = value.text if plain or isinstance(value, Column | GetField) else f"_{index}"
    return f"'{name}', {value.text}"


def different_lengths(text: str, values: Sequence[Expression], relation: Relation) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
        sqlExpr=quote_expression(text),
        leftLength=len(values),
        rightLength=len(relation.fields),
        leftColumns=", ".join(quote_expression(v.text) for v in values),
        rightColumns=", ".join(quote_expression(f.name) for f in relation.fields),
    )


def cast_columns(relation: Relation, types: Sequence[DataType], settings: Settings) -> Relation:
    columns = relation.columns()
    expressions = tuple(build.implicit_cast(c, t, settings) for c, t in zip(columns, types, strict=True))
    if all(e is c for e, c in zip(expressions, columns, strict=True)):
        return relation
    fields = tuple(Field(f.name, e.type, e.nullable) for f, e in zip(relation.fields, expressions, strict=True))
    return Project(input=relation, expressions=expressions, fields=fields)


def outer_columns(expression: Expression) -> list[OuterColumn]:
    return [node for node in walk(expression) if isinstance(node, OuterColumn)]


def outer_names(relation: Relation) -> list[str]:
    """The outer columns that a subquery uses, with repetitions, as Spark lists them in its name."""
    return [column.name for column in outer.outer_columns(relation)]


def check_correlation(relation: Relation) -> None:
    """Falls back for outer references outside filters and projections, some of which Spark rejects."""
    for node in relations_in(relation):
        if isinstance(node, Filter | Project):
            continue
        if any(outer_columns(e) for e in own_expressions(node)):
            raise NotNative(
                reasons.SUBQUERY_CORRELATED, f"an outer column inside the {type(node).__name__} of a subquery"
            )


def check_lateral(relation: Relation, kind: str) -> None:
    check_generated(relation, kind)
    if not has_generate(relation):
        check_correlation(relation)


def check_generated(relation: Relation, kind: str) -> None:
    calls = [node for node in relations_in(relation) if isinstance(node, PythonTable)]
    arrow = [call for call in calls if call.function.eval_type == ARROW_TABLE]
    if any(call.has_table for call in arrow):
        raise NotNative(reasons.JOIN_LATERAL, "an Arrow table function that takes a table, in a lateral join")
    if arrow:
        raise SparkError("LATERAL_JOIN_WITH_ARROW_UDTF_UNSUPPORTED")


def lateral_join(join: Join) -> Join:
    """Spark drops rows of a left lateral join without a condition if its right side is just a generator that returns no
    rows: it applies the generator to the left side, whatever the join type (OptimizeOneRowRelationSubquery)."""
    loses = join.kind == "left" and join.condition is None and is_generated(join.right)
    return replace(join, lateral=True, kind="inner" if loses else join.kind)


def is_generated(relation: Relation) -> bool:
    if not has_generate(relation):
        return False
    if any(isinstance(node, Subquery) for each in expressions_in(relation) for node in walk(each)):
        raise NotNative(reasons.JOIN_LATERAL, "a left lateral join with a generator function and a subquery")
    while isinstance(relation, Project | Generate):
        relation = relation.input
    return isinstance(relation, OneRow)


def has_generate(relation: Relation) -> bool:
    return any(isinstance(node, Generate) for node in relations_in(relation))
