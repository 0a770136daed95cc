"""Which functions passed the fuzz: a line for each, with its inputs in each mode, its day, what was left to Spark."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from tools.functions.__main__ import engine_of
from twinspark.functions import canonical
from twinspark.functions.notation.spark_names import SPARK_FUNCTIONS

LEDGER = Path(__file__).parents[2] / "tests" / "cases" / "fuzzed.txt"
HEADER = """\
# Functions compared with Spark 4.2.1 on random inputs by `make fuzz`: how many inputs were equal with ANSI on and off,
# how many of them were errors, how many inputs differed, how many were left to Spark; the forms of the call; the day.
# `make fuzz-missing` names the native functions that stand here with differences, or not at all.
function\tansi\tnot ansi\terrors\tdifferent\tleft to Spark\tforms\tday
"""


@dataclass(frozen=True)
class Tally:
    """What was compared of one function."""

    ansi: int = 0
    relaxed: int = 0
    errors: int = 0
    different: int = 0
    elsewhere: int = 0
    forms: int = 0
    day: str = ""

    def __add__(self, other: "Tally") -> "Tally":
        numbers = [getattr(self, name) + getattr(other, name) for name in NUMBERS]
        return tally_of(numbers, other.day or self.day)

    @property
    def clean(self) -> bool:
        return self.ansi > 0 and self.relaxed > 0 and not self.different


NUMBERS = ("ansi", "relaxed", "errors", "different", "elsewhere", "forms")


def tally_of(numbers: Iterable[int], day: str) -> Tally:
    return Tally(**dict(zip(NUMBERS, numbers, strict=True)), day=day)


def read_ledger() -> dict[str, Tally]:
    if not LEDGER.exists():
        return {}
    rows = [line.split("\t") for line in LEDGER.read_text().splitlines() if not line.startswith("# ")][1:]
    return {name: tally_of(map(int, numbers), day) for name, *numbers, day in rows}


def write_ledger(found: dict[str, Tally]) -> None:
    """Functions compared anew take the place of what was known of them."""
    merged = read_ledger() | {name: replace(tally, day=date.today().isoformat()) for name, tally in found.items()}
    lines = [
        "\t".join(map(str, [name, *(getattr(of, key) for key in NUMBERS), of.day]))
        for name, of in sorted(merged.items())
    ]
    LEDGER.write_text(HEADER + "".join(f"{line}\n" for line in lines))


def native_functions() -> list[str]:
    return [name for name in SPARK_FUNCTIONS if engine_of(name).startswith("duckdb")]


def missing() -> dict[str, str]:
    """The native functions without a clean line, and why; another name of a function shares its line."""
    known = read_ledger()
    return {
        name: "differs" if canonical(name) in known and known[canonical(name)].different else "not compared"
        for name in native_functions()
        if not known.get(canonical(name), Tally()).clean
    }
