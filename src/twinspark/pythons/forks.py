"""The process that forks workers: PySpark's own daemon, with our reading of pickled functions (`rows`) added.

Run as `python -m twinspark.pythons.forks`; says its port on standard output, ends when its standard input does."""

import os
import sys

from pyspark.daemon import manager

from twinspark.pythons import planners, rows
from twinspark.pythons.workers import MODULE

WORKER = "pyspark_worker_of_twinspark"  # the daemon takes names that begin with pyspark

if __name__ == "__main__":
    sys.modules[WORKER] = planners if MODULE in os.environ else rows
    sys.argv = [sys.argv[0], WORKER]
    manager()
