"""Reads the steps of a JSON plan: one function for each operation, with all forms of payload that programs write."""

from collections.abc import Callable
from typing import Any

from twinspark.plans_json.known_functions import near_names
from twinspark.plans_json.problems import Problem
from twinspark.plans_json.read.aggregate import read_aggregates
from twinspark.plans_json.read.expression import read_expression
from twinspark.plans_json.read.join import read_join, read_other
from twinspark.plans_json.read.order import read_order
from twinspark.plans_json.read.values import MISSING, Notes, first_of, show_value
from twinspark.plans_json.tree import (
    Agg,
    Alias,
    CrossJoin,
    Distinct,
    Drop,
    Expression,
    Filter,
    GroupBy,
    Limit,
    Name,
    Offset,
    OrderBy,
    Select,
    Step,
    Stop,
    Union,
    UnionByName,
    WithColumn,
    WithColumnRenamed,
)

Reader = Callable[[Any, str, Notes], Step | None]
AT = ".payload"
EXPRESSION_PAYLOADS = ("filter", "where")  # their payload is an expression and has no other keys


def read_steps(plan: list[Any], notes: Notes) -> list[tuple[int, Step]]:
    """The valid steps with their indexes; problems go to `notes`. An `agg` step is merged with the grouping before
    it."""
    steps: list[tuple[int, Step]] = []
    for index, written in enumerate(plan):
        notes.step = index
        step = read_step(written, notes)
        last = steps[-1][1] if steps else None
        if isinstance(step, Agg) and isinstance(last, GroupBy) and is_open(last):
            steps[-1] = (steps[-1][0], GroupBy(last.kind, last.grouping, step.aggregates))
        elif step is not None:
            close(steps, notes)
            steps.append((index, step))
    close(steps, notes)
    return steps


def is_open(step: Step) -> bool:
    return isinstance(step, GroupBy) and not step.aggregates


def close(steps: list[tuple[int, Step]], notes: Notes) -> None:
    if steps and is_open(steps[-1][1]):
        wrong_at = Problem(steps[-1][0], AT, 'a grouping needs "aggs", here or in an agg step right after it')
        notes.problems.append(wrong_at)


def read_step(written: object, notes: Notes) -> Step | None:
    if not isinstance(written, dict) or not isinstance(written.get("op"), str):
        notes.wrong("", f'expected {{"op": name, "payload": …}}, not {show_value(written)}')
        return None
    reader = READERS.get(written["op"])
    if reader is None:
        near = near_names(written["op"], list(OPERATIONS))
        notes.wrong(".op", f"unknown operation {written['op']!r}{near} (known: {', '.join(OPERATIONS)})")
        return None
    return reader(payload_of(written), AT, notes)


def payload_of(written: dict[str, Any]) -> Any:
    """The payload and the keys beside it; keys inside the payload take precedence."""
    payload = written.get("payload", MISSING)
    beside = {key: value for key, value in written.items() if key not in ("op", "payload")}
    if payload is MISSING or payload is None:
        return beside
    merges = isinstance(payload, dict) and written["op"] not in EXPRESSION_PAYLOADS
    return {**beside, **payload} if merges else payload


def read_filter(payload: Any, path: str, notes: Notes) -> Step:
    keyed = payload.get("condition", payload) if isinstance(payload, dict) else payload
    return Filter(read_expression(keyed, path, notes))


def read_select(payload: Any, path: str, notes: Notes) -> Step:
    listed = read_columns(payload, path, notes, "columns")
    if not listed:
        notes.wrong(path, "select needs at least one column")
    return Select(tuple(read_expression(item, f"{path}[{at}]", notes) for at, item in enumerate(listed)))


def read_columns(payload: Any, path: str, notes: Notes, key: str) -> list[Any]:
    """An array, or an object with an array under `columns`; a single column is a list of one."""
    if isinstance(payload, dict):
        payload = payload.get(key, MISSING)
    return notes.items([payload] if isinstance(payload, str) else payload, path, "columns")


def read_with_column(payload: Any, path: str, notes: Notes) -> Step | None:
    if not isinstance(payload, dict) or "expr" not in payload:
        notes.wrong(path, f'expected {{"name": …, "expr": …}}, not {show_value(payload)}')
        return None
    name = notes.text(first_of(payload, ("name", "alias")), f"{path}.name", "a column name")
    return WithColumn(name, read_expression(payload["expr"], f"{path}.expr", notes))


