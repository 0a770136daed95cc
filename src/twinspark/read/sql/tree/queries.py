"""Nodes of queries: clauses, relations, set operations and pipe operators."""

from dataclasses import dataclass, field
from typing import TypeAlias

from pyspark.sql.types import StructType

from twinspark.read.sql.tree.base import Expression, Identifier, IdentifierClause, Name, Node, Relation, Statement
from twinspark.read.sql.tree.expressions import Predicate, SortItem, WindowSpec

Properties: TypeAlias = tuple[tuple[str, str | None], ...]


# ---------------------------------------------------------------- clauses
@dataclass(frozen=True, slots=True)
class NamedWindow(Node):
    name: str
    window: WindowSpec


@dataclass(frozen=True, slots=True)
class NamedQuery(Node):
    """One common table expression; `max_recursion` only in WITH RECURSIVE."""

    name: str
    columns: tuple[str, ...]
    max_recursion: Expression | None
    query: "Query"


@dataclass(frozen=True, slots=True)
class With(Node):
    recursive: bool
    queries: tuple[NamedQuery, ...]


@dataclass(frozen=True, slots=True)
class Organization(Node):
    """ORDER, CLUSTER, DISTRIBUTE and SORT BY, windows, LIMIT and OFFSET of a query; `limit_all` is LIMIT ALL."""

    order_by: tuple[SortItem, ...] = ()
    cluster_by: tuple[Expression, ...] = ()
    distribute_by: tuple[Expression, ...] = ()
    sort_by: tuple[SortItem, ...] = ()
    windows: tuple[NamedWindow, ...] = ()
    limit: Expression | None = None
    limit_all: bool = False
    offset: Expression | None = None


@dataclass(frozen=True, slots=True)
class GroupingSet(Node):
    """(a, b), or a bare expression (`parenthesized` False)."""

    expressions: tuple[Expression, ...]
    parenthesized: bool


@dataclass(frozen=True, slots=True)
class GroupingAnalytics(Node):
    """ROLLUP (…), CUBE (…) or GROUPING SETS (…, also nested); also a grouping expression in GROUP BY."""

    kind: str
    elements: "tuple[GroupingSet | GroupingAnalytics, ...]"


@dataclass(frozen=True, slots=True)
class Grouping(Node):
    """GROUP BY; `kind` is ROLLUP or CUBE (WITH …), GROUPING SETS (after the expressions), or empty."""

    expressions: tuple[Expression | GroupingAnalytics, ...]
    kind: str
    sets: tuple[GroupingSet, ...]


@dataclass(frozen=True, slots=True)
class Hint(Node):
    name: str
    parameters: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class LateralView(Node):
    outer: bool
    function: Name
    arguments: tuple[Expression, ...]
    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowFormat(Node):
    """ROW FORMAT SERDE (`serde` set) or DELIMITED; `options` by Spark's property names, as written."""

    serde: str | None
    options: Properties


@dataclass(frozen=True, slots=True)
class Transform(Node):
    """TRANSFORM (…) USING 'script': `columns` are names only, `schema` names and types."""

    arguments: tuple[Expression, ...]
    quantifier: str
    input_format: RowFormat | None
    record_writer: str | None
    script: str
    columns: tuple[str, ...]
    schema: StructType | None
    output_format: RowFormat | None
    record_reader: str | None


# ---------------------------------------------------------------- relations
@dataclass(frozen=True, slots=True)
class TableAlias(Node):
    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeTravel(Node):
    """VERSION AS OF (text or number as written) or TIMESTAMP AS OF an expression."""

    version: str | None
    timestamp: Expression | None


@dataclass(frozen=True, slots=True)
class Changes(Node):
    """CHANGES FROM … TO …: versions as written, timestamps as expressions; open ends are None."""

    begin: str | Expression | None
    begin_exclusive: bool
    end: str | Expression | None
    end_exclusive: bool


@dataclass(frozen=True, slots=True)
class Sample(Node):
    """`kind` is PERCENT, ROWS, BUCKET or BYTES (the last is always an error); `values` as written."""

    kind: str
    values: tuple[Expression | str, ...]
    seed: Expression | None


@dataclass(frozen=True, slots=True)
class Watermark(Node):
    column: Expression
    delay: Expression


@dataclass(frozen=True, slots=True)
class Table(Relation):
    """A table by name, in FROM or as a query of its own (TABLE t)."""

    name: Identifier
    time_travel: TimeTravel | None = None
    changes: Changes | None = None
    options: Properties = ()
    sample: Sample | None = None
    watermark: Watermark | None = None
    alias: TableAlias | None = None


@dataclass(frozen=True, slots=True)
class Stream(Relation):
    """STREAM t or STREAM f(…)."""

    relation: Relation
    source_name: str | None


@dataclass(frozen=True, slots=True)
class AliasedQuery(Relation):
    query: "Query"
    sample: Sample | None
    watermark: Watermark | None
    alias: TableAlias | None


@dataclass(frozen=True, slots=True)
class AliasedRelation(Relation):
    relation: Relation
    sample: Sample | None
    watermark: Watermark | None
    alias: TableAlias | None


@dataclass(frozen=True, slots=True)
class InlineTable(Relation):
    """VALUES …, in FROM or as a query of its own."""

    rows: tuple[Expression, ...]
    alias: TableAlias | None


