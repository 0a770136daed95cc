"""Draws where the server's Python threads spend their time on cold and on warm queries, as flame graphs in SVG.

usage: flame_graph.py [SECONDS]   (needs py-spy on the path; writes docs/pictures/flame-cold.svg and flame-warm.svg)

py-spy samples the threads that serve requests while one client sends the kinds of `cold_kinds.py` in turns: each text
once (cold), or the same text again and again (warm). Waits for the client are left out. The width of a box is its part
of the samples."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import count, cycle, repeat
from pathlib import Path

from cold_kinds import KINDS
from pyspark.sql import SparkSession
from tpch_servers import twinspark

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
NUMBERS: dict[str, Callable[[], Iterator[int]]] = {"cold": lambda: count(1), "warm": lambda: repeat(7)}
WARM_UP_SECONDS = 5.0  # in which the server imports what it may need later
WIDTH, ROW, LEAST = 1200.0, 16, 2.4  # in pixels; narrower boxes are left out
LETTER = 6.2
COLORS = ("#e8b04b", "#d98e5f", "#c9745a", "#b3a05a", "#8fae6b", "#6ba58f", "#6b94b8", "#8a83c0", "#b57fb0", "#c77d8f")
SERVES = "Connection._serve "  # other threads do not serve requests
WAITS = ("receive_within ", "Connection._await_turn ", "Condition.wait ")
FRAME = re.compile(r"(?P<function>.+) \((?P<file>.+?)(:\d+)?\)")


@dataclass
class Box:
    """A function below its callers; `samples` counts those of the functions it calls, too."""

    name: str
    room: str = ""
    samples: int = 0
    below: dict[str, Box] = field(default_factory=dict)

    def depth(self, least: float) -> int:
        """Of the boxes with at least so many samples."""
        return 1 + max((each.depth(least) for each in self.below.values() if each.samples >= least), default=0)


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for name, numbers in NUMBERS.items():
        stacks = sample(numbers(), seconds)
        (PICTURES / f"flame-{name}.svg").write_text(draw(tree_of(stacks), f"Samples of {name} queries by function"))


def sample(numbers: Iterator[int], seconds: int) -> str:
    """The stacks that py-spy saw, one in a line with the number of its samples."""
    with twinspark() as server:
        spark = SparkSession.builder.remote(server.url).create()
        spark.sql("select id, id % 7 k, cast(id as string) t from range(1000)").createOrReplaceTempView("v")
        for kind in KINDS.values():
            kind(spark, 7)
        time.sleep(WARM_UP_SECONDS)
        command = ["py-spy", "record", "-r", "200", "-d", str(seconds), "-f", "raw", "-o", "/dev/stdout"]
        watch = subprocess.Popen([*command, "-p", str(server.pid)], stdout=subprocess.PIPE, text=True)
        until, kinds = time.monotonic() + seconds, cycle(KINDS.values())
        while time.monotonic() < until:
            next(kinds)(spark, next(numbers))
        stacks, _ = watch.communicate()
        spark.stop()
    return stacks


def tree_of(stacks: str) -> Box:
    root = Box("all")
    for line in stacks.splitlines():
        stack, _, samples = line.rpartition(" ")
        if not samples.isdigit() or SERVES not in stack or any(each in stack for each in WAITS):
            continue
        box = root
        box.samples += int(samples)
        for frame in own_frames(stack.split(";")):
            box = box.below.setdefault(frame, Box(*name_and_room(frame)))
            box.samples += int(samples)
    return root


def own_frames(frames: list[str]) -> Iterator[str]:
    """The frames from the first one of a request on, without line numbers."""
    first = next(place for place, frame in enumerate(frames) if frame.startswith(SERVES))
    return (re.sub(r":\d+\)$", ")", frame) for frame in frames[first:])


def name_and_room(frame: str) -> tuple[str, str]:
    found = FRAME.fullmatch(frame)
    if found is None:
        return frame, ""
    room = found["file"].partition("twinspark/")[2].partition("/")[0]
    return found["function"].rpartition(".<locals>.")[2], room


def draw(root: Box, title: str) -> str:
    height = root.depth(LEAST * root.samples / WIDTH) * ROW + 8
    rooms = sorted({each.room for each in boxes_in(root)})
    boxes = "\n".join(boxes_of(root, 0.0, height - ROW, WIDTH / max(root.samples, 1), rooms))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height}" font-family="monospace" '
        f'font-size="10"><title>{escape(title)}</title><rect width="100%" height="100%" fill="#fffaf0"/>'
        f"\n{boxes}\n</svg>\n"
    )


def boxes_in(box: Box) -> Iterator[Box]:
    yield box
    for each in box.below.values():
        yield from boxes_in(each)


def boxes_of(box: Box, left: float, top: float, scale: float, rooms: list[str]) -> Iterator[str]:
    width = box.samples * scale
    if width < LEAST:
        return
    yield rectangle(box, left, top, width, box.samples * scale / WIDTH, COLORS[rooms.index(box.room) % len(COLORS)])
    for each in sorted(box.below.values(), key=lambda each: each.name):
        yield from boxes_of(each, left, top - ROW, scale, rooms)
        left += each.samples * scale


def rectangle(box: Box, left: float, top: float, width: float, part: float, color: str) -> str:
    shown = box.name if len(box.name) * LETTER < width - 4 else box.name[: max(0, int((width - 4) / LETTER))]
    words = f"{box.name} ({box.room}) {part:.1%}" if box.room else f"{box.name} {part:.1%}"
    text = f'<text x="{left + 2:.1f}" y="{top + 11:.0f}">{escape(shown)}</text>' if len(shown) > 2 else ""
    return (
        f'<g><title>{escape(words)}</title><rect x="{left:.1f}" y="{top:.0f}" width="{max(width - 0.4, 0.4):.1f}" '
        f'height="{ROW - 1}" fill="{color}"/>{text}</g>'
    )


if __name__ == "__main__":
    main()
