"""Defines the problems and errors of a JSON plan or its data: the step, the path in it, and what was expected."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One problem: `step` is the index in the plan (None for the plan itself), `path` a JSON path inside that step."""

    step: int | None
    path: str
    message: str

    def __str__(self) -> str:
        location = "plan" if self.step is None else f"step {self.step}{self.path}"
        return f"{location}: {self.message}"


class PlanError(ValueError):
    """The plan is invalid; no step of it was run."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


class DataError(ValueError):
    """A value does not fit the declared type of its column."""

    def __init__(self, row: int | None, column: str | None, message: str) -> None:
        self.row, self.column, self.message = row, column, message
        location = "".join([f"row {row}" if row is not None else "data", f", column {column!r}" if column else ""])
        super().__init__(f"{location}: {message}")
