"""Which Spark task reads which rows of a small table's files: files are sorted by size, and a task takes files until
their size reaches its share (FilePartition.getFilePartitions)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import FILE_INDEX_COLUMN, Field, Project, Relation, RowPositions, Scan
from twinspark.types import LONG

MOST_BYTES = 256 * 1024  # beyond this, a shuffle may end in several partitions
OPENING = 4 << 20  # spark.sql.files.openCostInBytes: added to the size of each file
LARGEST = 128 << 20  # spark.sql.files.maxPartitionBytes
POSITION_FIELDS = (Field("task", LONG, False), Field("place", LONG, False))


def is_small_scan(relation: Relation) -> bool:
    if not isinstance(relation, Scan) or relation.size_in_bytes > MOST_BYTES:
        return False
    return len(relation.input_files) == 1 or len(relation.file_sizes) > 1


def with_positions_in_task(relation: Relation, slices: int) -> RowPositions:
    return RowPositions(input=relation, slices=slices, fields=(*relation.fields, *POSITION_FIELDS))


def read_by_tasks(scan: Scan, slices: int) -> Relation:
    """Adds the task and position of each row."""
    if len(scan.input_files) == 1:
        return with_positions_in_task(scan, 0)
    fields = (*scan.fields, Field("file", LONG, False))
    wide = replace(scan, sql=scan.sql_by_file, names=(*scan.names, FILE_INDEX_COLUMN), fields=fields)
    numbered = with_positions_in_task(wide, 0)
    *columns, file, _, position = numbered.columns()
    task = task_of(file, first_files(scan.file_sizes, slices))
    return Project(input=numbered, expressions=(*columns, task, position), fields=(*scan.fields, *POSITION_FIELDS))


def task_of(file: Column, firsts: Sequence[int]) -> Expression:
    """The task of a file, from the first file of each task after the first."""
    settings = Settings(ansi=False)
    before = [build.call("<", [file, build.literal(first, LONG)], settings) for first in firsts]
    branches = [(test, build.literal(task, LONG)) for task, test in enumerate(before)]
    last = build.literal(len(firsts), LONG)
    return build.case_when(branches, last, settings) if branches else last


def first_files(sizes: Sequence[int], slices: int) -> list[int]:
    share = min(LARGEST, max(OPENING, sum(size + OPENING for size in sizes) // slices))
    found, weight = [], 0
    for file, size in enumerate(sizes):
        if file and weight + size > share:
            found.append(file)
            weight = 0
        weight += size + OPENING
    return found
