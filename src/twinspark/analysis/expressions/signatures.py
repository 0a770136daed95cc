"""Overload resolution: which signature of a function takes the arguments, with the resulting types and nullability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twinspark.analysis.expressions.literals import literal
from twinspark.errors import SparkError
from twinspark.functions.casts.common_types import common_type, common_type_without_strings, force_nullable
from twinspark.functions.notation.families import accepts, concrete, implicit_type, inner, is_variable
from twinspark.functions.notation.registry import Parameter, Signature
from twinspark.functions.notation.typing import Call as Typing
from twinspark.functions.notation.typing import (
    Typed,
    listed_types,
    quote_expression,
    unexpected_input_type,
    wrong_number_of_arguments,
)
from twinspark.plan.expressions import (
    Expression,
)
from twinspark.types import (
    NULL,
    ArrayType,
    DataType,
    MapType,
    is_null,
    same_type,
)


def resolve(signatures: Sequence[Signature], typing: Typing) -> tuple[Signature, Typed]:
    """The first overload that takes the arguments; otherwise the error of the last one tried."""
    problem: Exception | None = None
    for signature in signatures:
        if not signature.accepts(len(typing.arguments)):
            continue
        try:
            return signature, typed_call(signature, typing)
        except SparkError as error:
            problem = error
    raise problem or wrong_number(signatures, typing)


def wrong_number(signatures: Sequence[Signature], typing: Typing) -> SparkError:
    expected = sorted({n for s in signatures for n in range(12) if s.accepts(n)})
    text = str(expected[0]) if len(expected) == 1 else "[" + ", ".join(map(str, expected)) + "]"
    if any(s.variadic for s in signatures):
        text = f"> {expected[0] - 1}"
    return wrong_number_of_arguments(typing, text)


def typed_call(signature: Signature, typing: Typing) -> Typed:
    if signature.rule is not None:
        check_arguments(signature, typing)
        typed: Typed = signature.rule(typing)
        return typed
    arguments = with_defaults(signature, typing.arguments)
    parameters = spread(signature, len(arguments))
    bindings = bind_variables(parameters, arguments, typing)
    casts = [
        argument_type(typing, index, parameter, arguments[index], bindings)
        for index, parameter in enumerate(parameters)
    ]
    nullable = signature.nullable
    if nullable is None:
        nullable = any(
            made_nullable(argument, target)
            for argument, parameter, target in zip(arguments, parameters, casts, strict=True)
            if not parameter.null_passes
        )
    return Typed(result_type(signature.result, bindings, parameters, casts), nullable, casts)


def check_arguments(signature: Signature, typing: Typing) -> None:
    """Raises Spark's type mismatch for arguments that a parameter's type families do not accept, before a rule sees
    them."""
    for index, parameter in enumerate(spread(signature, len(typing.arguments))):
        type = typing.arguments[index].type
        if not is_null(type) and implicit_type(type, parameter.types, typing.settings.ansi) is None:
            raise unexpected_input_type(typing, index, required_text(parameter))


def made_nullable(argument: Expression, target: DataType) -> bool:
    return argument.nullable or (not same_type(argument.type, target) and force_nullable(argument.type, target))


def with_defaults(signature: Signature, arguments: Sequence[Expression]) -> list[Expression]:
    missing = signature.parameters[len(arguments) :]
    return [*arguments, *(default_value(p) for p in missing if p.default is not None and not p.repeated)]


def default_value(parameter: Parameter) -> Expression:
    text = parameter.default or "null"
    if text.startswith("'"):
        return literal(text[1:-1])
    constants: dict[str, Any] = {"null": None, "true": True, "false": False}
    value = constants[text] if text in constants else float(text) if "." in text else int(text)
    made = literal(value)
    type = concrete(parameter.types[0])
    return made if value is None or is_null(type) else replace(made, type=type)


def spread(signature: Signature, count: int) -> Sequence[Parameter]:
    """One parameter per argument: the repeated parameter as often as needed."""
    if count == len(signature.parameters):
        return signature.parameters
    parameters: list[Parameter] = []
    extra = count - len(signature.parameters)
    for parameter in signature.parameters:
        parameters += [parameter] * (1 + extra if parameter.repeated else 1)
    return parameters[:count]


Bindings = dict[str, DataType]


def bind_variables(parameters: Sequence[Parameter], arguments: Sequence[Expression], typing: Typing) -> Bindings:
    met: dict[str, list[DataType]] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        for notation in parameter.types:
            collect(notation, argument.type, met)
    return {name: common(name, types, typing) for name, types in met.items()}


def common(name: str, types: list[DataType], typing: Typing) -> DataType:
    find = common_type if name == "W" else common_type_without_strings
    found = find(types, typing.settings.ansi)
    if found is None:
        raise SparkError(
            "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
            sqlExpr=quote_expression(typing.text),
            functionName=f"`{typing.name}`",
            dataType=listed_types(typing),
        )
    return found


def collect(notation: str, type: DataType, met: dict[str, list[DataType]]) -> None:
    """Collects the types that a type variable stands for."""
    head, parts = inner(notation)
    if is_variable(notation):
        met.setdefault(notation.rstrip("!?"), []).append(type)
    elif head == "array" and parts and isinstance(type, ArrayType):
        collect(parts[0], type.elementType, met)
    elif head == "map" and parts and isinstance(type, MapType):
        collect(parts[0], type.keyType, met)
        collect(parts[1], type.valueType, met)


def argument_type(
    typing: Typing, index: int, parameter: Parameter, argument: Expression, bindings: Bindings
) -> DataType:
    """The type to which the argument is cast."""
    if is_null(argument.type) and not any(accepts(n, NULL) for n in parameter.types):
        return substitute(parameter.types[0], bindings, True)
    if any("T" in n or "K" in n or "V" in n or "W" in n for n in parameter.types) and has_variable(parameter):
        return variable_type(typing, index, parameter, argument, bindings)
    found = implicit_type(argument.type, parameter.types, typing.settings.ansi)
    if found is None:
        raise unexpected_input_type(typing, index, required_text(parameter))
    return found


def has_variable(parameter: Parameter) -> bool:
    return any(is_variable(n) or any(map(is_variable, inner(n)[1])) for n in parameter.types)


def variable_type(
    typing: Typing, index: int, parameter: Parameter, argument: Expression, bindings: Bindings
) -> DataType:
    for notation in parameter.types:
        if accepts(notation, argument.type):
            return substitute(notation, bindings, contains_null(argument.type))
    raise unexpected_input_type(typing, index, required_text(parameter))


def contains_null(type: DataType) -> bool:
    if isinstance(type, ArrayType):
        return bool(type.containsNull)
    return bool(type.valueContainsNull) if isinstance(type, MapType) else True


def substitute(notation: str, bindings: Bindings, nulls: bool) -> DataType:
    head, parts = inner(notation)
    if is_variable(notation):
        return bindings.get(notation.rstrip("!?"), NULL)
    if head == "array" and parts:
        return ArrayType(substitute(parts[0], bindings, True), inner_nulls(parts[0], nulls))
    if head == "map" and parts:
        key, value = (substitute(part, bindings, True) for part in parts)
        return MapType(key, value, inner_nulls(parts[1], nulls))
    return concrete(notation)


def inner_nulls(notation: str, otherwise: bool) -> bool:
    return {"?": True, "!": False}.get(notation[-1:], otherwise)


def result_type(
    notation: str, bindings: Bindings, parameters: Sequence[Parameter], casts: Sequence[DataType]
) -> DataType:
    """The result's type; element nullability that is not marked is that of the arguments with the same notation."""
    alike = [
        contains_null(type)
        for parameter, type in zip(parameters, casts, strict=True)
        if notation in parameter.types and isinstance(type, ArrayType | MapType)
    ]
    return substitute(notation, bindings, any(alike) if alike else True)


def required_text(parameter: Parameter) -> str:
    shown = [f'"{REQUIRED.get(n, n.upper())}"' for n in parameter.types]
    return shown[0] if len(shown) == 1 else "(" + " or ".join(shown) + ")"


REQUIRED = {
    "array<T>": "ARRAY",
    "map<K,V>": "MAP",
    "map<K, V>": "MAP",
    "anytimestamp": "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)",
}
