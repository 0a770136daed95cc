"""`%load_ext twinspark` in a real kernel: nbclient runs the cells of a notebook and collects their outputs."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = {
    "load": "%load_ext twinspark",
    "table": "%%sql --engine duckdb\nselect id, concat('<', id, '>') s from range(3) order by id",
    "parameters": 'least, word = 2, "it\'s"',
    "with parameters": "%%sql found\nselect id, :word w from range(5) where id >= :least",
    "frame": "print(type(found).__name__, [tuple(row) for row in found.collect()])",
    "line": "frame = %sql select 6 * 7 answer\nprint(frame.collect()[0].answer)",
    "view": "%%sql\ncreate temporary view seen as select 1 x;",
    "same session": "%%sql\nselect * from seen",
    "chart": "%%sql --chart bar --x id --y n\nselect id, id * id n from range(6) order by id",
    "cut": "%%sql --rows 2\nselect id from range(10)",
    "slow": "%%sql\nselect count(*) n from range(3000000000) where id % 7 = 3",
    "error": "%%sql\nselect 1/0",
    "missing": "%%sql\nselect :nowhere",
    "wrong option": "%%sql --chart pie\nselect 1",
    "wrong column": "%%sql --chart line --y z\nselect 1 a, 2 b",
}
FAILING = ("error", "missing", "wrong option", "wrong column")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The outputs of each cell, after all cells ran in one kernel."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    place: Path = tmp_path_factory.mktemp("notebook")
    NotebookClient(book, timeout=300, allow_errors=True, resources={"metadata": {"path": str(place)}}).execute()
    return dict(zip(CELLS, (cell.outputs for cell in book.cells), strict=True))


def html_of(outputs: list[Any]) -> str:
    return "".join(each.get("data", {}).get("text/html", "") for each in outputs)


def test_rows_with_their_engine(outputs: dict[str, list[Any]]) -> None:
    shown = html_of(outputs["table"])
    assert "<th>id</th><th>s</th>" in shown and "&lt;2&gt;" in shown and "<2>" not in shown
    assert ">duckdb</span> 3 rows in" in shown
    assert 'title="[' in shown


def test_parameters_are_variables_of_the_notebook(outputs: dict[str, list[Any]]) -> None:
    assert "it&#x27;s" in html_of(outputs["with parameters"])
    assert outputs["frame"][0]["text"] == 'DataFrame [(2, "it\'s"), (3, "it\'s"), (4, "it\'s")]\n'


def test_a_line_returns_the_frame(outputs: dict[str, list[Any]]) -> None:
    assert outputs["line"][0]["text"] == "42\n"


def test_cells_share_a_session(outputs: dict[str, list[Any]]) -> None:
    assert "done in" in html_of(outputs["view"])
    assert '<td style="text-align:right">1</td>' in html_of(outputs["same session"])


def test_a_chart_is_drawn(outputs: dict[str, list[Any]]) -> None:
    shown = html_of(outputs["chart"])
    assert shown.count("<rect") == 6 and "<title>n by id</title>" in shown and ">25<" in shown


def test_long_results_are_cut(outputs: dict[str, list[Any]]) -> None:
    shown = html_of(outputs["cut"])
    assert "first 2 rows" in shown and shown.count("<tr>") == 3


def test_a_long_statement_ends_without_its_bar(outputs: dict[str, list[Any]]) -> None:
    assert "428571429" in html_of(outputs["slow"])
    assert "<progress" not in html_of(outputs["slow"])  # it is replaced when the statement has ended


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("error", "DIVIDE_BY_ZERO"),
        ("missing", "there is no variable nowhere"),
        ("wrong option", "invalid choice: 'pie'"),
        ("wrong column", "there is no column z"),
    ],
)
def test_errors_are_those_of_the_cell(cell: str, text: str, outputs: dict[str, list[Any]]) -> None:
    assert text in str(outputs[cell])
    assert any("UsageError" in str(each) for each in outputs[cell])


def test_nothing_else_failed(outputs: dict[str, list[Any]]) -> None:
    failed = [name for name, found in outputs.items() if any(each["output_type"] == "error" for each in found)]
    assert set(failed) <= set(FAILING)
