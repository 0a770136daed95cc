"""What a client uploads: checked, kept in a directory of the session, and handed to Spark when Spark needs it."""

import filecmp
import shutil
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import SparkError

CACHE = "cache/"
CHUNK = 1024 * 1024


@dataclass
class Upload:
    """One artifact while it arrives: written aside, every chunk's CRC32 checked."""

    name: str
    path: Path
    chunks: int
    size: int
    good: bool = True
    received: int = 0
    written: int = 0

    def write(self, chunk: Any) -> None:
        if self.received == self.chunks:
            raise SparkError("INTERNAL_ERROR", message=f"Excessive data chunks for artifact: {self.name}")
        self.good = self.good and zlib.crc32(chunk.data) == chunk.crc
        with self.path.open("ab") as out:
            self.written += out.write(chunk.data)
        self.received += 1

    @property
    def finished(self) -> bool:
        return self.received == self.chunks

    def check(self) -> None:
        if not self.finished or self.written != self.size:
            raise SparkError("INTERNAL_ERROR", message=f"Missing data chunks for artifact: {self.name}")


class Artifacts:
    """The session's artifacts by name, on disk."""

    def __init__(self) -> None:
        self._directory: Path | None = None
        self._paths: dict[str, Path] = {}
        self._lock = threading.RLock()

    @property
    def directory(self) -> Path:
        with self._lock:
            if self._directory is None:
                self._directory = Path(tempfile.mkdtemp(prefix="twinspark-artifacts-"))
            return self._directory

    def receive(self, requests: Iterable[Any]) -> list[Upload]:
        """Everything one AddArtifacts stream brings; only what arrived whole and unharmed is kept."""
        staging = Path(tempfile.mkdtemp(dir=self.directory, prefix="staging-"))
        try:
            uploads = list(arrive(requests, staging))
            for upload in uploads:
                upload.check()
                if upload.good:
                    self._keep(upload)
            return uploads
        finally:
            shutil.rmtree(staging)

    def has(self, name: str) -> bool:
        return name.startswith(CACHE) and name in self._paths

    def cached(self, hash: str) -> bytes | None:
        path = self._paths.get(CACHE + hash)
        return path.read_bytes() if path else None

    def hashes(self) -> set[str]:
        with self._lock:
            return {name.removeprefix(CACHE) for name in self._paths if name.startswith(CACHE)}

    def paths(self) -> dict[str, Path]:
        """Where each artifact is, by its name."""
        with self._lock:
            return dict(self._paths)

    def requests(self, session_id: str, user_id: str, name: str) -> Iterator[bytes]:
        """The artifact as a client would send it, for Spark: small ones whole, large ones in chunks."""
        with self._paths[name].open("rb") as source:
            chunks = iter(lambda: source.read(CHUNK), b"")
            for request in upload_of(name, self._paths[name].stat().st_size, chunks):
                request.session_id, request.user_context.user_id = session_id, user_id
                yield request.SerializeToString()

    def copy(self) -> "Artifacts":
        twin = Artifacts()
        with self._lock:
            if self._directory is not None:
                shutil.copytree(self._directory, twin.directory, dirs_exist_ok=True)
                twin._paths = {
                    name: twin.directory / path.relative_to(self._directory) for name, path in self._paths.items()
                }
        return twin

    def close(self) -> None:
        with self._lock:
            if self._directory is not None:
                shutil.rmtree(self._directory, ignore_errors=True)
                self._directory = None
            self._paths.clear()

    def _keep(self, upload: Upload) -> None:
        with self._lock:
            target = self.directory / upload.name
            if target.exists() and not filecmp.cmp(target, upload.path, shallow=False):
                raise SparkError("ARTIFACT_ALREADY_EXISTS", normalizedRemoteRelativePath=upload.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            upload.path.replace(target)
            self._paths[upload.name] = target


def upload_of(name: str, size: int, chunks: Iterator[bytes]) -> Iterator[Any]:
    """Spark never closes a chunked upload of a single chunk: those go as a batch."""
    if size <= CHUNK:
        request = base_pb2.AddArtifactsRequest()
        fill(request.batch.artifacts.add(name=name).data, next(chunks, b""))
        yield request
        return
    begin = base_pb2.AddArtifactsRequest()
    begin.begin_chunk.name, begin.begin_chunk.total_bytes = name, size
    begin.begin_chunk.num_chunks = -(-size // CHUNK)
    fill(begin.begin_chunk.initial_chunk, next(chunks))
    yield begin
    for data in chunks:
        request = base_pb2.AddArtifactsRequest()
        fill(request.chunk, data)
        yield request


def fill(chunk: Any, data: bytes) -> None:
    chunk.data, chunk.crc = data, zlib.crc32(data)


def arrive(requests: Iterable[Any], staging: Path) -> Iterator[Upload]:
    open_upload: Upload | None = None
    for number, request in enumerate(requests):
        if request.HasField("batch"):
            for index, artifact in enumerate(request.batch.artifacts):
                upload = begun(artifact.name, staging / f"{number}-{index}", 1, len(artifact.data.data))
                upload.write(artifact.data)
                yield upload
        elif request.HasField("begin_chunk"):
            begin = request.begin_chunk
            open_upload = begun(begin.name, staging / str(number), begin.num_chunks, begin.total_bytes)
            open_upload.write(begin.initial_chunk)
            yield open_upload
        elif open_upload is not None:
            open_upload.write(request.chunk)


def begun(name: str, path: Path, chunks: int, size: int) -> Upload:
    """A name is a relative path that stays inside the session's directory."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        raise SparkError("INVALID_ARTIFACT_PATH", name=name)
    path.touch()
    return Upload(name, path, chunks, size)
