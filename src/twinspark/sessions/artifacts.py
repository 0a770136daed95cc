"""The artifacts that a client uploads: checksummed, stored in a directory of the session, and uploaded to Spark on
demand."""

import filecmp
import os
import shutil
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql.connect.proto import base_pb2

from twinspark import scratch
from twinspark.errors import JavaError, SparkError

CACHE = "cache/"
CHUNK = 1024 * 1024


@dataclass
class Upload:
    """One artifact while it is received: written to a staging file, with the CRC32 of every chunk checked."""

    name: str
    path: Path
    chunks: int
    size: int
    good: bool = True
    received: int = 0
    written: int = 0

    def write(self, chunk: base_pb2.AddArtifactsRequest.ArtifactChunk) -> None:
        if self.received == self.chunks:
            raise SparkError("INTERNAL_ERROR", message=f"Excessive data chunks for artifact: {self.name}")
        self.good = self.good and zlib.crc32(chunk.data) == chunk.crc
        with self.path.open("ab") as out:
            self.written += out.write(chunk.data)
        self.received += 1

    @property
    def is_complete(self) -> bool:
        return self.received == self.chunks

    def check(self) -> None:
        if not self.is_complete or self.written != self.size:
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
                self._directory = scratch.directory("artifacts")
            return self._directory

    def receive(
        self, requests: Iterable[base_pb2.AddArtifactsRequest], check: Callable[[str], None] = lambda name: None
    ) -> list[Upload]:
        """Receives one AddArtifacts stream; only artifacts that arrived complete and with valid checksums are
        stored."""
        try:
            return self._receive_uploads(requests, check)
        except OSError as failure:  # such as a full disk: Java's message text, without the path
            raise JavaError("java.io.IOException", os.strerror(failure.errno or 0)) from failure

    def _receive_uploads(
        self, requests: Iterable[base_pb2.AddArtifactsRequest], check: Callable[[str], None]
    ) -> list[Upload]:
        staging = Path(tempfile.mkdtemp(dir=self.directory, prefix="staging-"))
        try:
            uploads = list(receive_uploads(requests, staging))
            for upload in uploads:
                check(upload.name)
                upload.check()
                if upload.good:
                    self._keep(upload)
            return uploads
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def has(self, name: str) -> bool:
        return name.startswith(CACHE) and name in self._paths

    def cached_bytes(self, hash: str) -> bytes | None:
        path = self._paths.get(CACHE + hash)
        return path.read_bytes() if path else None

    def hashes(self) -> set[str]:
        with self._lock:
            return {name.removeprefix(CACHE) for name in self._paths if name.startswith(CACHE)}

    def paths(self) -> dict[str, Path]:
        """The path of each artifact by its name."""
        with self._lock:
            return dict(self._paths)

    def requests(self, session_id: str, user_id: str, name: str) -> Iterator[bytes]:
        """The artifact as AddArtifacts requests for Spark: small ones in a batch, large ones in chunks."""
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


def upload_of(name: str, size: int, chunks: Iterator[bytes]) -> Iterator[base_pb2.AddArtifactsRequest]:
    """Spark never closes a chunked upload of a single chunk, so those are sent as a batch."""
    if size <= CHUNK:
        request = base_pb2.AddArtifactsRequest()
        set_chunk_data(request.batch.artifacts.add(name=name).data, next(chunks, b""))
        yield request
        return
    begin = base_pb2.AddArtifactsRequest()
    begin.begin_chunk.name, begin.begin_chunk.total_bytes = name, size
    begin.begin_chunk.num_chunks = -(-size // CHUNK)
    set_chunk_data(begin.begin_chunk.initial_chunk, next(chunks))
    yield begin
    for data in chunks:
        request = base_pb2.AddArtifactsRequest()
        set_chunk_data(request.chunk, data)
        yield request


def set_chunk_data(chunk: base_pb2.AddArtifactsRequest.ArtifactChunk, data: bytes) -> None:
    chunk.data, chunk.crc = data, zlib.crc32(data)


def receive_uploads(requests: Iterable[base_pb2.AddArtifactsRequest], staging: Path) -> Iterator[Upload]:
    open_upload: Upload | None = None
    for number, request in enumerate(requests):
        if request.HasField("batch"):
            for index, artifact in enumerate(request.batch.artifacts):
                upload = begin_upload(artifact.name, staging / f"{number}-{index}", 1, len(artifact.data.data))
                upload.write(artifact.data)
                yield upload
        elif request.HasField("begin_chunk"):
            begin = request.begin_chunk
            open_upload = begin_upload(begin.name, staging / str(number), begin.num_chunks, begin.total_bytes)
            open_upload.write(begin.initial_chunk)
            yield open_upload
        elif open_upload is not None:
            open_upload.write(request.chunk)


def begin_upload(name: str, path: Path, chunks: int, size: int) -> Upload:
    """An artifact's name must be a relative path inside the session's directory."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts or "\0" in name:
        raise SparkError("INVALID_ARTIFACT_PATH", name=name)
    path.touch()
    return Upload(name, path, chunks, size)
