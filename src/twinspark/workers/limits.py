"""Resource limits and user of Python workers: the operator's `twinspark.python.*` settings, which no client changes."""

import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from twinspark.config.own import own_value

PREFIX = "twinspark.python."
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


# The setting of each field of WorkerLimits.
SETTINGS = {
    "memory": "memory",
    "processes": "processes",
    "files": "files",
    "file_size": "fileSize",
    "seconds": "seconds",
    "user": "user",
    "variables": "variables",
}


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
        found = {field: own_value(config, PREFIX + name) for field, name in SETTINGS.items()}
        given = {field: value for field, value in found.items() if value is not None}
        return cls(**{"memory": machine_memory() // 2, **given})


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
