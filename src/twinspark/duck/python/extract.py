"""Moves Python functions out of expressions into relations below, as Spark's ExtractPythonUDFs does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from twinspark.analysis.python.argument_texts import UNKNOWN
from twinspark.duck.python.joins import evaluate_sides
from twinspark.duck.python.lateral import is_lateral_table, join_table
from twinspark.duck.python.windows import extract_windows, python_windows
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import Call, Column, Expression, PythonCall, Subquery, children_of
from twinspark.plan.python_functions import ITERATORS, SCALARS
from twinspark.plan.python_relations import FunctionChain, PythonAggregate, PythonAggregateCall, PythonEvaluate
from twinspark.plan.relations import (
    Aggregate,
    Field,
    Filter,
    Generate,
    Join,
    Limit,
    Project,
    Relation,
    Sort,
    Tail,
    own_expressions,
)
from twinspark.plan.rewrite import map_children, replace_columns, walk
from twinspark.types import quote_identifier

Expressions = tuple[Expression, ...]


def extract_python(relation: Relation) -> Relation:
    """The same rows, with every Python function in a relation of its own. Arguments are evaluated for all rows of that
    relation, so filters and limits are pushed below it where possible (PushPredicateThroughNonJoin)."""
    if isinstance(relation, Join) and is_lateral_table(relation):
        relation = join_table(relation)
    relation = with_inputs(push_below(relation), extract_python)
    if any(UNKNOWN in field.name for field in relation.fields):
        raise NotNative(reasons.COLUMN_NAME_GENERATED, "a Python function")
    relation = with_expressions(relation, in_subqueries) if has_subqueries(relation) else relation
    if isinstance(relation, Aggregate) and any(isinstance(each, PythonAggregateCall) for each in relation.aggregates):
        return aggregate(relation)
    if isinstance(relation, Project) and python_windows(relation.expressions):
        return extract_python(extract_windows(relation))
    if not any(map(has_call, own_expressions(relation))):
        return relation
    if isinstance(relation, Project):
        return project(relation)
    if isinstance(relation, Filter):
        return filter(relation)
    if isinstance(relation, Sort | Generate):
        return drop_results(relation)
    if isinstance(relation, Aggregate):
        check_aggregates(relation)
        (input, expressions) = evaluate_calls(relation.input, (*relation.grouping, *relation.aggregates))
        count = len(relation.grouping)
        return replace(relation, input=input, grouping=expressions[:count], aggregates=expressions[count:])
    if isinstance(relation, Join) and relation.kind in ("inner", "cross") and not relation.lateral:
        return join(relation)
    if isinstance(relation, Join) and not relation.lateral:
        return evaluate_sides(relation, lambda side, calls: evaluate_calls(side, calls, keeps=True))
    raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "only Spark decides when it calls the function")


def check_aggregates(relation: Aggregate) -> None:
    """Raises Spark's AnalysisException for aggregates of nondeterministic functions (CheckAnalysis)."""
    for call in relation.aggregates:
        if not all(map(is_deterministic, children_of(call))):
            raise SparkError("AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", sqlExpr=quote_expression(call.text))


def with_inputs(relation: Relation, rule: Callable[[Relation], Relation]) -> Relation:
    below = {f.name: rule(v) for f in fields(relation) if isinstance(v := getattr(relation, f.name), Relation)}
    changes: dict[str, Any] = {k: v for k, v in below.items() if v is not getattr(relation, k)}
    return replace(relation, **changes) if changes else relation


def has_call(expression: Expression) -> bool:
    return any(isinstance(node, PythonCall) for node in walk(expression))


def has_subqueries(relation: Relation) -> bool:
    return any(isinstance(node, Subquery) for each in own_expressions(relation) for node in walk(each))


def in_subqueries(expression: Expression) -> Expression:
    made = map_children(expression, in_subqueries)
    return replace(made, relation=extract_python(made.relation)) if isinstance(made, Subquery) else made


def with_expressions(relation: Relation, rule: Callable[[Expression], Expression]) -> Relation:
    """Rewrites the expressions of relations that contain them directly; others are unchanged."""
    if isinstance(relation, Project):
        return replace(relation, expressions=tuple(map(rule, relation.expressions)))
    if isinstance(relation, Filter):
        return replace(relation, condition=rule(relation.condition))
    return relation


# ---- what is pushed below a projection that calls Python


def push_below(relation: Relation) -> Relation:
    """Pushes limits and filters below projections with Python functions, so that fewer rows are sent."""
    below = relation.inputs[0] if len(relation.inputs) == 1 else None
    if not isinstance(below, Project) or not any(map(has_call, below.expressions)):
        return relation
    if isinstance(relation, Limit | Tail):
        return replace(below, input=replace(relation, input=below.input, fields=below.input.fields))
    if isinstance(relation, Filter) and all(map(is_deterministic, below.expressions)):
        return filter_below(relation, below)
    return relation


