"""Asks a running Spark for the answers: python tests/commands/record_commands.py sc://localhost:15002 [script ...]"""

import logging
import os
import sys

os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"

from pyspark.sql.connect.session import SparkSession
from recorded_commands import SCRIPTS, ask, recorded_file, texts


def main() -> None:
    logging.disable(logging.CRITICAL)  # the client logs every error it receives
    remote, *wanted = sys.argv[1:]
    for script in SCRIPTS:
        if wanted and script.stem not in wanted:
            continue
        spark = SparkSession.builder.remote(remote).create()
        lines = [ask(spark, text).line() for text in texts(script)]
        spark.stop()
        recorded_file(script).parent.mkdir(exist_ok=True)
        recorded_file(script).write_text("\n".join(lines) + "\n")
        print(f"{script.stem}: {len(lines)}")


if __name__ == "__main__":
    main()
