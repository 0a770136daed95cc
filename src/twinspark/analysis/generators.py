"""Makes generators (explode and its kin): rows multiply, the generator's columns stand where it stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.relations import Named, positions
from twinspark.analysis.scope import Attribute, Frame, deeper
from twinspark.errors import NotNative, SparkError
from twinspark.functions.registry import GENERATOR
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Call, Column, Expression, children_of
from twinspark.plan.relations import Field, Generate, Project, Relation
from twinspark.plan.rewrite import walk


def is_generator(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.signature.kind == GENERATOR


def has_generator(expression: Expression) -> bool:
    return is_generator(expression) or any(map(has_generator, children_of(expression)))


def check_name(column: Named) -> None:
    """Beside a generator Spark forgets aliases inside a column before it makes the column's name."""
    if column.name != column.expression.text or " AS " not in column.name:
        return
    if any(isinstance(node, Call) and node.name in STRUCTS and " AS " in node.text for node in walk(column.expression)):
        raise NotNative("an automatic name with an alias in it, beside a generator")


STRUCTS = frozenset({"struct", "named_struct"})


def generate(frame: Frame, columns: Sequence[Named], settings: Settings) -> Frame:
    """Generators, alone or under aliases, one after the other; each gives a struct of its new columns."""
    relation = frame.relation
    placed: list[Named] = []
    for column in columns:
        if not has_generator(column.expression):
            check_name(column)
            placed.append(column)
            continue
        generator = top_generator(column.expression)
        outer = generator.name.endswith("_outer")
        new = output_fields(column, generator, outer)
        width = len(relation.fields)
        relation = Generate(input=relation, generator=generator, outer=outer, fields=(*relation.fields, *new))
        placed += [
            Named(Column(type=f.type, nullable=f.nullable, text=f.name, index=width + i), f.name)
            for i, f in enumerate(new)
        ]
    return projected(frame, relation, placed)


def top_generator(expression: Expression) -> Call:
    inside = any(map(has_generator, children_of(expression)))
    if inside or not isinstance(expression, Call):
        raise SparkError("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", expression=quoted(expression.text))
    return expression


def output_fields(named: Named, generator: Call, outer: bool) -> list[Field]:
    """`explode(a)` gives `col`; aliases rename all its columns or none."""
    fields = [Field(f.name, f.dataType, f.nullable or outer) for f in generator.type.fields]
    names = named.names or ((named.name,) if named.name != generator.text else ())
    if names and len(names) != len(fields):
        raise SparkError("UDTF_ALIAS_NUMBER_MISMATCH", aliasesSize=len(fields), aliasesNames=",".join(names))
    return [replace(f, name=n) for f, n in zip(fields, names, strict=True)] if names else fields


def projected(frame: Frame, relation: Relation, columns: Sequence[Named]) -> Frame:
    attributes: tuple[Attribute, ...] = tuple(column.attribute() for column in columns)
    project = Project(
        input=relation,
        expressions=tuple(column.expression for column in columns),
        fields=tuple(a.as_field() for a in attributes),
    )
    return Frame(project, attributes, positions(attributes), plans=deeper(frame.plans, attributes))
