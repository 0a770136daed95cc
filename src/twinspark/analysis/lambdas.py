"""Makes calls with lambdas: the other arguments decide the types of a lambda's parameters."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from twinspark.analysis import build
from twinspark.errors import NotNative
from twinspark.functions.lambda_types import PARAMETERS
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression, Lambda, Variable
from twinspark.types import DataType, is_null

_keys = itertools.count(1)


def is_higher_order(messages: Any) -> bool:
    return any(m.WhichOneof("expr_type") == "lambda_function" for m in messages)


def call_with_lambdas(name: str, arguments: Sequence[Any], settings: Settings) -> Expression:
    """`arguments` holds expressions, and for each lambda a pair (make, arity): make takes typed variables."""
    rule = PARAMETERS.get(name)
    if rule is None:
        raise NotNative(f"function {name} with a lambda")
    ready: list[Any] = list(arguments)
    for index, argument in enumerate(arguments):
        if isinstance(argument, tuple):
            make, arity = argument
            known = [a for a in ready if isinstance(a, Expression)]
            types = rule(known, arity)
            if len(types) < arity or any(is_null(type) for type, _ in types):
                raise NotNative(f"{name} with a lambda of {arity} parameters, or over void")
            ready[index] = make(variables(types))
    return build.call(name, ready, settings)


def variables(types: Sequence[tuple[DataType, bool]]) -> list[Variable]:
    return [
        Variable(type=type, nullable=nullable, text="namedlambdavariable()", key=f"variable_{next(_keys)}_")
        for type, nullable in types
    ]


def lambda_of(body: Expression, parameters: Sequence[Variable]) -> Lambda:
    text = f"lambdafunction({', '.join([body.text, *(p.text for p in parameters)])})"
    return Lambda(type=body.type, nullable=body.nullable, text=text, parameters=tuple(parameters), body=body)
