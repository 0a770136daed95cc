"""Queries written back as SQL: the second half of `rewriting`."""

from rewriting import given, listed, quoted, sql, text_of

from twinspark.read.sql import tree


def names(columns: tuple[str, ...]) -> str:
    return f"({', '.join(map(quoted, columns))})" if columns else ""


def alias(node: tree.TableAlias | None) -> str:
    return f" AS {quoted(node.name)}{names(node.columns)}" if node is not None else ""


def behind(*nodes: tree.Node | None) -> str:
    return "".join(f" {sql(node)}" for node in nodes if node is not None)


# ---------------------------------------------------------------- relations
@sql.register
def _(node: tree.Table) -> str:
    if node.options or node.changes is not None:
        raise NotImplementedError("table options")
    return f"{sql(node.name)}{behind(node.time_travel, node.sample, node.watermark)}{alias(node.alias)}"


@sql.register
def _(node: tree.TimeTravel) -> str:
    if node.timestamp is not None:
        return f"TIMESTAMP AS OF {sql(node.timestamp)}"
    return f"VERSION AS OF {node.version if str(node.version).isdigit() else text_of(str(node.version))}"


@sql.register
def _(node: tree.Sample) -> str:
    values = [value if isinstance(value, str) else sql(value) for value in node.values]
    bodies = {"PERCENT": "{0} PERCENT", "ROWS": "{0} ROWS", "BUCKET": "BUCKET {0} OUT OF {1}"}
    seed = f" REPEATABLE ({sql(node.seed)})" if node.seed is not None else ""
    return f"TABLESAMPLE ({bodies[node.kind].format(*values, '')}){seed}"


@sql.register
def _(node: tree.Watermark) -> str:
    return f"WATERMARK {sql(node.column)} DELAY OF {sql(node.delay)}"


@sql.register
def _(node: tree.AliasedQuery) -> str:
    return f"({sql(node.query)}){behind(node.sample, node.watermark)}{alias(node.alias)}"


@sql.register
def _(node: tree.AliasedRelation) -> str:
    return f"({sql(node.relation)}){behind(node.sample, node.watermark)}{alias(node.alias)}"


@sql.register
def _(node: tree.InlineTable) -> str:
    rows = [row if row.startswith("(") else f"({row})" for row in map(sql, node.rows)]
    return f"VALUES {', '.join(rows)}{alias(node.alias)}"


@sql.register
def _(node: tree.TableArgument) -> str:
    partition = {"SINGLE": " WITH SINGLE PARTITION", "BY": f" PARTITION BY ({listed(node.partition)})", "": ""}
    order = f" ORDER BY ({listed(node.order)})" if node.order else ""
    return f"TABLE({sql(node.relation)}){partition[node.partitioning]}{order}"


@sql.register
def _(node: tree.TableFunction) -> str:
    return f"{sql(node.name)}({listed(node.arguments)}){behind(node.watermark)}{alias(node.alias)}"


@sql.register
def _(node: tree.Lateral) -> str:
    return f"LATERAL {sql(node.relation)}"


@sql.register
def _(node: tree.Join) -> str:
    left = f"{sql(node.left)} " if node.left is not None else ""
    using = f" USING {names(node.using)}" if node.using else ""
    words = f"{'NATURAL ' if node.natural else ''}{node.kind} JOIN"
    return f"{left}{words} {sql(node.right)}{given('ON', node.condition)}{using}{behind(node.nearest)}"


@sql.register
def _(node: tree.NearestBy) -> str:
    words = f"{'EXACT' if node.exact else 'APPROX'} NEAREST {node.count} BY"
    return f"{words} {'SIMILARITY' if node.similarity else 'DISTANCE'} {sql(node.expression)}"


def before(node: tree.Relation | None) -> str:
    return f"{sql(node)} " if node is not None else ""


@sql.register
def _(node: tree.Pivot) -> str:
    body = f"{listed(node.aggregates)} FOR ({', '.join(map(quoted, node.columns))}) IN ({listed(node.values)})"
    return f"{before(node.relation)}PIVOT ({body})" + (f" AS {quoted(node.alias)}" if node.alias else "")


@sql.register
def _(node: tree.UnpivotColumns) -> str:
    renamed = f" AS {quoted(node.alias)}" if node.alias else ""
    return (listed(node.columns) if len(node.columns) == 1 else f"({listed(node.columns)})") + renamed


@sql.register
def _(node: tree.Unpivot) -> str:
    values = ", ".join(map(quoted, node.value_columns))
    columns = listed(node.columns)
    if node.multiple:
        columns = ", ".join(
            f"({listed(c.columns)})" + (f" AS {quoted(c.alias)}" if c.alias else "") for c in node.columns
        )
        values = f"({values})"
    body = f"{values} FOR {quoted(node.name_column)} IN ({columns})"
    nulls = "INCLUDE NULLS " if node.include_nulls else ""
    return f"{before(node.relation)}UNPIVOT {nulls}({body})" + (f" AS {quoted(node.alias)}" if node.alias else "")


@sql.register
def _(node: tree.LateralView) -> str:
    words = f"LATERAL VIEW {'OUTER ' if node.outer else ''}{sql(node.function)}({listed(node.arguments)})"
    columns = f" AS {', '.join(map(quoted, node.columns))}" if node.columns else ""
    return f"{words} {quoted(node.table)}{columns}"


