"""Reads the log that Spark's streaming file sink keeps in `_spark_metadata`: only the files in it are committed."""

import json
import os
from collections.abc import Iterator
from urllib.parse import unquote

from twinspark.errors import NotNative, reasons

LOG = "_spark_metadata"
VERSION = "v1"
COMPACT = ".compact"


def has_stream_log(root: str) -> bool:
    """Whether a stream wrote the directory (FileStreamSink.hasMetadata)."""
    return os.path.isdir(os.path.join(root, LOG))


def committed_files(root: str) -> frozenset[str]:
    """The paths of all files of finished batches; files of a batch that failed may lie beside them
    (MetadataLogFileIndex)."""
    found: dict[str, bool] = {}
    for batch in batches_in(os.path.join(root, LOG)):
        for entry in entries_of(batch):
            found[local_of(entry)] = entry["action"] == "add"
    return frozenset(path for path, is_there in found.items() if is_there)


def batch_files(root: str) -> dict[int, list[str]]:
    """The files that each finished batch added. The log of a compacted batch repeats those of all before it."""
    if not has_stream_log(root):
        return {}
    found: dict[int, list[str]] = {}
    seen: set[str] = set()
    for path in batches_in(os.path.join(root, LOG), all=True):
        added = [local_of(entry) for entry in entries_of(path) if entry["action"] == "add"]
        found[int(os.path.basename(path).removesuffix(COMPACT))] = [file for file in added if file not in seen]
        seen.update(added)
    return found


def local_of(entry: dict[str, str]) -> str:
    return unquote(entry["path"]).removeprefix("file:").replace("///", "/", 1)


def batches_in(directory: str, all: bool = False) -> list[str]:
    """The last compacted batch, which contains all before it, and those after it (CompactibleFileStreamLog); with `all`
    also those before it that are still there."""
    numbers = {}
    for name in os.listdir(directory):
        number = name.removesuffix(COMPACT)
        if number.isdigit():
            numbers[int(number)] = os.path.join(directory, name)
    compacted = [number for number, path in numbers.items() if path.endswith(COMPACT)]
    first = 0 if all else max(compacted, default=0)
    return [numbers[number] for number in sorted(numbers) if number >= first]


def entries_of(batch: str) -> Iterator[dict[str, str]]:
    with open(batch, encoding="utf-8") as lines:
        if next(lines, "").strip() != VERSION:
            raise NotNative(reasons.FILE_PATH, f"an unknown version of {LOG}")
        yield from map(json.loads, lines)
