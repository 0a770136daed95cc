"""Every operation, payload form, operator and window as a plan; names are what a failing test shows."""

# ruff: noqa: E501  (one case, one line)

from typing import Any

PEOPLE = {
    "schema": [
        {"name": "id", "type": "bigint"},
        {"name": "name", "type": "string"},
        {"name": "age", "type": "int"},
        {"name": "city", "type": "string"},
        {"name": "pay", "type": "double"},
        {"name": "home", "type": "struct<street:string,no:int>"},
    ],
    "rows": [
        [1, "Ann", 31, "Oslo", 10.5, {"street": "A", "no": 1}],
        [2, "Bob", None, "Rome", 20.25, {"street": "B", "no": 2}],
        [3, "Cid", 18, "Oslo", None, None],
        [4, None, 44, None, 7.0, {"street": None, "no": 4}],
        [5, "Eve", 31, "Rome", 20.25, {"street": "E", "no": None}],
    ],
}
OTHER = {
    "other_data": [[1, "x"], [2, "y"], [2, "z"], [9, None]],
    "other_schema": [{"name": "id", "type": "bigint"}, {"name": "tag", "type": "string"}],
}
CAMEL = {"otherData": OTHER["other_data"], "otherSchema": OTHER["other_schema"]}
SAME = {
    "other_data": [[1, "Ann", 31], [7, "Gil", 5]],
    "other_schema": [{"name": n, "type": t} for n, t in (("id", "bigint"), ("name", "string"), ("age", "int"))],
}
THREE = {"op": "select", "payload": ["id", "name", "age"]}
Plans = dict[str, list[dict[str, Any]]]


def step(op: str, payload: Any = None, **beside: Any) -> dict[str, Any]:
    return {"op": op, "payload": {} if payload is None else payload, **beside}


def selected(*items: Any) -> list[dict[str, Any]]:
    return [step("select", ["id", *items])]


def binary(op: str, left: Any, right: Any) -> dict[str, Any]:
    return {"op": op, "left": left, "right": right}


def join(how: str, on: Any, other: dict[str, Any] = OTHER) -> list[dict[str, Any]]:
    return [step("join", {**other, "on": on, "how": how})]


def over(call: dict[str, Any], **window: Any) -> list[dict[str, Any]]:
    return selected({"name": "w", "expr": {**call, "window": window}})


AGES = {"partition_by": ["city"], "order_by": ["id"]}
EQUAL_IDS = binary("eq", {"col": "id"}, {"col": "id"})

