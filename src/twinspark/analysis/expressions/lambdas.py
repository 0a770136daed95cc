"""Builds calls with lambda functions: the other arguments determine the types of the lambda's parameters."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from pyspark.sql.connect.proto import expressions_pb2

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.casts import implicit_cast
from twinspark.analysis.expressions.fold_types import merged_as
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import force_nullable, wider_type
from twinspark.functions.nested.lambda_types import FUNCTION_PLACES, PARAMETERS, element_of
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import AggregateCall, Expression, Lambda, Subquery, Variable, WindowCall
from twinspark.plan.rewrite import walk
from twinspark.types import ArrayType, DataType, MapType, is_null, same_type
from twinspark.types.names import quote_identifier

_keys = itertools.count(1)


def is_higher_order(name: str, messages: Sequence[expressions_pb2.Expression]) -> bool:
    has_lambda = any(m.WhichOneof("expr_type") == "lambda_function" for m in messages)
    return has_lambda or takes_functions(name, len(messages))


def takes_functions(name: str, count: int) -> bool:
    """Whether a call with this number of arguments has one in the position of a lambda function."""
    return name in FUNCTION_PLACES and count > FUNCTION_PLACES[name][0]


def call_with_lambdas(name: str, arguments: Sequence[Any], settings: Settings) -> Expression:
    """`arguments` holds expressions, and for each lambda a pair (make, arity) where `make` takes typed variables."""
    rule = PARAMETERS.get(name)
    if rule is None:
        raise NotNative(reasons.LAMBDA, name)
    if not any(isinstance(argument, tuple) for argument in arguments) and not is_over_collections(name, arguments):
        return raise_mismatch(name, arguments, settings)
    given = with_functions(name, with_one_key(arguments, settings) if name == "map_zip_with" else arguments)
    ready = list(given)
    for index, argument in enumerate(given):
        if isinstance(argument, tuple):
            make, arity = argument
            known = [a for a in ready if isinstance(a, Expression)]
            types = rule(known, arity)
            if len(types) < arity or any(is_null(type) for type, _ in types):
                raise NotNative(reasons.LAMBDA, f"{name} with a lambda of {arity} parameters, or over untyped nulls")
            ready[index] = make(variables(types))
    if name in FOLDS and len(ready) > 2 and all(isinstance(each, Lambda) for each in ready[2:]):
        ready[2] = merged_as(ready[1].type, ready[2:], settings, lambda: without_nulls(given))
    return build.call(name, ready, settings)


def with_one_key(arguments: Sequence[Any], settings: Settings) -> list[Any]:
    """Casts two maps whose keys have different types before the lambda is read (MapZipWithTypeCoercion)."""
    types = [argument.type if isinstance(argument, Expression) else None for argument in arguments[:2]]
    if len(types) < 2 or not isinstance(types[0], MapType) or not isinstance(types[1], MapType):
        return list(arguments)
    keys = [types[0].keyType, types[1].keyType]
    wider = None if same_type(*keys) else wider_type(keys[0], keys[1], settings.ansi)
    if wider is None or any(force_nullable(key, wider) for key in keys):
        return list(arguments)
    wanted = [MapType(wider, type.valueType, type.valueContainsNull) for type in types if isinstance(type, MapType)]
    casts = [implicit_cast(map, type, settings) for map, type in zip(arguments[:2], wanted, strict=True)]
    return [*casts, *arguments[2:]]


def without_nulls(arguments: Sequence[Any]) -> Lambda:
    """The merge of a fold with a non-null accumulator, if it then returns no null."""
    array, zero, (make, _) = arguments[:3]
    made: Lambda = make(variables([(zero.type, zero.nullable), element_of(array)]))
    return made


FOLDS = frozenset({"aggregate", "reduce"})


def with_functions(name: str, arguments: Sequence[Any]) -> list[Any]:
    """An argument that is not a lambda in the position of one is a constant function (HigherOrderFunction.bind)."""
    first, *arities = FUNCTION_PLACES[name]
    ready = list(arguments)
    if any(isinstance(argument, tuple) for argument in ready[:first]):
        raise NotNative(reasons.LAMBDA, "a lambda function where a value is expected")
    for index, arity in zip(range(first, len(ready)), arities, strict=False):
        if isinstance(ready[index], Expression):
            ready[index] = constant_function(ready[index], arity)
    return ready


def raise_mismatch(name: str, arguments: Sequence[Expression], settings: Settings) -> Expression:
    if name in FOLDS and len(arguments) == 3:  # the error shows a fourth argument, the default finish function
        raise NotNative(reasons.LAMBDA, f"{name} over a value that is not an array")
    return build.call(name, arguments, settings)


def is_over_collections(name: str, arguments: Sequence[Expression]) -> bool:
    """Arguments without elements raise a type mismatch before the lambda is read."""
    kind = MapType if "map" in name or name in OVER_ENTRIES else ArrayType
    counted = 2 if name in OVER_TWO else 1
    return all(isinstance(argument.type, kind) for argument in arguments[:counted])


OVER_ENTRIES = frozenset({"transform_keys", "transform_values"})
OVER_TWO = frozenset({"zip_with", "map_zip_with"})


def constant_function(body: Expression, arity: int) -> Any:
    if any(isinstance(node, AggregateCall | WindowCall | Subquery) for node in walk(body)):
        raise NotNative(
            reasons.LAMBDA, "an aggregate function, a window function or a subquery where a lambda function is expected"
        )
    return lambda variables: lambda_of(body, variables[:arity]), arity


def variables(types: Sequence[tuple[DataType, bool]]) -> list[Variable]:
    return [
        Variable(type=type, nullable=nullable, text="namedlambdavariable()", key=f"variable_{next(_keys)}_")
        for type, nullable in types
    ]


def parameter_names(names: Sequence[str], settings: Settings) -> list[str]:
    """The names by which a lambda's body finds its parameters; each name may occur once (LambdaBinder)."""
    found = list(names) if settings.case_sensitive else [name.lower() for name in names]
    if len(set(found)) < len(found):
        raise SparkError(
            "INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES",
            args=", ".join(map(quote_identifier, found)),
            caseSensitiveConfig='"spark.sql.caseSensitive"',
        )
    return found


def lambda_of(body: Expression, parameters: Sequence[Variable]) -> Lambda:
    text = f"lambdafunction({', '.join([body.text, *(p.text for p in parameters)])})"
    return Lambda(type=body.type, nullable=body.nullable, text=text, parameters=tuple(parameters), body=body)
