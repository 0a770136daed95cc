"""Lists the files of a path as Spark's file index does: globs, hidden names, recursion and filters."""

import fnmatch
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.stream_log import committed_files, has_stream_log

GLOB_CHARACTERS = set("{}[]*?\\")
SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$", re.DOTALL)


@dataclass(frozen=True)
class LeafFile:
    """One file found under the given paths; modification time and size make its footer cacheable."""

    path: str
    size: int
    modified_ns: int
    turn: int = field(default=0, compare=False)

    @property
    def directory(self) -> str:
        return os.path.dirname(self.path)

    @property
    def name(self) -> str:
        return os.path.basename(self.path)


@dataclass(frozen=True)
class Listing:
    """The leaf files under the root paths, and the directories where partition discovery stops."""

    roots: tuple[str, ...]
    leaves: tuple[LeafFile, ...]
    base_paths: frozenset[str]
    recursive: bool

    def direct(self) -> tuple[LeafFile, ...]:
        """The files of an unpartitioned read: root paths that are files, and files directly in a root directory."""
        if self.recursive:
            return self.leaves
        below: dict[str, list[LeafFile]] = {}
        for leaf in self.leaves:
            below.setdefault(leaf.directory, []).append(leaf)
            below.setdefault(leaf.path, []).append(leaf)
        return tuple(leaf for root in self.roots for leaf in below.get(root, ()))


def list_files(paths: Sequence[str], options: Mapping[str, str], time_zone: str = "UTC") -> Listing:
    """The listing for the paths; `options` have lower-case keys."""
    roots = tuple(expand(paths))
    recursive = options.get("recursivefilelookup", "false").lower() == "true"
    keep = path_filter(options, time_zone)
    leaves = {leaf.path: leaf for root in roots for leaf in leaf_files(root)}
    if len(paths) == 1 and roots == (local_path(paths[0]),) and has_stream_log(roots[0]):
        committed = committed_files(roots[0])
        leaves = {path: leaf for path, leaf in leaves.items() if path in committed}
    kept = tuple(leaf for leaf in leaves.values() if keep(leaf))
    return Listing(roots, kept, base_paths(roots, leaves, options), recursive)


def local_path(path: str) -> str:
    """An absolute local path without duplicate or trailing slashes (Hadoop's Path); other file systems fall back."""
    found = SCHEME.match(path)
    if found and found[1] != "file":
        raise NotNative(reasons.FILE_SYSTEM, f"{found[1]}")
    plain = re.sub(r"/+", "/", found[2] if found else path)
    absolute = plain if plain.startswith("/") else f"{os.getcwd()}/{plain}"
    return absolute.rstrip("/") or "/"


def file_uri(path: str) -> str:
    """A local path as in Spark's messages and input_file_name."""
    return f"file:{path}"


def expand(paths: Sequence[str]) -> Iterator[str]:
    """Globbed paths first, then the plain ones (DataSource.checkAndGlobPathIfNecessary)."""
    local = [local_path(path) for path in paths]
    globs = [path for path in local if GLOB_CHARACTERS & set(path)]
    for path in globs:
        yield from checked_glob(path)
    for path in local:
        if path not in globs:
            yield checked_root(path)


def checked_root(path: str) -> str:
    if not os.path.exists(path):
        raise SparkError("PATH_NOT_FOUND", path=file_uri(path))
    if is_hidden(os.path.basename(path)):
        raise NotNative(reasons.FILE_PATH, "a path that begins with a dot or underscore")
    return path


def checked_glob(path: str) -> list[str]:
    if "\\" in path:
        raise NotNative(reasons.FILE_PATH, "an escaped character in a path pattern")
    found = [hit for each in braces(path) for hit in glob_components("/", each.strip("/").split("/"))]
    if not found:
        raise SparkError("PATH_NOT_FOUND", path=file_uri(path))
    if any(is_hidden(os.path.basename(hit)) for hit in found):
        raise NotNative(reasons.FILE_PATH, "a path pattern that matches hidden files")
    return sorted(set(found))