OPERATIONS: Plans = {
    "filter comparison": [step("filter", binary("gt", {"col": "age"}, {"lit": 30}))],
    "filter and": [step("filter", binary("and", binary("gt", "age", 20), binary("eq", "city", {"lit": "Oslo"})))],
    "filter null is not kept": [step("filter", binary("lt", "pay", 11))],
    "select names": [step("select", ["name", "age"])],
    "select names in another case": [step("select", ["NAME", "Age"])],
    "select columns key": [step("select", {"columns": [{"type": "column", "name": "id"}, {"type": "column", "name": "age"}]})],
    "select struct field": [step("select", ["home.street", "home"])],
    "select col, column, name": [step("select", [{"col": "id"}, {"column": "age"}, {"name": "city"}])],
    "select computed": [step("select", [{"name": "next", "expr": binary("add", "age", 1)}, "id"])],
    "select bare expression": [step("select", [binary("add", "age", 1), {"fn": "upper", "args": ["name"]}])],
    "select with alias key": [step("select", [{"fn": "upper", "args": ["name"], "alias": "loud"}])],
    "select alias function": [step("select", [{"fn": "alias", "args": [{"col": "id"}, "key"]}])],
    "select star": [step("select", ["*", {"name": "twice", "expr": binary("mul", "id", 2)}])],
    "select two names of a generator": [step("select", [{"name": ["at", "it"], "expr": {"fn": "posexplode", "args": [{"fn": "array", "args": ["id", "age"]}]}}])],
    "withColumn new": [step("withColumn", {"name": "loud", "expr": {"fn": "upper", "args": [{"col": "name"}]}})],
    "withColumn replaces": [step("withColumn", {"name": "AGE", "expr": binary("add", "age", 1)})],
    "withColumn alias key": [step("withColumn", {"alias": "one", "expr": {"lit": 1}})],
    "withColumnRenamed": [step("withColumnRenamed", {"old": "name", "new": "who"})],
    "withColumnRenamed of nothing": [step("withColumnRenamed", {"old": "nobody", "new": "who"})],
    "drop": [step("drop", {"columns": ["name", "age"]})],
    "drop col objects and a missing one": [step("drop", {"columns": [{"col": "name"}, "nobody"]})],
    "drop list": [step("drop", ["home"])],
    "limit": [step("orderBy", {"columns": ["id"]}), step("limit", {"n": 2})],
    "limit beside payload": [step("orderBy", {"columns": ["id"]}), {"op": "limit", "n": 2}],
    "offset": [step("orderBy", {"columns": ["id"]}), step("offset", {"n": 3})],
    "orderBy": [step("orderBy", {"columns": ["age", "id"], "ascending": [True, False]})],
    "orderBy one flag": [step("orderBy", {"columns": ["age", "id"], "ascending": False})],
    "orderBy nulls first": [step("orderBy", {"columns": ["age", "id"], "ascending": [False, True], "nulls_first": [True, False]})],
    "orderBy nulls last": [step("orderBy", {"columns": ["age", "id"], "nulls_last": [True, True]})],
    "orderBy texts": [step("orderBy", {"columns": ["age DESC", "id asc"]})],
    "orderBy text with nulls": [step("orderBy", {"columns": ["age asc nulls last", "id"]})],
    "orderBy objects": [step("orderBy", {"columns": [{"col": "age", "ascending": False}, {"name": "id"}]})],
    "orderBy expression": [step("orderBy", {"columns": [{"fn": "desc_nulls_first", "args": ["pay"]}, binary("mul", "id", -1)]})],
    "orderBy list": [step("orderBy", ["pay", "id"])],
    "distinct": [step("select", ["age", "city"]), step("distinct")],
    "groupBy aggs": [step("groupBy", {"group_by": ["city"], "aggs": [{"agg": "sum", "column": "pay", "alias": "total"}]})],
    "groupBy default names": [step("groupBy", {"group_by": ["city"], "aggs": [{"agg": name, "column": "pay"} for name in ("sum", "count", "avg", "min", "max")]})],
    "groupBy count of rows": [step("groupBy", {"group_by": ["city"], "aggs": [{"agg": "count"}, {"agg": "count", "column": "*", "alias": "n"}]})],
    "groupBy aggregations, func, name": [step("groupBy", {"group_by": [{"col": "city"}], "aggregations": [{"func": "max", "column": "id", "name": "top"}]})],
    "groupBy cast": [step("groupBy", {"group_by": ["city"], "aggs": [{"agg": "sum", "column": "pay", "cast": "int", "alias": "p"}, {"agg": "avg", "column": "age", "cast_type": "string"}]})],
    "groupBy ignorenulls": [step("orderBy", ["id"]), step("agg", {"aggs": [{"agg": "first", "column": "name", "ignorenulls": True}, {"agg": "last", "column": "name"}]})],
    "groupBy expression": [step("groupBy", {"group_by": [{"name": "old", "expr": binary("gt", "age", 30)}], "aggs": [{"expr": {"fn": "count", "args": [{"lit": 1}], "alias": "n"}}]})],
    "groupBy expr item": [step("groupBy", {"group_by": ["city"], "aggs": [{"expr": binary("add", {"fn": "sum", "args": ["pay"]}, 1), "alias": "more"}]})],
    "groupBy distinct": [step("groupBy", {"group_by": ["city"], "aggs": [{"agg": "count", "column": "age", "distinct": True}]})],
    "groupBy then agg": [step("groupBy", {"group_by": ["city"]}), step("agg", {"aggs": [{"agg": "count", "column": "id", "alias": "n"}]})],
    "groupBy nothing": [step("groupBy", {"group_by": [], "aggs": [{"agg": "sum", "column": "id"}]})],
    "agg alone": [step("agg", {"aggs": [{"agg": "sum", "column": "id"}, {"agg": "percentile", "column": "pay", "args": [0.5]}]})],
    "rollup": [step("rollup", {"group_by": ["city", "age"], "aggs": [{"agg": "count"}, {"expr": {"fn": "grouping_id", "args": []}}]})],
    "rollup columns then agg": [step("rollup", {"columns": ["city"]}), step("agg", {"aggs": [{"agg": "sum", "column": "pay"}, {"expr": {"fn": "grouping", "args": ["city"]}}]})],
    "cube": [step("cube", {"group_by": ["city", "age"], "aggs": [{"agg": "sum", "column": "id"}]})],
    "stop": [step("select", ["id"]), step("stop")],
    "union": [THREE, step("union", SAME)],
    "union camelCase": [THREE, step("union", {"otherData": SAME["other_data"], "otherSchema": SAME["other_schema"]})],
    "union beside payload": [THREE, step("union", None, **SAME)],
    "union widens types": [step("select", ["id"]), step("union", {"other_data": [[1.5]], "other_schema": [{"name": "x", "type": "double"}]})],
    "unionByName": [THREE, step("unionByName", {"other_data": [{"age": 9, "name": "Zoe", "id": 8}], "other_schema": [{"name": n, "type": t} for n, t in (("age", "int"), ("name", "string"), ("id", "bigint"))]})],
    "unionByName missing columns": [THREE, step("unionByName", {**OTHER, "allowMissingColumns": True})],
    "unionByName without them": [THREE, step("unionByName", OTHER)],
    "crossJoin": [step("select", ["id"]), step("crossJoin", OTHER)],
    "cross_join": [step("select", ["name"]), {"op": "cross_join", "payload": CAMEL}],
    "missing column": [step("select", ["nobody"])],
}  # fmt: skip

