"""A PATH without C compilers and Java, and a copy of this checkout as a new user has it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = re.compile(r"(.*-)?(cc|gcc|g\+\+|c\+\+|clang|clang\+\+|tcc|zig|java|javac)(-[\d.]+)?|c[89]9(-gcc)?")
WITHHELD = ("CC", "JAVA_HOME", "VIRTUAL_ENV", "PYTHONPATH", "SPARK_HOME", "SPARK_REMOTE", "TWINSPARK_STRICT_BUILD")


def link_commands(into: Path) -> Path:
    """A folder of links to every command of the PATH but the hidden ones; the first of a name counts."""
    into.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for command in sorted(Path(folder).iterdir()) if Path(folder).is_dir() else ():
            link = into / command.name
            if not HIDDEN.fullmatch(command.name) and not link.is_symlink():
                link.symlink_to(command)
    return into


def environment_of(commands: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in WITHHELD}
    return {**kept, "PATH": str(commands)}


def copy_checkout(into: Path) -> Path:
    """The files that git knows, as they are now; nothing that was built."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return into
