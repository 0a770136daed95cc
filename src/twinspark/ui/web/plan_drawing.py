"""Draws a plan as SVG: a box for each operator, the root at the top, with its engine, rows and share of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinspark.sessions.history.plan_graph import Node
from twinspark.ui.web.html import Html, tag
from twinspark.ui.web.values import count_text, duration_text

WIDTH, HEIGHT = 216, 74
GAP_ACROSS, GAP_DOWN = 20, 34
MOST_NAME, MOST_DETAIL = 25, 32


@dataclass(frozen=True)
class Box:
    """A node at its position: `column` in widths of a box, `row` from the root down."""

    node: Node
    column: float
    row: int

    @property
    def x(self) -> float:
        return self.column * (WIDTH + GAP_ACROSS)

    @property
    def y(self) -> float:
        return self.row * (HEIGHT + GAP_DOWN)


def boxes_of(nodes: Sequence[Node]) -> list[Box]:
    """Leaves get columns from left to right; a node is above the middle of its inputs. Nodes come before their inputs,
    so a pass backwards finds the columns of all inputs first."""
    below: dict[int, list[int]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node.number)
    rows = {-1: -1}
    for node in nodes:
        rows[node.number] = rows.get(node.parent, -1) + 1
    columns = columns_of(nodes, below)
    return [Box(node, columns[node.number], rows[node.number]) for node in nodes]


def columns_of(nodes: Sequence[Node], below: dict[int, list[int]]) -> dict[int, float]:
    leaves = [number for number in visit_order(below) if not below.get(number)]
    columns = {number: float(column) for column, number in enumerate(leaves)}
    for node in reversed(nodes):
        if inputs := below.get(node.number):
            columns[node.number] = (columns[inputs[0]] + columns[inputs[-1]]) / 2
    return columns


def visit_order(below: dict[int, list[int]]) -> list[int]:
    found, waiting = [], list(reversed(below.get(-1, [])))
    while waiting:
        number = waiting.pop()
        found.append(number)
        waiting += reversed(below.get(number, []))
    return found


def draw_plan(nodes: Sequence[Node]) -> Html:
    boxes = boxes_of(nodes)
    width = max(each.x for each in boxes) + WIDTH + 4
    height = max(each.y for each in boxes) + HEIGHT + 4
    longest = max((each.seconds or 0.0 for each in nodes), default=0.0)
    by_number = {each.node.number: each for each in boxes}
    lines = [edge(by_number[each.node.parent], each) for each in boxes if each.node.parent in by_number]
    drawn = [box(each, longest) for each in boxes]
    title = tag("title", f"Plan of {len(nodes)} operators")
    sizes = {"viewBox": f"-2 -2 {width:.0f} {height:.0f}", "width": f"{width:.0f}", "height": f"{height:.0f}"}
    return tag("svg", title, lines, drawn, role="img", class_="plan", **sizes)


def edge(upper: Box, lower: Box) -> Html:
    x1, y1 = upper.x + WIDTH / 2, upper.y + HEIGHT
    x2, y2 = lower.x + WIDTH / 2, lower.y
    middle = (y1 + y2) / 2
    path = f"M {x2:.0f} {y2:.0f} C {x2:.0f} {middle:.0f} {x1:.0f} {middle:.0f} {x1:.0f} {y1:.0f}"
    return tag("path", d=path, class_="edge")


def box(each: Box, longest: float) -> Html:
    node = each.node
    share = (node.seconds or 0.0) / longest if longest else 0.0
    x, y = f"{each.x:.0f}", f"{each.y:.0f}"
    return tag(
        "g",
        tag("title", f"{node.name}\n{node.detail}"),
        tag("rect", x=x, y=y, width=WIDTH, height=HEIGHT, rx=8, class_=f"box engine-{node.engine}"),
        tag("rect", x=x, y=f"{each.y + HEIGHT - 4:.0f}", width=f"{share * WIDTH:.0f}", height=4, class_="share"),
        words(each, 20, shorten(node.name, MOST_NAME), "name"),
        words(each, 38, shorten(node.detail, MOST_DETAIL), "detail"),
        words(each, 58, numbers_of(node), "numbers"),
    )


def words(each: Box, down: int, text: str, kind: str) -> Html:
    return tag("text", text, x=f"{each.x + 12:.0f}", y=f"{each.y + down:.0f}", class_=kind)


def numbers_of(node: Node) -> str:
    rows = "" if node.rows is None else f"{count_text(node.rows)} rows"
    time = "" if node.seconds is None else duration_text(node.seconds)
    return " · ".join(filter(None, (node.engine, rows, time)))


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
