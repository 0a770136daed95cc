"""SQL texts inside Connect messages: expressions and queries, through the parser and the same builders."""

from twinspark.analysis.names import Scope
from twinspark.analysis.relations import Named
from twinspark.errors import NotNative


def read_expression_text(text: str, scope: Scope) -> Named:
    raise NotNative("SQL text in an expression")
