"""Evaluates many expressions in few queries, and finds the ones that fail in a batch."""

import re
from collections.abc import Callable, Sequence

from tools.cases.connect import Connection, Result, ServerError, sql_relation
from tools.cases.files import Answer, Section, refusal
from tools.cases.lift import lifted_query
from tools.cases.render import ROW_SEPARATOR, render_column, without_arrow_form
from tools.cases.typetext import result_text, schema_text

BATCH, FEW = 64, 8
ALONE = re.compile(r"(?i)\b(?:(?:pos)?explode|inline|stack|json_tuple|variant_explode)(?:_outer)?\(|^\*$")
Query = Callable[[Sequence[str]], str]


def evaluate(
    connection: Connection, expressions: Sequence[str], section: Section, analysis_first: bool = True
) -> dict[str, Answer]:
    """The answer to each expression in few queries."""
    query = select_as(section)
    run = evaluate_batch if analysis_first else evaluate_by_halves
    answers: dict[str, Answer] = {}
    for batch in batches_of(expressions):
        answers |= run(connection, batch, query)
    return {expression: answers[expression] for expression in expressions}


def batches_of(expressions: Sequence[str]) -> list[list[str]]:
    """Generators multiply the rows of their neighbours: each is asked for alone."""
    together = [expression for expression in expressions if not ALONE.search(expression)]
    alone = [[expression] for expression in expressions if ALONE.search(expression)]
    return [together[start : start + BATCH] for start in range(0, len(together), BATCH)] + alone


def evaluate_batch(connection: Connection, expressions: Sequence[str], query: Query) -> dict[str, Answer]:
    """A batch that fails is first rid of what analysis refuses: on Spark quicker to learn than by halving."""
    try:
        return answers_to(connection, expressions, query)
    except ServerError:
        refused = refused_by_analysis(connection, expressions, query)
        accepted = [expression for expression in expressions if expression not in refused]
        answers = refused | evaluate_by_halves(connection, accepted, query)
        return {expression: answers[expression] for expression in expressions}


def refused_by_analysis(connection: Connection, expressions: Sequence[str], query: Query) -> dict[str, Answer]:
    refused: dict[str, Answer] = {}
    for expression in expressions:
        try:
            connection.analyze(sql_relation(query([expression])))
        except ServerError as error:
            refused[expression] = refusal(error.condition, error.message)
    return refused


def evaluate_by_halves(connection: Connection, expressions: Sequence[str], query: Query) -> dict[str, Answer]:
    if not expressions:
        return {}
    try:
        return answers_to(connection, expressions, query)
    except ServerError as error:
        if len(expressions) == 1:
            return {expressions[0]: refusal(error.condition, error.message)}
        answers: dict[str, Answer] = {}
        for part in parts_of(expressions):
            answers |= evaluate_by_halves(connection, part, query)
        return answers


def parts_of(expressions: Sequence[str]) -> list[Sequence[str]]:
    """Halves; of a few, each alone: where one fails, others mostly do."""
    size = (len(expressions) + 1) // 2 if len(expressions) > FEW else 1
    return [expressions[start : start + size] for start in range(0, len(expressions), size)]


def answers_to(connection: Connection, expressions: Sequence[str], query: Query) -> dict[str, Answer]:
    result = run_with_arrow(connection, expressions, query)
    if len(expressions) == 1:
        return {expressions[0]: answer_of_rows(result)}
    return dict(zip(expressions, answers_of(result), strict=True))


def run_with_arrow(connection: Connection, expressions: Sequence[str], query: Query) -> Result:
    """Runs the query; columns PyArrow cannot hold are asked for again as strings."""
    result = connection.execute(sql_relation(query(expressions)))
    awkward = [without_arrow_form(field.dataType) for field in result.schema.fields]
    if not any(awkward) or len(awkward) != len(expressions):
        return result
    texts = [f"CAST({e} AS STRING)" if hard else e for e, hard in zip(expressions, awkward, strict=True)]
    return Result(result.schema, connection.execute(sql_relation(query(texts))).rows)


def answer_of_rows(result: Result) -> Answer:
    """One select item: usually one column; a generator or a star may give several, written as tuples."""
    columns = answers_of(result)
    if len(columns) == 1:
        return columns[0]
    rows = zip(*(column.value.split(ROW_SEPARATOR) for column in columns), strict=True) if result.rows.num_rows else []
    return Answer(schema_text(result.schema), ROW_SEPARATOR.join(f"({', '.join(row)})" for row in rows))


def answers_of(result: Result) -> list[Answer]:
    answers = []
    for index, field in enumerate(result.schema.fields):
        column = result.rows.column(index)
        as_string = without_arrow_form(field.dataType)
        values = column.to_pylist() if as_string else render_column(column, field.dataType)
        text = ROW_SEPARATOR.join(str(value) if value is not None else "NULL" for value in values)
        answers.append(Answer(result_text(field.dataType, field.nullable), text, field.name))
    return answers


def select_as(section: Section) -> Query:
    """How expressions are asked for in a section: as they stand, or with literals made columns."""
    if section.lifted:
        return lambda expressions: select_lifted(expressions, section.lifted == "first")
    tail = f" FROM {section.relation}" if section.relation else ""
    return lambda expressions: f"SELECT {', '.join(expressions)}{tail}"


def select_lifted(expressions: Sequence[str], only_first: bool) -> str:
    lifted, relation = lifted_query(expressions, only_first)
    return f"SELECT {', '.join(lifted)} {relation}"
