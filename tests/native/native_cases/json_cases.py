"""Cases of JSON: read and written as Jackson does, whole, cut short and with single characters changed."""

import random

import pyarrow as pa

from native_cases.case import case, table

NUMBERS = ["0", "-0", "1", "12", "-7", "1.0", "1.50", "-0.0", "1e5", "1E-7", "1e999", "123456789012345678901234567890"]
NUMBERS += ["9223372036854775808", "2147483648", "255", "-129", "4.9e-324", "0.1", "01", "1.", "+1", ".5", "NaN"]
PIECES = [
    "a",
    "b",
    "é",
    "\U0001f600",
    " ",
    "\\n",
    '\\"',
    "\\/",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\\\",
    "\\u0001",
    "x",
    "'",
]
NAMES = ["a", "b", "c", "", "a.b", "a b", "é"]
STEPS = [".a", ".b", ".c", "[0]", "[1]", "[*]", "['a']", ".a b", "['a.b']", "[9]", ".*", ". a"]
SCHEMA = "a INT, b DOUBLE, c STRING, d BOOLEAN, e ARRAY<BIGINT>, f STRUCT<a: TINYINT, c: STRING>, g MAP<STRING, FLOAT>"
LETTERS = "(1:ai1:bd1:cv1:db1:e[l1:f(1:at1:cv)1:gmf)"
TYPE = (
    "STRUCT(a INTEGER, b DOUBLE, c VARCHAR, d BOOLEAN, e BIGINT[], f STRUCT(a TINYINT, c VARCHAR), "
    "g MAP(VARCHAR, FLOAT))"
)


def blank(rng: random.Random) -> str:
    return rng.choice(["", "", "", " ", "\n", "\t"])


def string(rng: random.Random) -> str:
    return '"' + "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 4))) + '"'


def value(rng: random.Random, depth: int = 0) -> str:
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(NUMBERS) if rng.random() < 0.6 else str(rng.randint(-1000, 1000))
    if kind < 0.5:
        return string(rng)
    if kind < 0.6 or depth > 3:
        return rng.choice(["true", "false", "null"])
    parts = [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    if kind < 0.8:
        return "[" + f"{blank(rng)},".join(parts) + "]"
    return "{" + ",".join(f'"{rng.choice(NAMES)}"{blank(rng)}:{part}' for part in parts) + "}"


def document(rng: random.Random) -> str | None:
    kind = rng.random()
    if kind < 0.02:
        return rng.choice([None, "", " ", "{}{}", "[] 1", "{'a':1}"])
    made = blank(rng) + value(rng) + blank(rng)
    return made[: rng.randrange(len(made))] if kind < 0.1 and "\\u" not in made else made


def documents(rng: random.Random, rows: int) -> pa.Table:
    paths = ["$" + "".join(rng.choice(STEPS) for _ in range(rng.randint(0, 3))) for _ in range(rows)]
    return table(a=(pa.string(), [document(rng) for _ in range(rows)]), b=(pa.string(), paths))


case("json_get", documents, "get_json_object(a, b)", "spark_get_json_object(a, b)")
case("json_whole", documents, "get_json_object(a, '$')", "spark_get_json_object(a, '$')")
case("json_length", documents, "json_array_length(a)", "spark_json_array_length(a)")
case("json_keys", documents, "json_object_keys(a)", "spark_json_object_keys(a)")


def fitting(rng: random.Random, name: str) -> str:
    """A value that mostly fits the field of SCHEMA with this name; never a malformed one inside another."""
    if rng.random() < 0.15:
        return rng.choice(["null", "1", '"x"', "[]", "{}", "true", "[1]", '{"a":1}'])
    return {
        "a": lambda: rng.choice(["1", "-5", "2147483648", "1.0"]),
        "b": lambda: rng.choice(["1.5", "1e999", '"NaN"', '"-INF"', "NaN", "-0.0", "3", '"x"']),
        "c": lambda: rng.choice(['"x"', '"\\u00e9\\n"', "12", "1.10", "true", '{"z":[1,"y"]}']),
        "d": lambda: rng.choice(["true", "false", "1"]),
        "e": lambda: rng.choice(["[1,2]", "[1,null]", '[1,"x"]', "[]", "[9223372036854775807]"]),
        "f": lambda: rng.choice(['{"a":200,"c":"x"}', '{"a":300,"c":7}', '{"c":null}']),
        "g": lambda: rng.choice(['{"k":1.5}', '{"k":null,"l":16777217}', '{"k":"x"}', "{}"]),
        "z": lambda: rng.choice(["1", "[1,{}]"]),
    }[name]()


def rows_of_schema(rng: random.Random, rows: int) -> pa.Table:
    def made() -> str:
        names = [rng.choice("abcdefgz") for _ in range(rng.randint(0, 5))]
        text = "{" + ",".join(f'"{name}":{fitting(rng, name)}' for name in names) + "}"
        ends = [place + 1 for place, letter in enumerate(text) if letter in ",{"]
        return text[: rng.choice(ends)] if rng.random() < 0.1 else text

    return table(a=(pa.string(), [made() for _ in range(rows)]))


READ = f"CAST(CAST(spark_from_json(a, '{LETTERS}', '') AS JSON) AS {TYPE})"
case("json_from_and_to", rows_of_schema, f"to_json(from_json(a, '{SCHEMA}'))", f"spark_to_json({READ}, true)")
