"""Reads calls in expression trees: operators, functions and UDFs, in all their JSON forms."""

from collections.abc import Callable
from typing import Any

from twinspark.plans_json.known_functions import arity_problem, function_name, literal_positions, unknown_function
from twinspark.plans_json.operators import SPELLINGS, UNARY
from twinspark.plans_json.read import expression as expressions
from twinspark.plans_json.read.values import MISSING, Notes, first_key, first_of, show_value
from twinspark.plans_json.tree import Alias, Call, Cast, Expression, Literal, Name, Operator, Order, SessionCall, When

FUNCTION = ("fn", "function")
OPERATOR = ("op", "operator")
TYPE_KEYS = ("type", "dataType", "to", "cast_type", "return_type")
ELSE_KEYS = ("otherwise", "else")
NAMED_ARGUMENTS = {  # keys under which plans may give arguments instead of `args`
    "regexp_extract": (("pattern", "right"), ("group", "idx")),
    "regexp_replace": (("pattern", "right"), ("replacement",)),
}
LONG_CHAIN = 16  # more operands of and/or become a balanced tree, since PySpark cannot send deep nesting
DISTINCT = {
    "count": "count_distinct",
    "sum": "sum_distinct",
    "listagg": "listagg_distinct",
    "string_agg": "string_agg_distinct",
}
ORDERS = {
    "asc": (True, None),
    "asc_nulls_first": (True, True),
    "asc_nulls_last": (True, False),
    "desc": (False, None),
    "desc_nulls_first": (False, True),
    "desc_nulls_last": (False, False),
}


