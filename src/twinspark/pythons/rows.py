"""Inside a worker: PySpark's `worker.main`, where functions over pickled rows read and write Arrow instead.

Nothing heavy is imported before the fork: threads of pyarrow or pandas would not survive it."""

from typing import IO


def main(infile: IO[bytes], outfile: IO[bytes]) -> None:
    from pyspark import worker

    worker.main(infile, outfile)
