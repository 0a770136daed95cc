"""Asks a running Spark for the answers: python tests/proto/record_sessions.py sc://localhost:15002 [topic ...]"""

import logging
import os
import sys
import tempfile
from pathlib import Path

os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"

from recorded_sessions import RECORDED, asked, read_recorded
from session_steps import topics


def main() -> None:
    logging.disable(logging.CRITICAL)  # the client logs every error it receives
    url, *wanted = sys.argv[1:]
    known = read_recorded() if RECORDED.exists() else []
    lines: list[str] = []
    for topic, steps in topics():
        if wanted and topic not in wanted:
            lines += [step.line() for step in known if step.topic == topic]
            continue
        with tempfile.TemporaryDirectory() as place:
            Path(place).chmod(0o777)  # a Spark of another user's writes there
            lines += [step.line() for step in asked(url, topic, steps, place)]
        print(topic, len(steps))
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
