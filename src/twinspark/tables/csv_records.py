"""CSV records that may be malformed: which are depends on the columns that a query asks for, as in UnivocityParser."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import StringType, StructField, StructType

from twinspark.errors import NotNative, SparkError
from twinspark.tables.csv_dialect import Dialect
from twinspark.tables.csv_values import value_sql
from twinspark.tables.ducktext import duck_type, identifier

BAD = '"whether it is malformed"'  # no directory is called so

Chosen = Sequence[tuple[int, StructField]]


@dataclass(frozen=True)
class Records:
    """`rows` has `line`, its `fields` as a list, each field as c0, c1 … and the values of directories."""

    rows: str
    line: str
    fields: str
    dialect: Dialect
    data: StructType
    corrupt: str  # the name of the column for the texts of malformed records; not all files are read with one

    def check(self) -> None:
        if not self.dialect.may_be_taken_apart:
            raise NotNative("malformed csv records, with escapes, blanks or line ends of another kind")
        if any(f.name == self.corrupt and not isinstance(f.dataType, StringType) for f in self.data.fields):
            raise NotNative("a column for corrupt records that is no string")

    @property
    def columns(self) -> list[StructField]:
        """Those that a line has."""
        return [field for field in self.data.fields if field.name != self.corrupt]

    def values(self, asked: frozenset[str]) -> dict[str, str]:
        """The SQL of each column; of those that are not asked for nothing is read."""
        found = {f.name: f"CAST(NULL AS {duck_type(f.dataType)})" for f in self.data.fields}
        found |= {field.name: self.value(at, field) for at, field in self.chosen(asked)}
        if self.tells_corrupt(asked):
            found[self.corrupt] = f"CASE WHEN {BAD} THEN {self.line} END"
        return found

    def source(self, asked: frozenset[str]) -> str:
        """The rows, and of each whether it is malformed; in the mode DROPMALFORMED such are left out."""
        judged = f"(SELECT *, {self.is_malformed(asked)} AS {BAD} FROM {self.rows})"
        return f"(SELECT * FROM {judged} WHERE NOT {BAD})" if self.dialect.drops else judged

    def chosen(self, asked: frozenset[str]) -> Chosen:
        return [(at, field) for at, field in enumerate(self.columns) if field.name in asked]

    def tells_corrupt(self, asked: frozenset[str]) -> bool:
        return self.corrupt in asked and self.corrupt in self.data.names

    def value(self, at: int, field: StructField) -> str:
        return value_sql(identifier(f"c{at}"), field.dataType, self.dialect.formats)

    def is_malformed(self, asked: frozenset[str]) -> str:
        """A value that does not fit; the number of fields counts where all columns are asked for."""
        chosen = self.chosen(asked)
        if self.tells_corrupt(asked) and not chosen:
            raise SparkError("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN")
        tests = [f"(c{at} IS NOT NULL AND ({self.value(at, field)}) IS NULL)" for at, field in chosen]
        if chosen and len(chosen) == len(self.columns):
            tests.append(f"len({self.fields}) <> {len(self.columns)}")
        return f"({' OR '.join(tests)})" if tests else "false"
