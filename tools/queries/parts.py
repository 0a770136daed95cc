"""Random expressions of a wanted type, from the lines of parts.txt, columns and constants."""

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

CONSTANTS = {
    "int": ("0", "1", "-1", "7", "2147483647", "-2147483648", "42", "3"),
    "bigint": ("0L", "1L", "-5L", "9223372036854775807L", "100L", "3L"),
    "double": ("0.0D", "-0.0D", "1.5D", "-2.25D", "1e10D", "double('NaN')", "3.0D", "0.1D"),
    "string": ("''", "'a'", "'Abc'", "'b c'", "'10'", "'ä'", "'2024-02-29'", "'x,y'", "' a '"),
    "date": ("date'2024-02-29'", "date'1999-12-31'", "date'2024-01-01'", "date'1970-01-01'"),
    "timestamp": ("timestamp'2024-02-29 12:34:56.789'", "timestamp'1999-12-31 23:59:59'"),
    "boolean": ("true", "false"),
    "decimal(10,2)": ("1.50BD", "0.00BD", "-3.25BD", "99999999.99BD", "12.34BD"),
}
TYPES = tuple(CONSTANTS)
CONSTANTS |= {
    "smallint": ("0S", "-1S", "32767S", "5S", "-32768S"),
    "float": ("0.5F", "-0.0F", "1e10F", "float('NaN')", "3.25F"),
    "decimal(38,10)": ("1.5BD", "-12345678901234567890.123BD", "0BD", "9999999999999999999999999999.0000000001BD"),
    "binary": ("X''", "X'00FF'", "X'61'", "binary('abc')"),
    "timestamp_ntz": ("timestamp_ntz'2024-02-29 12:34:56.5'", "timestamp_ntz'1969-12-31 23:59:59'"),
    "array<int>": ("array(1, 2, 3)", "array()", "array(5, null, 5)", "array(-1)"),
    "array<string>": ("array('a', 'b')", "array('a', null, '')", "array()", "split('x,y,x', ',')"),
    "map<string,int>": ("map('a', 1, 'b', 2)", "map()", "map('a', null)", "map('k', 7)"),
    "struct<x:int,y:string>": ("named_struct('x', 1, 'y', 'a')", "named_struct('x', null, 'y', 'b')"),
}
EVERY = tuple(CONSTANTS)
SHORT = {
    "dec": "decimal(10,2)",
    "big": "decimal(38,10)",
    "ntz": "timestamp_ntz",
    "ints": "array<int>",
    "words": "array<string>",
    "map": "map<string,int>",
    "row": "struct<x:int,y:string>",
}
ANY = {
    "any": TYPES,
    "every": EVERY,
    "number": ("int", "bigint", "double", "decimal(10,2)", "smallint", "float", "decimal(38,10)"),
}
Columns = Mapping[str, str]


@cache
def lines() -> dict[str, list[str]]:
    """The lines under each heading."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in (Path(__file__).parent / "parts.txt").read_text().splitlines():
        if line.startswith("["):
            heading = SHORT.get(line[1:-1], line[1:-1])
        elif line and not line.startswith("#"):
            found.setdefault(heading, []).append(line)
    return found


class Parts:
    """Expressions by chance; the same chance, the same expressions."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def constant(self, type: str) -> str:
        return f"cast(null as {type})" if self.chance.random() < 0.15 else self.chance.choice(CONSTANTS[type])

    def leaf(self, type: str, columns: Columns) -> str:
        here = [name for name, of in columns.items() if of == type]
        return self.chance.choice(here) if here and self.chance.random() < 0.85 else self.constant(type)

    def expression(self, type: str, columns: Columns, depth: int) -> str:
        if depth <= 0 or self.chance.random() < 0.25:
            return self.leaf(type, columns)
        return f"({self.filled(self.chance.choice(lines()[type]), columns, depth - 1)})"

    def filled(self, line: str, columns: Columns, depth: int) -> str:
        """A line with expressions in its places."""

        def place(found: re.Match[str]) -> str:
            type = self.chance.choice(ANY[found[1]]) if found[1] in ANY else SHORT.get(found[1], found[1])
            return self.expression(type, columns, depth)

        return re.sub(r"\{(\w+)\}", place, line)

    def expressions(self, types: Sequence[str], columns: Columns, depth: int, most: int) -> list[str]:
        count = self.chance.randint(1, most)
        return [self.expression(self.chance.choice(types), columns, depth) for _ in range(count)]

    def one_of(self, heading: str, columns: Columns) -> str:
        return self.filled(self.chance.choice(lines()[heading]), columns, 1)
