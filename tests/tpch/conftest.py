"""Makes the benchmark's modules importable: the queries and the comparison are the same."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
