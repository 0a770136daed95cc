"""Reads CSV records that may be malformed; which are depends on the required columns, as in UnivocityParser."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import StringType, StructField, StructType

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.column_types import column_type
from twinspark.tables.files.csv_dialect import Dialect
from twinspark.tables.files.csv_values import value_sql
from twinspark.types.duckdb import duck_name

BAD = '"whether it is malformed"'  # a name that no partition column has

Chosen = Sequence[tuple[int, StructField]]


@dataclass(frozen=True)
class Records:
    """`rows` has `line`, its `fields` as a list, each field as c0, c1 …, and the partition columns."""

    rows: str
    line: str
    fields: str
    dialect: Dialect
    data: StructType
    corrupt: str  # columnNameOfCorruptRecord, whether or not the schema has that column

    def check(self) -> None:
        if not self.dialect.can_be_split:
            raise NotNative(reasons.FILE_MALFORMED_RECORDS, "CSV with escapes, blanks or other line ends")
        if any(f.name == self.corrupt and not isinstance(f.dataType, StringType) for f in self.data.fields):
            raise NotNative(
                reasons.FILE_MALFORMED_RECORDS, "columnNameOfCorruptRecord names a column that is not a string"
            )

    @property
    def columns(self) -> list[StructField]:
        """The columns that are read from a line: all but the corrupt-record column."""
        return [field for field in self.data.fields if field.name != self.corrupt]

    def values(self, required: frozenset[str]) -> dict[str, str]:
        """The SQL of each column; columns that are not required are null."""
        found = {f.name: f"CAST(NULL AS {column_type(f.dataType)})" for f in self.data.fields}
        found |= {field.name: self.value(at, field) for at, field in self.required_columns(required)}
        if self.has_corrupt_column(required):
            found[self.corrupt] = f"CASE WHEN {BAD} THEN {self.line} END"
        return found

    def source(self, required: frozenset[str]) -> str:
        """The rows with a flag for malformed ones; without those in the mode DROPMALFORMED."""
        judged = f"(SELECT *, {self.is_malformed(required)} AS {BAD} FROM {self.rows})"
        return f"(SELECT * FROM {judged} WHERE NOT {BAD})" if self.dialect.drops else judged

    def required_columns(self, required: frozenset[str]) -> Chosen:
        return [(at, field) for at, field in enumerate(self.columns) if field.name in required]

    def has_corrupt_column(self, required: frozenset[str]) -> bool:
        return self.corrupt in required and self.corrupt in self.data.names

    def value(self, at: int, field: StructField) -> str:
        return value_sql(duck_name(f"c{at}"), field.dataType, self.dialect.formats)

    def is_malformed(self, required: frozenset[str]) -> str:
        """SQL that is true for an invalid value, or for a wrong number of fields if all columns are required."""
        chosen = self.required_columns(required)
        if self.has_corrupt_column(required) and not chosen:
            raise SparkError("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN")
        tests = [f"(c{at} IS NOT NULL AND ({self.value(at, field)}) IS NULL)" for at, field in chosen]
        if chosen and len(chosen) == len(self.columns):
            tests.append(f"len({self.fields}) <> {len(self.columns)}")
        return f"({' OR '.join(tests)})" if tests else "false"
