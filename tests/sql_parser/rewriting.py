"""A tree written back as SQL with every parenthesis spelled out: if Spark reads it as it reads the text it came from,
the tree says what the text says."""

from functools import singledispatch

from twinspark.read.sql import tree


def quoted(*parts: str) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def text_of(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


@singledispatch
def sql(node: object) -> str:
    raise NotImplementedError(type(node).__name__)


def listed(nodes: tuple[tree.Node, ...]) -> str:
    return ", ".join(sql(node) for node in nodes)


def given(word: str, node: tree.Node | None) -> str:
    return f" {word} {sql(node)}" if node is not None else ""


# ---------------------------------------------------------------- literals
@sql.register
def _(node: tree.NullLiteral) -> str:
    return "NULL"


@sql.register
def _(node: tree.BooleanLiteral) -> str:
    return str(node.value)


SUFFIXES = {"bigint": "L", "smallint": "S", "tinyint": "Y", "float": "F", "double": "D", "bigdecimal": "BD"}


@sql.register
def _(node: tree.NumberLiteral) -> str:
    return f"{node.text}{SUFFIXES.get(node.kind, '')}"


@sql.register
def _(node: tree.StringLiteral) -> str:
    return text_of(node.value)


@sql.register
def _(node: tree.TypedLiteral) -> str:
    return f"{node.type_name} {text_of(node.text)}"


@sql.register
def _(node: tree.YearMonthInterval) -> str:
    sign, months = ("-", -node.months) if node.months < 0 else ("", node.months)
    if node.unit_from != node.unit_to:
        return f"INTERVAL '{sign}{months // 12}-{months % 12}' YEAR TO MONTH"
    return f"INTERVAL {sign}{months // 12} YEAR" if node.unit_to == 0 else f"INTERVAL {sign}{months} MONTH"


@sql.register
def _(node: tree.DayTimeInterval) -> str:
    names = ("DAY", "HOUR", "MINUTE", "SECOND")
    units = names[node.unit_from : node.unit_to + 1]
    zeros = " ".join(f"0 {unit}" for unit in units if unit != "SECOND")
    # Microseconds make SECOND the last unit; where it is not, whole units say all there is.
    if node.unit_to == 3:
        return f"INTERVAL {zeros} {node.microseconds} MICROSECONDS"
    size = (86_400_000_000, 3_600_000_000, 60_000_000)[node.unit_to]
    zeros = " ".join(f"0 {unit}" for unit in units[:-1])
    return f"INTERVAL {zeros} {node.microseconds // size} {units[-1]}"


@sql.register
def _(node: tree.CalendarInterval) -> str:
    return f"INTERVAL {node.months} MONTHS {node.days} DAYS {node.microseconds} MICROSECONDS"


# ---------------------------------------------------------------- names
@sql.register
def _(node: tree.Column) -> str:
    return quoted(*node.parts)


@sql.register
def _(node: tree.Name) -> str:
    return quoted(*node.parts)


@sql.register
def _(node: tree.IdentifierClause) -> str:
    return f"IDENTIFIER({sql(node.expression)})"


@sql.register
def _(node: tree.Star) -> str:
    target = f"{quoted(*node.target)}." if node.target else ""
    return f"{target}*" + (f" EXCEPT ({listed(node.excluded)})" if node.excluded else "")


@sql.register
def _(node: tree.Dereference) -> str:
    return f"({sql(node.base)}).{quoted(node.field)}"


@sql.register
def _(node: tree.Subscript) -> str:
    return f"({sql(node.base)})[{sql(node.index)}]"


@sql.register
def _(node: tree.SemiStructuredExtract) -> str:
    return f"({sql(node.base)}):{node.path.removeprefix('$').removeprefix('.')}"


@sql.register
def _(node: tree.Alias) -> str:
    names = quoted(node.names[0]) if not node.multiple else f"({', '.join(map(quoted, node.names))})"
    return f"{sql(node.child)} AS {names}"


# ---------------------------------------------------------------- operators
@sql.register
def _(node: tree.Unary) -> str:
    return f"({node.operator} ({sql(node.child)}))"


@sql.register
def _(node: tree.Binary) -> str:
    return f"({sql(node.left)} {node.operator} {sql(node.right)})"


@sql.register
def _(node: tree.Not) -> str:
    return f"(NOT {sql(node.child)})"


@sql.register
def _(node: tree.Logical) -> str:
    return f"({sql(node.left)} {node.operator} {sql(node.right)})"


def negation(node: tree.Between | tree.In | tree.InSubquery | tree.Like | tree.LikeQuantified) -> str:
    return " NOT" if node.negated else ""


@sql.register
def _(node: tree.Between) -> str:
    return f"({sql(node.child)}{negation(node)} BETWEEN {sql(node.lower)} AND {sql(node.upper)})"


@sql.register
def _(node: tree.In) -> str:
    return f"({sql(node.child)}{negation(node)} IN ({listed(node.options)}))"


@sql.register
def _(node: tree.InSubquery) -> str:
    return f"({sql(node.child)}{negation(node)} IN ({sql(node.query)}))"


@sql.register
def _(node: tree.Like) -> str:
    escape = f" ESCAPE {text_of(node.escape)}" if node.escape is not None else ""
    return f"({sql(node.child)}{negation(node)} {node.kind} {sql(node.pattern)}{escape})"


@sql.register
def _(node: tree.LikeQuantified) -> str:
    return f"({sql(node.child)}{negation(node)} {node.kind} {node.quantifier} ({listed(node.patterns)}))"


@sql.register
def _(node: tree.IsNull) -> str:
    return f"({sql(node.child)} IS {'NOT ' if node.negated else ''}NULL)"


@sql.register
def _(node: tree.IsTruth) -> str:
    return f"({sql(node.child)} IS {'NOT ' if node.negated else ''}{node.value})"


@sql.register
def _(node: tree.IsDistinct) -> str:
    return f"({sql(node.left)} IS {'NOT ' if node.negated else ''}DISTINCT FROM {sql(node.right)})"


# ---------------------------------------------------------------- forms
@sql.register
def _(node: tree.Case) -> str:
    value = f" {sql(node.value)}" if node.value is not None else ""
    branches = "".join(f" WHEN {sql(when)} THEN {sql(then)}" for when, then in node.branches)
    return f"(CASE{value}{branches}{given('ELSE', node.otherwise)} END)"


@sql.register
def _(node: tree.Cast) -> str:
    form = "CAST" if node.form == "::" else node.form
    return f"{form}({sql(node.child)} AS {node.type.simpleString()})"


@sql.register
def _(node: tree.Collate) -> str:
    return f"({sql(node.child)}) COLLATE {sql(node.collation)}"


@sql.register
def _(node: tree.CurrentLike) -> str:
    return node.written


@sql.register
def _(node: tree.TimestampAdd) -> str:
    return f"{node.function}({node.unit}, {sql(node.quantity)}, {sql(node.timestamp)})"


@sql.register
def _(node: tree.TimestampDiff) -> str:
    return f"{node.function}({node.unit}, {sql(node.begin)}, {sql(node.end)})"


@sql.register
def _(node: tree.Struct) -> str:
    return f"STRUCT({listed(node.fields)})"


@sql.register
def _(node: tree.Row) -> str:
    return f"({listed(node.fields)})"


@sql.register
def _(node: tree.FirstLast) -> str:
    return f"{node.function}({sql(node.child)}{' IGNORE NULLS' if node.ignore_nulls else ''})"


@sql.register
def _(node: tree.Position) -> str:
    return f"POSITION(({sql(node.substring)}) IN ({sql(node.string)}))"


@sql.register
def _(node: tree.Extract) -> str:
    return f"EXTRACT({node.field} FROM {sql(node.source)})"


@sql.register
def _(node: tree.Substring) -> str:
    return f"SUBSTRING({sql(node.string)} FROM {sql(node.position)}{given('FOR', node.length)})"


@sql.register
def _(node: tree.Trim) -> str:
    characters = f"{sql(node.characters)} " if node.characters is not None else ""
    return f"TRIM({node.option} {characters}FROM {sql(node.source)})"


@sql.register
def _(node: tree.Overlay) -> str:
    placing = f"{sql(node.input)} PLACING {sql(node.replace)}"
    return f"OVERLAY({placing} FROM {sql(node.position)}{given('FOR', node.length)})"


# ---------------------------------------------------------------- calls and windows
@sql.register
def _(node: tree.SortItem) -> str:
    return f"{sql(node.child)} {node.ordering}" + (f" NULLS {node.nulls}" if node.nulls else "")


@sql.register
def _(node: tree.FrameBound) -> str:
    return f"{sql(node.value)} {node.kind}" if node.value is not None else node.kind


@sql.register
def _(node: tree.WindowFrame) -> str:
    if node.end is None:
        return f"{node.unit} {sql(node.begin)}"
    return f"{node.unit} BETWEEN {sql(node.begin)} AND {sql(node.end)}"


@sql.register
def _(node: tree.WindowReference) -> str:
    return quoted(node.name)


@sql.register
def _(node: tree.WindowDefinition) -> str:
    partition = f"PARTITION BY {listed(node.partition)} " if node.partition else ""
    order = f"ORDER BY {listed(node.order)} " if node.order else ""
    return f"({partition}{order}{sql(node.frame) if node.frame is not None else ''})"


@sql.register
def _(node: tree.NamedArgument) -> str:
    return f"{quoted(node.name)} => {sql(node.value)}"


@sql.register
def _(node: tree.Function) -> str:
    within = f" WITHIN GROUP (ORDER BY {listed(node.within_group)})" if node.within_group else ""
    condition = f" FILTER (WHERE {sql(node.filter)})" if node.filter is not None else ""
    nulls = f" {node.nulls} NULLS" if node.nulls else ""
    arguments = f"{'DISTINCT ' if node.distinct else ''}{listed(node.arguments)}"
    return f"{function_name(node.name)}({arguments}){within}{condition}{nulls}{given('OVER', node.over)}"


def function_name(name: tree.Identifier) -> str:
    """A word that has a form of its own is called by a back-quoted name."""
    return sql(name)


@sql.register
def _(node: tree.Lambda) -> str:
    return f"({', '.join(map(quoted, node.parameters))}) -> {sql(node.body)}" if len(node.parameters) > 1 else (
        f"{quoted(node.parameters[0])} -> {sql(node.body)}"
    )  # fmt: skip


@sql.register
def _(node: tree.Subquery) -> str:
    return f"({sql(node.query)})"


@sql.register
def _(node: tree.Exists) -> str:
    return f"(EXISTS ({sql(node.query)}))"
