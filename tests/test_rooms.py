"""Imports point down: a room imports what stands before it in the line, and nothing after it."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "twinspark"
ORDER = [
    {"types", "errors"},
    {"functions"},
    {"plan"},
    {"analysis"},
    {"duck", "pythons", "read", "tables"},
    {"spark"},
    {"session"},
    {"ui"},
    {"doors"},
    {"__init__", "cli"},
    {"__main__"},
]
APART = {"driver", "plans_json"}  # clients: they import only types, errors and PySpark
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"twinspark.{a.name}" for a in node.names] if node.module == "twinspark" else [node.module]
        rooms |= {n.split(".")[1] for n in names if n.startswith("twinspark.")}
    return rooms


def allowed(room: str, other: str) -> bool:
    if room == other:
        return True
    if room in APART:
        return other in ORDER[0]
    return FLOOR.get(other, -1 if other in APART and FLOOR[room] >= FLOOR["doors"] else 99) < FLOOR[room]


def test_imports_point_down() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {other}"
        for path in sorted(SOURCE.rglob("*.py"))
        for other in sorted(imported_rooms(path))
        if not allowed(room_of(path), other)
    ]
    assert wrong == []