def filter_below(relation: Filter, below: Project) -> Relation:
    """Pushes the conjuncts without Python calls below the projection."""

    def goes_down(test: Expression) -> bool:
        moved = over(test, below.expressions)
        return is_deterministic(moved) and not has_call(moved)

    down = select_conjuncts(relation.condition, goes_down)
    up = select_conjuncts(relation.condition, lambda test: not goes_down(test))
    if down is None:
        return relation
    condition = over(down, below.expressions)
    filtered = replace(below, input=Filter(input=below.input, condition=condition, fields=below.input.fields))
    return filtered if up is None else replace(relation, input=filtered, condition=up)


def over(expression: Expression, columns: Sequence[Expression]) -> Expression:
    return replace_columns(expression, lambda column: columns[column.index])


def select_conjuncts(condition: Expression, chosen: Callable[[Expression], bool]) -> Expression | None:
    """The conjuncts of a condition that `chosen` selects, joined by AND."""
    if not isinstance(condition, Call) or condition.name != "and":
        return condition if chosen(condition) else None
    left, right = (select_conjuncts(part, chosen) for part in condition.arguments)
    if left is not None and right is not None:
        return replace(condition, arguments=(left, right))
    return left if left is not None else right


def is_deterministic(expression: Expression) -> bool:
    return all(is_certain(node) for node in walk(expression))


def is_certain(node: Expression) -> bool:
    if isinstance(node, PythonCall):
        return node.function.deterministic
    if isinstance(node, Subquery):
        return False
    return not isinstance(node, Call) or node.signature.deterministic


# ---- relations that call Python


def project(relation: Project) -> Relation:
    input, expressions = evaluate_calls(relation.input, relation.expressions)
    return replace(relation, input=input, expressions=expressions)


def filter(relation: Filter) -> Relation:
    """Conjuncts without Python calls filter first, so that fewer rows are sent."""
    plain = select_conjuncts(relation.condition, lambda test: not has_call(test))
    called = select_conjuncts(relation.condition, has_call)
    if plain is not None and called is not None and is_deterministic(relation.condition):
        below = Filter(input=relation.input, condition=plain, fields=relation.fields)
        relation = replace(relation, input=below, condition=called)
    return drop_results(relation)


def drop_results(relation: Filter | Sort | Generate) -> Relation:
    """Removes the columns with the functions' results after this relation."""
    input, own = evaluate_calls(relation.input, tuple(own_expressions(relation)), keeps=True)
    width = len(relation.input.fields)
    wide: Relation
    if isinstance(relation, Filter):
        wide = replace(relation, input=input, condition=own[0], fields=input.fields)
    elif isinstance(relation, Sort):
        ordering = tuple(replace(order, child=child) for order, child in zip(relation.ordering, own, strict=True))
        wide = replace(relation, input=input, ordering=ordering, fields=input.fields)
    else:
        wide = replace(relation, input=input, generator=own[0], fields=(*input.fields, *relation.fields[width:]))
    kept = [*range(width), *range(len(input.fields), len(wide.fields))]
    return Project(input=wide, expressions=tuple(map(wide.column, kept)), fields=relation.fields)


def join(relation: Join) -> Relation:
    """Moves the conditions of an inner join with Python calls to a filter after it."""
    assert relation.condition is not None
    called = select_conjuncts(relation.condition, has_call)
    if called is None or not is_deterministic(relation.condition):
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "a nondeterministic Python function in a join")
    below = replace(relation, condition=select_conjuncts(relation.condition, lambda test: not has_call(test)))
    return drop_results(Filter(input=below, condition=called, fields=relation.fields))


def aggregate(relation: Aggregate) -> Relation:
    """An aggregation whose aggregate functions are all Python's and of one kind (ArrowAggregatePythonExec)."""
    calls = [each for each in relation.aggregates if isinstance(each, PythonAggregateCall)]
    kinds = {call.function.eval_type for call in calls}
    if len(calls) < len(relation.aggregates):
        names = dict.fromkeys(quote_identifier(call.function.name) for call in calls)
        raise SparkError("INVALID_PANDAS_UDF_PLACEMENT", functionList=", ".join(names))
    if len(kinds) > 1 or relation.grouping_sets is not None:
        raise NotNative(
            reasons.PYTHON_FUNCTION_POSITION, "Python aggregate functions of several kinds, or with grouping sets"
        )
    if any(call.filter is not None for call in calls):
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "a Python aggregate function with FILTER")
    arguments: list[Expression] = []
    given = [tuple(argument_offset(each, arguments) for each in call.arguments) for call in calls]
    chains = tuple(
        FunctionChain((call.function,), places, call.keys) for call, places in zip(calls, given, strict=True)
    )
    expressions = (*relation.grouping, *arguments)
    named = tuple(Field(f"_{i}", each.type, each.nullable) for i, each in enumerate(expressions))
    source = Project(input=relation.input, expressions=expressions, fields=named)
    return PythonAggregate(
        input=project(source) if any(map(has_call, expressions)) else source,
        width=len(relation.grouping),
        chains=chains,
        fields=relation.fields,
        workers=calls[0].workers,
    )


