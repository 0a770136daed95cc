"""The extension builds, loads, says what it registers, and raises Spark's errors."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from fuzz_native import connection

from twinspark.duck import native
from twinspark.duck.native import build
from twinspark.errors.marker import MARK

CONFIG = '|config="spark.sql.ansi.enabled"'
NINES = "99999999999999999999999999999999999999::DECIMAL(38,0)"


def test_footer_is_what_duckdb_reads() -> None:
    footer = build.footer("linux_amd64")
    assert len(footer) == 534
    assert footer[22:].startswith(bytes(96) + b"C_STRUCT\0")


def test_platform_is_duckdbs_name_for_it() -> None:
    on = duckdb.connect()
    assert on.execute("PRAGMA platform").fetchall() == [(build.duckdb_platform(),)]


def test_memory_comes_from_one_place() -> None:
    """Only memory.c checks sizes, counts bytes and turns a failure into an error of the query."""
    calls = re.compile(r"(?<![\w>.])(?:malloc|calloc|realloc|free|strdup|strndup|alloca)\(")
    others = [path for path in sorted(build.HERE.rglob("*.[ch]")) if path.name != "memory.c"]
    assert [path.name for path in others if calls.search(path.read_text())] == []


def test_warnings_are_errors_only_in_our_own_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.STRICT, raising=False)
    assert "-Werror" not in build.warnings()
    monkeypatch.setenv(build.STRICT, "1")
    assert {"-Werror", "-Wconversion"} <= set(build.warnings())


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder that alone is on the PATH; whether `cc` compiles is asked anew, in the test and after it."""
    build.compiles.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv(build.PLATFORM, raising=False)
    yield tmp_path
    build.compiles.cache_clear()


def test_without_a_compiler_the_build_ends_with_one_line(
    no_compiler: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        build.build(tmp_path / "x")
    assert str(ended.value) == (
        f"twinspark: no C compiler for {build.duckdb_platform()} was found: "
        "install gcc or clang, or `pip install ziglang`"
    )
    assert not (tmp_path / "x").exists()


def test_pip_brings_a_compiler_only_where_there_is_none(no_compiler: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build.required_packages() == ["ziglang"]
    monkeypatch.setattr(build, "machine_compiler", lambda: ["cc"])
    assert build.required_packages() == []
    monkeypatch.setenv(build.PLATFORM, "osx_arm64")
    assert build.required_packages() == ["ziglang"]


def test_a_compiler_that_compiles_nothing_is_passed_over(no_compiler: Path) -> None:
    (no_compiler / "cc").write_text("#!/bin/sh\necho install the developer tools >&2\nexit 1\n")
    (no_compiler / "cc").chmod(0o755)
    assert build.machine_compiler() is None


def test_the_compiler_of_pypi_is_told_the_oldest_c_library(no_compiler: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "find_spec", lambda name: object())
    assert build.compiler_for("linux_arm64")[1:] == ["-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.17"]


def test_every_listed_function_is_registered() -> None:
    on = connection()
    known = {row[0] for row in on.sql("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()}
    for name, types in native.SIGNATURES.items():
        suffix = (
            "_38_9"
            if "%" in types
            else "_18_9"
            if "$" in types
            else "_38"
            if "#" in types
            else "_24"
            if "*" in types
            else ""
        )
        assert f"{name}{suffix}" in known


def test_two_databases_can_load_it() -> None:
    first, second = connection(), connection()
    for on in (first, second):
        assert str(on.sql("SELECT spark_decimal_divide_6(1.0, 3, 38)").fetchall()) == "[(Decimal('0.333333'),)]"


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("spark_decimal_divide_6(1.0, 0, 38)", MARK + "DIVIDE_BY_ZERO" + CONFIG),
        (
            f"spark_decimal_divide_6({NINES}, 0.0000003::DECIMAL(38,37), 38)",
            MARK + "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION|value=333333333333333333333333333333333333330000000."
            "000000000000000000000000000000000000000|precision=38|scale=6" + CONFIG,
        ),
        (
            "spark_decimal_multiply_6('9999999999999999999.9999999999999999999'::DECIMAL(38,19),"
            " '9999999999999999999.9999999999999999999'::DECIMAL(38,19), 38)",
            MARK + "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION|value=99999999999999999999999999999999999998.0"
            "|precision=38|scale=6" + CONFIG,
        ),
        (
            f"spark_decimal_add_0({NINES}, {NINES}, 38)",
            MARK + "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION|value=199999999999999999999999999999999999998"
            "|precision=38|scale=0" + CONFIG,
        ),
        (
            f"spark_decimal_remainder_37({NINES}, 0.0000007::DECIMAL(38,37), 38)",
            MARK + "FALL_BACK|code=DECIMAL_PRECISION|detail=a remainder whose quotient has too many digits",
        ),
        (
            """spark_string_to_int_ansi('a''b|c\\d')""",
            MARK
            + r"""CAST_INVALID_INPUT|expression='a\'b%7Cc\\d'|sourceType="STRING"|targetType="INT"|ansiConfig="""
            + '"spark.sql.ansi.enabled"',
        ),
        (
            "spark_string_to_decimal_ansi_2('12345678901.5', 10)",
            MARK + "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION|value=12345678901.5|precision=10|scale=2" + CONFIG,
        ),
        ("spark_string_to_decimal_ansi_2('1e39', 10)", MARK + "NUMERIC_OUT_OF_SUPPORTED_RANGE|value=1e39"),
        (
            "spark_double_to_decimal_ansi_2(1e12, 10)",
            MARK + "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION|value=1000000000000|precision=10|scale=2" + CONFIG,
        ),
        (
            "spark_double_to_decimal_ansi_0(100, 2)",
            MARK + "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION|value=100.0|precision=2|scale=0" + CONFIG,
        ),
    ],
    ids=lambda value: value.removeprefix(MARK),  # the mark is another one in each process
)
def test_errors_are_sparks(sql: str, error: str) -> None:
    on = connection()
    with pytest.raises(duckdb.Error) as raised:
        on.sql(f"SELECT {sql}").fetchall()
    assert str(raised.value).endswith(error)


@pytest.mark.parametrize(
    ("number", "java_17", "java_21"),
    [
        ("24110957083645312", "2.4110957083645312E16", "2.411095708364531E16"),
        ("2.004168360008973E-292", "2.0041683600089728E-292", "2.004168360008973E-292"),
        ("9.9E-324", "1.0E-323", "9.9E-324"),
        ("0.1", "0.1", "0.1"),
    ],
)
def test_text_of_doubles_follows_the_java_that_runs_spark(number: str, java_17: str, java_21: str) -> None:
    on = connection()
    try:
        for version, text in ((17, java_17), (21, java_21)):
            native.use_java(on, version)
            assert on.sql(f"SELECT spark_double_to_string({number}::DOUBLE)").fetchall() == [(text,)]
    finally:
        native.use_java(on, 17)
