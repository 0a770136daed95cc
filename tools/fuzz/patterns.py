"""Constants made by chance where Spark wants or users write constants: regular expressions, formats, zones, frames."""

import random
from collections.abc import Callable

from tools.fuzz.literals import quoted
from tools.fuzz.texts import TEXTS

FRAME_EDGES = [
    "UNBOUNDED PRECEDING",
    "2 PRECEDING",
    "1 PRECEDING",
    "CURRENT ROW",
    "1 FOLLOWING",
    "3 FOLLOWING",
    "UNBOUNDED FOLLOWING",
]


def regex(chance: random.Random) -> str:
    atoms, quantifiers = TEXTS["regex_atoms"], TEXTS["regex_quantifiers"]
    count = chance.choice([1, 1, 2, 3, 4])
    pieces = "".join(chance.choice(atoms) + chance.choice(quantifiers) for _ in range(count))
    other = f"|{chance.choice(atoms)}" if chance.random() < 0.15 else ""
    start, end = chance.choice(["", "", "", "^", "(?i)", "(?s)", "(?m)^"]), chance.choice(["", "", "", "$"])
    return quoted(start + pieces + other + end)


def like(chance: random.Random) -> str:
    return quoted(
        "".join(chance.choices(["a", "b", "%", "_", "A", "😀", ".", "\\%", "\\_", "\n"], k=chance.randrange(5)))
    )


def date_pattern(chance: random.Random) -> str:
    count = chance.choice([1, 2, 3, 4])
    return quoted(chance.choice(["-", " ", "/", ":", "'T'", ""]).join(chance.choices(TEXTS["date_letters"], k=count)))


def parse_pattern(chance: random.Random) -> str:
    return quoted(chance.choice(TEXTS["parse_pattern"]))


def number_format(chance: random.Random) -> str:
    whole = chance.choice(["9", "0", "999", "000", "99999", "9,999", "0G000", "99,999,999", "09"])
    part = chance.choice(["", "", ".9", ".99", "D00", ".", ".000"])
    plain = chance.choice(["", "", "$", "L"]) + whole + part
    return quoted(chance.choice([plain, plain, "S" + plain, "MI" + plain, plain + "S", plain + "MI", plain + "PR"]))


def integer_format(chance: random.Random) -> str:
    flags = "".join(chance.sample(["-", "0", "+", ",", "(", " ", "#"], chance.choice([0, 0, 1, 2])))
    return quoted(f"%{flags}{chance.choice(['', '', '5', '12'])}{chance.choice('ddddxXosS')}|")


def float_format(chance: random.Random) -> str:
    flags = "".join(chance.sample(["-", "0", "+", ",", "(", " "], chance.choice([0, 0, 1, 2])))
    width, places = chance.choice(["", "", "9", "15"]), chance.choice(["", ".0", ".1", ".2", ".5", ".10"])
    return quoted(f"%{flags}{width}{places}{chance.choice('ffffeEgG')}|")


def frame(chance: random.Random) -> str:
    first = chance.randrange(len(FRAME_EDGES) - 1)
    last = chance.randrange(max(first, 1), len(FRAME_EDGES))
    return chance.choice(["", f"ROWS BETWEEN {FRAME_EDGES[first]} AND {FRAME_EDGES[last]}"])


def range_frame(chance: random.Random) -> str:
    return frame(chance).replace("ROWS", "RANGE")


def quoted_of(domain: str) -> Callable[[random.Random], str]:
    return lambda chance: quoted(chance.choice(TEXTS[domain]))


PATTERNS: dict[str, Callable[[random.Random], str]] = {
    "regex": regex,
    "like": like,
    "date_pattern": date_pattern,
    "parse_pattern": parse_pattern,
    "number_format": number_format,
    "integer_format": integer_format,
    "float_format": float_format,
    "frame": frame,
    "range_frame": range_frame,
    "number": lambda chance: str(chance.randint(-(2**31), 2**31 - 1)),
    "small": lambda chance: str(chance.randint(0, 9)),
    "large": lambda chance: str(chance.randint(-50_000, 2_000_000)),
    "zone": quoted_of("zone"),
    "json": quoted_of("json"),
    "csv": quoted_of("csv"),
    "json_path": quoted_of("json_path"),
}
