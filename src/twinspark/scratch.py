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
        remove_folder(made)


def remove_abandoned() -> list[Path]:
    """Removes the folders of servers that have ended, whose locks are free; folders of other users are left alone."""
    found = [each for each in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}") if is_own(each)]
    abandoned = [each.parent for each in found if is_free(each)]
    return [each for each in abandoned if remove_folder(each)]


def remove_folder(folder: Path) -> bool:
    """The lock last: while a process of a killed server still writes, the rest is found and removed another time."""
    with suppress(FileNotFoundError):  # another server removes it as well
        for each in folder.iterdir():
            if each.name != LOCK:
                remove_entry(each)
        if {each.name for each in folder.iterdir()} - {LOCK}:
            return False
        shutil.rmtree(folder, ignore_errors=True)
    return True


def remove_entry(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)


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
