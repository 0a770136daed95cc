"""Every recorded session, step by step, through a real client on a server that has no Spark."""

from pathlib import Path
from typing import Any

import pytest
from recorded_commands import HERE, SCRIPTS, Step, ask, read_steps

GAPS = (HERE / "gaps.txt").read_text().splitlines()


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_as_spark(script: Path, alone: Any) -> None:
    differences = [found for step in read_steps(script) if (found := difference(alone, step, script.stem))]
    assert not differences, "\n".join(differences)


def difference(spark: Any, step: Step, script: str) -> str:
    answer, known = ask(spark, step.text), f"{script}: {step.text}" in GAPS
    if answer == step:
        return f"{script}: {step.text}\n  is right now: take it off gaps.txt" if known else ""
    return "" if known else f"{script}: {step.text}\n  want {step.line()[:700]}\n  got  {answer.line()[:700]}"
