"""Random queries over two small tables: projections, joins, groups, windows, set operations, subqueries."""

import random

from tools.queries.parts import TYPES, Columns, Parts

TABLES: dict[str, dict[str, str]] = {
    "t1": {
        "i": "int",
        "l": "bigint",
        "d": "double",
        "s": "string",
        "dt": "date",
        "ts": "timestamp",
        "b": "boolean",
        "n": "decimal(10,2)",
        "k": "int",
    },
    "t2": {"k": "int", "s2": "string", "v": "bigint", "w": "double", "e": "date", "q": "decimal(10,2)"},
    "t3": {
        "k": "int",
        "sm": "smallint",
        "f": "float",
        "big": "decimal(38,10)",
        "bin": "binary",
        "z": "timestamp_ntz",
        "ints": "array<int>",
        "words": "array<string>",
        "m": "map<string,int>",
        "r": "struct<x:int,y:string>",
        "s3": "string",
    },
}
PAIR = ("t1", "t2")
ROWS = 14
KEYS = ("1", "2", "3", "4", "null")
JOINS = ("join", "left join", "right join", "full join", "left semi join", "left anti join", "cross join")
ONE_SIDED = ("left semi join", "left anti join")
SETS = ("union", "union all", "intersect", "except", "intersect all", "except all")
SUBQUERIES = (
    "k in (select k from t2 where v > 0)",
    "exists (select 1 from t2 x where x.k = t1.k and x.w > 0)",
    "k not in (select k from t2 where k is not null)",
    "i > (select min(k) from t2)",
)
FRAMES = (
    *("", ""),
    " rows between 1 preceding and 1 following",
    " rows between unbounded preceding and current row",
    " rows between unbounded preceding and unbounded following",
)
FRAMELESS = ("row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead")


class Texts:
    """Queries by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.parts = Parts(self.chance)

    def tables(self) -> list[str]:
        return [self.table(name, columns) for name, columns in TABLES.items()]

    def table(self, name: str, columns: Columns) -> str:
        rows = ", ".join(
            f"({', '.join(self.cell(column, type) for column, type in columns.items())})" for _ in range(ROWS)
        )
        return f"create or replace temp view {name} as select * from values {rows} as t({', '.join(columns)})"

    def cell(self, column: str, type: str) -> str:
        value = self.chance.choice(KEYS) if column == "k" else self.parts.constant(type)
        return f"cast({value} as {type})"

    def query(self) -> str:
        kinds = (self.projection, self.projection, self.projection, self.groups, self.groups, self.windows, self.both)
        return self.chance.choice(kinds)()

    # ---- where the rows come from

    def source(self) -> tuple[str, Columns]:
        if self.chance.random() < 0.5:
            name = self.chance.choice(("t1", "t1", "t1", "t2"))
            return self.filtered(name, name, TABLES[name])
        columns = {f"{table}.{name}": type for table in PAIR for name, type in TABLES[table].items()}
        left = {name: type for name, type in columns.items() if name.startswith("t1.")}
        kind = self.chance.choice(JOINS)
        text = f"t1 {kind} t2{'' if kind == 'cross join' else self.condition(columns)}"
        return self.filtered(text, "", left if kind in ONE_SIDED else columns)

    def condition(self, columns: Columns) -> str:
        more = f" and {self.parts.expression('boolean', columns, 1)}" if self.chance.random() < 0.4 else ""
        return f" on t1.k = t2.k{more}"

    def filtered(self, text: str, table: str, columns: Columns) -> tuple[str, Columns]:
        tests = [self.parts.expression("boolean", columns, 2)] if self.chance.random() < 0.5 else []
        if table == "t1" and self.chance.random() < 0.15:
            tests.append(self.chance.choice(SUBQUERIES))
        return f"{text} where {' and '.join(tests)}" if tests else text, columns

    # ---- what is asked of them

    def projection(self) -> str:
        source, columns = self.source()
        items = self.parts.expressions(TYPES, columns, self.chance.choice((1, 2, 3)), 3)
        return f"select {self.chance.choice(('', '', '', 'distinct '))}{', '.join(items)} from {source}"

    def groups(self) -> str:
        source, columns = self.source()
        keys = self.parts.expressions(("int", "string", "boolean", "date", "decimal(10,2)"), columns, 1, 2)
        keys = keys if self.chance.random() < 0.8 else []
        items = [self.aggregate(columns) for _ in range(self.chance.randint(1, 3))]
        grouping = self.chance.choice(("{}", "{}", "rollup({})", "cube({})")).format(", ".join(keys)) if keys else ""
        having = f" having {self.aggregate(columns)} is not null" if keys and self.chance.random() < 0.3 else ""
        by = f" group by {grouping}" if grouping else ""
        return f"select {', '.join([*keys, *items])} from {source}{by}{having}"

    def aggregate(self, columns: Columns) -> str:
        text = self.parts.one_of("aggregates", columns)
        if self.chance.random() < 0.85 or text.startswith(("array_join", "size")):
            return text
        return f"{text} filter (where {self.parts.expression('boolean', columns, 1)})"

    def windows(self) -> str:
        source, columns = self.source()
        call = self.parts.one_of("windows", columns)
        parted = f"partition by {self.parts.expression('string', columns, 1)} " if self.chance.random() < 0.6 else ""
        directions = ("", " desc", " nulls last", " desc nulls first")
        order = ", ".join(name + self.chance.choice(directions) for name in columns)  # of all: rows that tie are equal
        frame = "" if call.startswith(FRAMELESS) else self.chance.choice(FRAMES)
        more = self.parts.expressions(TYPES, columns, 1, 1)
        return f"select {call} over ({parted}order by {order}{frame}), {', '.join(more)} from {source}"

    def both(self) -> str:
        types = [self.chance.choice(TYPES) for _ in range(2)]
        left, right = (
            f"select {', '.join(self.parts.expression(type, columns, 1) for type in types)} from {table}"
            for table, columns in ((name, TABLES[name]) for name in PAIR)
        )
        return f"{left} {self.chance.choice(SETS)} {right}"
