"""The state of the engines: memory and spilled bytes of DuckDB, Python workers, the JVM."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twinspark.duck.memory import memory_usage
from twinspark.duck.run import spill_directory
from twinspark.ui.web.html import Html, join, table, tag
from twinspark.ui.web.layout import facts, live, section
from twinspark.ui.web.messages import Response, page_response
from twinspark.ui.web.values import bytes_text, count_text
from twinspark.ui.web.view import View

PAGE = os.sysconf("SC_PAGE_SIZE")
MEMORY = "SELECT tag, memory_usage_bytes, temporary_storage_bytes FROM duckdb_memory() WHERE memory_usage_bytes > 0"


def show(view: View) -> Response:
    return view.page("Engines", live("/engines/state", state_of(view)), "/engines")


def show_state(view: View) -> Response:
    return page_response(state_of(view))


def state_of(view: View) -> Html:
    return join(process_section(view), duckdb_section(view), worker_section(), spark_section(view))


def process_section(view: View) -> Html:
    _, resident = memory_usage()
    limit = view.sessions.shared.native.limit.resident
    bar = tag("meter", value=resident, min="0", max=limit, aria_label="Memory of this process")
    used = join(f"{bytes_text(resident)} of {bytes_text(limit)} ", bar)
    running = sum(each.busy for each in view.sessions.all())
    return section(
        "Server",
        facts([("Memory", used), ("Sessions", len(view.sessions.all())), ("Busy sessions", running)]),
    )


def duckdb_section(view: View) -> Html:
    cursor = view.sessions.shared.native.cursor()
    try:
        rows = cursor.execute(MEMORY).fetchall()
    finally:
        cursor.close()
    spilled = sum(each.stat().st_size for each in Path(spill_directory()).rglob("*") if each.is_file())
    cells = [[name, *map(number_cell, numbers)] for name, *numbers in rows]
    limit = bytes_text(view.sessions.shared.native.limit.for_buffers)
    return section(
        "DuckDB",
        facts([("Limit of buffers", limit), ("Spilled to disk", bytes_text(spilled))]),
        table(("Buffers of", "Memory", "On disk"), cells, "Memory of DuckDB", "No buffers are in use."),
    )


def number_cell(value: int) -> Html:
    return tag("td", bytes_text(value), class_="number")


def worker_section() -> Html:
    found = list(child_processes(os.getpid()))
    workers = [(pid, size) for pid, name, size in found if name.startswith("python")]
    memory = bytes_text(sum(size for _, size in workers))
    return section("Python workers", facts([("Processes", count_text(len(workers))), ("Memory", memory)]))


def spark_section(view: View) -> Html:
    status: dict[str, Any] = view.spark.status()
    pid = view.spark.pid
    size = resident_bytes(pid) if pid is not None else None
    memory = "" if size is None else bytes_text(size)
    rows = [(name, status[key]) for key, name in NAMES.items() if status.get(key) not in (None, "")]
    return section("Spark", facts([*rows, ("Process", pid), ("Memory of the JVM", memory)]))


NAMES = {
    "state": "State",
    "spark": "Spark",
    "generation": "Generation",
    "starts": "Starts",
    "startFailures": "Failed starts",
    "losses": "Losses",
    "cause": "Last cause",
    "circuit": "Circuit breaker",
}


def child_processes(root: int) -> Iterator[tuple[int, str, int]]:
    """Process id, name and resident bytes of all processes below one; nothing where there is no /proc."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        if (parent := parent_of(folder)) is not None:
            parents.setdefault(parent, []).append(int(folder.name))
    waiting = list(parents.get(root, []))
    while waiting:
        pid = waiting.pop()
        waiting += parents.get(pid, [])
        if (size := resident_bytes(pid)) is not None:
            yield pid, process_name(pid), size


def parent_of(folder: Path) -> int | None:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):  # it has ended
        return None


def process_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def resident_bytes(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return None
