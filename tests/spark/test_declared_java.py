"""The version of Java is known from its release file, without starting it."""

from twinspark.sessions.java import declared_version, find_java


def test_release_file_and_java_agree() -> None:
    assert declared_version() == find_java().version
