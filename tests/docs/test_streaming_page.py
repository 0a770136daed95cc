"""The code of docs/use/streaming.md, on a real Spark."""

from pathlib import Path
from typing import Any

import pytest
from code_blocks import ROOT, blocks_of


@pytest.mark.spark
def test_the_code_of_the_streaming_page(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = [each for each in blocks_of(ROOT / "docs" / "use" / "streaming.md") if each.language == "python"]
    exec(compile(block.text, block.page, "exec"), {"spark": spark})
    spark.sql("drop table squares")