def read_rename(payload: Any, path: str, notes: Notes) -> Step | None:
    if not isinstance(payload, dict):
        notes.wrong(path, f'expected {{"old": …, "new": …}}, not {show_value(payload)}')
        return None
    old = notes.text(first_of(payload, ("old", "existing")), f"{path}.old", "the existing name")
    return WithColumnRenamed(old, notes.text(payload.get("new", MISSING), f"{path}.new", "the new name"))


def read_drop(payload: Any, path: str, notes: Notes) -> Step:
    listed = read_columns(payload, path, notes, "columns")
    return Drop(tuple(read_dropped(item, f"{path}.columns[{at}]", notes) for at, item in enumerate(listed)))


def read_dropped(item: object, path: str, notes: Notes) -> str:
    read = read_expression(item, path, notes)
    if isinstance(read, Name):
        return read.name
    notes.wrong(path, f"drop takes column names, not {show_value(item)}")
    return ""


def read_count(payload: Any, path: str, notes: Notes) -> int:
    count = first_of(payload, ("n", "num", "limit", "offset")) if isinstance(payload, dict) else payload
    if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**31:
        return count
    notes.wrong(f"{path}.n", f"expected a number of rows, not {show_value(count)}")
    return 0


def read_order_by(payload: Any, path: str, notes: Notes) -> Step:
    keyed = payload if isinstance(payload, dict) else {"columns": payload}
    if isinstance(keyed.get("columns"), str):
        keyed = {**keyed, "columns": [keyed["columns"]]}
    order = read_order(keyed, path, notes)
    if not order:
        notes.wrong(path, "orderBy needs at least one sort key")
    return OrderBy(order)


def grouping_reader(kind: str) -> Reader:
    def read_grouping(payload: Any, path: str, notes: Notes) -> Step:
        keyed = payload if isinstance(payload, dict) else {"group_by": payload}
        listed = first_of(keyed, ("group_by", "groupBy", "columns", "cols"))
        keys = notes.items([listed] if isinstance(listed, str) else listed, f"{path}.group_by", "grouping keys")
        grouping = [read_key(key, f"{path}.group_by[{at}]", notes) for at, key in enumerate(keys)]
        return GroupBy(kind, tuple(grouping), read_aggregates(keyed, path, notes, needed=False))

    return read_grouping


def read_key(written: object, path: str, notes: Notes) -> Expression:
    read = read_expression(written, path, notes)
    # An alias that repeats the column name is dropped: groupBy([{"name": "k", "expr": "k"}]) is groupBy("k").
    return read.input if isinstance(read, Alias) and read.input == Name(read.names[0]) else read


def read_agg(payload: Any, path: str, notes: Notes) -> Step:
    keyed = payload if isinstance(payload, dict) else {"aggs": payload}
    return Agg(read_aggregates(keyed, path, notes, needed=True))


def read_union_by_name(payload: Any, path: str, notes: Notes) -> Step:
    keyed = payload if isinstance(payload, dict) else {}
    allowed = first_of(keyed, ("allow_missing_columns", "allowMissingColumns"), False)
    return UnionByName(read_other(payload, path, notes), notes.flag(allowed, f"{path}.allow_missing_columns"))


READERS: dict[str, Reader] = {
    "filter": read_filter,
    "select": read_select,
    "limit": lambda payload, path, notes: Limit(read_count(payload, path, notes)),
    "offset": lambda payload, path, notes: Offset(read_count(payload, path, notes)),
    "orderBy": read_order_by,
    "distinct": lambda payload, path, notes: Distinct(),
    "drop": read_drop,
    "withColumn": read_with_column,
    "withColumnRenamed": read_rename,
    "groupBy": grouping_reader("groupBy"),
    "agg": read_agg,
    "join": read_join,
    "union": lambda payload, path, notes: Union(read_other(payload, path, notes)),
    "unionByName": read_union_by_name,
    "crossJoin": lambda payload, path, notes: CrossJoin(read_other(payload, path, notes)),
    "rollup": grouping_reader("rollup"),
    "cube": grouping_reader("cube"),
    "stop": lambda payload, path, notes: Stop(),
}
OPERATIONS = tuple(READERS)
READERS |= {
    "cross_join": READERS["crossJoin"],
    "where": READERS["filter"],
    "sort": READERS["orderBy"],
    "order_by": READERS["orderBy"],
    "group_by": READERS["groupBy"],
    "with_column": READERS["withColumn"],
    "with_column_renamed": READERS["withColumnRenamed"],
    "union_by_name": READERS["unionByName"],
    "unionAll": READERS["union"],
}