JOINS: Plans = {
    **{f"join {how}": join(how, ["id"]) for how in ("inner", "left", "right", "outer", "full", "full_outer", "fullouter", "left_semi", "leftsemi", "semi", "left_anti", "leftanti", "anti", "cross")},
    "join on a string": join("inner", "id"),
    "join on col objects": join("inner", [{"col": "id"}]),
    "join on column objects": join("left", [{"column": "id"}]),
    "join on equality keeps both": join("inner", [EQUAL_IDS]),
    "join on an expression": join("inner", binary("and", EQUAL_IDS, binary("gt", "age", 30))),
    "join on sides": join("left", binary("lt", {"col": "id", "side": "left"}, {"col": "id", "side": "right"})),
    "join on other names": join("inner", binary("eq", "age", "limit"), {"other_data": [[31]], "other_schema": [{"name": "limit", "type": "int"}]}),
    "join camelCase beside payload": [step("join", {"on": ["id"], "how": "inner"}, **CAMEL)],
    "join dict rows": join("inner", ["id"], {"other_data": [{"tag": "t", "id": 1}, {"id": 2}], "other_schema": OTHER["other_schema"]}),
    "join duplicate names": join("inner", ["id"], SAME),
    "join two keys": join("inner", ["id", "name"], SAME),
    "join cross without on": [step("join", {**OTHER, "how": "cross"})],
    "join default how": [step("join", {**OTHER, "on": ["id"]})],
}  # fmt: skip

