"""Names and paths that file systems refuse: Spark's errors, and no path of the server that the client did not name."""

import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attacked import Attacked, serving
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.connect.proto import base_pb2 as pb

LONG = "x" * 300
Member = tuple[str, bytes | None, str]  # name, kind of link, what it leads to


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with serving(tmp_path_factory.mktemp("attacked"), ["--engine", "duckdb"], {}, []) as server:
        yield server


@pytest.fixture
def spark(attacked: Attacked) -> Iterator[Any]:
    session = attacked.session()
    type(session)._active_session.session = session
    yield session
    session.stop()


@pytest.mark.parametrize("name", ["a\0b", LONG, f"{LONG}/below"], ids=["nul", "long", "below long"])
@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_an_output_path_that_cannot_be_is_a_failed_task(spark: Any, tmp_path: Path, name: str, format: str) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.range(1).write.format(format).save(f"{tmp_path}/{name}")
    assert caught.value.getCondition() == "TASK_WRITE_FAILED"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a\0b", LONG], ids=["nul", "long"])
def test_an_input_path_that_cannot_be_is_not_found(spark: Any, tmp_path: Path, name: str) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.read.parquet(f"{tmp_path}/{name}").collect()
    assert caught.value.getCondition() == "PATH_NOT_FOUND"


def test_a_path_below_a_file_is_a_failed_task(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PySparkException) as caught:
        spark.range(1).write.parquet(f"{tmp_path}/file/x")
    assert caught.value.getCondition() == "TASK_WRITE_FAILED"


def test_a_backslash_in_an_output_path_makes_no_directories(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(PySparkException, match="FILE_PATH"):
        spark.range(1).write.parquet(f"{tmp_path}/a\\b")
    assert os.listdir(tmp_path) == []


def test_the_longest_name_that_can_be_is_written(spark: Any, tmp_path: Path) -> None:
    spark.range(3).write.parquet(f"{tmp_path}/{'x' * 255}")
    assert spark.read.parquet(f"{tmp_path}/{'x' * 255}").count() == 3


def test_a_partition_that_cannot_be_is_a_failed_task(spark: Any, tmp_path: Path) -> None:
    value = "y" * 300
    with pytest.raises(PySparkException) as caught:
        spark.range(1).withColumn("p", F.lit(value)).write.partitionBy("p").parquet(f"{tmp_path}/out")
    assert caught.value.getCondition() == "TASK_WRITE_FAILED"
    assert os.listdir(tmp_path) == []


def test_a_location_that_is_too_long_shows_no_path(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"create table too_long (a int) using parquet location '{tmp_path}/{LONG}'")
        spark.sql("insert into too_long values (1)")
    assert "File name too long" in str(caught.value) or caught.value.getCondition() == "TASK_WRITE_FAILED"


# ---- archives


def tar_of(path: Path, *members: Member) -> Path:
    with tarfile.open(path, "w:gz") as packed:
        for name, kind, target in members:
            entry = tarfile.TarInfo(name)
            if kind is None:
                entry.size = 3
            else:
                entry.type, entry.linkname = kind, target
            packed.addfile(entry, io.BytesIO(b"abc") if kind is None else None)
    return path


def zip_of(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name in names:
            packed.writestr(name, "abc")
    return path


HOSTILE: dict[str, Callable[[Path], Path]] = {
    "zip with ..": lambda at: zip_of(at / "a.zip", "../../evil.txt", "ok.txt"),
    "zip with an absolute name": lambda at: zip_of(at / "b.zip", f"{at}/evil.txt", "ok.txt"),
    "tar with ..": lambda at: tar_of(at / "c.tar.gz", ("../../evil.txt", None, "")),
    "tar with an absolute link": lambda at: tar_of(at / "d.tar.gz", ("l", tarfile.SYMTYPE, "/etc/passwd")),
    "tar with a link upwards": lambda at: tar_of(at / "e.tar.gz", ("l", tarfile.SYMTYPE, "../../../../etc")),
    "tar with a hard link": lambda at: tar_of(at / "f.tar.gz", ("l", tarfile.LNKTYPE, "/etc/passwd")),
    "tar with a device": lambda at: tar_of(at / "g.tar.gz", ("l", tarfile.CHRTYPE, "")),
    "no zip": lambda at: broken(at / "h.zip"),
    "no tar": lambda at: broken(at / "i.tar.gz"),
}


def broken(path: Path) -> Path:
    path.write_text("this is no archive")
    return path


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_archive_that_leads_outside_is_not_unpacked(spark: Any, tmp_path: Path, kind: str) -> None:
    spark.addArtifacts(str(HOSTILE[kind](tmp_path)), archive=True)
    with pytest.raises(PySparkException, match=r"TWINSPARK_NOT_NATIVE.*an archive") as caught:
        spark.range(1).select(F.udf(lambda x: x, "long")("id")).collect()
    assert "/tmp/" not in str(caught.value) and "artifacts-" not in str(caught.value)
    assert not list(tmp_path.rglob("evil.txt"))


def test_an_archive_under_an_absolute_name_stays_inside(spark: Any, tmp_path: Path) -> None:
    """Spark unpacks it below the session's directory all the same."""
    spark.addArtifacts(f"{zip_of(tmp_path / 'j.zip', 'ok.txt')}#{tmp_path}/evil", archive=True)
    found = F.udf(lambda x: sorted(__import__("os").listdir(".")), "array<string>")
    assert spark.range(1).select(found("id")).first()[0] == [tmp_path.parts[1]]
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("name", ["archives/k.zip#..", "files/a\0b", "../x", "/etc/x", "files/../../x", ""])
def test_an_artifact_with_a_hostile_name_is_refused(attacked: Attacked, tmp_path: Path, name: str) -> None:
    session = attacked.session()
    with pytest.raises(PySparkException, match=r"INVALID_ARTIFACT_PATH"):
        upload(session, name, zip_of(tmp_path / "k.zip", "ok.txt").read_bytes())
        type(session)._active_session.session = session
        session.range(1).select(F.udf(lambda x: x, "long")("id")).collect()
    session.stop()


def test_an_artifact_with_a_long_name_shows_no_path(spark: Any) -> None:
    with pytest.raises(PySparkException, match="File name too long") as caught:
        upload(spark, f"files/{LONG}", b"x")
    assert "/tmp" not in str(caught.value)


def upload(session: Any, name: str, data: bytes) -> None:
    """As a client would that checks nothing itself."""
    import zlib

    request = pb.AddArtifactsRequest(session_id=session.session_id)
    request.user_context.user_id = session.client._user_id or ""
    artifact = request.batch.artifacts.add(name=name)
    artifact.data.data, artifact.data.crc = data, zlib.crc32(data)
    manager = session.client._artifact_manager
    try:
        manager._stub.AddArtifacts(iter([request]), metadata=manager._metadata)
    except Exception as error:
        session.client._handle_error(error)
        raise


def test_a_full_disk_refuses_an_artifact(small_disk: Path, tmp_path: Path) -> None:
    with serving(tmp_path, ["--engine", "duckdb"], {"TMPDIR": str(small_disk)}, []) as server:
        session = server.session()
        with pytest.raises(PySparkException, match="No space left on device") as caught:
            upload(session, "files/large", os.urandom(6 << 20))
        assert str(small_disk) not in str(caught.value)
        upload(session, "files/small", b"fits")
        session.stop()
        server.check_alive()
