"""A file that is named twice is read twice, as Spark reads it."""

from pathlib import Path

from twinspark.tables.files.listing import list_files


def test_each_root_brings_its_files(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("x\n")
    (tmp_path / "b.txt").write_text("y\n")
    assert [leaf.name for leaf in list_files([str(file), str(file)], {}).direct()] == ["a.txt", "a.txt"]
    named = [leaf.name for leaf in list_files([str(tmp_path), str(file)], {}).direct()]
    assert sorted(named) == ["a.txt", "a.txt", "b.txt"]
