"""The memory limit of this process (setting, cgroup, or machine) and its current memory usage."""

from __future__ import annotations

import ctypes
import os
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
STATM = "/proc/self/statm"
PAGE = os.sysconf("SC_PAGE_SIZE")
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
SAFE_PART = 0.9  # of the limit: memory allocated between two checks must still fit
BUFFER_PART = 0.8  # of the limit for DuckDB's buffers, which is DuckDB's own default ...
OUTSIDE_BUFFERS = 256 << 20  # ... minus what Python, Arrow and vectors in flight use


@dataclass(frozen=True)
class MemoryLimit:
    """`resident` limits resident memory (setting, cgroup, or machine), `address` the address space."""

    resident: int
    address: int | None = None

    @property
    def safe(self) -> int:
        return int(self.resident * SAFE_PART)

    @property
    def for_buffers(self) -> int:
        """DuckDB's `memory_limit`, which leaves memory for what DuckDB does not count."""
        return max(int(self.resident * BUFFER_PART) - OUTSIDE_BUFFERS, self.resident // 4)

    @property
    def is_near(self) -> bool:
        """Whether the process is so close to a limit that an operation must be stopped."""
        size, resident = memory_usage()
        return resident > self.safe or (self.address is not None and size > self.address * SAFE_PART)


def memory_usage() -> tuple[int, int]:
    """Address space and resident memory of this process, in bytes."""
    with open(STATM, "rb") as file:
        size, resident = file.read().split()[:2]
    return int(size) * PAGE, int(resident) * PAGE


def memory_limit(configured: str | None = None) -> MemoryLimit:
    limits = [PAGE * os.sysconf("SC_PHYS_PAGES"), *cgroup_limits()]
    if configured is not None:
        limits.append(bytes_of(configured))
    return MemoryLimit(min(limits), address_limit())


def address_limit() -> int | None:
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def bytes_of(size: str) -> int:
    """Parses `2g` or `512m`, as in Spark and Java; ValueError for anything else."""
    found = re.fullmatch(r"(\d+)([kmgt]?)b?", size.strip().lower())
    if found is None:
        raise ValueError(f"a memory size is written like 2g or 512m, not {size!r}")
    return int(found[1]) * UNITS[found[2]]


# ---- control groups, version 1 and 2


def cgroup_limits(membership: str = "/proc/self/cgroup", root: Path = CGROUPS) -> Iterator[int]:
    """The limits of this process's control group and of its parents."""
    for folder, file in memory_groups(membership, root):
        for each in [folder, *folder.parents]:
            if each.is_relative_to(root) and (limit := limit_in(each / file)) is not None:
                yield limit


def memory_groups(membership: str, root: Path) -> Iterator[tuple[Path, str]]:
    """In a container, its own group is mounted as the root, whatever /proc/self/cgroup says: the root is a parent of
    every path."""
    try:
        lines = Path(membership).read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            yield root / path.lstrip("/"), "memory.max"
        elif "memory" in controllers.split(","):
            yield root / "memory" / path.lstrip("/"), "memory.limit_in_bytes"


def limit_in(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None  # "max" is no limit; version 1 writes a number beyond any machine


# ---- releasing memory


def release_free_memory() -> None:
    """Returns freed memory of the C library to the system (malloc_trim), where it has that function."""
    trim = c_library_trim()
    if trim is not None:
        trim(0)


@cache
def c_library_trim() -> ctypes._FuncPointer | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
