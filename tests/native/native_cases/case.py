"""What a differential case of a native function is: inputs, Spark's expression, our DuckDB expression for the same."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Case:
    """One comparison: columns a, b, ... made by `inputs`; both expressions are asked over the same rows."""

    name: str
    inputs: Callable[[random.Random, int], pa.Table]
    spark: str
    duck: str
    aggregate: bool = False  # grouped by column g
    zone: str = "UTC"
    settings: Mapping[str, str] = field(default_factory=dict)  # of the session that Spark answers in


CASES: dict[str, Case] = {}


def case(name: str, inputs: Callable[[random.Random, int], pa.Table], spark: str, duck: str, **more: Any) -> None:
    CASES[name] = Case(name, inputs, spark, duck, **more)


def table(**columns: tuple[pa.DataType, Iterable[Any]]) -> pa.Table:
    return pa.table({name: pa.array(list(values), type=of) for name, (of, values) in columns.items()})


BLANKS = [" ", "\t", "\n", "\x00", "\x1f", "\x7f", "\u00a0", "\u2003", "\r"]


def mutated(rng: random.Random, word: str, alphabet: str) -> str:
    """The word, or a neighbour of it: a character more, less or other, blanks around it."""
    letters = list(word)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        place = rng.randint(0, len(letters))
        kind = rng.random()
        if kind < 0.4:
            letters.insert(place, rng.choice(alphabet))
        elif letters and kind < 0.7:
            letters.pop(min(place, len(letters) - 1))
        elif letters:
            letters[min(place, len(letters) - 1)] = rng.choice(alphabet)
    if rng.random() < 0.2:
        letters.insert(0, rng.choice(BLANKS))
    if rng.random() < 0.2:
        letters.append(rng.choice(BLANKS))
    return "".join(letters)


def text_inputs(make: Callable[[random.Random], str], alphabet: str) -> Callable[[random.Random, int], pa.Table]:
    def inputs(rng: random.Random, rows: int) -> pa.Table:
        words = [None if rng.random() < 0.02 else mutated(rng, make(rng), alphabet) for _ in range(rows)]
        return table(a=(pa.string(), words))

    return inputs
