"""Connects rules of the grammar that are mutually recursive across modules: the cursor holds them."""

from twinspark.read.sql.expressions.primaries import parse_primary
from twinspark.read.sql.lexer.cursor import Grammar
from twinspark.read.sql.queries.pipes import parse_pipe
from twinspark.read.sql.queries.select import parse_query
from twinspark.read.sql.statements.first_keywords import parse_statement

GRAMMAR = Grammar(primary=parse_primary, query=parse_query, pipe=parse_pipe, statement=parse_statement)
