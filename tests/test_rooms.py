"""The floor plan holds: imports point down, no ring of modules, no folder of more than about 25 files, of tests too."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.room_order import CLIENTS, ORDER

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "twinspark"
TESTS = ROOT / "tests"
TEST_MODULES = sorted(TESTS.rglob("*.py"))
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}
MOST_FILES = 25


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def imported_names(node: ast.AST) -> Iterator[str]:
    """What one import statement names: `from a import b` is the module a.b where there is one, else a."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in modules() else node.module


@cache
def imports() -> dict[str, set[str]]:
    """Every module with those it imports, at the top, inside functions and for type checkers alike."""
    found = {}
    for name, path in modules().items():
        nodes = ast.walk(ast.parse(path.read_text()))
        found[name] = {each for node in nodes for each in imported_names(node) if each in modules()} - {name}
    return found


def room_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def is_allowed(room: str, other: str) -> bool:
    if room == other:
        return True
    if room in CLIENTS:
        return FLOOR.get(other, 99) <= FLOOR["wire"]
    if other in CLIENTS:
        return FLOOR[room] >= FLOOR["doors"]
    return FLOOR[other] < FLOOR[room]


def upward_imports() -> set[str]:
    return {
        f"{module.removeprefix('twinspark.')} -> {other.removeprefix('twinspark.')}"
        for module, others in imports().items()
        for other in others
        if not is_allowed(room_of(module), room_of(other))
    }


def rings() -> list[set[str]]:
    """Groups of modules that import each other in a circle (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in imports()[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            ring = {stack.pop()}
            while module not in ring:
                ring.add(stack.pop())
            if len(ring) > 1:
                found.append({each.removeprefix("twinspark.") for each in ring})

    for module in imports():
        if module not in index:
            visit(module)
    return found


def from_root(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_point_down() -> None:
    assert upward_imports() == set()


def test_no_module_is_part_of_a_ring() -> None:
    assert rings() == []


CODE = (".py", ".c", ".h", ".cpp", ".hpp", ".java", ".sql")
FOLDERS = sorted({path.parent for place in (SOURCE, TESTS) for path in place.rglob("*.*") if path.suffix in CODE})


@pytest.mark.parametrize("folder", [each for each in FOLDERS if each.name != "queries"], ids=from_root)
def test_a_folder_can_be_taken_in_at_a_glance(folder: Path) -> None:
    files = [path for path in folder.iterdir() if path.suffix in CODE]
    assert len(files) <= MOST_FILES, [path.name for path in files]


def test_no_two_modules_of_tests_have_one_name() -> None:
    """pytest imports them by their bare names: the first would be taken for the second."""
    names = Counter(path.stem for path in TEST_MODULES if path.stem not in ("__init__", "conftest"))
    assert [name for name, count in names.items() if count > 1] == []


def test_files_of_tests_open_with_a_sentence_and_have_plain_names() -> None:
    assert [from_root(path) for path in TEST_MODULES if ast.get_docstring(ast.parse(path.read_text())) is None] == []
    assert [from_root(path) for path in TEST_MODULES if not re.fullmatch(r"[a-z0-9_]+", path.stem)] == []
