"""A plan as values: what a JSON plan says, read and checked, before any session sees it."""

from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import DataType, StructType


@dataclass(frozen=True)
class Name:
    """A column by name; `side` tells the two inputs of a join condition apart."""

    name: str
    side: str | None = None


@dataclass(frozen=True)
class Literal:
    value: Any
    type: DataType | None = None


@dataclass(frozen=True)
class Call:
    """A function of Spark; `name` is Spark's own."""

    name: str
    args: tuple["Expression", ...]
    distinct: bool = False


@dataclass(frozen=True)
class SessionCall:
    """A function that only the session knows: a registered UDF."""

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
    """One sort key; `nulls_first` None leaves Spark's default."""

    input: "Expression"
    ascending: bool = True
    nulls_first: bool | None = None


@dataclass(frozen=True)
class Frame:
    is_rows: bool
    start: int
    end: int


@dataclass(frozen=True)
class Over:
    function: "Expression"
    partition: tuple["Expression", ...] = ()
    order: tuple[Order, ...] = ()
    frame: Frame | None = None


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
    """Emitters end a plan with it; the session belongs to the caller, so nothing is stopped."""


@dataclass(frozen=True)
class GroupBy:
    """groupBy, rollup or cube (`kind`) with the aggregates of its own payload or of the `agg` step behind it."""

    kind: str
    grouping: tuple[Expression, ...]
    aggregates: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Agg:
    aggregates: tuple[Expression, ...]


@dataclass(frozen=True)
class Other:
    """The second input of a step: rows or a path, and the schema they declare. Not hashed: rows are lists."""

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
