"""`python -m tools.replay [topic …] [--function name]`: the recorded cases on our engine, and where it differs."""

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tools.cases.files import Answer
from tools.replay.gaps import gap_line, gaps_among, read_gaps, write_gaps
from tools.replay.run import DIFFERENT, ELSEWHERE, EQUAL, Outcome, Tally, replay_signatures, replay_values
from tools.replay.server import server

CASES = Path(__file__).parents[2] / "tests" / "cases"
KINDS = ("values", "signatures", "found")
WIDTH = 300
GAPS = CASES / "known_gaps.txt"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.replay", description=__doc__)
    parser.add_argument("topics", nargs="*", help="strings, maths, dates …; all when none is named")
    parser.add_argument("--function", help="only this function's cases")
    parser.add_argument("--kind", choices=KINDS, help="only these files")
    parser.add_argument("--show", type=int, default=20, help="how many differences to show")
    parser.add_argument("--gaps", action="store_true", help="rewrite the list of known gaps for what was replayed")
    asked = parser.parse_args()
    logging.getLogger("twinspark").setLevel(logging.CRITICAL)  # what fails is told below, with its message
    with server() as remote:
        outcomes = {file: list(replay(remote, file, asked.function)) for file in files(asked.topics, asked.kind)}
    for line in report([o for found in outcomes.values() for o in found], asked.show):
        print(line)
    if asked.gaps:
        update_gaps(outcomes)


def files(topics: list[str], kind: str | None) -> list[Path]:
    found = sorted(path for path in CASES.glob(f"{kind or '*'}/*.txt") if path.parent.name in KINDS)
    return [path for path in found if not topics or path.stem in topics]


def replay(remote: str, path: Path, function: str | None, whole: bool = True) -> Iterator[Outcome]:
    def wanted(name: str) -> bool:
        return function is None or name == function

    run = replay_signatures if path.parent.name == "signatures" else replay_values
    return run(remote, path, wanted, whole)


def report(outcomes: list[Outcome], show: int) -> Iterator[str]:
    """A line for each function, the totals, and the first differences."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for outcome in outcomes:
        tallies[outcome.function].add(outcome)
    yield f"{'function':32}{EQUAL:>8}{DIFFERENT:>11}{ELSEWHERE:>11}"
    for name, tally in sorted(tallies.items()):
        yield f"{name:32}" + "{equal:8}{different:11}{elsewhere:11}".format(**tally.counts)
    exact = [n for n, tally in tallies.items() if tally.counts[EQUAL] and not tally.counts[DIFFERENT]]
    yield f"{len(exact)} of {len(tallies)} functions have no differing case"
    for outcome in [o for o in outcomes if o.verdict == DIFFERENT][:show]:
        yield f"\n{outcome.section}\n  {outcome.expression}"
        yield f"    Spark: {said(outcome.expected)}"
        yield f"    we:    {said(outcome.found)}"


def said(answer: Answer) -> str:
    return f"{answer.kind} {answer.value}  {answer.name}"[:WIDTH]


def update_gaps(outcomes: dict[Path, list[Outcome]]) -> None:
    """Replaces what the list says of the replayed cases; says nothing new of the others."""
    replayed = {gap_line(name_of(path), outcome) for path, found in outcomes.items() for outcome in found}
    differing = {line for path, found in outcomes.items() for line in gaps_among(name_of(path), found)}
    write_gaps(GAPS, (read_gaps(GAPS) - replayed) | differing)
    print(f"{len(differing)} known gaps", file=sys.stderr)


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


if __name__ == "__main__":
    main()
