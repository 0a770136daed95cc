"""Makes queries that stand inside expressions: scalar, EXISTS and IN, with what of them Spark knows how to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from twinspark.analysis import build, outer
from twinspark.analysis.collated_calls import key as collation_key
from twinspark.errors import NotNative, SparkError
from twinspark.functions.common_types import wider_type
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import AggregateCall, Column, Expression, GetField, Literal, OuterColumn, Subquery
from twinspark.plan.python_functions import ARROW_TABLE
from twinspark.plan.pythons import PythonTable
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
    """What a sketch of no rows is beside the query around depends on how each engine makes a join of it."""
    if any(outer.outer_columns(relation)) and any(map(has_sketch, relations_in(relation))):
        raise NotNative("a sketch in a query that uses columns of the query around")


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
    """Spark takes unknown as false, of IN and of NOT IN alike (RewritePredicateSubquery), and calls it nullable."""
    check_correlation(relation)
    raw = raw_in(values, relation, settings)
    test = build.call("not", [raw], settings) if negated else raw
    known = build.call("coalesce", [test, build.literal(False)], settings, text=test.text)
    return replace(known, nullable=raw.nullable)


def raw_in(values: Sequence[Expression], relation: Relation, settings: Settings) -> Subquery:
    left = values[0].text if len(values) == 1 else f"named_struct({', '.join(map(row_field, values, count()))})"
    text = f"({left} IN (listquery({', '.join(outer_names(relation))})))"
    if len(values) != len(relation.fields):
        raise different_lengths(text, values, relation)
    types = [wider_type(v.type, f.type, settings.ansi) for v, f in zip(values, relation.fields, strict=True)]
    wanted = [type for type in types if type is not None]
    if len(wanted) < len(types) or any(map(has_variant, wanted)):
        raise NotNative("IN between types that do not meet")
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
    """Strings with a collation are compared by its keys."""
    if not any(has_collation(field.type) for field in relation.fields):
        return relation
    keys = tuple(map(collation_key, relation.columns()))
    fields = tuple(Field(f.name, k.type, f.nullable) for f, k in zip(relation.fields, keys, strict=True))
    return Project(input=relation, expressions=keys, fields=fields)


def row_field(value: Expression, index: int) -> str:
    """Columns and their fields have names, and so do constants that are numbers, strings or NULL."""
    plain = isinstance(value, Literal) and (is_numeric(value.type) or is_string(value.type) or is_null(value.type))
    name = value.text if plain or isinstance(value, Column | GetField) else f"_{index}"
    return f"'{name}', {value.text}"


def different_lengths(text: str, values: Sequence[Expression], relation: Relation) -> SparkError:
    return SparkError(
        "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
        sqlExpr=quoted(text),
        leftLength=len(values),
        rightLength=len(relation.fields),
        leftColumns=", ".join(quoted(v.text) for v in values),
        rightColumns=", ".join(quoted(f.name) for f in relation.fields),
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
    """The columns around that a subquery uses, every time it does, as Spark lists them in its name."""
    return [column.name for column in outer.outer_columns(relation)]


def check_correlation(relation: Relation) -> None:
    """Where Spark allows a column of the relation around: anywhere else it has errors of its own."""
    for node in relations_in(relation):
        if isinstance(node, Filter | Project):
            continue
        if any(outer_columns(e) for e in own_expressions(node)):
            raise NotNative(f"an outer column in a relation of kind {type(node).__name__}")


def check_lateral(relation: Relation, kind: str) -> None:
    check_generated(relation, kind)
    if not has_generate(relation):
        check_correlation(relation)


def check_generated(relation: Relation, kind: str) -> None:
    calls = [node for node in relations_in(relation) if isinstance(node, PythonTable)]
    arrow = [call for call in calls if call.function.eval_type == ARROW_TABLE]
    if any(call.has_table for call in arrow):
        raise NotNative("a lateral join with an Arrow table function of a table: what Spark refuses first")
    if arrow:
        raise SparkError("LATERAL_JOIN_WITH_ARROW_UDTF_UNSUPPORTED")


def lateral_join(join: Join) -> Join:
    """Spark loses the rows of a left lateral join without a condition for which a mere generator gives none: it puts
    the generator over the left side, whatever the kind of the join (OptimizeOneRowRelationSubquery)."""
    loses = join.kind == "left" and join.condition is None and is_generated(join.right)
    return replace(join, lateral=True, kind="inner" if loses else join.kind)


def is_generated(relation: Relation) -> bool:
    if not has_generate(relation):
        return False
    if any(isinstance(node, Subquery) for each in expressions_in(relation) for node in walk(each)):
        raise NotNative("a left lateral join with a generator and a query")
    while isinstance(relation, Project | Generate):
        relation = relation.input
    return isinstance(relation, OneRow)


def has_generate(relation: Relation) -> bool:
    return any(isinstance(node, Generate) for node in relations_in(relation))
