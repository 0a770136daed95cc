"""Adapts a view whose tables have changed since it was created: BINDING, COMPENSATION, TYPE EVOLUTION, EVOLUTION."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import Attribute, Frame
from twinspark.config.values import is_on
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import is_nested
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import type_text
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import Field, Fields
from twinspark.types import (
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    is_string,
    quote_identifier,
    same_type,
)

BINDS = "spark.sql.legacy.viewSchemaBindingMode"
COMPENSATES = "spark.sql.legacy.viewSchemaCompensation"
WIDENING = (ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType)
PLAIN = (*WIDENING, BooleanType, StringType)
ADVICE = (
    "The type path of the target object is:\n\nYou can either add an explicit cast to the input data or choose a "
    "higher precision type of the field in the target object"
)  # Spark's message text, which is in its code and not in its error conditions


@dataclass(frozen=True)
class ViewDefinition:
    """The query's text, the catalog, database and settings of its creation, and the columns it then had."""

    text: str
    config: Mapping[str, str]
    catalog: str
    database: str
    query_columns: tuple[str, ...]
    fields: Fields
    mode: str = "BINDING"
    comment: str | None = None
    name: tuple[str, ...] = ()
    is_temporary: bool = True
    collation: str = ""  # of DEFAULT COLLATION


def modes_are_on(config: Mapping[str, str]) -> bool:
    return is_on(config, BINDS)


def mode_of(view: ViewDefinition, config: Mapping[str, str]) -> str:
    if modes_are_on(config):
        return view.mode
    return "COMPENSATION" if is_on(config, COMPENSATES) else "BINDING"


def bind_columns(view: ViewDefinition, found: Frame, config: Mapping[str, str], settings: Settings) -> Frame:
    """The view's columns, looked up by the names they had in its query; new columns of `*` appear with EVOLUTION
    only."""
    mode = mode_of(view, config)
    if mode == "EVOLUTION":
        return check_evolved_columns(view, found)
    names = [name.lower() for name in view.query_columns]
    columns = []
    for at, (name, field) in enumerate(zip(names, view.fields, strict=True)):
        same = [each for each in found.attributes if each.name.lower() == name]
        if len(same) != names.count(name):
            raise incompatible(view, view.query_columns[at], names.count(name), same)
        attribute = same[names[:at].count(name)]
        value = as_mode(found.column(attribute), attribute, field, mode, settings)
        columns.append(Named(value, field.name, field.metadata))
    return project(found, columns)


def check_evolved_columns(view: ViewDefinition, found: Frame) -> Frame:
    names = [each.name.lower() for each in found.attributes]
    if len(names) != len(set(names)) and [f.name.lower() for f in view.fields] != names:
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(twice))
    return found


def incompatible(view: ViewDefinition, name: str, count: int, same: Sequence[Attribute]) -> SparkError:
    shown = "" if tuple(f.name for f in view.fields) == view.query_columns else f" ({', '.join(names_of(view.fields))})"
    made = f"CREATE OR REPLACE VIEW {'.'.join(view.name)}{shown} AS {view.text}"
    return SparkError(
        "INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
        viewName=".".join(map(quote_identifier, view.name)),
        colName=name,
        expectedNum=count,
        actualCols=f"[{','.join(each.name for each in same)}]",
        suggestion="CREATE OR REPLACE TEMPORARY VIEW" if view.is_temporary else made,
    )


def names_of(fields: Fields) -> list[str]:
    return [field.name for field in fields]


def as_mode(value: Expression, attribute: Attribute, field: Field, mode: str, settings: Settings) -> Expression:
    if same_type(value.type, field.type) or mode == "TYPE EVOLUTION":
        return value
    if mode == "COMPENSATION":
        return compensate_type(value, attribute, field, settings)
    if can_up_cast(value.type, field.type):
        return build.cast(value, field.type, settings)
    raise SparkError(
        "CANNOT_UP_CAST_DATATYPE",
        expression=".".join((*attribute.qualifier, attribute.name)),
        sourceType=type_text(value.type),
        targetType=type_text(field.type),
        details=ADVICE,
    )


def compensate_type(value: Expression, attribute: Attribute, field: Field, settings: Settings) -> Expression:
    if is_nested(value.type) and not is_nested(field.type) and not is_string(field.type):
        raise SparkError(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            sqlExpr=f'"{attribute.name}"',
            srcType=type_text(value.type),
            targetType=type_text(field.type),
        )
    return build.cast(value, field.type, replace(settings, ansi=True))


def can_up_cast(source: DataType, target: DataType) -> bool:
    """Cast.canUpCast for atomic types; other types are rare and fall back to Spark."""
    if not isinstance(source, PLAIN) or not isinstance(target, PLAIN):
        raise NotNative(reasons.VIEW_SCHEMA_CHANGED)
    if isinstance(target, StringType):
        return True
    numbers = isinstance(source, WIDENING) and isinstance(target, WIDENING)
    return numbers and WIDENING.index(type(source)) <= WIDENING.index(type(target))
