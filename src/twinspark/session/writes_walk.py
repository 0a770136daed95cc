"""What all statements that write to a table know: the table, and the statement as it is read."""

from dataclasses import dataclass

from twinspark.analysis.context import Context
from twinspark.read.walk import Walk
from twinspark.session.tables_targets import Target
from twinspark.session.writes_assignment import Assignment
from twinspark.types import StructType


@dataclass(frozen=True)
class Writing:
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
