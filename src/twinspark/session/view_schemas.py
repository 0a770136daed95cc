"""How a view bears that its tables have changed since it was made: BINDING, COMPENSATION, TYPE EVOLUTION, EVOLUTION."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from twinspark.analysis import build
from twinspark.analysis.relations import Named, project
from twinspark.analysis.scope import Attribute, Frame
from twinspark.errors import NotNative, SparkError
from twinspark.functions.castable import is_nested
from twinspark.functions.settings import Settings
from twinspark.functions.typing import type_text
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

if TYPE_CHECKING:
    from twinspark.session.text_views import TextView

BINDS = "spark.sql.legacy.viewSchemaBindingMode"
COMPENSATES = "spark.sql.legacy.viewSchemaCompensation"
WIDENING = (ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType)
PLAIN = (*WIDENING, BooleanType, StringType)
ADVICE = (
    "The type path of the target object is:\n\nYou can either add an explicit cast to the input data or choose a "
    "higher precision type of the field in the target object"
)  # Spark's own words, which stand in its code and not among its conditions


def modes_are_on(config: Mapping[str, str]) -> bool:
    return config.get(BINDS, "true").lower() == "true"


def mode_of(view: "TextView", config: Mapping[str, str]) -> str:
    if modes_are_on(config):
        return view.mode
    return "COMPENSATION" if config.get(COMPENSATES, "true").lower() == "true" else "BINDING"


def bound(view: "TextView", found: Frame, config: Mapping[str, str], settings: Settings) -> Frame:
    """The view's columns, found by the names they had in its query; new ones behind `*` show only by EVOLUTION."""
    mode = mode_of(view, config)
    if mode == "EVOLUTION":
        return evolved(view, found)
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


def evolved(view: "TextView", found: Frame) -> Frame:
    names = [each.name.lower() for each in found.attributes]
    if len(names) != len(set(names)) and [f.name.lower() for f in view.fields] != names:
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(twice))
    return found


def incompatible(view: "TextView", name: str, count: int, same: Sequence[Attribute]) -> SparkError:
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
        return compensated(value, attribute, field, settings)
    if can_up_cast(value.type, field.type):
        return build.cast(value, field.type, settings)
    raise SparkError(
        "CANNOT_UP_CAST_DATATYPE",
        expression=".".join((*attribute.qualifier, attribute.name)),
        sourceType=type_text(value.type),
        targetType=type_text(field.type),
        details=ADVICE,
    )


def compensated(value: Expression, attribute: Attribute, field: Field, settings: Settings) -> Expression:
    if is_nested(value.type) and not is_nested(field.type) and not is_string(field.type):
        raise SparkError(
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            sqlExpr=f'"{attribute.name}"',
            srcType=type_text(value.type),
            targetType=type_text(field.type),
        )
    return build.cast(value, field.type, replace(settings, ansi=True))


def can_up_cast(source: DataType, target: DataType) -> bool:
    """As Cast.canUpCast says of plain types; others are rare enough to be Spark's."""
    if not isinstance(source, PLAIN) or not isinstance(target, PLAIN):
        raise NotNative("SQL: a view whose columns have changed since it was made")
    if isinstance(target, StringType):
        return True
    numbers = isinstance(source, WIDENING) and isinstance(target, WIDENING)
    return numbers and WIDENING.index(type(source)) <= WIDENING.index(type(target))
