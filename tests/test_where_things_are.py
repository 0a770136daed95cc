"""Someone who knows Spark finds the file of a thing by guessing its name: few files have such a name, one is right."""

from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "twinspark"
PYTHON_FILES = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")]
MOST_FILES = 5  # that one opens to find the right one

# Where is … ? The word one would search file names for, the file, and text that shows it is really there.
THINGS = {
    "the buffer that a client reattaches to": ("reattach", "operations/reattach_buffer.py", "class ReattachBuffer"),
    "the result type of decimal division": ("decimal", "functions/numbers/decimal_arithmetic.py", "def divide_type"),
    "column pruning": ("column_pruning", "plan/column_pruning.py", "def prune_columns"),
    "repartition": ("repartition", "analysis/partitions/repartition.py", "Repartition"),
    "concat": ("concat", "functions/strings/concat.py", 'fn("concat('),
    "split": ("split", "functions/strings/split.py", 'fn("split('),
    "the check for cartesian products": ("cartesian", "analysis/relations/cartesian_products.py", "crossJoin.enabled"),
    "lateral column aliases": ("lateral_alias", "read/walk/lateral_aliases.py", "LATERAL_COLUMN_ALIAS"),
    "as-of joins": ("as_of", "analysis/relations/as_of_joins.py", "def "),
    "pivot": ("pivot", "analysis/relations/pivot.py", "def "),
    "window() over a time column": ("time_window", "analysis/relations/time_windows.py", "def "),
    "percentile_approx": ("percentile", "functions/aggregates/percentiles.py", "percentile_approx"),
    "ANSI store assignment": ("store_assignment", "commands/dml/store_assignment.py", "def "),
    "MERGE INTO": ("merge_into", "commands/dml/merge_into.py", "def "),
    "EXECUTE IMMEDIATE": ("execute_immediate", "commands/script/execute_immediate.py", "def "),
    "the cache of plans": ("plan_cache", "sessions/plans/plan_cache.py", "class PlanCache"),
    "the journal that is replayed on Spark": ("journal", "sessions/journal.py", "class Journal"),
    "stable sorts": ("stable_sort", "spark_order/sorts/stable_sorts.py", "def "),
    "the circuit breaker around Spark": ("circuit", "relay/circuit.py", "class Circuit"),
    "the watch on memory": ("memory_watch", "operations/memory_watch.py", "class "),
    "the passes of the compiler": ("pass", "compile/passes.py", "def prune_files"),
    "partition columns of files": ("partition_columns", "tables/files/partition_columns.py", "def "),
    "suggestions for a column that is not found": ("suggestion", "analysis/scope/suggestions.py", "def "),
}


@pytest.mark.parametrize("thing", THINGS)
def test_the_file_is_found_by_guessing_its_name(thing: str) -> None:
    guess, path, text = THINGS[thing]
    found = [str(file) for file in PYTHON_FILES if guess in file.stem]
    assert path in found
    assert len(found) <= MOST_FILES, found
    assert text in (SOURCE / path).read_text()
