"""This process's folder for temporary files, and the removal of folders that killed servers left behind."""

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

PREFIX = "twinspark-"
LOCK = "lock"


@cache
def folder() -> Path:
    """Created when first used, removed when the process ends; a lock on a file in it shows that it is in use.

    Other users may traverse it (workers that run as another user read artifacts in it), but not list it."""
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    made.chmod(0o711)
    locked = os.open(made / f"{LOCK}.new", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(locked, fcntl.LOCK_EX)  # held until the process ends in any way
    (made / f"{LOCK}.new").rename(made / LOCK)  # only now do other processes see it, and it is locked already
    atexit.register(remove_own, made, os.getpid())
    return made


def directory(kind: str) -> Path:
    """A new directory below the folder."""
    return Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=folder()))


def remove_own(made: Path, process: int) -> None:
    if os.getpid() == process:  # not in a fork
        shutil.rmtree(made, ignore_errors=True)


def remove_abandoned() -> list[Path]:
    """Removes the folders of servers that have ended, whose locks are free; folders of other users are left alone."""
    found = [each for each in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}") if is_own(each)]
    abandoned = [each.parent for each in found if is_free(each)]
    for each in abandoned:
        shutil.rmtree(each, ignore_errors=True)
    return abandoned


def is_own(lock: Path) -> bool:
    """Whether the lock is a file of this user: a symbolic link in a folder that all may write to could lead
    anywhere."""
    with suppress(FileNotFoundError):
        return lock.parent.lstat().st_uid == os.geteuid() and not lock.parent.is_symlink() and not lock.is_symlink()
    return False


def is_free(lock: Path) -> bool:
    try:
        with lock.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a running server holds it, or has just removed it
        return False
    return True
