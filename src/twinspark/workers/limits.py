"""Resource limits and user of Python workers: the operator's `twinspark.python.*` settings, which no client changes."""

import os
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PREFIX = "twinspark.python."
SETTINGS = ("memory", "processes", "files", "fileSize", "seconds", "user", "variables")
UNITS = {"": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40}  # JavaUtils
# The range of systemd's DynamicUser=: unused by convention, and below 65,536 as containers require.
FIRST_USER, USERS = 61184, 4336
CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
# Variables that Python and PySpark's worker read; functions do not see the server's others, its secrets among them.
PASSED = (
    "ARROW_DEFAULT_MEMORY_POOL",
    "LANG",
    "LANGUAGE",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYSPARK_PYTHON",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONHOME",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "SPARK_HOME",
    "SPARK_TESTING",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TZ",
    "TZDIR",
    "VIRTUAL_ENV",
)


@dataclass(frozen=True)
class WorkerLimits:
    """Limits of one worker; zero means no limit."""

    memory: int = 0  # bytes that a worker and the processes it starts hold together
    processes: int = 0  # of a worker and the processes it starts
    files: int = 0  # open at once
    file_size: int = 0  # bytes of one file
    seconds: int = 0  # of one run
    user: str = "own"  # `own`: a user id for each session, if the server is root; `server`: the server's
    variables: tuple[str, ...] = ()  # environment variables of the server to pass, beside those that are always passed

    @classmethod
    def of(cls, config: Mapping[str, str]) -> "WorkerLimits":
        """The operator's settings, with defaults for the rest."""
        given = {key.removeprefix(PREFIX): value for key, value in config.items() if key.startswith(PREFIX)}
        if unknown := set(given) - set(SETTINGS):
            raise ValueError(f"there is no setting {PREFIX}{min(unknown)}")
        if given.get("user", "own") not in ("own", "server"):
            raise ValueError(f"{PREFIX}user is own or server, not {given['user']!r}")
        return cls(
            bytes_of(given["memory"]) if "memory" in given else machine_memory() // 2,
            int(given.get("processes", "256")),
            int(given.get("files", "4096")),
            bytes_of(given.get("fileSize", "0")),
            int(given.get("seconds", "0")),
            given.get("user", "own"),
            tuple(each.strip() for each in given.get("variables", "").split(",") if each.strip()),
        )


_taken: set[int] = set()
_lock = threading.Lock()


def take_user() -> int:
    """A user id that no other session of this server has; counts from a random start, so that two servers seldom
    collide."""
    with _lock:
        start = secrets.randbelow(USERS)
        numbers = (FIRST_USER + (start + step) % USERS for step in range(USERS))
        user = next((each for each in numbers if each not in _taken), FIRST_USER + start)
        _taken.add(user)
        return user


def give_back_user(user: int) -> None:
    with _lock:
        _taken.discard(user)


def bytes_of(text: str) -> int:
    """Parses a size as in Spark's settings: `512m`, `2g`, or bytes."""
    found = re.fullmatch(r"(\d+) ?([a-z]*)", text.strip().lower())
    if found is None or found[2] not in UNITS:
        raise ValueError(f"a size is a number of bytes or like 512m or 2g, not {text!r}")
    return int(found[1]) << UNITS[found[2]]


@cache
def machine_memory() -> int:
    """The memory that this process can use: the machine's, or less if its control group has a limit."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in map(Path, CGROUP_LIMITS):
        if path.is_file() and (text := path.read_text().strip()).isdigit():
            found.append(int(text))
    return min(found)


def environment(given: Mapping[str, str], more: tuple[str, ...] = ()) -> dict[str, str]:
    """The server's environment variables that are passed to its workers."""
    passed = {name: given[name] for name in (*PASSED, *more) if name in given}
    passed |= {name: value for name, value in given.items() if name.startswith("LC_")}
    paths = [os.path.abspath(path) for path in given.get("PYTHONPATH", "").split(os.pathsep) if path]
    return passed | {"PYTHONPATH": os.pathsep.join(paths)} if paths else passed
