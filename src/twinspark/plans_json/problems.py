"""What is wrong with a plan or its data: the step, the path inside it, and what was expected."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One finding: `step` is the index in the plan (None: the plan itself), `path` a JSON path inside that step."""

    step: int | None
    path: str
    message: str

    def __str__(self) -> str:
        place = "plan" if self.step is None else f"step {self.step}{self.path}"
        return f"{place}: {self.message}"


class PlanError(ValueError):
    """The plan cannot be run; nothing of it has been."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


class DataError(ValueError):
    """A cell does not fit the type its column declares."""

    def __init__(self, row: int | None, column: str | None, message: str) -> None:
        self.row, self.column, self.message = row, column, message
        place = "".join([f"row {row}" if row is not None else "data", f", column {column!r}" if column else ""])
        super().__init__(f"{place}: {message}")