def braces(pattern: str) -> Iterator[str]:
    """`a{b,c}` means `ab` and `ac`; braces may nest."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        yield pattern
        return
    for choice in found[1].split(","):
        yield from braces(pattern[: found.start()] + choice + pattern[found.end() :])


def glob_components(directory: str, components: list[str]) -> Iterator[str]:
    if not components:
        yield directory
        return
    first, rest = components[0], components[1:]
    for name in matching_names(directory, first):
        path = os.path.join(directory, name)
        if os.path.isdir(path) or not rest:
            yield from glob_components(path, rest)


def matching_names(directory: str, component: str) -> list[str]:
    if not GLOB_CHARACTERS & set(component):
        return [component] if os.path.exists(os.path.join(directory, component)) else []
    pattern = name_pattern(component)
    # In Hadoop a star matches a leading dot; Spark lists such names and then filters them out.
    return sorted(name for name in os.listdir(directory) if pattern.fullmatch(name) and not is_hidden(name))


def name_pattern(component: str) -> re.Pattern[str]:
    """One component of a Hadoop glob as a regular expression (`[^a]` and `[!a]` both negate)."""
    return re.compile(fnmatch.translate(component.replace("[^", "[!")))


def leaf_files(root: str) -> list[LeafFile]:
    """The files below a root sorted by path, each with its position in Spark's listing."""
    if not os.path.isdir(root):
        return [leaf_of(root, os.stat(root))]
    leaves = [leaf_of(path, status, turn) for turn, (path, status) in enumerate(leaves_below(root))]
    return sorted(leaves, key=lambda leaf: leaf.path.split("/"))


def leaves_below(directory: str) -> Iterator[tuple[str, os.stat_result]]:
    """In the order of the file system, files of the directory before subdirectories (HadoopFSUtils.listLeafFiles)."""
    with os.scandir(directory) as entries:
        visible = [entry for entry in entries if not is_hidden(entry.name)]
    yield from ((entry.path, entry.stat()) for entry in visible if not entry.is_dir())
    for entry in visible:
        if entry.is_dir():
            yield from leaves_below(entry.path)


def leaf_of(path: str, status: os.stat_result, turn: int = 0) -> LeafFile:
    return LeafFile(path, status.st_size, status.st_mtime_ns, turn)


def is_hidden(name: str) -> bool:
    """HadoopFSUtils.shouldFilterOutPathName: _x and .x, but not _a=1, nor Parquet's summary files."""
    if name.startswith(("_metadata", "_common_metadata")):
        return False
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")


def is_data(name: str) -> bool:
    """Summary files are listed but contain no rows (PartitioningAwareFileIndex.isDataPath)."""
    return not ((name.startswith("_") and "=" not in name) or name.startswith("."))


def base_paths(roots: tuple[str, ...], leaves: Mapping[str, LeafFile], options: Mapping[str, str]) -> frozenset[str]:
    if "basepath" not in options:
        return frozenset(os.path.dirname(root) if root in leaves else root for root in roots)
    base = local_path(options["basepath"])
    if not os.path.isdir(base) or not all(root.startswith(base) for root in roots):
        raise NotNative(reasons.FILE_PATH, "basePath is not a directory above the paths")
    return frozenset([base])


def path_filter(options: Mapping[str, str], time_zone: str) -> Callable[[LeafFile], bool]:
    checks: list[Callable[[LeafFile], bool]] = []
    if "pathglobfilter" in options:
        patterns = [name_pattern(each) for each in braces(options["pathglobfilter"])]
        checks.append(lambda leaf: any(pattern.fullmatch(leaf.name) for pattern in patterns))
    if "modifiedbefore" in options:
        before = option_millis(options["modifiedbefore"], time_zone)
        checks.append(lambda leaf: before > leaf.modified_ns // 1_000_000)
    if "modifiedafter" in options:
        after = option_millis(options["modifiedafter"], time_zone)
        checks.append(lambda leaf: leaf.modified_ns // 1_000_000 > after)
    return lambda leaf: all(check(leaf) for check in checks)


def option_millis(text: str, time_zone: str) -> int:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", text):
        raise NotNative(reasons.FILE_OPTION, "modifiedBefore or modifiedAfter in this form")
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(time_zone)).timestamp() * 1000)
