"""Writes the numbers of README.md from the files that other commands wrote (`make readme`)."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "README.md"
GAPS = ROOT / "tests" / "cases" / "known_gaps.txt"
NOT_NATIVE = [ROOT / "tests" / each / "gaps.txt" for each in ("plans", "proto", "sql_queries")]
STATEMENTS = ROOT / "tests" / "commands" / "gaps.txt"

GAPS_TEXT = """\
* {cases} recorded expressions are answered differently ([tests/cases/known_gaps.txt](tests/cases/known_gaps.txt)): {doubles} differ
  in the last bits of a double (`stddev`, `corr` and the like over rows that Spark adds up task by task), {errors} raise an error
  where Spark returns null because it does not evaluate an operand.
* {queries} recorded queries are not native (`gaps.txt` in `tests/plans`, `tests/proto`, `tests/sql_queries`): they fall back to Spark, or fail
  where the engine is `duckdb`.
* {statements} recorded statements and catalog calls (`tests/commands/gaps.txt`) fail, or raise another error than Spark's, on a server
  without Spark (`--engine duckdb`)."""  # noqa: E501


def lines_of(path: str) -> list[str]:
    return (ROOT / path).read_text().splitlines()


def line_with(path: str, text: str) -> str:
    return next(line for line in lines_of(path) if text in line)


def known_gaps() -> str:
    cases = [line for line in GAPS.read_text().splitlines() if line and not line.startswith("#")]
    doubles = sum(line.startswith("values/aggregates") for line in cases)
    queries = sum(len(path.read_text().splitlines()) for path in NOT_NATIVE)
    statements = len(STATEMENTS.read_text().splitlines())
    return GAPS_TEXT.format(
        cases=len(cases), doubles=doubles, errors=len(cases) - doubles, queries=queries, statements=statements
    )


def functions() -> str:
    speed = line_with("docs/reference/functions-speed.md", "times DuckDB's own")
    return f"* {line_with('docs/reference/functions.md', 'functions are answered')}\n* Speed of functions: {speed}"


def conformance() -> str:
    return "\n".join(table_from("docs/contribute/conformance.md", "| suite |"))


def benchmark() -> str:
    lines = lines_of("bench/results/tpch-sf1.md")
    return "\n".join([f"{lines[0]}:", "", *table_from("bench/results/tpch-sf1.md", "| engine |")])


def table_from(path: str, head: str) -> Iterator[str]:
    lines = lines_of(path)
    start = next(number for number, line in enumerate(lines) if line.startswith(head))
    for line in lines[start:]:
        if not line.startswith("|"):
            return
        yield line


PARTS: dict[str, Callable[[], str]] = {
    "gaps": known_gaps,
    "functions": functions,
    "conformance": conformance,
    "benchmark": benchmark,
}


def with_numbers(page: str) -> str:
    for part, text in PARTS.items():
        marks = re.compile(rf"(<!-- make readme: {part} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = marks.sub(lambda found, text=text: f"{found[1]}{text()}\n{found[2]}", page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    PAGE.write_text(with_numbers(PAGE.read_text()))
