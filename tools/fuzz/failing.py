"""Which rows a call fails for, told by our engine in one question: with ANSI on an error ends a whole query."""

import re
from collections.abc import Iterator, Sequence

import duckdb

from tools.cases.connect import Mode
from tools.fuzz.asking import Asked
from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.duck.run import connect, prepare
from twinspark.errors import NotNative, SparkError
from twinspark.functions.notation.registry import fn
from twinspark.read.proto import read_relation

fn("fuzz_fails(any) -> boolean!", "(TRY(struct_pack(v := {0})) IS NULL)")

# DuckDB's own error() is volatile, and TRY takes no such function; a null of no type stands wherever error() may.
FAIL = "CREATE MACRO fuzz_error(told) AS (CASE WHEN CAST(told || 'x' AS BIGINT) = 1 THEN NULL END)"
RAISED = re.compile(r"\berror\(")


class Failing:
    """One mode's rows that fail."""

    def __init__(self, mode: Mode) -> None:
        self.settings = mode.settings()
        self.connection = connect()
        self.connection.execute(FAIL)
        # What fails for constants must not fail while the plan is made.
        self.connection.execute("SET disabled_optimizers = 'expression_rewriter'")

    def units(self, many: Sequence[Asked]) -> list[list[int] | None]:
        """For each call the rows it fails for; nothing where that cannot be told."""
        if len(many) == 1:
            return [self.alone(many[0])]
        try:
            return list(self.told(many))
        except (NotNative, SparkError, duckdb.Error):
            middle = len(many) // 2
            return self.units(many[:middle]) + self.units(many[middle:])

    def alone(self, asked: Asked) -> list[int] | None:
        try:
            return next(self.told([asked]))
        except (NotNative, SparkError, duckdb.Error):  # the call itself may be refused: asked again, it is told why
            return None

    def told(self, many: Sequence[Asked]) -> Iterator[list[int]]:
        asked = Asked.together(many)
        context = Context(config=self.settings)
        plan = read_relation(asked.relation([f"fuzz_fails({call})" for call in asked.calls]), context)
        made = compile_rows(plan, context)
        cursor = self.connection.cursor()
        prepare(cursor, made.statement, context.settings)
        units, *failing = zip(*cursor.execute(RAISED.sub("fuzz_error(", made.text)).fetchall(), strict=True)
        return ([unit for unit, fails in zip(units, column, strict=True) if fails] for column in failing)