@sql.register
def _(node: tree.From) -> str:
    return f"FROM {listed(node.relations)}{behind(*node.lateral_views, node.pivot, node.unpivot)}"


# ---------------------------------------------------------------- clauses
@sql.register
def _(node: tree.GroupingSet) -> str:
    return f"({listed(node.expressions)})" if node.parenthesized else listed(node.expressions)


@sql.register
def _(node: tree.GroupingAnalytics) -> str:
    return f"{node.kind} ({listed(node.elements)})"


@sql.register
def _(node: tree.Grouping) -> str:
    tail = f" GROUPING SETS ({listed(node.sets)})" if node.sets else f" WITH {node.kind}" if node.kind else ""
    return f"GROUP BY {listed(node.expressions)}{tail}"


@sql.register
def _(node: tree.NamedWindow) -> str:
    return f"{quoted(node.name)} AS {sql(node.window)}"


@sql.register
def _(node: tree.Hint) -> str:
    return f"{quoted(node.name)}({listed(node.parameters)})" if node.parameters else quoted(node.name)


@sql.register
def _(node: tree.Organization) -> str:
    parts = {
        "ORDER BY": node.order_by,
        "CLUSTER BY": node.cluster_by,
        "DISTRIBUTE BY": node.distribute_by,
        "SORT BY": node.sort_by,
        "WINDOW": node.windows,
    }
    text = " ".join(f"{words} {listed(nodes)}" for words, nodes in parts.items() if nodes)
    return text + (" LIMIT ALL" if node.limit_all else "") + given("LIMIT", node.limit) + given("OFFSET", node.offset)


def select(node: tree.Select, *, with_source: bool) -> str:
    if isinstance(node.projections, tree.Transform):
        raise NotImplementedError("TRANSFORM")
    hints = f"/*+ {listed(node.hints)} */ " if node.hints else ""
    windows = f" WINDOW {listed(node.windows)}" if node.windows else ""
    clauses = behind(node.source if with_source else None, *node.lateral_views)
    tail = f"{given('WHERE', node.where)}{behind(node.grouping)}{given('HAVING', node.having)}"
    return (
        f"SELECT {hints}{node.quantifier} {listed(node.projections)}{clauses}{tail}{windows}"
        f"{given('QUALIFY', node.qualify)}"
    )


@sql.register
def _(node: tree.Select) -> str:
    return select(node, with_source=True)


@sql.register
def _(node: tree.FromFirst) -> str:
    bodies = [f"{sql(body)}{behind(organization)}" for body, organization in node.bodies]
    return " ".join([sql(node.source), *bodies])


# ---------------------------------------------------------------- queries
def term(node: tree.QueryTerm) -> str:
    if isinstance(node, tree.Table):
        return f"TABLE {sql(node.name)}"
    return f"({sql(node)})" if isinstance(node, tree.Query | tree.SetOperation) else sql(node)


@sql.register
def _(node: tree.SetOperation) -> str:
    return f"{term(node.left)} {node.operator} {'ALL' if node.all else 'DISTINCT'} {term(node.right)}"


@sql.register
def _(node: tree.NamedQuery) -> str:
    most = f" MAX RECURSION LEVEL {sql(node.max_recursion)}" if node.max_recursion is not None else ""
    return f"{quoted(node.name)}{names(node.columns)}{most} AS ({sql(node.query)})"


@sql.register
def _(node: tree.With) -> str:
    return f"WITH {'RECURSIVE ' if node.recursive else ''}{listed(node.queries)} "


@sql.register
def _(node: tree.Query) -> str:
    ctes = sql(node.ctes) if node.ctes is not None else ""
    body = sql(node.body) if isinstance(node.body, tree.SetOperation) else term(node.body)
    return f"{ctes}{body}{behind(node.organization)}"


# ---------------------------------------------------------------- pipe operators
@sql.register
def _(node: tree.Pipe) -> str:
    left = f"({sql(node.left)})" if isinstance(node.left, tree.SetOperation) else term(node.left)
    return f"{left} |> {sql(node.operator)}"


@sql.register
def _(node: tree.PipeSelect) -> str:
    return sql(node.select)


@sql.register
def _(node: tree.PipeExtend) -> str:
    return f"EXTEND {listed(node.projections)}"


@sql.register
def _(node: tree.PipeSet) -> str:
    return "SET " + ", ".join(f"{quoted(name)} = {sql(value)}" for name, value in node.assignments)


@sql.register
def _(node: tree.PipeDrop) -> str:
    return f"DROP {listed(node.columns)}"


@sql.register
def _(node: tree.PipeAs) -> str:
    return f"AS {quoted(node.name)}"


@sql.register
def _(node: tree.PipeWhere) -> str:
    return f"WHERE {sql(node.condition)}"


@sql.register
def _(node: tree.PipeAggregate) -> str:
    return f"AGGREGATE {listed(node.aggregates)}{behind(node.grouping)}"


@sql.register
def _(node: tree.PipeSetOperation) -> str:
    return f"{node.operator} {'ALL' if node.all else 'DISTINCT'} {term(node.right)}"
