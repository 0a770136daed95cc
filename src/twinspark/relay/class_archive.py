"""A class data sharing archive (AppCDS) of the classes that Spark loads: with it a JVM answers after half the work.

The first JVM of a user and Spark version records its classes and writes the archive when it is stopped; later ones
read it. Recording makes that first JVM slower, so all of this is off unless an operator turns it on. The JVM itself
checks that the archive belongs to its version and to these jars, and ignores it otherwise."""

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from twinspark.sessions.java import Java

KEY = "twinspark.spark.classArchive"  # a setting of the operator: `true` writes and reads an archive
DUMP_SECONDS = 20.0  # for a JVM to write its archive and end


@dataclass(frozen=True)
class ClassArchive:
    """The archive's file; `options` are those of a JVM that reads it, or that writes it when it exits."""

    path: Path
    new: Path

    @property
    def exists(self) -> bool:
        return is_ours(self.path)

    @property
    def options(self) -> list[str]:
        if self.exists:
            return [f"-XX:SharedArchiveFile={self.path}"]
        return [f"-XX:ArchiveClassesAtExit={self.new}"]

    def keep(self) -> None:
        """Makes the new archive the one that later JVMs read; several servers may do so at the same time."""
        with suppress(OSError):
            if is_ours(self.new):
                self.new.replace(self.path)

    def discard(self) -> None:
        with suppress(OSError):
            self.new.unlink(missing_ok=True)


def find_archive(java: Java, class_path: str) -> ClassArchive | None:
    """None where no directory of this user can hold it: an archive is code that the JVM trusts."""
    folder = cache_folder()
    if folder is None:
        return None
    key = hashlib.sha256(f"{java.executable.resolve()} {class_path}".encode()).hexdigest()[:16]
    name = f"spark-java{java.version}-{key}"
    return ClassArchive(folder / f"{name}.jsa", folder / f"{name}.{os.getpid()}.new")


def cache_folder() -> Path | None:
    """A folder that only this user can read and write."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "twinspark"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if is_ours(folder) else None


def is_ours(path: Path) -> bool:
    """Whether it belongs to this user and nobody else can write to it; not a symbolic link."""
    try:
        found = path.lstat()
    except OSError:
        return False
    shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode) and not shared
