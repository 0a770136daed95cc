"""The class archive with which a JVM starts faster: where it is, who may have written it, and how a JVM is told."""

from pathlib import Path

import pytest

from twinspark.relay import launch
from twinspark.relay.class_archive import KEY, ClassArchive, cache_folder, find_archive
from twinspark.relay.launch import LaunchSettings, archive_for, command_line
from twinspark.sessions.java import Java, find_java

JAVA = Java(Path("/usr/bin/java"), 17, "PATH")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def archive() -> ClassArchive:
    found = find_archive(JAVA, "a.jar:b.jar")
    assert found is not None
    return found


def test_an_archive_is_written_once_and_then_read() -> None:
    made = archive()
    assert made.options == [f"-XX:ArchiveClassesAtExit={made.new}"]
    made.new.write_bytes(b"classes")
    made.keep()
    assert made.options == [f"-XX:SharedArchiveFile={made.path}"]
    assert not made.new.exists() and archive().exists


def test_other_jars_have_another_archive() -> None:
    other = find_archive(JAVA, "a.jar:c.jar")
    assert other is not None and other.path != archive().path


def test_what_others_may_write_is_not_read(tmp_path: Path) -> None:
    made = archive()
    made.path.write_bytes(b"classes")
    made.path.chmod(0o666)
    assert not made.exists
    made.path.unlink()
    (tmp_path / "real").write_bytes(b"classes")
    made.path.symlink_to(tmp_path / "real")
    assert not made.exists


def test_a_folder_that_others_may_write_holds_no_archive(tmp_path: Path) -> None:
    (tmp_path / "twinspark").mkdir()
    (tmp_path / "twinspark").chmod(0o777)
    assert cache_folder() is None and find_archive(JAVA, "a.jar") is None


def test_it_is_off_unless_an_operator_turns_it_on(tmp_path: Path) -> None:
    assert archive_for(JAVA, LaunchSettings()) is None
    plain = command_line(find_java(), LaunchSettings(), 4711, tmp_path)
    assert plain[plain.index("-cp") + 1] == launch.class_path() and not any("-XX:Archive" in word for word in plain)


def test_a_jvm_with_an_archive_has_only_jars_on_its_class_path(tmp_path: Path) -> None:
    settings = LaunchSettings(config={KEY: "true"})
    made = archive_for(find_java(), settings)
    words = command_line(find_java(), settings, 4711, tmp_path, made)
    assert all(each.endswith(".jar") for each in words[words.index("-cp") + 1].split(":"))
    assert any(word.startswith("-XX:ArchiveClassesAtExit=") for word in words)
    assert not any(KEY in word for word in words)
