"""Uploads: chunked, checked, and never outside of the session's directory."""

import zlib

import pytest
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import SparkError
from twinspark.sessions.artifacts import Artifacts


def batch(name: str, data: bytes, crc: int | None = None) -> base_pb2.AddArtifactsRequest:
    request = base_pb2.AddArtifactsRequest()
    artifact = request.batch.artifacts.add(name=name)
    artifact.data.data, artifact.data.crc = data, zlib.crc32(data) if crc is None else crc
    return request


@pytest.fixture
def artifacts() -> Artifacts:
    return Artifacts()


def test_chunks_come_together_and_go_out_again(artifacts: Artifacts) -> None:
    data = bytes(range(256)) * 10_000
    sent = Artifacts()
    sent.receive([batch("cache/abc", data)])
    requests = [base_pb2.AddArtifactsRequest.FromString(each) for each in sent.requests("s", "u", "cache/abc")]
    assert len(requests) == 3
    (upload,) = artifacts.receive(requests)
    assert upload.good and artifacts.has("cache/abc")
    assert artifacts.cached_bytes("abc") == data


def test_a_wrong_checksum_keeps_nothing(artifacts: Artifacts) -> None:
    (upload,) = artifacts.receive([batch("cache/abc", b"data", crc=1)])
    assert not upload.good
    assert not artifacts.has("cache/abc") and artifacts.cached_bytes("abc") is None


def test_missing_chunks_are_an_error(artifacts: Artifacts) -> None:
    request = base_pb2.AddArtifactsRequest()
    request.begin_chunk.name, request.begin_chunk.num_chunks, request.begin_chunk.total_bytes = "jars/a.jar", 2, 8
    request.begin_chunk.initial_chunk.data, request.begin_chunk.initial_chunk.crc = b"half", zlib.crc32(b"half")
    with pytest.raises(SparkError, match="Missing data chunks"):
        artifacts.receive([request])


@pytest.mark.parametrize("name", ["../x", "/etc/x", "jars/../../x"])
def test_names_stay_inside(artifacts: Artifacts, name: str) -> None:
    with pytest.raises(SparkError) as caught:
        artifacts.receive([batch(name, b"x")])
    assert caught.value.condition == "INVALID_ARTIFACT_PATH"


def test_a_file_may_come_again_but_not_change(artifacts: Artifacts) -> None:
    artifacts.receive([batch("pyfiles/a.py", b"one")])
    artifacts.receive([batch("pyfiles/a.py", b"one")])
    with pytest.raises(SparkError) as caught:
        artifacts.receive([batch("pyfiles/a.py", b"two")])
    assert caught.value.condition == "ARTIFACT_ALREADY_EXISTS"


def test_a_clone_has_its_own_copy(artifacts: Artifacts) -> None:
    artifacts.receive([batch("cache/abc", b"rows")])
    twin = artifacts.copy()
    artifacts.close()
    assert twin.cached_bytes("abc") == b"rows"
    twin.close()
