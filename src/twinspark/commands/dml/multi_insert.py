"""FROM … INSERT … SELECT … INSERT … SELECT …: several insertions from one source, executed in order."""

from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.dml.insert import insert_rows
from twinspark.commands.results import Answer, answer
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.read.sql import parse_statement, tree
from twinspark.read.sql_text import parser_config
from twinspark.sessions.services import Services


def insert_several(statement: tree.MultiInsert, text: str, context: Context, services: Services) -> Any:
    """All insertions are analyzed before the first is executed."""
    if context.statement is not None:
        raise NotNative(reasons.PARAMETER, "FROM … INSERT … INSERT")
    commands = [one_insert(each, context, services) for each in single_texts(statement, text)]

    def carry_out() -> Answer:
        for command in commands:
            command()
        return answer()

    return carry_out


def one_insert(text: str, context: Context, services: Services) -> Any:
    made = parse_statement(text, parser_config(context))
    assert isinstance(made, tree.Insert)
    try:
        return insert_rows(made, text, context, services)
    except SparkError as error:  # its source positions refer to a generated text
        raise NotNative(
            reasons.ERROR_ORDER, f"one of several INSERT clauses fails with {error.condition}", likely_error=error
        ) from error


def single_texts(statement: tree.MultiInsert, text: str) -> list[str]:
    """Each insertion as a statement of its own, with the FROM clause first."""
    before = "" if statement.ctes is None else text[statement.ctes.start : statement.ctes.stop] + " "
    source = text[statement.source.start : statement.source.stop]
    inserts = []
    for target, select, organization in statement.inserts:
        stop = select.stop if organization is None else organization.stop
        header = text[target.start : target.stop]
        inserts.append(f"{before}{header} {source} {text[select.start : stop]}")
    return inserts
