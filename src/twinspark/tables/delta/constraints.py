"""Write restrictions of a Delta table: CHECK constraints and the property delta.appendOnly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql.types import DataType, DateType, DecimalType, StructField, StructType, TimestampNTZType, TimestampType

from twinspark.errors import SparkError
from twinspark.functions.notation.error_sql import error, error_with
from twinspark.tables.column_types import column_type
from twinspark.types.duckdb import duck_name, duck_text

CONSTRAINT = "delta.constraints."
APPEND_ONLY = "delta.appendOnly"
# delta-rs would write -0.01 into its log as 0.-1, and the table could not be read any more.
NEGATIVE = error("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName="delta", operation="negative decimals as partitions")


@dataclass(frozen=True)
class Check:
    """A CHECK constraint: its condition as DuckDB SQL over columns of `t`, and its text for errors."""

    name: str
    expression: str
    condition: str
    columns: tuple[StructField, ...]

    def enforce(self, value: str) -> str:
        """SQL of `value` that raises an error where the condition is not true. It is in a projection, since a filter
        might be evaluated before those of the query."""
        lines = [duck_text(f" - {each.name} : ") + f" || {error_value(each)}" for each in self.columns]
        violated = error_with(
            "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
            constraintName=duck_text(self.name),
            expression=duck_text(self.expression),
            values=" || chr(10) || ".join(lines) or "''",
        )
        return f"CASE WHEN {self.condition} THEN {value} ELSE {violated} END"


def error_value(field: StructField) -> str:
    """The value as in Delta's error message: dates and timestamps are numbers there."""
    return f"coalesce(CAST({internal(field.dataType, f't.{duck_name(field.name)}')} AS VARCHAR), 'null')"


def internal(type: DataType, value: str) -> str:
    if isinstance(type, DateType):
        return f"CAST({value} - DATE '1970-01-01' AS BIGINT)"
    return f"epoch_us({value})" if isinstance(type, TimestampType | TimestampNTZType) else value


def constraints(properties: Mapping[str, str]) -> dict[str, str]:
    """The conditions of the CHECK constraints by name."""
    found = [(key, text) for key, text in properties.items() if key.lower().startswith(CONSTRAINT)]
    return {key[len(CONSTRAINT) :]: text for key, text in found}


def check_removable(properties: Mapping[str, str], name: str) -> None:
    """Raises an error for append-only tables before rows are removed or changed (DeltaLog.assertRemovable)."""
    by_lower_name = {key.lower(): value for key, value in properties.items()}
    if by_lower_name.get(APPEND_ONLY.lower(), "false").lower() == "true":
        raise SparkError("DELTA_CANNOT_MODIFY_APPEND_ONLY", table_name=name, config=APPEND_ONLY)


def checked_rows(schema: StructType, checks: Sequence[Check], rows: str, partitions: Sequence[str] = ()) -> str:
    """SQL of the rows in the schema's types; a row that violates a constraint fails the query."""
    first, *others = [typed_column(field, field.name in partitions) for field in schema.fields]
    for check in checks:
        first = check.enforce(first)
    columns = zip([first, *others], schema.fields, strict=True)
    return f"SELECT {', '.join(f'{value} AS {duck_name(field.name)}' for value, field in columns)} FROM ({rows}) AS t"


def typed_column(field: StructField, is_partition: bool) -> str:
    name = f"t.{duck_name(field.name)}"
    value = f"CAST({name} AS {column_type(field.dataType)})"
    if not field.nullable:
        missing = error("NOT_NULL_ASSERT_VIOLATION", walkedTypePath=f"\n{field.name}\n")
        value = f"CASE WHEN {name} IS NULL THEN {missing} ELSE {value} END"
    if is_partition and isinstance(field.dataType, DecimalType) and field.dataType.scale > 0:
        value = f"CASE WHEN {name} < 0 THEN {NEGATIVE} ELSE {value} END"
    return value
