"""The cases that fixtures are recorded from: calls written as Python expressions, operations written as plans.

`python tests/plans_json/record.py fixtures` asks Spark for every expectation and writes fixtures/*.json.
"""

import ast
from collections.abc import Iterator
from typing import Any

from call_cases import CALLS, GROUPED_CALLS, MERGED_CALLS
from plan_cases import PLANS

KINDS = {
    "schema": [
        {"name": "s", "type": "string"},
        {"name": "t", "type": "string"},
        {"name": "i", "type": "int"},
        {"name": "l", "type": "bigint"},
        {"name": "d", "type": "double"},
        {"name": "f", "type": "float"},
        {"name": "c", "type": "decimal(10,2)"},
        {"name": "b", "type": "boolean"},
        {"name": "dt", "type": "date"},
        {"name": "ts", "type": "timestamp"},
        {"name": "bin", "type": "binary"},
        {"name": "a", "type": "array<int>"},
        {"name": "a2", "type": "array<int>"},
        {"name": "sa", "type": "array<string>"},
        {"name": "m", "type": "map<string,int>"},
        {"name": "st", "type": "struct<x:int,y:string>"},
        {"name": "js", "type": "string"},
    ],
    "rows": [
        ["Spark SQL", "park", 3, 40, 0.5, 1.5, "12.34", True, "2024-02-29", "2024-02-29 13:45:59.123456", "U3Bhcms=",
         [3, 1, 2, 1], [2, 5], ["x", "y"], {"a": 1, "b": 2}, {"x": 1, "y": "one"},
         '{"k": 1, "v": [1, 2], "n": {"z": "q"}}'],
        ["  éa,b  ", "a", -7, -1, -2.25, 0.1, "-0.50", False, "1970-01-01", "1970-01-01 00:00:00", "",
         [], [None], ["b", None, "a"], {}, {"x": None, "y": ""}, "[1, 2, 3]"],
        ["42", "2", 0, 2147483648, 3.0, 2.0, "99999999.99", True, "1999-12-31", "1999-12-31 23:59:59", "AAEC",
         [None, 7], [7, 7], [], {"a": None}, {"x": 7, "y": "s"}, "not json"],
        [None] * 17,
    ],
}  # fmt: skip
STATISTICS = {  # means and sums of squares are exact, so the answer is one however Spark splits the rows
    "schema": [{"name": "d", "type": "double"}, {"name": "i", "type": "int"}],
    "rows": [[0.5, 3], [-2.25, -6], [4.0, 0], [None, None]],
}
SYMBOLS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Mod: "mod", ast.Pow: "pow",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Gt: "gt", ast.GtE: "ge", ast.Lt: "lt", ast.LtE: "le",
}  # fmt: skip


def tree(text: str) -> Any:
    """The JSON expression that a Python expression stands for: `lpad(s, 5, "*")`, `transform(a, lambda x: x + 1)`."""
    return expression(ast.parse(text.strip(), mode="eval").body)


def expression(node: ast.AST) -> Any:
    match node:
        case ast.Name(id=name):
            return {"col": name}
        case ast.Constant(value=value):
            return {"lit": value}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return {"lit": -value}
        case ast.Call(func=ast.Name(id=name), args=args):
            return {"fn": name.rstrip("_"), "args": [expression(arg) for arg in args]}
        case ast.Lambda(args=ast.arguments(args=parameters), body=body):
            return {"lambda": [parameter.arg for parameter in parameters], "body": expression(body)}
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            return {"op": SYMBOLS[type(op)], "left": expression(left), "right": expression(right)}
    raise ValueError(ast.dump(node))


def lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))


def call_cases(topic: str) -> list[dict[str, Any]]:
    return [{"name": line, "plan": [{"op": "select", "payload": [tree(line)]}]} for line in lines(CALLS[topic])]


def grouped_cases(text: str) -> list[dict[str, Any]]:
    """Aggregates: over everything, which also says what Spark makes of the null row."""
    return [
        {"name": line, "plan": [{"op": "agg", "payload": {"aggs": [{"expr": tree(line)}]}}]} for line in lines(text)
    ]


def merged_case(inner: str, outer: str) -> dict[str, Any]:
    by_group = {"group_by": ["b"], "aggs": [{"expr": tree(inner), "alias": "k"}]}
    total = {"aggs": [{"expr": tree(outer), "alias": "it"}]}
    return {
        "name": f"{outer} of {inner}",
        "plan": [{"op": "groupBy", "payload": by_group}, {"op": "agg", "payload": total}],
    }


def topics() -> dict[str, dict[str, Any]]:
    """File name -> the input and the cases of that file, still without expectations."""
    found = {f"functions_{topic}": {"input": KINDS, "cases": call_cases(topic)} for topic in CALLS}
    for topic, text in GROUPED_CALLS.items():
        given = STATISTICS if topic == "statistics" else KINDS
        found[f"functions_{topic}"] = {"input": given, "cases": grouped_cases(text)}
    found["functions_sketches"]["cases"] += [merged_case(inner, outer) for inner, outer in MERGED_CALLS.items()]
    for topic, (given, plans) in PLANS.items():
        cases = [{"name": name, "plan": plan} for name, plan in plans.items()]
        found[topic] = {"input": given or KINDS, "cases": cases}
    return found
