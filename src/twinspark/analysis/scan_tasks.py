"""Which task of Spark's reads which rows of a small table's files: the largest file first, as many to a task as weigh
no more than its share (FilePartition)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twinspark.analysis import build
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Column, Expression
from twinspark.plan.relations import FILE_PLACE, Field, Numbered, Project, Relation, Scan
from twinspark.types import LONG

MOST_BYTES = 256 * 1024  # beyond, a shuffle may end in several partitions
OPENING = 4 << 20  # spark.sql.files.openCostInBytes: what a file weighs beside its bytes
LARGEST = 128 << 20  # spark.sql.files.maxPartitionBytes
PLACES = (Field("task", LONG, False), Field("place", LONG, False))


def is_small_scan(relation: Relation) -> bool:
    if not isinstance(relation, Scan) or relation.size_in_bytes > MOST_BYTES:
        return False
    return len(relation.input_files) == 1 or len(relation.file_sizes) > 1


def placed(relation: Relation, slices: int) -> Numbered:
    return Numbered(input=relation, slices=slices, fields=(*relation.fields, *PLACES))


def read_by_tasks(scan: Scan, slices: int) -> Relation:
    """With the task and place of each row."""
    if len(scan.input_files) == 1:
        return placed(scan, 0)
    fields = (*scan.fields, Field("file", LONG, False))
    wide = replace(scan, sql=scan.sql_by_file, names=(*scan.names, FILE_PLACE), fields=fields)
    numbered = placed(wide, 0)
    *columns, file, _, place = numbered.columns()
    task = task_of(file, first_files(scan.file_sizes, slices))
    return Project(input=numbered, expressions=(*columns, task, place), fields=(*scan.fields, *PLACES))


def task_of(file: Column, firsts: Sequence[int]) -> Expression:
    """By the first files of the tasks behind the first one."""
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
