"""Evaluates many expressions in few queries: a batch that fails is halved until the failing expression stands alone."""

from collections.abc import Callable, Sequence

from tools.cases.connect import Connection, Result, ServerError, sql_relation
from tools.cases.files import Answer, refusal
from tools.cases.lift import has_literals, lifted_query
from tools.cases.render import ROW_SEPARATOR, render_column, without_arrow_form
from tools.cases.typetext import result_text

BATCH = 64
Query = Callable[[Sequence[str]], str]


def evaluate(connection: Connection, expressions: Sequence[str], query: Query) -> dict[str, Answer]:
    """The answer to each expression; `query` writes the statement that selects some of them."""
    answers: dict[str, Answer] = {}
    for start in range(0, len(expressions), BATCH):
        answers |= evaluate_batch(connection, expressions[start : start + BATCH], query)
    return answers


def evaluate_batch(connection: Connection, expressions: Sequence[str], query: Query) -> dict[str, Answer]:
    try:
        result = run_with_arrow(connection, expressions, query)
    except ServerError as error:
        if len(expressions) == 1:
            return {expressions[0]: refusal(error.condition)}
        middle = len(expressions) // 2
        first = evaluate_batch(connection, expressions[:middle], query)
        return first | evaluate_batch(connection, expressions[middle:], query)
    return dict(zip(expressions, answers_of(result), strict=True))


def run_with_arrow(connection: Connection, expressions: Sequence[str], query: Query) -> Result:
    """Runs the query; columns PyArrow cannot hold are asked for again as strings."""
    result = connection.execute(sql_relation(query(expressions)))
    awkward = [without_arrow_form(field.dataType) for field in result.schema.fields]
    if not any(awkward):
        return result
    texts = [f"CAST({e} AS STRING)" if hard else e for e, hard in zip(expressions, awkward, strict=True)]
    return Result(result.schema, connection.execute(sql_relation(query(texts))).rows)


def answers_of(result: Result) -> list[Answer]:
    answers = []
    for index, field in enumerate(result.schema.fields):
        column = result.rows.column(index)
        as_string = without_arrow_form(field.dataType)
        values = column.to_pylist() if as_string else render_column(column, field.dataType)
        text = ROW_SEPARATOR.join(str(value) if value is not None else "NULL" for value in values)
        answers.append(Answer(result_text(field.dataType, field.nullable), text, field.name))
    return answers


def select_literals(relation: str) -> Query:
    tail = f" FROM {relation}" if relation else ""
    return lambda expressions: f"SELECT {', '.join(expressions)}{tail}"


def select_columns(expressions: Sequence[str]) -> str:
    lifted, relation = lifted_query(expressions)
    return f"SELECT {', '.join(lifted)} {relation}"


def evaluate_on_columns(connection: Connection, expressions: Sequence[str]) -> dict[str, Answer]:
    return evaluate(connection, [e for e in expressions if has_literals(e)], select_columns)
