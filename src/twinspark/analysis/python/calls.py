"""Builds calls of Python functions with the names, types and argument checks of Spark."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from twinspark.analysis.context import Context
from twinspark.analysis.python.argument_texts import argument_text
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.functions.notation.registry import AGGREGATE, SPARK, Signature
from twinspark.plan.expressions import Expression, PythonCall
from twinspark.plan.python_functions import GROUP_AGGREGATES, ITERATORS, SCALARS, PythonFunction, Workers
from twinspark.plan.python_relations import PythonAggregateCall
from twinspark.types import DataType, quote_identifier

_calls = itertools.count(1)
Argument = tuple[str | None, Expression]


def workers_of(context: Context) -> Workers:
    if context.pythons is None:
        raise NotNative(reasons.PYTHON_DISABLED)
    found: Workers = context.pythons.own
    return found


def python_call(
    function: PythonFunction, type: DataType, arguments: Sequence[Argument], distinct: bool, context: Context
) -> Expression:
    """Calls of Python functions are always nullable (PythonFuncExpression.nullable)."""
    check_keys(function, arguments)
    texts = ", ".join(
        argument_text(value) if key is None else f"{key} => {argument_text(value)}" for key, value in arguments
    )
    keys, values = tuple(key for key, _ in arguments), tuple(value for _, value in arguments)
    text, workers = f"{function.name}({texts})", workers_of(context)
    if function.eval_type in GROUP_AGGREGATES:
        if distinct:
            raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "a Python aggregate function of DISTINCT values")
        return PythonAggregateCall(
            type=type,
            nullable=True,
            text=text,
            name="python aggregate",  # not the name of a built-in function, since some have special rules
            signature=Signature(function.name, (), "", True, SPARK, AGGREGATE, cause=Cause(reasons.WINDOW_FUNCTION)),
            arguments=values,
            settings=context.settings,
            function=function,
            keys=keys,
            workers=workers,
        )
    if function.eval_type not in SCALARS or distinct:
        raise NotNative(reasons.PYTHON_FUNCTION_KIND, f"eval type {function.eval_type} in an expression")
    once = 0 if function.deterministic else next(_calls)
    return PythonCall(
        type=type, nullable=True, text=text, function=function, arguments=values, keys=keys, workers=workers, once=once
    )


def check_keys(function: PythonFunction, arguments: Sequence[tuple[str | None, object]]) -> None:
    """Checks named arguments (NamedParametersSupport.splitAndCheckNamedArguments)."""
    routine, named = quote_identifier(function.name), ""
    seen: set[str] = set()
    for key, _ in arguments:
        if key is None and named:
            raise SparkError(
                "UNEXPECTED_POSITIONAL_ARGUMENT", routineName=routine, parameterName=quote_identifier(named)
            )
        if key is not None and function.eval_type in ITERATORS:
            raise SparkError("NAMED_PARAMETERS_NOT_SUPPORTED", functionName=routine)
        if key is not None and key.lower() in seen:
            condition = "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE"
            raise SparkError(condition, routineName=routine, parameterName=quote_identifier(key))
        seen.add((key or "").lower())
        named = key or named
