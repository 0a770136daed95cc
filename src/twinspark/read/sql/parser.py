"""The entry points: one text, one tree."""

from twinspark.read.sql.config import DEFAULT, ParserConfig
from twinspark.read.sql.scripts import Scripts
from twinspark.read.sql.tree import Expression, Query, Statement


def parse_statement(text: str, config: ParserConfig = DEFAULT) -> Statement:
    """One statement or one script, as spark.sql takes it."""
    reader = Scripts(config.substituted(text), config)
    return reader.whole(reader.script_or_statement, semicolons=True)


def parse_query(text: str, config: ParserConfig = DEFAULT) -> Query:
    """A query and nothing else, as a view's text is read."""
    reader = Scripts(text, config)
    return reader.whole(reader.query)


def parse_expression(text: str, config: ParserConfig = DEFAULT) -> Expression:
    """An expression, with an alias if one is written, as selectExpr and expr take it."""
    reader = Scripts(text, config)
    return reader.whole(reader.named_expression)


def parse_multipart_identifier(text: str, config: ParserConfig = DEFAULT) -> tuple[str, ...]:
    """The parts of a name such as `db`.`t`."""
    reader = Scripts(text, config)
    return reader.whole(reader.multipart_identifier).parts


def split_statements(text: str, config: ParserConfig = DEFAULT) -> list[str]:
    """The statements of a file, each without its semicolon; a script from BEGIN to END is one."""
    reader = Scripts(text, config)
    statements = []
    while reader.kinds[reader.at] != "eof":
        begin = reader.at
        reader.skip_statement()
        if reader.at > begin:
            statements.append(text[reader.starts[begin] : reader.stop])
        reader.take(";")
    return statements
