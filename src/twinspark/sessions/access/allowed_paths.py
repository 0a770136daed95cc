"""Checks the paths in requests against --allow-path, after symbolic links and `..` are resolved."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from twinspark.errors import NotAllowed

# The history of operations, inside the warehouse: it has the statements of all users.
HISTORY = ("twinspark", ".history")
SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", re.DOTALL)
PLAIN_GLOB = re.compile(r"[^\[\]{}\\]*")  # Python and Hadoop read these alike
GLOB = re.compile(r"[*?\[\]{}\\]")


@dataclass(frozen=True)
class AllowedPaths:
    """Directories, or addresses of other file systems (`s3://bucket/data`), that the operator named."""

    given: tuple[str, ...]
    private: tuple[str, ...] = ()  # directories below those that are the server's own; listings skip hidden ones

    @cached_property
    def directories(self) -> tuple[str, ...]:
        return tuple(os.path.realpath(local) for each in self.given if (local := local_path(each)) is not None)

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        return tuple(each.rstrip("/") for each in self.given if local_path(each) is None)

    def check(self, path: str) -> None:
        """Also as percent-decoded text: Hadoop reads some paths as URIs."""
        for spelling in {path, unquote(path)}:
            if not self.allows(spelling):
                raise NotAllowed(f"the path {path!r}: it is not below the directories of --allow-path")

    def allows(self, path: str) -> bool:
        local = local_path(path)
        if local is None:
            return ".." not in path.split("/") and any(is_below(path, each) for each in self.addresses)
        if "\0" in local:
            return False
        fixed, pattern = split_glob(local)
        if ".." in re.split(r"[/{},]", pattern):
            return False
        return self.holds(fixed) and all(map(self.holds, paths_to_follow(local, fixed)))

    def holds(self, place: str) -> bool:
        resolved = os.path.realpath(place)
        if any(is_below(resolved, os.path.realpath(each)) for each in self.private):
            return False
        return any(is_below(resolved, each) for each in self.directories)


def local_path(path: str) -> str | None:
    """A path of this machine, however its URI is written; None for other file systems."""
    found = SCHEME.fullmatch(path)
    if found is None:
        return path or "."
    if found[1].lower() != "file":
        return None
    rest = found[2]
    return re.sub(r"^//[^/]*", "", rest) if rest.startswith("//") else rest


def split_glob(path: str) -> tuple[str, str]:
    """The directory before the first component with a wildcard, and the rest."""
    found = GLOB.search(path)
    if found is None:
        return path, ""
    start = path.rfind("/", 0, found.start()) + 1
    return path[:start] or ".", path[start:]


def paths_to_follow(path: str, fixed: str) -> Iterator[str]:
    """All that a reader of this path may follow: of a simple pattern what it matches, of others all below."""
    matched = glob.glob(path, include_hidden=True) if PLAIN_GLOB.fullmatch(path) else [fixed]
    for each in matched:
        yield each
        yield from links_below(each)


def is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def links_below(place: str) -> Iterator[str]:
    """Symbolic links that a reader of the directory would follow."""
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files):
            if os.path.islink(whole := os.path.join(folder, name)):
                yield whole


def allowed_paths(given: Sequence[str], warehouse: str) -> AllowedPaths | None:
    """The warehouse is the operator's own: always allowed. Without the flag every path is."""
    return AllowedPaths((*given, warehouse), (os.path.join(warehouse, *HISTORY),)) if given else None
