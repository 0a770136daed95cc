"""Expands the topic tables into expressions: a function's pools of inputs, crossed as far as it stays readable."""

import re
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path

HERE = Path(__file__).parent
MOST = 90  # cases of one line
ALIAS_CASES = 6
WORDS = re.compile(r"([a-z_0-9,]+)((?: +(?:[A-Z][A-Z_0-9]*|<.+?>(?=\s|$)))+)\s*")
WORD = re.compile(r"[A-Z][A-Z_0-9]*|<.+?>(?=\s|$)")
HOLE = re.compile(r"\{(?:([A-Z][A-Z_0-9]*)|<(.+?)>)\}")


def pools() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in (HERE / "pools.txt").read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            found[name] = []
        elif line and not line.startswith("#"):
            found[name].append(line)
    return found


POOLS = pools()


def topic_names() -> list[str]:
    return sorted(path.stem for path in (HERE / "topics").glob("*.txt"))


def topic_cases(topic: str) -> dict[str, list[str]]:
    """The expressions of a topic, by the relation they are evaluated on ('' for none)."""
    cases: dict[str, list[str]] = {}
    relations, reading_relations = [""], False
    for line in (HERE / "topics" / f"{topic}.txt").read_text().splitlines():
        if line.startswith("from "):
            relations = [*relations, line[5:]] if reading_relations else [line[5:]]
            reading_relations = True
        elif line.strip() and not line.startswith("#"):
            reading_relations = False
            for relation in relations:
                cases.setdefault(relation, []).extend(expand(line))
    return {relation: list(dict.fromkeys(expressions)) for relation, expressions in cases.items()}


def expand(line: str) -> Iterator[str]:
    words = WORDS.fullmatch(line)
    if words is None:
        yield from filled(line.strip())
        return
    first, *aliases = words[1].split(",")
    arguments = ", ".join("{" + word + "}" for word in WORD.findall(words[2]))
    yield from filled(f"{first}({arguments})")
    for alias in aliases:
        yield from list(filled(f"{alias}({arguments})"))[:ALIAS_CASES]


def filled(template: str) -> Iterator[str]:
    """The template with its holes filled from their pools."""
    holes = hole_pools(template)
    pieces = HOLE.split(template)[::3]
    for values in chosen(holes):
        yield "".join(piece + value for piece, value in zip(pieces, [*values, ""], strict=True))


def hole_pools(template: str) -> list[list[str]]:
    return [POOLS[name] if name else split_pool(inline) for name, inline in HOLE.findall(template)]


def split_pool(text: str) -> list[str]:
    return [value.strip() for value in text.split(" | ")]


def chosen(holes: list[list[str]]) -> list[tuple[str, ...]]:
    """All combinations where they are few; else each value once among everyday ones, and an even sample of the rest."""
    if prod(len(hole) for hole in holes) <= MOST:
        return list(product(*holes))
    picked = {varied: None for everyday in everyday_values(holes) for varied in one_at_a_time(holes, everyday)}
    every = list(product(*holes))
    step = max(1, len(every) // max(1, MOST - len(picked)))
    return list(picked | dict.fromkeys(every[:: step | 1]))


def everyday_values(holes: list[list[str]]) -> list[tuple[str, ...]]:
    return [tuple(hole[min(place, len(hole) - 1)] for hole in holes) for place in (0, 1)]


def one_at_a_time(holes: list[list[str]], everyday: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place, hole in enumerate(holes):
        for value in hole:
            yield (*everyday[:place], value, *everyday[place + 1 :])
