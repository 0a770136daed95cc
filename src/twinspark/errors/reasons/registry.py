"""Looks up a reason for falling back by its code, which is all that a message of DuckDB contains."""

from types import ModuleType

from twinspark.errors.reasons import (
    documents,
    engine,
    files,
    functions,
    python,
    queries,
    rejected,
    statements,
    tables,
    values,
)
from twinspark.errors.reasons.reason import Reason

TOPICS = (functions, values, documents, queries, statements, files, tables, python, engine, rejected)


def reasons_in(topic: ModuleType) -> tuple[Reason, ...]:
    return tuple(each for each in vars(topic).values() if isinstance(each, Reason))


BY_CODE = {each.code: each for topic in TOPICS for each in reasons_in(topic)}
