"""`make architecture`: writes the rooms, passes and the trace of a query into docs/contribute/architecture.md."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.life_of_a_query import FIRST_QUERY, QUERY, TABLE, Call, Trace, Walks, counts, measure, rooms_in_order
from tools.room_order import CLIENTS, ORDER
from twinspark.compile import pipeline
from twinspark.compile.passes import Pass

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "contribute" / "architecture.md"
SOURCE = ROOT / "src" / "twinspark"
GROUPS = {
    "what the plan means": pipeline.MEANING,
    "the order of its rows": pipeline.ROW_ORDER,
    "what is computed once": pipeline.SHARING,
    "what is not SQL": pipeline.ENGINE,
}
# Traced at commit b25f708, before the rooms were made: by hand (the floor plan's numbers), and by this script.
BEFORE = {
    "calls": "4,888",
    "files": "152",
    "functions": "849",
    "room changes": "948",
    "walks over the whole plan": "about 20",
}
BEFORE_HERE = {"calls": 4894, "files": 152, "functions": 846, "room changes": 917, "walks over the whole plan": 21}


def first_sentence(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text()))
    assert text, f"{path} opens with no sentence"
    return text.split("\n\n")[0].replace("\n", " ")


def rooms() -> str:
    head = ["| room | what it is for | files |", "|---|---|---|"]
    folders = [room for floor in ORDER for room in sorted(floor) if (SOURCE / room).is_dir()]
    return "\n".join([*head, *map(room_row, folders), *map(room_row, sorted(CLIENTS))])


def room_row(room: str) -> str:
    folder = SOURCE / room
    number = sum(path.suffix in (".py", ".c", ".h") for path in folder.rglob("*"))
    return f"| `{room}` | {first_sentence(folder / '__init__.py')} | {number} |"


def passes() -> str:
    head = ["| | pass | what it does |", "|---|---|---|"]
    return "\n".join([*head, *(row for about, group in GROUPS.items() for row in pass_rows(about, group))])


def pass_rows(about: str, group: tuple[Pass, ...]) -> Iterator[str]:
    for number, each in enumerate(group):
        assert each.__doc__, f"{each.__name__} has no docstring"
        yield f"| {'' if number else about} | `{each.__name__}` | {' '.join(each.__doc__.split())} |"


def life(trace: Trace, walks: Walks) -> str:
    return "\n".join(
        [
            f"After `{TABLE}` and, to fill the caches of imports and types, `{FIRST_QUERY}`,",
            f"the traced query is `{QUERY}`:\n",
            "| | before, by hand | before, by this script | now |\n|---|---|---|---|",
            *(
                f"| {what} | {BEFORE[what]} | {BEFORE_HERE[what]:,} | {n:,} |"
                for what, n in counts(trace, walks).items()
            ),
            "\nThe rooms in the order in which the query first enters them:\n",
            "| room | first call | calls | files |\n|---|---|---|---|",
            *(f"| `{room}` | {shown(call)} | {n:,} | {files} |" for room, call, n, files in rooms_in_order(trace)),
            "\nThe walks over the whole plan, in order, each with the function that starts it:\n",
            *(f"{number}. {shown(call)}" for number, call in enumerate(walks.found, 1)),
        ]
    )


def shown(call: Call) -> str:
    return f"`{call.function.partition('.<locals>')[0]}` in `{call.file}`"


def replace_part(page: str, part: str, text: str) -> str:
    return re.sub(
        rf"(<!-- make architecture: {part} -->\n).*?(<!-- end -->)",
        lambda marks: f"{marks[1]}{text}\n{marks[2]}",
        page,
        flags=re.DOTALL,
    )


def with_rooms_and_passes(page: str) -> str:
    return replace_part(replace_part(page, "rooms", rooms()), "passes", passes())


if __name__ == "__main__":
    PAGE.write_text(replace_part(with_rooms_and_passes(PAGE.read_text()), "life", life(*measure())))
