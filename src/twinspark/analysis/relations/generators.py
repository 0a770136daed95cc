"""Builds generators (explode and others): extracts them from a select list, in whose place their columns then are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.relations.basics import Named, distinct_ids, passed_column, positions, projection_frame, visible
from twinspark.analysis.scope.frames import Attribute, Attributes, Frame, FrameSource, deeper
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.registry import GENERATOR
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import Call, Expression, children_of
from twinspark.plan.relations import Field, Generate, Project, Relation
from twinspark.plan.rewrite import walk


def is_generator(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.signature.kind == GENERATOR


def has_generator(expression: Expression) -> bool:
    return is_generator(expression) or any(map(has_generator, children_of(expression)))


def check_name(column: Named) -> None:
    """In a select list with a generator, Spark removes aliases inside a column before it derives the column's name."""
    if column.name != column.expression.text or " AS " not in column.name:
        return
    if any(isinstance(node, Call) and node.name in STRUCTS and " AS " in node.text for node in walk(column.expression)):
        raise NotNative(
            reasons.COLUMN_NAME_GENERATED, "an expression with an alias inside, beside a generator function"
        )


STRUCTS = frozenset({"struct", "named_struct"})


def generate(frame: Frame, columns: Sequence[Named], settings: Settings) -> Frame:
    """Applies the generators of a select list one after the other; each returns a struct of its new columns."""
    placed: list[Named] = []
    for column in columns:
        if not has_generator(column.expression):
            check_name(column)
            placed.append(column)
            continue
        generator = top_generator(column.expression)
        outer = generator.name.endswith("_outer")
        new = tuple(Attribute(f.name, f.type, f.nullable) for f in output_fields(column, generator, outer))
        frame = add_generate(frame, generator, outer, new)
        placed += [passed_column(frame, attribute) for attribute in new]
    return list_of(frame, placed)


def add_generate(frame: Frame, generator: Call, outer: bool, new: Attributes) -> Frame:
    """A Generate node: the columns of the input, then those of the generator; hidden columns come last."""
    width = len(frame.relation.fields)

    def rebuild(below: Frame, extra: Attributes) -> Frame:
        fields = (*below.relation.fields, *(a.as_field() for a in new))
        relation = Generate(input=below.relation, generator=generator, outer=outer, fields=fields)
        slots = {id: index if index < width else index + len(new) for id, index in below.slots.items()}
        return Frame(
            new_columns_at(relation, width, len(new)),
            (*frame.attributes, *new),
            {**slots, **{a.id: width + i for i, a in enumerate(new)}},
            frame.hidden,
            deeper(below.plans, visible(below)),
            FrameSource(below, rebuild),
        )

    return rebuild(frame, ())


def new_columns_at(relation: Generate, width: int, count: int) -> Relation:
    """Keeps the generator's columns at their index when the input has more columns than before."""
    if len(relation.fields) == width + count:
        return relation
    columns = relation.columns()
    order = (*columns[:width], *columns[-count:], *columns[width:-count]) if count else columns
    return Project(input=relation, expressions=order, fields=tuple(relation.fields[c.index] for c in order))


def top_generator(expression: Expression) -> Call:
    inside = any(map(has_generator, children_of(expression)))
    if inside or not isinstance(expression, Call):
        raise SparkError("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", expression=quote_expression(expression.text))
    return expression


def output_fields(named: Named, generator: Call, outer: bool) -> list[Field]:
    """`explode(a)` returns `col`; an alias list renames all columns or none."""
    fields = [Field(f.name, f.dataType, f.nullable or outer) for f in generator.type.fields]
    names = named.names or ((named.name,) if named.name != generator.text else ())
    if names and len(names) != len(fields):
        raise SparkError("UDTF_ALIAS_NUMBER_MISMATCH", aliasesSize=len(fields), aliasesNames=",".join(names))
    return [replace(f, name=n) for f, n in zip(fields, names, strict=True)] if names else fields


def list_of(frame: Frame, columns: Sequence[Named]) -> Frame:
    attributes = distinct_ids(tuple(column.attribute() for column in columns))
    project = Project(
        input=frame.relation,
        expressions=tuple(column.expression for column in columns),
        fields=tuple(a.as_field() for a in attributes),
    )
    return projection_frame(frame, project, attributes, positions(attributes))
