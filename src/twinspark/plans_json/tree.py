"""Classes of a parsed JSON plan: its steps and expressions, independent of a session."""

from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import DataType, StructType


@dataclass(frozen=True)
class Name:
    """A column by name; in a join condition, `side` is the input that it belongs to."""

    name: str
    side: str | None = None


@dataclass(frozen=True)
class Literal:
    value: Any
    type: DataType | None = None


@dataclass(frozen=True)
class Call:
    """A call of a built-in function; `name` is Spark's name of it."""

    name: str
    args: tuple["Expression", ...]
    distinct: bool = False


@dataclass(frozen=True)
class SessionCall:
    """A call of a UDF that is registered in the session."""

    name: str
    args: tuple["Expression", ...]


@dataclass(frozen=True)
class Operator:
    name: str
    args: tuple["Expression", ...]


@dataclass(frozen=True)
class Cast:
    input: "Expression"
    type: DataType
    is_try: bool = False


@dataclass(frozen=True)
class When:
    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression | None" = None


@dataclass(frozen=True)
class Lambda:
    parameters: tuple[str, ...]
    body: "Expression"


@dataclass(frozen=True)
class Alias:
    input: "Expression"
    names: tuple[str, ...]


@dataclass(frozen=True)
class Order:
    """One sort key; `nulls_first` is None for Spark's default."""

    input: "Expression"
    ascending: bool = True
    nulls_first: bool | None = None


@dataclass(frozen=True)
class WindowFrame:
    is_rows: bool
    start: int
    end: int


@dataclass(frozen=True)
class Over:
    function: "Expression"
    partition: tuple["Expression", ...] = ()
    order: tuple[Order, ...] = ()
    frame: WindowFrame | None = None


Expression = Name | Literal | Call | SessionCall | Operator | Cast | When | Lambda | Alias | Order | Over


@dataclass(frozen=True)
class Filter:
    condition: Expression


@dataclass(frozen=True)
class Select:
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class WithColumn:
    name: str
    expression: Expression


@dataclass(frozen=True)
class WithColumnRenamed:
    old: str
    new: str


@dataclass(frozen=True)
class Drop:
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Limit:
    count: int


@dataclass(frozen=True)
class Offset:
    count: int


@dataclass(frozen=True)
class OrderBy:
    order: tuple[Order, ...]


@dataclass(frozen=True)
class Distinct:
    pass


@dataclass(frozen=True)
class Stop:
    """A final `stop` step, which some programs write; it does nothing, since the session belongs to the caller."""


@dataclass(frozen=True)
class GroupBy:
    """groupBy, rollup or cube (`kind`) with the aggregates of its payload or of the `agg` step after it."""

    kind: str
    grouping: tuple[Expression, ...]
    aggregates: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Agg:
    aggregates: tuple[Expression, ...]


@dataclass(frozen=True)
class Other:
    """The second input of a step: rows or a path, and their declared schema. Not hashable, since rows are lists."""

    data: Any = field(hash=False)
    schema: StructType | None = field(hash=False)


@dataclass(frozen=True)
class Join:
    other: Other
    using: tuple[str, ...]
    condition: Expression | None
    how: str


@dataclass(frozen=True)
class CrossJoin:
    other: Other


@dataclass(frozen=True)
class Union:
    other: Other


@dataclass(frozen=True)
class UnionByName:
    other: Other
    allow_missing_columns: bool = False


Step = (
    Filter
    | Select
    | WithColumn
    | WithColumnRenamed
    | Drop
    | Limit
    | Offset
    | OrderBy
    | Distinct
    | Stop
    | GroupBy
    | Agg
    | Join
    | CrossJoin
    | Union
    | UnionByName
)
