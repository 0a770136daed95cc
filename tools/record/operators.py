"""Probes of operators and of the places where two types meet, over all pairs of scalar types and of decimals."""

from itertools import product

from tools.record.probes import DECIMALS, NULLABLE, SCALARS, TYPES

ARITHMETIC = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / {1}", "{0} % {1}", "{0} div {1}"]
MEETING = ["coalesce({0}, {1})", "{0} = {1}", "concat({0}, {1})", "{0} in ({1})"]
OTHER = [
    "{0} & {1}",
    "{0} << {1}",
    "{0} AND {1}",
    "{0} LIKE {1}",
    "{0} || {1}",
    "{0} <=> {1}",
    "{0} < {1}",
    "{0} BETWEEN {1} AND {0}",
    "if(b, {0}, {1})",
    "CASE WHEN b THEN {0} ELSE {1} END",
    "CASE {0} WHEN {1} THEN 1 END",
    "nullif({0}, {1})",
    "greatest({0}, {1})",
    "array({0}, {1})",
    "map({0}, {1})",
    "pmod({0}, {1})",
    "try_add({0}, {1})",
]
UNARY = ["-{0}", "+{0}", "~{0}", "NOT {0}", "! {0}", "{0} IS NULL", "{0} IS NOT TRUE", "{0} IS DISTINCT FROM NULL"]


TARGETS = """
    BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(5,2) DECIMAL(38,10) STRING BINARY DATE TIMESTAMP
    TIMESTAMP_NTZ INTERVAL:DAY:TO:SECOND INTERVAL:YEAR:TO:MONTH VARIANT ARRAY<INT> ARRAY<STRING> MAP<STRING,STRING>
    STRUCT<x:INT,y:STRING>
"""


def cast_calls() -> dict[str, list[str]]:
    """Every type to every type: which casts are allowed, and which may give null."""
    targets = [word.replace("L:", "L ").replace(":TO:", " TO ") for word in TARGETS.split()]
    templates = [f"{cast}({{0}} AS {target})" for cast in ("CAST", "TRY_CAST") for target in targets]
    return {template: [template.format(column) for column in both(list(TYPES))] for template in templates}


def operator_calls() -> dict[str, list[str]]:
    """The probes of each template."""
    few = ["b", "i", "l", "d", "dec", "s", "bin", "dt", "ts", "dti", "NULL"]
    calls = {template: [template.format(x) for x in both(SCALARS)] for template in UNARY}
    calls |= {template: pairs(template, [*SCALARS, "NULL"]) for template in ARITHMETIC + MEETING}
    calls |= {template: pairs(template, few) for template in OTHER}
    for template in [*ARITHMETIC, "coalesce({0}, {1})", "pmod({0}, {1})", "try_add({0}, {1})"]:
        calls[template] += pairs(template, list(DECIMALS)) + pairs(template, ["i", "dec"], NULLABLE)
    return calls


def both(names: list[str]) -> list[str]:
    return names + [name + NULLABLE for name in names]


def pairs(template: str, names: list[str], suffix: str = "") -> list[str]:
    return [template.format(left, right + suffix) for left, right in product(names, names)]
