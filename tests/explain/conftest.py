"""Makes the modules with recorded plans, queries and commands importable."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / each) for each in ("explain", "plans", "sql_queries", "commands")]
