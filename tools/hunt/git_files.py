"""Files of git copies of other repositories, which the user names by environment variables; nothing is checked out."""

import fnmatch
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class GitCopy:
    """One revision of a repository, bare or not."""

    path: str
    revision: str

    @staticmethod
    def named_by(variable: str, revision: str = "HEAD") -> "GitCopy | None":
        path = os.environ.get(variable)
        return GitCopy(path, revision) if path else None

    @cached_property
    def names(self) -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", self.revision).decode().splitlines()

    def matching(self, *patterns: str) -> Iterator[str]:
        return (name for name in self.names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns))

    def text(self, name: str) -> str:
        """Empty for a file that the copy lists and does not hold."""
        try:
            return self.content(name).decode(errors="replace")
        except subprocess.CalledProcessError:
            return ""

    def content(self, name: str) -> bytes:
        return self.git("show", f"{self.revision}:{name}")

    def git(self, *words: str) -> bytes:
        return subprocess.run(["git", "-C", self.path, *words], check=True, capture_output=True).stdout
