"""Nodes of scalar expressions other than literals: one class per syntax with its own meaning."""

from dataclasses import dataclass, field
from typing import TypeAlias

from pyspark.sql.types import DataType

from twinspark.read.sql.tree.base import Expression, IdentifierClause, Name, Node


# ---------------------------------------------------------------- names
@dataclass(frozen=True, slots=True)
class Column(Expression):
    """A name of one or more parts: column, struct field, variable or lambda argument, resolved in analysis."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Star(Expression):
    """`*`, `t.*`, `* EXCEPT (…)`."""

    target: tuple[str, ...]
    excluded: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class RegexColumn(Expression):
    """A back-quoted column name that is a regular expression (spark.sql.parser.quotedRegexColumnNames)."""

    pattern: str
    table: str | None


@dataclass(frozen=True, slots=True)
class Dereference(Expression):
    """`base.field` where base is not itself a name."""

    base: Expression
    field: str


@dataclass(frozen=True, slots=True)
class Subscript(Expression):
    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class SemiStructuredExtract(Expression):
    """`variant:path`; `path` is the JSON path that Spark derives ($.a[0]…), `name` its last field if any."""

    base: Expression
    path: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Alias(Expression):
    """`expression AS a`, or `AS (a, b)` with `multiple`: names for the columns of a generator, even if only one."""

    child: Expression
    names: tuple[str, ...]
    multiple: bool = False


# ---------------------------------------------------------------- operators
@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`operator` is - + ~."""

    operator: str
    child: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`operator` is one of * / % DIV + - || << >> >>> & ^ | = <=> <> != < <= > >= (`==` is `=`; `!<` is `>=`)."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Not(Expression):
    child: Expression


@dataclass(frozen=True, slots=True)
class Logical(Expression):
    """AND or OR."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Predicate(Expression):
    """`value IN …` and others: the query context of their errors starts after the value, at `operator_start`."""

    operator_start: int = field(kw_only=True, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between(Predicate):
    child: Expression
    lower: Expression
    upper: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class In(Predicate):
    child: Expression
    options: tuple[Expression, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Like(Predicate):
    """`kind` is LIKE, ILIKE or RLIKE."""

    kind: str
    child: Expression
    pattern: Expression
    escape: str | None
    negated: bool


@dataclass(frozen=True, slots=True)
class LikeQuantified(Predicate):
    """`quantifier` is ANY (also SOME) or ALL."""

    kind: str
    quantifier: str
    child: Expression
    patterns: tuple[Expression, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class IsNull(Predicate):
    child: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class IsTruth(Predicate):
    """IS [NOT] TRUE, FALSE or UNKNOWN."""

    child: Expression
    value: str
    negated: bool


@dataclass(frozen=True, slots=True)
class IsDistinct(Expression):
    left: Expression
    right: Expression
    negated: bool


# ---------------------------------------------------------------- keyword syntax
@dataclass(frozen=True, slots=True)
class Case(Expression):
    """`value` is None for the searched form."""

    value: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """`form` is CAST, TRY_CAST or `::`."""

    form: str
    child: Expression
    type: DataType


@dataclass(frozen=True, slots=True)
class Collate(Expression):
    child: Expression
    collation: Name


@dataclass(frozen=True, slots=True)
class CurrentLike(Expression):
    """CURRENT_DATE and others without parentheses; `name` in upper case, `written` as in the text: a column takes
    precedence."""

    name: str
    written: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class TimestampAdd(Expression):
    """`function` in upper case: TIMESTAMPADD, DATEADD or DATE_ADD; `unit` as written, since automatic names show it."""

    function: str
    unit: str
    quantity: Expression
    timestamp: Expression


@dataclass(frozen=True, slots=True)
class TimestampDiff(Expression):
    """`function` in upper case: TIMESTAMPDIFF, DATEDIFF, DATE_DIFF or TIMEDIFF; `unit` as written."""

    function: str
    unit: str
    begin: Expression
    end: Expression


@dataclass(frozen=True, slots=True)
class Struct(Expression):
    """STRUCT(a, b AS c)."""

    fields: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Row(Expression):
    """(a, b AS c): two fields or more."""

    fields: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FirstLast(Expression):
    """FIRST, LAST or ANY_VALUE over one argument, IGNORE NULLS inside the parentheses."""

    function: str
    child: Expression
    ignore_nulls: bool


@dataclass(frozen=True, slots=True)
class Position(Expression):
    """POSITION(substring IN string)."""

    substring: Expression
    string: Expression


@dataclass(frozen=True, slots=True)
class Extract(Expression):
    """EXTRACT(field FROM source); `field` as written."""

    field: str
    source: Expression


@dataclass(frozen=True, slots=True)
class Substring(Expression):
    """SUBSTRING or SUBSTR with FROM or FOR; with commas alone it is a Function."""

    string: Expression
    position: Expression
    length: Expression | None


@dataclass(frozen=True, slots=True)
class Trim(Expression):
    """TRIM([BOTH | LEADING | TRAILING] [characters] FROM source)."""

    option: str
    characters: Expression | None
    source: Expression


@dataclass(frozen=True, slots=True)
class Overlay(Expression):
    """OVERLAY(input PLACING replace FROM position [FOR length])."""

    input: Expression
    replace: Expression
    position: Expression
    length: Expression | None


# ---------------------------------------------------------------- functions
@dataclass(frozen=True, slots=True)
class SortItem(Node):
    """`ordering` is ASC, DESC or empty; `nulls` is FIRST, LAST or empty."""

    child: Expression
    ordering: str
    nulls: str


@dataclass(frozen=True, slots=True)
class FrameBound(Node):
    """`kind` is UNBOUNDED PRECEDING, UNBOUNDED FOLLOWING, CURRENT ROW, PRECEDING or FOLLOWING (these with a value)."""

    kind: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class WindowFrame(Node):
    """`unit` is ROWS or RANGE; without BETWEEN `end` is None (the current row)."""

    unit: str
    begin: FrameBound
    end: FrameBound | None


@dataclass(frozen=True, slots=True)
class WindowReference(Node):
    name: str


@dataclass(frozen=True, slots=True)
class WindowDefinition(Node):
    partition: tuple[Expression, ...]
    order: tuple[SortItem, ...]
    frame: WindowFrame | None


WindowSpec: TypeAlias = WindowReference | WindowDefinition


@dataclass(frozen=True, slots=True)
class NamedArgument(Expression):
    """name => value."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Function(Expression):
    """A call; `nulls` is IGNORE, RESPECT or empty (after the parentheses)."""

    name: Name | IdentifierClause
    arguments: tuple[Expression, ...]
    distinct: bool
    within_group: tuple[SortItem, ...]
    filter: Expression | None
    nulls: str
    over: WindowSpec | None


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    parameters: tuple[str, ...]
    body: Expression
