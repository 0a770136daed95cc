"""Makes generators (explode and its kin): rows multiply, the generator's columns stand where it stood."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.relations import Named, positions
from twinspark.analysis.scope import Attribute, Frame, deeper
from twinspark.errors import NotNative
from twinspark.functions.registry import GENERATOR
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Column, Expression, children_of
from twinspark.plan.relations import Field, Generate, Project


def is_generator(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.signature.kind == GENERATOR


def has_generator(expression: Expression) -> bool:
    return is_generator(expression) or any(map(has_generator, children_of(expression)))


def generate(frame: Frame, columns: Sequence[Named], settings: Settings) -> Frame:
    """One generator, alone or under an alias; its result is a struct type whose fields are the new columns."""
    places = [i for i, c in enumerate(columns) if has_generator(c.expression)]
    generator = columns[places[0]].expression
    if len(places) > 1 or not isinstance(generator, Call) or not is_generator(generator):
        raise NotNative("several generators, or a generator inside an expression")
    outer = generator.name.endswith("_outer")
    new = output_fields(columns[places[0]], generator, outer)
    width = len(frame.relation.fields)
    relation = Generate(input=frame.relation, generator=generator, outer=outer, fields=(*frame.relation.fields, *new))
    made = [
        Named(Column(type=f.type, nullable=f.nullable, text=f.name, index=width + i), f.name) for i, f in enumerate(new)
    ]
    placed = [*columns[: places[0]], *made, *columns[places[0] + 1 :]]
    return projected(frame, relation, placed)


def output_fields(named: Named, generator: Call, outer: bool) -> list[Field]:
    """`explode(a)` gives `col`, a single alias renames a single column."""
    fields = [Field(f.name, f.dataType, f.nullable or outer) for f in generator.type.fields]
    if named.name != generator.text and len(fields) == 1:
        return [Field(named.name, fields[0].type, fields[0].nullable)]
    if named.name != generator.text:
        raise NotNative("one name for several generated columns")
    return fields


def projected(frame: Frame, relation: Generate, columns: Sequence[Named]) -> Frame:
    attributes: tuple[Attribute, ...] = tuple(column.attribute() for column in columns)
    project = Project(
        input=relation,
        expressions=tuple(column.expression for column in columns),
        fields=tuple(a.as_field() for a in attributes),
    )
    return Frame(project, attributes, positions(attributes), plans=deeper(frame.plans, attributes))