@dataclass(frozen=True, slots=True)
class TableArgument(Expression):
    """A TABLE(…) argument of a function; `partitioning` is SINGLE, BY or empty."""

    relation: "Identifier | Query"
    partitioning: str
    partition: tuple[Expression, ...]
    order: tuple[SortItem, ...]


@dataclass(frozen=True, slots=True)
class TableFunction(Relation):
    name: Name | IdentifierClause
    arguments: tuple[Expression, ...]
    watermark: Watermark | None
    alias: TableAlias | None


@dataclass(frozen=True, slots=True)
class Lateral(Relation):
    relation: Relation


@dataclass(frozen=True, slots=True)
class NearestBy(Node):
    exact: bool
    count: int
    similarity: bool
    expression: Expression


@dataclass(frozen=True, slots=True)
class Join(Relation):
    """`kind` is INNER, CROSS, LEFT OUTER, RIGHT OUTER, FULL OUTER, LEFT SEMI or LEFT ANTI."""

    left: Relation | None
    kind: str
    natural: bool
    right: Relation
    condition: Expression | None
    using: tuple[str, ...]
    nearest: NearestBy | None
    join_start: int = field(kw_only=True, compare=False, repr=False)  # the offset of its own keywords, after `left`


@dataclass(frozen=True, slots=True)
class Pivot(Relation):
    relation: Relation | None
    aggregates: tuple[Expression, ...]
    columns: tuple[str, ...]
    values: tuple[Expression, ...]
    alias: str | None


@dataclass(frozen=True, slots=True)
class UnpivotColumns(Node):
    columns: tuple[Name, ...]
    alias: str | None


@dataclass(frozen=True, slots=True)
class Unpivot(Relation):
    relation: Relation | None
    include_nulls: bool
    value_columns: tuple[str, ...]
    name_column: str
    columns: tuple[UnpivotColumns, ...]
    multiple: bool
    alias: str | None


@dataclass(frozen=True, slots=True)
class From(Node):
    """Relations listed with commas; lateral views and a trailing PIVOT or UNPIVOT apply to all of them together."""

    relations: tuple[Relation, ...]
    lateral_views: tuple[LateralView, ...]
    pivot: Pivot | None
    unpivot: Unpivot | None


# ---------------------------------------------------------------- queries
@dataclass(frozen=True, slots=True)
class Select(Node):
    """One SELECT; `quantifier` is DISTINCT, ALL or empty."""

    hints: tuple[Hint, ...]
    quantifier: str
    projections: "tuple[Expression, ...] | Transform"
    source: From | None
    lateral_views: tuple[LateralView, ...]
    where: Expression | None
    grouping: Grouping | None
    having: Expression | None
    windows: tuple[NamedWindow, ...]
    qualify: Expression | None


@dataclass(frozen=True, slots=True)
class FromFirst(Node):
    """FROM t [SELECT …]…: each body is a SELECT without FROM, with an organization of its own."""

    source: From
    bodies: "tuple[tuple[Select, Organization | None], ...]"


@dataclass(frozen=True, slots=True)
class SetOperation(Node):
    """`operator` is UNION, EXCEPT (also MINUS) or INTERSECT."""

    operator: str
    all: bool
    left: "QueryTerm"
    right: "QueryTerm"


@dataclass(frozen=True, slots=True)
class Pipe(Node):
    """left |> operator."""

    left: "QueryTerm"
    operator: "PipeOperator"


@dataclass(frozen=True, slots=True)
class Query(Statement):
    """A query term with its WITH and its organization, in parentheses or as a whole statement."""

    ctes: With | None
    body: "QueryTerm"
    organization: Organization | None


# ---------------------------------------------------------------- pipe operators
@dataclass(frozen=True, slots=True)
class PipeSelect(Node):
    select: Select


@dataclass(frozen=True, slots=True)
class PipeExtend(Node):
    projections: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class PipeSet(Node):
    assignments: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class PipeDrop(Node):
    columns: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class PipeAs(Node):
    name: str


@dataclass(frozen=True, slots=True)
class PipeWhere(Node):
    condition: Expression


@dataclass(frozen=True, slots=True)
class PipeAggregate(Node):
    aggregates: tuple[Expression, ...]
    grouping: Grouping | None


@dataclass(frozen=True, slots=True)
class PipeSetOperation(Node):
    operator: str
    all: bool
    right: "QueryTerm"


PipeOperator: TypeAlias = (
    PipeSelect
    | PipeExtend
    | PipeSet
    | PipeDrop
    | PipeAs
    | PipeWhere
    | PipeAggregate
    | PipeSetOperation
    | Pivot
    | Unpivot
    | Sample
    | Join
    | Organization
)
QueryTerm: TypeAlias = Select | FromFirst | Table | InlineTable | SetOperation | Pipe | Query


# ---------------------------------------------------------------- subqueries in expressions
@dataclass(frozen=True, slots=True)
class Subquery(Expression):
    query: "Query"


@dataclass(frozen=True, slots=True)
class Exists(Expression):
    query: "Query"


@dataclass(frozen=True, slots=True)
class InSubquery(Predicate):
    child: Expression
    query: "Query"
    negated: bool
