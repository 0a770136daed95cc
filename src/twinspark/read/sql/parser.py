"""The entry points: one text, one tree."""

from collections.abc import Mapping, Sequence

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


def parameter_markers(text: str, config: ParserConfig = DEFAULT) -> list[tuple[int, int, str]]:
    """Start, stop and name of the parameter markers of a statement, in order; `?` has no name."""
    reader = Scripts(text, config)
    reader.looks_for_markers = True
    reader.whole(reader.script_or_statement, semicolons=True)
    return sorted(set(reader.markers))


def bind_parameters(
    text: str,
    named: Mapping[str, str],
    positional: Sequence[str] = (),
    config: ParserConfig = DEFAULT,
) -> str:
    """The statement with its markers replaced by SQL literals, as Spark does before it reads it.

    Markers without a literal stay as they are, for analysis to name them.
    """
    parts, end, unnamed = [], 0, iter(positional)
    for start, stop, name in parameter_markers(text, config):
        literal = named.get(name) if name else next(unnamed, None)
        parts += [text[end:start], text[start:stop] if literal is None else literal]
        end = stop
    return "".join([*parts, text[end:]])


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
