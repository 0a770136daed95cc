"""Lines that end in a character of one's own, and the file that rows come from: as Spark 4.2.1 told of such a file."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.connect.proto import Expression, Relation

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.proto import read_relation
from twinspark.tables.files.formats import ScanContext, scan

FUNCTIONS = ("input_file_name", "input_file_block_start", "input_file_block_length")
DATABASE = connect()


def asked(paths: list[Path], config: dict[str, str] | None = None, **options: str) -> list[list[Any]]:
    cursor = DATABASE.cursor()
    context = Context(
        config=config or {},
        scan_files=lambda format, paths, options, schema, context: scan(
            format, paths, options, schema, ScanContext(cursor, context.config)
        ),
    )
    source = {"format": "text", "paths": [str(path) for path in paths], "options": options}
    columns = [Expression(unresolved_attribute={"unparsed_identifier": "value"})]
    columns += [Expression(unresolved_function={"function_name": name}) for name in FUNCTIONS]
    message = Relation(project={"input": {"read": {"data_source": source}}, "expressions": columns})
    relation = read_relation(message, context)
    return [list(row.values()) for row in stream_rows(relation, context, cursor).read_all().to_pylist()]


def written(directory: Path, name: str = "x.txt") -> Path:
    path = directory / name
    path.write_text("a,b\nc,,d,")
    return path


def test_one_file_is_the_same_for_every_row(tmp_path: Path) -> None:
    path = written(tmp_path)
    rows = asked([path], lineSep=",")
    assert [row[0] for row in rows] == ["a", "b\nc", "", "d"]
    assert [row[1:] for row in rows] == [[f"file://{path}", 0, 9]] * 4


def test_several_files_or_pieces_are_known_to_spark_alone(tmp_path: Path) -> None:
    one, other = written(tmp_path), written(tmp_path, "y.txt")
    with pytest.raises(NotNative, match="rows and files into partitions"):
        asked([one, other])
    with pytest.raises(NotNative, match="rows and files into partitions"):
        asked([one], {"spark.sql.files.maxPartitionBytes": "5"})


def test_lines_that_end_in_several_characters_are_sparks(tmp_path: Path) -> None:
    with pytest.raises(NotNative, match="several characters"):
        asked([written(tmp_path)], lineSep=",,")
