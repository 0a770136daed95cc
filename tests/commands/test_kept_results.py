"""What is kept is not computed again: the clock may have moved, and the files behind a checkpoint may be gone."""

import shutil
from pathlib import Path
from typing import Any


def written(spark: Any, path: Path, rows: int) -> Any:
    spark.range(rows).write.mode("overwrite").parquet(str(path))
    return spark.read.parquet(str(path))


def test_an_instant_that_is_kept_stays(alone: Any) -> None:
    frame = alone.range(2).selectExpr("id", "current_timestamp() AS now").cache()
    assert frame.collect() == frame.collect()
    frame.unpersist()
    assert frame.collect() != frame.collect()


def test_rows_written_over_kept_files_are_seen(alone: Any, tmp_path: Path) -> None:
    frame = written(alone, tmp_path / "numbers", 5).cache()
    assert frame.count() == 5
    assert written(alone, tmp_path / "numbers", 7).count() == 7
    alone.catalog.clearCache()


def test_a_checkpoint_is_cut_off_from_its_files(alone: Any, tmp_path: Path) -> None:
    frame = written(alone, tmp_path / "numbers", 4).selectExpr("id * 2 AS twice").localCheckpoint()
    shutil.rmtree(tmp_path / "numbers")
    assert [row.twice for row in frame.orderBy("twice").collect()] == [0, 2, 4, 6]


def test_levels_are_told_until_let_go(alone: Any) -> None:
    frame = alone.range(3).selectExpr("id + 1 AS next")
    assert not frame.is_cached
    assert frame.cache().storageLevel.useMemory
    frame.unpersist()
    assert not frame.storageLevel.useMemory


def test_a_cached_table_is_that_of_every_session(alone: Any) -> None:
    alone.range(3).createOrReplaceTempView("few")
    alone.sql("CACHE TABLE few")
    again = alone.newSession() if hasattr(alone, "newSession") else alone
    again.range(3).createOrReplaceTempView("also_few")
    assert again.catalog.isCached("also_few")
    alone.sql("CLEAR CACHE")
    assert not again.catalog.isCached("also_few")
