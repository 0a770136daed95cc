"""The common state of statements that write to a table: the table, and the analysis of the statement."""

from dataclasses import dataclass

from twinspark.analysis.context import Context
from twinspark.commands.ddl.targets import Target
from twinspark.commands.dml.store_assignment import Assignment
from twinspark.read.walk import Walk
from twinspark.types import StructType


@dataclass(frozen=True)
class WriteStatement:
    """A statement and the table it writes to."""

    target: Target
    walk: Walk

    @property
    def context(self) -> Context:
        return self.walk.context

    @property
    def schema(self) -> StructType:
        return self.target.table.schema

    @property
    def assignment(self) -> Assignment:
        return Assignment(self.target.full_name, self.context)