OPERATORS: Plans = {
    **{f"{op}": selected(binary(op, "age", 31)) for op in ("eq", "ne", "gt", "ge", "lt", "le", "eq_null_safe", "==", "!=", "<>", ">", ">=", "<", "<=", "<=>")},
    **{f"{op}": selected(binary(op, binary("gt", "age", 30), binary("eq", "city", {"lit": "Oslo"}))) for op in ("and", "or", "&", "|")},
    **{f"{op}": selected(binary(op, "age", 4)) for op in ("add", "+", "sub", "minus", "-", "mul", "*", "div", "/", "divide", "mod", "%", "pow", "**", "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{f"{op}": selected(binary(op, "name", {"lit": text})) for op, text in (("startswith", "A"), ("endswith", "b"), ("contains", "i"), ("like", "_o%"), ("ilike", "a%"), ("rlike", "^[A-C]"))},
    "like a column": selected(binary("like", "name", "name")),
    "getItem of an array": selected(binary("getItem", {"fn": "array", "args": ["id", "age"]}, {"lit": 1})),
    "getItem of a struct": selected(binary("getItem", "home", {"lit": "no"})),
    "between": selected({"op": "between", "left": "age", "lower": 20, "upper": 40}),
    "isin values": selected({"op": "isin", "left": "city", "values": ["Oslo", "Bern"]}),
    "isin right": selected({"op": "isin", "left": {"col": "age"}, "right": {"lit": [31, 44]}}),
    "isin literals": selected({"op": "isin", "left": "age", "values": [{"lit": 31}, {"lit": None}]}),
    "isin nothing": selected({"op": "isin", "left": "age", "values": []}),
    "not": selected({"op": "not", "arg": binary("gt", "age", 30)}),
    "not by ~": selected({"op": "~", "arg": binary("gt", "age", 30)}),
    "bitwise_not": selected({"op": "bitwise_not", "arg": "age"}),
    "is_null": selected({"op": "is_null", "arg": "age"}),
    "is_not_null": selected({"op": "is_not_null", "arg": {"col": "city"}}),
    "negative": selected({"op": "negative", "arg": "age"}),
    "literals": selected({"lit": 1}, {"lit": 1.5}, {"lit": "x"}, {"lit": True}, {"lit": None}, {"lit": 3000000000}, {"lit": [1, 2]}),
    "bare literals": selected(1, 2.5, False, None),
    "typed literals": selected({"lit": "2024-02-29", "type": "date"}, {"lit": 7, "type": "bigint"}, {"lit": "1.50", "type": "decimal(5,2)"}, {"lit": "NaN", "type": "double"}, {"lit": None, "type": "string"}, {"lit": "2024-02-29 01:02:03", "type": "timestamp"}),
    "literal objects": selected({"type": "literal", "value": 5}, {"type": "column", "name": "age"}),
    "function key": selected({"function": "upper", "args": ["name"]}),
    "function as op": selected({"op": "coalesce", "args": ["age", {"lit": 0}]}),
    "function in camelCase": selected({"op": "substringIndex", "args": [{"col": "name"}, {"lit": "n"}, {"lit": 1}]}),
    "bare string where PySpark takes a text": selected({"fn": "lpad", "args": ["name", 5, "*"]}, {"fn": "concat_ws", "args": ["-", "name", "city"]}),
    "regexp_extract by keys": selected({"op": "regexp_extract", "left": {"col": "name"}, "pattern": {"lit": "([A-Z])"}, "group": {"lit": 1}}),
    "regexp_extract by args and keys": selected({"fn": "regexp_extract", "args": ["name"], "pattern": "([A-Z])", "group": 1}),
    "regexp_replace by keys": selected({"fn": "regexp_replace", "left": "name", "pattern": "[a-z]", "replacement": "."}),
    "when two arguments": selected({"fn": "when", "args": [binary("gt", "age", 30), {"lit": "old"}]}),
    "when nested": selected({"fn": "when", "args": [binary("gt", "age", 40), {"lit": "old"}, {"fn": "when", "args": [binary("gt", "age", 30), {"lit": "mid"}]}]}),
    "when pairs and else": selected({"fn": "when", "args": [binary("gt", "age", 40), {"lit": "a"}, binary("gt", "age", 30), {"lit": "b"}], "otherwise": {"lit": "c"}}),
    "cast": selected({"fn": "cast", "args": ["age", {"lit": "string"}]}, {"fn": "cast", "args": ["age", "double_precision"]}),
    "cast with type key": selected({"op": "cast", "arg": "id", "type": "int"}),
    "try_cast": selected({"fn": "try_cast", "args": [{"col": "name"}, {"lit": "int"}]}),
    "and of three": selected({"op": "and", "args": [binary("gt", "id", 0), binary("gt", "id", 1), binary("gt", "id", 2)]}),
    "expr": selected({"fn": "expr", "args": [{"lit": "id + age"}]}),
    "lambda variable by var": selected({"fn": "transform", "args": [{"fn": "array", "args": ["id"]}, {"lambda": ["x"], "body": binary("add", {"var": "x"}, "age")}]}),
    "division by zero": selected(binary("div", "id", 0)),
}  # fmt: skip

WINDOWS: Plans = {
    **{f"{name}": over({"fn": name, "args": []}, **AGES) for name in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")},
    "ntile": over({"fn": "ntile", "args": [{"lit": 2}]}, **AGES),
    "lag": over({"fn": "lag", "args": ["pay"]}, **AGES),
    "lag two, default": over({"fn": "lag", "args": ["pay", {"lit": 2}, {"lit": 0.0}]}, **AGES),
    "lead": over({"fn": "lead", "args": ["pay", {"lit": 1}]}, **AGES),
    "nth_value": over({"fn": "nth_value", "args": ["id", {"lit": 2}]}, **AGES),
    "first": over({"fn": "first", "args": ["id"]}, **AGES),
    "sum": over({"fn": "sum", "args": ["id"]}, **AGES),
    "sum of all": over({"fn": "sum", "args": ["id"]}, partition_by=[], order_by=[]),
    "avg of the partition": over({"fn": "avg", "args": ["pay"]}, partition_by=["city"]),
    "type window": selected({"name": "w", "expr": {"type": "window", "fn": "row_number", "args": [], "window": AGES}}),
    "order descending": over({"fn": "row_number", "args": []}, partition_by=[{"col": "city"}], order_by=[{"col": "pay", "asc": False}, "id DESC"]),
    "order by expression": over({"fn": "row_number", "args": []}, partition_by=[binary("gt", "age", 30)], order_by=[{"fn": "desc", "args": ["id"]}]),
    "nulls last": over({"fn": "row_number", "args": []}, order_by=["age asc nulls last", "id"]),
    "rows frame": over({"fn": "sum", "args": ["id"]}, order_by=["id"], frame={"type": "rows", "start": -1, "end": 1}),
    "range frame": over({"fn": "count", "args": ["id"]}, order_by=["id"], frame={"type": "range", "start": "currentRow", "end": 2}),
    "unbounded frame": over({"fn": "collect_list", "args": ["id"]}, **AGES, frame={"type": "rows", "start": "unboundedPreceding", "end": "unboundedFollowing"}),
    "rowsBetween": over({"fn": "min", "args": ["pay"]}, order_by=["id"], rowsBetween=[-2, 0]),
    "camelCase": over({"fn": "rank", "args": []}, partitionBy=["city"], orderBy=["age", "id"]),
    "arithmetic on a window": selected({"name": "w", "expr": binary("add", {"fn": "row_number", "args": [], "window": {"order_by": ["id"]}}, 10)}),
    "rank without an order": over({"fn": "rank", "args": []}, partition_by=["city"]),
}  # fmt: skip

SCHEMAS = {
    "schema": [
        {"fieldName": "a", "dataType": {"typeName": "long"}},
        {"name": "b", "dataType": "integer"},
        {"name": "c", "type": "str"},
        {"name": "d", "type": "varchar"},
        {"name": "e", "type": "bool"},
        {"name": "f", "type": "double_precision"},
        {"name": "g", "type": "datetime"},
        {"name": "h", "type": "array<map<string,decimal(6,3)>>"},
        {"name": "i", "type": "map<int,struct<p:date,q:binary>>"},
        {"name": "j", "type": "tinyint"},
        {"name": "k", "type": "float"},
        {"name": "l", "type": "timestamp_ntz"},
        {"name": "m", "type": "interval day to second"},
        {"name": "n", "type": "bigint", "nullable": False},
        {"name": "o", "type": "variant"},
    ],
    "rows": [
        [1, 2, "x", "y", True, 1, "2024-02-29T12:00:00+02:00", [{"k": "1.5"}, None], {"7": {"p": "2024-02-29", "q": "AAE="}}, 3, 0.1, "2024-02-29 01:02:03.5", 90, 1, '{"v": [1, "a"]}'],
        {"a": 5.0, "C": 7, "f": "NaN", "h": [], "i": [[3, None]], "n": 2},
    ],
}  # fmt: skip

PLANS: dict[str, tuple[dict[str, Any] | None, Plans]] = {
    "operations": (PEOPLE, OPERATIONS),
    "joins": (PEOPLE, JOINS),
    "operators": (PEOPLE, OPERATORS),
    "windows": (PEOPLE, WINDOWS),
    "schemas": (SCHEMAS, {"every type as it is": [], "all of it nullable": [step("select", ["a", "c", "i"])]}),
}