# ---- calls


def evaluate_calls(input: Relation, expressions: Expressions, keeps: bool = False) -> tuple[Relation, Expressions]:
    """The input with the calls' results as additional columns, and the expressions over them; repeated for nested
    calls. Columns that are not used are dropped unless `keeps`."""
    while calls := evaluable(expressions):
        input, expressions = one_step(input, expressions, calls, keeps)
    return input, expressions


def one_step(
    input: Relation, expressions: Expressions, calls: Sequence[PythonCall], keeps: bool
) -> tuple[Relation, Expressions]:
    rest = tuple(without(each, calls) for each in expressions)
    used = range(len(input.fields)) if keeps else used_columns(rest, len(input.fields))
    places = {old: new for new, old in enumerate(used)}
    arguments: list[Expression] = []
    chains = tuple(chain_of(call, arguments) for call in calls)
    passed = [input.column(index) for index in used]
    kept = tuple(input.fields[index] for index in used)
    sent = tuple(Field(f"_{i}", each.type, each.nullable) for i, each in enumerate(arguments))
    source = Project(input=input, expressions=(*passed, *arguments), fields=(*kept, *sent))
    results = tuple(Field(call.text, call.type, True) for call in calls)
    made = PythonEvaluate(
        input=source, width=len(kept), chains=chains, fields=(*kept, *results), workers=calls[0].workers
    )

    def rule(node: Expression) -> Expression:
        if isinstance(node, PythonCall) and node in calls:
            return replace(made.column(len(kept) + list(calls).index(node)), text=node.text)
        return replace(node, index=places[node.index]) if isinstance(node, Column) else map_children(node, rule)

    return made, tuple(map(rule, expressions))


def without(expression: Expression, calls: Sequence[PythonCall]) -> Expression:
    """The expression without the calls, to find the input columns that it still uses."""

    def rule(node: Expression) -> Expression:
        if isinstance(node, PythonCall) and node in calls:
            return replace(node, arguments=(), keys=())
        return map_children(node, rule)

    return rule(expression)


def used_columns(expressions: Sequence[Expression], width: int) -> Sequence[int]:
    nodes = [node for each in expressions for node in walk(each)]
    if any(isinstance(node, Subquery) for node in nodes):
        return range(width)
    return sorted({node.index for node in nodes if isinstance(node, Column)})


def evaluable(expressions: Sequence[Expression]) -> list[PythonCall]:
    """Calls that can be evaluated in one relation, all of one kind; functions over iterators only one at a time."""
    found: list[PythonCall] = []
    for call in (call for each in expressions for call in innermost(each)):
        if call in found:
            continue
        if not found or (call.function.eval_type == kind_of(found) and kind_of(found) not in ITERATORS):
            found.append(call)
    return found


def kind_of(calls: Sequence[PythonCall]) -> int:
    return calls[0].function.eval_type


def innermost(expression: Expression) -> Iterator[PythonCall]:
    if isinstance(expression, PythonCall) and is_chainable(expression):
        if expression.function.eval_type not in SCALARS:
            raise NotNative(reasons.PYTHON_FUNCTION_KIND, "inside another expression")
        yield expression
        return
    for child in children_of(expression):
        yield from innermost(child)


def is_chainable(call: PythonCall) -> bool:
    """Whether its arguments contain no Python call, or are one call of the same kind that can be chained with it."""
    if (inner := inner_call(call)) is not None:
        return is_chainable(inner)
    return not any(map(has_call, call.arguments))


def inner_call(call: PythonCall) -> PythonCall | None:
    if len(call.arguments) != 1 or call.keys[0] is not None:
        return None
    inner = call.arguments[0]
    same = isinstance(inner, PythonCall) and inner.function.eval_type == call.function.eval_type
    return inner if same and isinstance(inner, PythonCall) else None


def chain_of(call: PythonCall, arguments: list[Expression]) -> FunctionChain:
    """The chained functions, innermost first; their arguments are added to those that are sent, each once."""
    if (inner := inner_call(call)) is not None:
        below = chain_of(inner, arguments)
        return replace(below, functions=(*below.functions, call.function))
    return FunctionChain(
        (call.function,), tuple(argument_offset(each, arguments) for each in call.arguments), call.keys
    )


def argument_offset(argument: Expression, arguments: list[Expression]) -> int:
    if argument in arguments and is_deterministic(argument):
        return arguments.index(argument)
    arguments.append(argument)
    return len(arguments) - 1
