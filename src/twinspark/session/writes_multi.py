"""FROM … INSERT … SELECT … INSERT … SELECT …: several insertions of one source, one after the other."""

from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.read.sql import parse_statement, tree
from twinspark.read.text import parser_config
from twinspark.session.sql_results import Answer, answer
from twinspark.session.writes_sql import insert_rows

if TYPE_CHECKING:
    from twinspark.session.session import Session


def insert_several(statement: tree.MultiInsert, text: str, context: Context, session: "Session") -> Any:
    """All are read before the first is carried out."""
    if context.statement is not None:
        raise NotNative("SQL: several INSERTs with parameters")
    commands = [one_insert(each, context, session) for each in single_texts(statement, text)]

    def carry_out() -> Answer:
        for command in commands:
            command()
        return answer()

    return carry_out


def one_insert(text: str, context: Context, session: "Session") -> Any:
    made = parse_statement(text, parser_config(context))
    assert isinstance(made, tree.Insert)
    try:
        return insert_rows(made, text, context, session)
    except SparkError as error:  # its places are those of a text that nobody wrote
        raise NotNative(f"SQL: an error in one of several INSERTs: {error.condition}", nearest=error) from error


def single_texts(statement: tree.MultiInsert, text: str) -> list[str]:
    """Each insertion as a statement of its own: what is inserted begins with FROM."""
    before = "" if statement.ctes is None else text[statement.ctes.start : statement.ctes.stop] + " "
    source = text[statement.source.start : statement.source.stop]
    inserts = []
    for target, select, organization in statement.inserts:
        stop = select.stop if organization is None else organization.stop
        header = text[target.start : target.stop]
        inserts.append(f"{before}{header} {source} {text[select.start : stop]}")
    return inserts
