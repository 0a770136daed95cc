"""Random valid plans over random rows: every step knows the columns and types it may use."""

# ruff: noqa: E501  (one kind of call, one line)

import random
from collections.abc import Callable
from typing import Any

TYPES = ("bigint", "int", "double", "string", "boolean", "date")
WORDS = ["", "a", "Ab", "abc", " pad ", "éa", "A,b", "10", None]
DAYS = ["1969-12-31", "1970-01-01", "2000-02-29", "2024-02-29", "2024-12-31", None]
Columns = dict[str, str]


def cell(type: str, choose: random.Random) -> Any:
    """Doubles are quarters and small, so that sums are exact in any order."""
    if choose.random() < 0.15:
        return None
    match type:
        case "bigint" | "int":
            return choose.choice([-3, -1, 0, 1, 2, 2, 7, 100])
        case "double":
            return choose.choice([-2.25, -0.5, 0.0, 0.25, 1.5, 8.0])
        case "string":
            return choose.choice(WORDS)
        case "boolean":
            return choose.random() < 0.5
        case _:
            return choose.choice(DAYS)


class PlanMaker:
    """Makes one plan; `columns` follows what each step does to the schema."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.columns: Columns = {}
        self.fresh = 0

    def fixture(self) -> dict[str, Any]:
        given = self.table("c", self.choose.randint(3, 6), self.choose.randint(0, 12))
        self.columns = {field["name"]: field["type"] for field in given["schema"]}
        plan = [step for _ in range(self.choose.randint(1, 6)) for step in self.choose.choice(STEPS)(self)]
        if self.choose.random() < 0.3:
            plan.append({"op": "select", "payload": [self.expression(self.choose.choice(TYPES)) for _ in range(2)]})
        return {"input": given, "plan": plan}

    def table(self, prefix: str, width: int, height: int) -> dict[str, Any]:
        types = [self.choose.choice(TYPES) for _ in range(width)]
        schema = [{"name": f"{prefix}{at}", "type": type} for at, type in enumerate(types)]
        return {"schema": schema, "rows": [[cell(type, self.choose) for type in types] for _ in range(height)]}

    def name(self) -> str:
        self.fresh += 1
        return f"n{self.fresh}"

    def of_type(self, *types: str) -> list[str]:
        return [name for name, type in self.columns.items() if type in types]

    def some(self, names: list[str], least: int = 1) -> list[str]:
        return self.choose.sample(names, self.choose.randint(min(least, len(names)), len(names)))

    def leaf(self, type: str) -> Any:
        names = self.of_type(type)
        if names and self.choose.random() < 0.75:
            return {"col": self.choose.choice(names)}
        value = cell(type, self.choose)
        return {"lit": value, "type": type} if type in ("bigint", "date") or value is None else {"lit": value}

    def expression(self, type: str, depth: int = 2) -> Any:
        if depth == 0 or self.choose.random() < 0.25:
            return self.leaf(type)
        name, *inputs = self.choose.choice(CALLS[type])
        parts = [self.expression(each, depth - 1) if each in TYPES else each for each in inputs]
        if name in ("add", "sub", "mul", "and", "or", "eq", "ne", "lt", "ge", "eq_null_safe"):
            return {"op": name, "left": parts[0], "right": parts[1]}
        if name in ("not", "is_null", "is_not_null"):
            return {"op": name, "arg": parts[0]}
        if name == "between":
            return {"op": "between", "left": parts[0], "lower": parts[1], "upper": parts[2]}
        if name == "isin":
            return {"op": "isin", "left": parts[0], "values": ["a", "10", None]}
        return {"fn": name, "args": parts}

    def aggregate(self) -> tuple[dict[str, Any], str]:
        made, type, inputs = self.choose.choice(AGGREGATES)
        names = self.of_type(*inputs)
        alias = self.name()
        if not names:
            return {"agg": "count", "alias": alias}, "bigint"
        column = self.choose.choice(names)
        return {"agg": made, "column": column, "alias": alias}, self.columns[column] if type == "same" else type


STRING = {"lit": "a"}
CALLS: dict[str, list[tuple[Any, ...]]] = {
    "bigint": [
        ("add", "bigint", "int"), ("sub", "bigint", "bigint"), ("mul", "bigint", "int"), ("coalesce", "bigint", "bigint"),
        ("greatest", "bigint", "bigint"), ("when", "boolean", "bigint", "bigint"), ("abs", "bigint"), ("nullif", "bigint", "bigint"),
    ],
    "int": [
        ("add", "int", "int"), ("mul", "int", "int"), ("length", "string"), ("year", "date"), ("dayofmonth", "date"),
        ("when", "boolean", "int"), ("coalesce", "int", "int"), ("datediff", "date", "date"), ("instr", "string", STRING),
    ],
    "double": [
        ("add", "double", "double"), ("mul", "double", "int"), ("coalesce", "double", "double"), ("abs", "double"),
        ("when", "boolean", "double", "double"), ("try_divide", "double", "double"), ("least", "double", "double"),
    ],
    "string": [
        ("upper", "string"), ("lower", "string"), ("trim", "string"), ("concat", "string", "string"), ("reverse", "string"),
        ("coalesce", "string", "string"), ("when", "boolean", "string", "string"), ("substring", "string", {"lit": 1}, {"lit": 2}),
        ("replace", "string", STRING, {"lit": "zz"}), ("cast", "int", {"lit": "string"}), ("cast", "date", {"lit": "string"}),
    ],
    "boolean": [
        ("eq", "int", "bigint"), ("lt", "double", "double"), ("ge", "string", "string"), ("ne", "date", "date"),
        ("and", "boolean", "boolean"), ("or", "boolean", "boolean"), ("not", "boolean"), ("is_null", "string"),
        ("is_not_null", "double"), ("eq_null_safe", "string", "string"), ("between", "int", "int", "int"), ("isin", "string"),
        ("startswith", "string", STRING), ("contains", "string", STRING),
    ],
    "date": [("date_add", "date", {"lit": 3}), ("coalesce", "date", "date"), ("last_day", "date"), ("when", "boolean", "date")],
}  # fmt: skip
AGGREGATES = [
    ("count", "bigint", TYPES),
    ("sum", "bigint", ("bigint", "int")),
    ("sum", "double", ("double",)),
    ("avg", "double", ("int", "bigint", "double")),
    ("min", "same", TYPES),
    ("max", "same", TYPES),
    ("count_distinct", "bigint", TYPES),
    ("bool_or", "boolean", ("boolean",)),
]


def filtered(maker: PlanMaker) -> list[Any]:
    return [{"op": "filter", "payload": maker.expression("boolean")}]


def selected(maker: PlanMaker) -> list[Any]:
    kept = maker.some(list(maker.columns))
    computed = {maker.name(): maker.choose.choice(TYPES) for _ in range(maker.choose.randint(0, 2))}
    items = [{"name": name, "expr": maker.expression(type)} for name, type in computed.items()]
    maker.columns = {name: maker.columns[name] for name in kept} | computed
    return [{"op": "select", "payload": [*kept, *items]}]


def with_column(maker: PlanMaker) -> list[Any]:
    type = maker.choose.choice(TYPES)
    name = maker.choose.choice([*maker.columns, maker.name()])
    step = {"op": "withColumn", "payload": {"name": name, "expr": maker.expression(type)}}
    maker.columns[name] = type
    return [step]


def renamed(maker: PlanMaker) -> list[Any]:
    old, new = maker.choose.choice(list(maker.columns)), maker.name()
    maker.columns = {new if name == old else name: type for name, type in maker.columns.items()}
    return [{"op": "withColumnRenamed", "payload": {"old": old, "new": new}}]


def dropped(maker: PlanMaker) -> list[Any]:
    if len(maker.columns) < 2:
        return []
    name = maker.choose.choice(list(maker.columns))
    del maker.columns[name]
    return [{"op": "drop", "payload": {"columns": [name, "nobody"]}}]


def cut(maker: PlanMaker) -> list[Any]:
    """Every column is a sort key: only equal rows tie, so a limit has one answer."""
    names = maker.choose.sample(list(maker.columns), len(maker.columns))
    flags = [[maker.choose.random() < 0.5 for _ in names] for _ in range(2)]
    order = {"columns": names, "ascending": flags[0], "nulls_first": flags[1]}
    count = {"op": maker.choose.choice(["limit", "offset"]), "payload": {"n": maker.choose.randint(0, 6)}}
    return [{"op": "orderBy", "payload": order}, *([count] if maker.choose.random() < 0.6 else [])]


def distinct(maker: PlanMaker) -> list[Any]:
    return [{"op": "distinct", "payload": {}}]


def grouped(maker: PlanMaker) -> list[Any]:
    kind = maker.choose.choice(["groupBy", "groupBy", "groupBy", "rollup", "cube"])
    keys = maker.some(list(maker.columns), 0)[:2]
    made = [maker.aggregate() for _ in range(maker.choose.randint(1, 3))]
    maker.columns = {key: maker.columns[key] for key in keys} | {item["alias"]: type for item, type in made}
    return [{"op": kind, "payload": {"group_by": keys, "aggs": [item for item, _ in made]}}]


def windowed(maker: PlanMaker) -> list[Any]:
    names = list(maker.columns)
    call = maker.choose.choice(["row_number", "rank", "dense_rank", "count"])
    args = [{"lit": 1}] if call == "count" else []
    window = {"partition_by": maker.some(names, 0)[:1], "order_by": [f"{name} DESC" for name in names]}
    name = maker.name()
    maker.columns[name] = "bigint" if call == "count" else "int"
    return [{"op": "withColumn", "payload": {"name": name, "expr": {"fn": call, "args": args, "window": window}}}]


def joined(maker: PlanMaker) -> list[Any]:
    key = maker.choose.choice(list(maker.columns))
    other = maker.table(maker.name() + "_", 2, maker.choose.randint(0, 5))
    other["schema"][0] |= {"name": key, "type": maker.columns[key]}
    other["rows"] = [[cell(field["type"], maker.choose) for field in other["schema"]] for _ in other["rows"]]
    how = maker.choose.choice(["inner", "left", "right", "full", "left_semi", "left_anti"])
    if how not in ("left_semi", "left_anti"):
        rest = {name: type for name, type in maker.columns.items() if name != key}
        maker.columns = {key: maker.columns[key], **rest, other["schema"][1]["name"]: other["schema"][1]["type"]}
    else:
        maker.columns = {key: maker.columns.pop(key), **maker.columns}
    payload = {"other_data": other["rows"], "other_schema": other["schema"], "on": [key], "how": how}
    return [{"op": "join", "payload": payload}]


def united(maker: PlanMaker) -> list[Any]:
    schema = [{"name": name, "type": type} for name, type in maker.columns.items()]
    op = maker.choose.choice(["union", "unionByName"])
    if op == "unionByName":
        maker.choose.shuffle(schema)
    rows = [[cell(field["type"], maker.choose) for field in schema] for _ in range(maker.choose.randint(0, 4))]
    return [{"op": op, "payload": {"other_data": rows, "other_schema": schema}}]


STEPS: list[Callable[[PlanMaker], list[Any]]] = [
    filtered, selected, with_column, renamed, dropped, cut, distinct, grouped, windowed, joined, united,
]  # fmt: skip
