"""Random queries in queries: correlated subqueries, frames, set operations in each other, lateral joins, pivots."""

from tools.queries.parts import EVERY, TYPES, Columns
from tools.queries.texts import SETS, TABLES, Texts

KEYED = ("int", "string", "boolean", "date", "decimal(10,2)", "smallint", "array<int>", "struct<x:int,y:string>")
EDGES = ("unbounded preceding", "3 preceding", "1 preceding", "current row", "1 following", "2 following")
LAST = "unbounded following"
JOINS = ("join", "left join", "right join", "full join", "left semi join", "left anti join")
ONE_SIDED = ("left semi join", "left anti join")


class Deeper(Texts):
    """Queries by chance, of the shapes that `Texts` has and of these."""

    def query(self) -> str:
        kinds = (
            self.correlated,
            self.framed,
            self.ranged,
            self.nested_sets,
            self.grouping_sets,
            self.lateral,
            self.lateral_view,
            self.null_safe,
            self.mixed,
            self.chained,
            self.limited,
            self.pivoted,
            self.distinct_aggregates,
            self.wide,
            self.using,
        )
        return self.chance.choice(kinds)() if self.chance.random() < 0.8 else super().query()

    # ---- pieces

    def columns(self, alias: str, table: str) -> Columns:
        return {f"{alias}.{name}": type for name, type in TABLES[table].items()}

    def one(self, type: str, columns: Columns, depth: int = 1) -> str:
        return self.parts.expression(type, columns, depth)

    def any(self, columns: Columns, depth: int = 1, types: tuple[str, ...] = EVERY) -> str:
        return self.one(self.chance.choice(types), columns, depth)

    def table_name(self) -> str:
        return self.chance.choice(tuple(TABLES))

    def where(self, columns: Columns, share: float = 0.5) -> str:
        return f" where {self.one('boolean', columns, 2)}" if self.chance.random() < share else ""

    # ---- subqueries

    def correlated(self) -> str:
        outer, inner = self.table_name(), self.table_name()
        mine, others = self.columns("a", outer), self.columns("b", inner)
        meets = f"b.k {self.chance.choice(('=', '=', '<=>'))} a.k"
        item = self.chance.choice(
            (
                f"(select {self.parts.one_of('aggregates', others)} from {inner} b where {meets})",
                f"exists (select 1 from {inner} b where {meets} and {self.one('boolean', others, 1)})",
                f"not exists (select 1 from {inner} b where {meets} and {self.one('boolean', others, 1)})",
                f"a.k in (select b.k from {inner} b where {self.one('boolean', others, 1)})",
                f"a.k not in (select b.k from {inner} b where {self.one('boolean', others, 1)})",
                f"{self.one('int', mine)} in (select {self.one('int', others)} from {inner} b)",
                f"(a.k, {self.one('string', mine)}) in (select b.k, {self.one('string', others)} from {inner} b)",
                f"{self.one('bigint', mine)} > (select count(*) from {inner} b where {meets})",
            )
        )
        is_test = not item.startswith("(select")
        if is_test and self.chance.random() < 0.6:
            return f"select {self.any(mine)}, a.k from {outer} a where {item}"
        return f"select {item}, {self.any(mine)} from {outer} a{self.where(mine, 0.3)}"

    def lateral(self) -> str:
        outer, inner = self.table_name(), self.table_name()
        mine, others = self.columns("a", outer), self.columns("b", inner)
        kind = self.chance.choice((", lateral", " left join lateral", " cross join lateral"))
        both = {**mine, **others}
        body = self.chance.choice(
            (
                f"select {self.any(both)} as x from {inner} b where b.k = a.k",
                f"select {self.parts.one_of('aggregates', others)} as x from {inner} b where b.k = a.k",
                f"select {self.any(mine)} as x",
            )
        )
        return f"select l.x, {self.any(mine)} from {outer} a{kind} ({body}) l"

    def lateral_view(self) -> str:
        mine = self.columns("t3", "t3")
        outer = self.chance.choice(("", "outer "))
        generator, names = self.chance.choice(
            (
                (f"explode({self.one('array<int>', mine)})", "x"),
                (f"posexplode({self.one('array<string>', mine)})", "p, x"),
                (f"explode({self.one('map<string,int>', mine)})", "p, x"),
                (f"stack(2, {self.one('int', mine)}, {self.one('int', mine)})", "x"),
            )
        )
        return f"select x, {self.any(mine)} from t3 lateral view {outer}{generator} v as {names}"

    # ---- windows

    def frame(self) -> str:
        first = self.chance.randrange(len(EDGES))
        last = self.chance.choice((*EDGES[max(first, 1) :], LAST))
        return f"between {EDGES[first]} and {last}"

    def framed(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        call = self.parts.filled(
            self.chance.choice(("sum", "min", "max", "avg", "count", "first_value", "last_value")), {}, 0
        )
        value = self.any(columns, 1, ("int", "smallint", "decimal(10,2)", "decimal(38,10)"))
        parted = f"partition by {self.any(columns, 1, KEYED)} " if self.chance.random() < 0.7 else ""
        order = ", ".join(f"{name}{self.chance.choice(('', ' desc', ' nulls last'))}" for name in self.ordered(columns))
        over = f"over ({parted}order by {order} rows {self.frame()})"
        return f"select {call}({value}) {over}, {self.any(columns)} from {table}{self.where(columns, 0.3)}"

    def ranged(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        key = self.any(columns, 1, ("int", "bigint", "decimal(10,2)", "smallint", "date"))
        call = self.chance.choice(("sum", "min", "max", "count"))
        value = self.any(columns, 1, ("int", "smallint", "decimal(10,2)"))
        parted = f"partition by {self.any(columns, 1, KEYED)} " if self.chance.random() < 0.6 else ""
        direction = self.chance.choice(("", " desc", " nulls last", " desc nulls first"))
        over = f"over ({parted}order by {key}{direction} range {self.frame()})"
        return f"select {call}({value}) {over}, {self.any(columns)} from {table}"

    def ordered(self, columns: Columns) -> list[str]:
        """All that can be ordered: rows that tie are equal but for their maps."""
        return [name for name, type in columns.items() if not type.startswith("map")]

    # ---- sets

    def nested_sets(self) -> str:
        types = [self.chance.choice(TYPES) for _ in range(2)]
        text = self.selected(types)
        for _ in range(self.chance.randint(1, 3)):
            other = self.selected(types if self.chance.random() < 0.6 else [self.nearby(type) for type in types])
            operation = self.chance.choice(SETS)
            text = (
                f"({text}) {operation} ({other})" if self.chance.random() < 0.7 else f"({other}) {operation} ({text})"
            )
        return text

    def nearby(self, type: str) -> str:
        numbers = ("int", "bigint", "double", "decimal(10,2)", "smallint", "float")
        return self.chance.choice(numbers) if type in numbers else type

    def selected(self, types: list[str]) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        return f"select {', '.join(self.one(type, columns) for type in types)} from {table}{self.where(columns, 0.3)}"

    # ---- groups

    def grouping_sets(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        names = self.chance.sample([name for name, type in columns.items() if type in KEYED[:6]], 2)
        first, second = names
        how = self.chance.choice(
            (
                f"grouping sets (({first}, {second}), ({second}), ())",
                f"cube({first}, {second})",
                f"rollup({first}, {second})",
                f"{first}, grouping sets (({second}), ())",
                f"grouping sets (({first}), ({second}))",
            )
        )
        items = [self.aggregate(columns) for _ in range(self.chance.randint(1, 2))]
        more = self.chance.choice(("", f"grouping({second}), ", "grouping_id(), "))
        having = self.chance.choice(("", "", f" having {self.one('boolean', {first: columns[first]}, 1)}"))
        return f"select {first}, {second}, {more}{', '.join(items)} from {table} group by {how}{having}"

    def distinct_aggregates(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        calls = ("count", "sum", "avg", "min", "max", "collect_set")
        items = []
        for _ in range(self.chance.randint(1, 3)):
            value = self.any(columns, 1, ("int", "smallint", "decimal(10,2)"))
            call = self.chance.choice(calls)
            made = f"{call}(distinct {value})" if call != "collect_set" else f"sort_array(collect_set({value}))"
            test = f" filter (where {self.one('boolean', columns)})" if self.chance.random() < 0.2 else ""
            items.append(made + ("" if made.startswith("sort") else test))
        key = self.any(columns, 1, KEYED)
        by = f" group by {key}" if self.chance.random() < 0.6 else ""
        return f"select {', '.join([*([key] if by else []), *items, 'count(*)'])} from {table}{by}"

    def pivoted(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        call = self.chance.choice(("sum", "max", "count", "first"))
        value = self.any(columns, 1, ("int", "smallint"))
        source = f"(select {self.one('string', columns)} as a, {table}.k as k, {value} as v from {table})"
        if self.chance.random() < 0.5:
            return f"select * from {source} pivot ({'max' if call == 'first' else call}(v) for k in (1, 2, 3 as three))"
        return f"select * from {source} unpivot {self.chance.choice(('', 'include nulls '))}(u for name in (k, v))"

    # ---- joins

    def null_safe(self) -> str:
        left, right = self.table_name(), self.table_name()
        mine, others = self.columns("a", left), self.columns("b", right)
        both = {**mine, **others}
        kind = self.chance.choice(JOINS)
        test = self.chance.choice(
            (
                "a.k <=> b.k",
                f"a.k = b.k and {self.one('boolean', both)}",
                f"{self.one('int', mine)} = {self.one('int', others)}",
                f"{self.one('string', mine)} <=> {self.one('string', others)}",
                f"a.k = b.k or {self.one('boolean', both)}",
                f"a.k > b.k and {self.one('boolean', mine)}",
            )
        )
        seen = mine if kind in ONE_SIDED else both
        where = self.where(seen, 0.4)
        return f"select {self.any(seen)}, {self.any(seen)} from {left} a {kind} {right} b on {test}{where}"

    def using(self) -> str:
        left, right, third = "t1", "t2", "t3"
        kinds = [self.chance.choice(("join", "left join", "full join", "right join")) for _ in range(2)]
        mine = {**self.columns(left, left), **self.columns(right, right), **self.columns(third, third)}
        free = {name: type for name, type in mine.items() if not name.endswith(".k")}
        source = f"{left} {kinds[0]} {right} using (k) {kinds[1]} {third} using (k)"
        return f"select k, {self.any(free)}, {self.any(free)} from {source}{self.where(free, 0.4)}"

    # ---- queries over queries

    def mixed(self) -> str:
        """Types that meet in CASE, coalesce, IN and the like."""
        table = self.table_name()
        columns = self.columns(table, table)
        first, second, third = (self.any(columns, 1, TYPES) for _ in range(3))
        test = self.one("boolean", columns)
        item = self.chance.choice(
            (
                f"coalesce({first}, {second}, {third})",
                f"case when {test} then {first} else {second} end",
                f"nvl2({first}, {second}, {third})",
                f"{first} in ({second}, {third})",
                f"{first} = {second}",
                f"{first} < {second}",
                f"greatest({first}, {second})",
                f"array({first}, {second})",
                f"map({self.one('string', columns)}, {second})",
                f"nullif({first}, {second})",
                f"concat({first}, {second})",
                f"{first} + {second}",
                f"{first} - {second}",
                f"{first} * {second}",
                f"{first} / {second}",
                f"if({test}, {first}, {second})",
                f"struct({first}, {second}) = struct({second}, {first})",
                f"{first} between {second} and {third}",
                f"cast({first} as {self.chance.choice(EVERY)})",
                f"try_cast({first} as {self.chance.choice(TYPES)})",
            )
        )
        return f"select {item} from {table}"

    def chained(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        types = [self.chance.choice(EVERY) for _ in range(3)]
        items = ", ".join(f"{self.one(type, columns, 2)} as c{place}" for place, type in enumerate(types))
        mine = {f"c{place}": type for place, type in enumerate(types)}
        inner = f"select {items} from {table}{self.where(columns, 0.4)}"
        if self.chance.random() < 0.5:
            return f"with q as ({inner}) select {self.any(mine, 2)}, {self.any(mine)} from q{self.where(mine, 0.6)}"
        keyed = [name for name, type in mine.items() if not type.startswith("map")]
        key = self.chance.choice(keyed) if keyed else "1 + 1"
        return f"select {key}, {self.parts.one_of('aggregates', mine)} from ({inner}) q group by {key}"

    def limited(self) -> str:
        table = self.table_name()
        columns = self.columns(table, table)
        order = [f"{name}{self.chance.choice(('', ' desc', ' nulls last'))}" for name in self.ordered(columns)]
        self.chance.shuffle(order)
        tail = self.chance.choice(("limit 3", "limit 5 offset 2", "offset 9", ""))
        return f"select {self.any(columns)}, {self.any(columns)} from {table} order by {', '.join(order)} {tail}"

    def wide(self) -> str:
        """Deep expressions over every type."""
        table = self.table_name()
        columns = self.columns(table, table)
        return f"select {', '.join(self.any(columns, 3) for _ in range(3))} from {table}{self.where(columns, 0.2)}"
