"""Compares the cost of cold queries with a kept measurement: server CPU of twinspark over Sail's, both in one run.

usage: guard.py [--write] [ROUNDS]   (fails when a ratio is more than half as high again as the kept one)
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from small_queries import SERVERS, by_turns, cold_queries, opened

KEPT = Path(__file__).parent / "results" / "cold-ratios.json"
TOLERANCE = 1.5
ROUNDS = 10


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--write"]
    found = ratios(int(words[0]) if words else ROUNDS)
    if "--write" in sys.argv:
        KEPT.write_text(json.dumps(found, indent=1) + "\n")
    worse = slower_kinds(found, json.loads(KEPT.read_text()))
    for line in worse:
        print(line)
    print(f"{len(found)} kinds, {len(worse)} beyond {TOLERANCE} times the kept ratio")
    sys.stdout.flush()
    os._exit(1 if worse else 0)


def ratios(rounds: int) -> dict[str, float]:
    with ExitStack() as servers:
        started = {name: servers.enter_context(make()) for name, make in SERVERS.items()}
        sessions = {name: opened(server) for name, server in started.items()}
        measured = {name: by_turns(ask, started, sessions, rounds) for name, ask in cold_queries().items()}
    return {name: ratio(*(cpu for _, cpu in each.values())) for name, each in measured.items()}


def ratio(ours: float, theirs: float) -> float:
    """The clock that counts a process's CPU has ticks of 10 ms, so a query may seem to cost nothing."""
    return round(ours / max(theirs, 0.1), 2)


def slower_kinds(found: dict[str, float], kept: dict[str, float]) -> list[str]:
    return [
        f"{name}: {value} times Sail's CPU, kept {kept[name]}"
        for name, value in found.items()
        if name in kept and value > kept[name] * TOLERANCE
    ]


if __name__ == "__main__":
    main()
