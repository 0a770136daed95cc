"""Drops privileges and sets resource limits in a new worker process, before it runs any user code.

Imported before the fork, so it imports little. What a platform lacks is omitted (docs/operate/security.md)."""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

LINUX = sys.platform == "linux"
# From linux/prctl.h.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
RESERVED = 1 << 30  # address space that Arrow's allocator reserves at start
FIRST_TO_KILL = "1000"  # when memory runs out, the kernel kills workers before the server

_libc = ctypes.CDLL(None, use_errno=True) if LINUX else None


def prctl(option: int, value: int) -> None:
    if _libc is not None and _libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def die_with_parent(parent: int, number: signal.Signals) -> None:
    """Requests a signal when the parent ends, and exits if it has ended already."""
    prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Makes orphaned descendants children of this process, so that it can kill them."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def close_all_but(kept: set[int]) -> None:
    """Closes all descriptors but the standard streams and these."""
    above = sorted({2, *kept})
    for low, high in zip(above, [*above[1:], resource.getrlimit(resource.RLIMIT_NOFILE)[0]], strict=True):
        os.closerange(low + 1, high)


def confine(request: dict[str, Any]) -> None:
    """Limits first, while the process may set them; then the user; then what a change of user resets."""
    be_killed_first()
    limit(request)
    os.umask(0o077 if request["user"] is not None else 0o022)
    if request["user"] is not None:
        become(request["user"])
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.chdir(request["directory"])


def be_killed_first() -> None:
    if LINUX:
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write(FIRST_TO_KILL)


def limit(request: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if request["memory"] and LINUX:  # other systems count other memory
        lower(resource.RLIMIT_DATA, request["memory"] + RESERVED)
    if request["files"]:
        lower(resource.RLIMIT_NOFILE, request["files"])
    if request["file_size"]:
        lower(resource.RLIMIT_FSIZE, request["file_size"])
    if request["processes"] and request["user"] is not None:  # the kernel counts all processes of a user
        lower(resource.RLIMIT_NPROC, request["processes"])


def lower(which: int, wanted: int) -> None:
    _, most = resource.getrlimit(which)
    value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(which, (value, value))


def become(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def can_become(user: int) -> bool:
    """Whether that user can read our modules: an interpreter below /root is closed to all others."""
    reading, writing = os.pipe()  # not the exit code, which is lost where SIGCHLD is ignored
    if os.fork() == 0:
        os.write(writing, b"yes" if reads_modules_as(user) else b"no")
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answer:
        return answer.read() == b"yes"


def reads_modules_as(user: int) -> bool:
    try:
        become(user)
    except OSError:  # root of a container without a user namespace
        return False
    paths = [os.__file__, __file__, *(path for path in sys.path if path)]
    return all(os.access(path, os.R_OK) for path in paths if path in (os.__file__, __file__) or os.path.lexists(path))
