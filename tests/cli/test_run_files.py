"""`twinspark run`: a SQL file's statements, scripts among them, and what a mistake looks like."""

from pathlib import Path

from test_commands import run

SCRIPT = """
CREATE TEMP VIEW v AS SELECT ';' AS a, "it's; fine" AS b; -- no; statement
SELECT a FROM v /* ; */;
BEGIN
  DECLARE n INT = 1;
  WHILE n < 3 DO SET n = n + 1; END WHILE;
  SELECT n AS counted;
END;
-- only a comment;
"""


def test_statements_end_where_spark_ends_them(tmp_path: Path) -> None:
    file = tmp_path / "file.sql"
    file.write_text(SCRIPT)
    told = run("run", "--engine", "duckdb", str(file))
    assert told.returncode == 0, told.stderr
    assert [line for line in told.stdout.splitlines() if line.startswith("|")] == [
        "|a  |",
        "|;  |",
        "|counted|",
        "|3      |",
    ]


def test_an_error_is_spark_s_with_the_file_s_line(tmp_path: Path) -> None:
    file = tmp_path / "mistake.sql"
    file.write_text("SELECT 1;\nSELECT regoin FROM VALUES ('n') AS sales(region);")
    told = run("run", "--engine", "duckdb", str(file))
    assert told.returncode == 1
    first, *rest = told.stderr.splitlines()
    assert first.startswith(
        f"{file}:2: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `regoin`"
    )
    assert rest[0] == "== SQL (line 1, position 8) =="
    assert "Traceback" not in told.stderr and "JVM stacktrace" not in told.stderr and "leaked" not in told.stderr


def test_the_line_of_an_error_within_its_statement(tmp_path: Path) -> None:
    file = tmp_path / "lines.sql"
    for text, line in (("-- c\nSELECT 1;\n\nSELECT\n  nosuch;", 5), ("SELECT 1;\nSELECT 2\nFROM WHERE WHERE;", 3)):
        file.write_text(text)
        assert run("run", "--engine", "duckdb", str(file)).stderr.startswith(f"{file}:{line}: [")


def test_a_file_that_cannot_be_split(tmp_path: Path) -> None:
    file = tmp_path / "open.sql"
    file.write_text("SELECT 'open; SELECT 2;")
    told = run("run", "--engine", "duckdb", str(file))
    assert told.returncode == 1 and told.stderr.startswith(f"{file}:1: [PARSE_SYNTAX_ERROR]")