def read_call(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    key = first_key(written, (*FUNCTION, *OPERATOR))
    name = notes.text(written[key], f"{path}.{key}", "a function name") if key else ""
    if "udf" in written or name == "udf":
        return read_udf(written, path, notes)
    if key in OPERATOR and name in SPELLINGS:
        return read_operator(SPELLINGS[name], written, path, notes)
    return read_function(name, written, path, notes)


def read_udf(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    name = notes.text(first_of(written, ("udf", "name")), f"{path}.udf", "the name of a registered UDF")
    args = expressions.read_expressions(written.get("args", []), f"{path}.args", notes)
    return SessionCall(name, args)


def read_operator(name: str, written: dict[str, Any], path: str, notes: Notes) -> Expression:
    if name == "isin":
        return read_isin(written, path, notes)
    operands = read_operands(name, written, path, notes)
    wanted = 3 if name == "between" else 1 if name in UNARY else 2
    if len(operands) != wanted and not (name in ("and", "or") and len(operands) > 2):
        keys = {1: '"arg"', 2: '"left" and "right"', 3: '"left", "lower" and "upper"'}[wanted]
        return notes.wrong(path, f"{name} needs {keys}, found {len(operands)} operand{'s' * (len(operands) != 1)}")
    return Operator(name, operands)


def read_operands(name: str, written: dict[str, Any], path: str, notes: Notes) -> tuple[Expression, ...]:
    if name in ("and", "or"):
        chain = flatten_chain(name, written)
        if len(chain) > LONG_CHAIN:
            return tuple(expressions.read_expression(part, path, notes) for part in chain)
    if "args" in written:
        return expressions.read_expressions(written["args"], f"{path}.args", notes)
    keys = ("arg", "left", "lower", "upper") if name == "between" else ("arg", "left", "right")
    return tuple(expressions.read_expression(written[key], f"{path}.{key}", notes) for key in keys if key in written)


def flatten_chain(name: str, written: dict[str, Any]) -> list[Any]:
    """The operands of `a and (b and (c …))`, however nested, from left to right, without recursion."""
    found: list[Any] = []
    waiting: list[Any] = [written]
    while waiting:
        part = waiting.pop()
        op = SPELLINGS.get(str(first_of(part, OPERATOR))) if isinstance(part, dict) else None
        if op == name and "left" in part and "right" in part:
            waiting += [part["right"], part["left"]]
        else:
            found.append(part)
    return found


def read_isin(written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """`values` and `right` are plain values, a list of literals, or `{"lit": [...]}`; also `args` [input, values…]."""
    args = notes.items(written.get("args", []), f"{path}.args", "an input and values")
    input = first_of(written, ("left", "arg", "col", "column"), args[0] if args else MISSING)
    values = first_of(written, ("values", "right"), args[1:])
    if input is MISSING:
        return notes.wrong(path, 'isin needs "left" and "values"')
    if isinstance(values, dict) and isinstance(values.get("lit"), list):
        values = values["lit"]
    flat = values[0] if isinstance(values, list) and len(values) == 1 and isinstance(values[0], list) else values
    listed = flat if isinstance(flat, list) else [flat]
    read = [read_member(value, f"{path}.values[{at}]", notes) for at, value in enumerate(listed)]
    return Operator("isin", (expressions.read_expression(input, f"{path}.left", notes), *read))


def read_member(value: object, path: str, notes: Notes) -> Expression:
    read = expressions.read_expression if isinstance(value, dict) else expressions.read_value
    return read(value, path, notes)


def read_function(written_name: str, written: dict[str, Any], path: str, notes: Notes) -> Expression:
    raw = raw_arguments(written_name, written, path, notes)
    name = function_name(written_name)
    if name in SPECIAL:
        return SPECIAL[name](name, raw, written, path, notes)
    if (name is None and written_name in SPELLINGS) or name in ("and", "or", "not", "in", "between"):
        return read_operator(SPELLINGS[written_name.lower()], {"args": raw}, path, notes)
    args = read_arguments(name, raw, path, notes)
    if name is None:
        known = notes.is_registered(written_name)
        return SessionCall(written_name, args) if known else notes.wrong(path, unknown_function(written_name))
    return checked_call(name, args, written, path, notes)


def checked_call(
    name: str, args: tuple[Expression, ...], written: dict[str, Any], path: str, notes: Notes
) -> Expression:
    distinct = written.get("distinct", written.get("is_distinct", False)) is True
    if distinct and name not in DISTINCT:
        return notes.wrong(path, f"distinct goes with {', '.join(DISTINCT)}, not with {name}")
    if name == "count" and not args:
        args = (Literal(1),)  # count without a column counts rows
    problem = arity_problem(name, len(args))
    if problem:
        return notes.wrong(path, problem)
    return Call(DISTINCT[name], args) if distinct else Call(name, args)


def raw_arguments(name: str, written: dict[str, Any], path: str, notes: Notes) -> list[Any]:
    """The arguments in JSON: `args`, the keys of an operator, or the keys in NAMED_ARGUMENTS."""
    named = NAMED_ARGUMENTS.get(function_name(name) or "", ())
    under_names = [value for keys in named if (value := first_of(written, keys)) is not MISSING]
    if "args" in written:
        return [*notes.items(written["args"], f"{path}.args", "arguments"), *under_names]
    taken = {key for keys in named for key in keys}
    return [written[key] for key in ("arg", "left", "right") if key in written and key not in taken] + under_names


def read_arguments(name: str | None, raw: list[Any], path: str, notes: Notes) -> tuple[Expression, ...]:
    """Reads a bare string as a column, but as a literal where PySpark's function takes a plain string."""
    literals = literal_positions(name) if name else frozenset()
    return tuple(
        Literal(value)
        if isinstance(value, str) and at in literals
        else expressions.read_expression(value, f"{path}.args[{at}]", notes)
        for at, value in enumerate(raw)
    )


def name_text(value: object) -> str | None:
    """A name given as `"n"`, `{"lit": "n"}` or `{"col": "n"}`."""
    if isinstance(value, dict):
        value = first_of(value, ("lit", "col", "name"), None)
    return value if isinstance(value, str) else None


def read_cast(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    declared = raw[1] if len(raw) > 1 else first_of(written, TYPE_KEYS)
    if not raw or len(raw) > 2 or declared is MISSING:
        return notes.wrong(path, f"{name} takes an expression and a type, found {len(raw)} arguments")
    if isinstance(declared, dict) and "lit" in declared:
        declared = declared["lit"]
    type = notes.type(declared, f"{path}.args[1]")
    return Cast(expressions.read_expression(raw[0], f"{path}.args[0]", notes), type, name == "try_cast")


def read_when(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """`[condition, value]`, more pairs, and an else: an odd last argument, or the key `otherwise`."""
    if len(raw) < 2:
        return notes.wrong(path, f"when takes a condition and a value, found {len(raw)} arguments")
    parts = expressions.read_expressions(raw, f"{path}.args", notes)
    pairs = tuple(zip(parts[0::2], parts[1::2], strict=False))
    otherwise = parts[-1] if len(parts) % 2 else None
    key = first_key(written, ELSE_KEYS)
    if key:
        otherwise = expressions.read_expression(written[key], f"{path}.{key}", notes)
    return When(pairs, otherwise)


def read_alias(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    names = [name_text(value) for value in raw[1:]]
    if not names or None in names:
        return notes.wrong(path, "alias takes an expression and a name")
    return Alias(expressions.read_expression(raw[0], f"{path}.args[0]", notes), tuple(filter(None, names)))


def read_order_call(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    if len(raw) != 1:
        return notes.wrong(path, f"{name} takes 1 argument, not {len(raw)}")
    ascending, nulls_first = ORDERS[name]
    return Order(expressions.read_expression(raw[0], f"{path}.args[0]", notes), ascending, nulls_first)


def read_registered(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    called = name_text(raw[0]) if raw else None
    if called is None:
        return notes.wrong(path, f"{name} takes the name of a function as its first argument")
    if name == "call_function" and function_name(called):
        return read_function(called, {**written, "args": raw[1:]}, path, notes)
    return SessionCall(called, expressions.read_expressions(raw[1:], f"{path}.args", notes))


def read_name(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    named = name_text(raw[0]) if len(raw) == 1 else None
    return Name(named) if named is not None else notes.wrong(path, f"col takes a column name, not {show_value(raw)}")


def read_lit(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    if len(raw) != 1:
        return notes.wrong(path, f"lit takes 1 argument, not {len(raw)}")
    return read_member(raw[0], f"{path}.args[0]", notes)


def read_expr(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    text = name_text(raw[0]) if len(raw) == 1 else None
    return Call("expr", (Literal(text),)) if text is not None else notes.wrong(path, "expr takes a text of Spark SQL")


def read_as_operator(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    if name == "getitem":  # `getField("f")`: a bare string as the key is a literal, not a column
        raw = [raw[0], *({"lit": key} if isinstance(key, str) else key for key in raw[1:])] if raw else raw
    return read_operator(SPELLINGS[name], {"args": raw}, path, notes)


def read_field_change(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    problem = arity_problem(name, len(raw))
    names = [name_text(value) for value in (raw[1:2] if name == "with_field" else raw[1:])]
    if problem or None in names:
        return notes.wrong(path, problem or f"{name} takes field names after the struct")
    fields = [Literal(field) for field in names]
    values = [expressions.read_expression(value, f"{path}.args[2]", notes) for value in raw[2:] if name == "with_field"]
    return Call(name, (expressions.read_expression(raw[0], f"{path}.args[0]", notes), *fields, *values))


def read_part(name: str, raw: list[Any], written: dict[str, Any], path: str, notes: Notes) -> Expression:
    """Spark's order is (field, source) and the field is always a literal; emitters also send (source, field)."""
    problem = arity_problem(name, len(raw))
    if problem:
        return notes.wrong(path, problem)
    if not is_literal(raw[0]) and (is_literal(raw[1]) or isinstance(raw[1], str)):
        raw = [raw[1], raw[0]]
    field = {"lit": raw[0]} if isinstance(raw[0], str) else raw[0]
    return Call(name, expressions.read_expressions([field, raw[1]], f"{path}.args", notes))


def is_literal(value: object) -> bool:
    return isinstance(value, dict) and "lit" in value


SPECIAL: dict[str, Callable[[str, list[Any], dict[str, Any], str, Notes], Expression]] = {
    **dict.fromkeys(["cast", "try_cast"], read_cast),
    **dict.fromkeys(ORDERS, read_order_call),
    **dict.fromkeys(["call_udf", "call_function"], read_registered),
    **dict.fromkeys(["with_field", "drop_fields"], read_field_change),
    **dict.fromkeys(["extract", "date_part", "datepart"], read_part),
    **dict.fromkeys(["getitem", "bitwise_not", "isin"], read_as_operator),
    "when": read_when,
    "alias": read_alias,
    "col": read_name,
    "lit": read_lit,
    "expr": read_expr,
}


expressions.READERS["call"] = read_call
