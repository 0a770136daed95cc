"""Finds the cause of a failure in Spark's log: the first record that explains it, with the innermost exception."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

# The layout of Spark's log4j2-defaults.properties: 26/11/16 21:30:05 WARN Utils: message
HEADER = re.compile(r"(\d\d/\d\d/\d\d \d\d:\d\d:\d\d) (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) \S+?: (.*)")
CAUSED_BY = re.compile(r"Caused by: (.*)")
EXCEPTION = re.compile(r"(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b.*")
MOMENT = "%y/%m/%d %H:%M:%S"
LONGEST = 600
# What a JVM prints without its logger: it ended before, or its main thread ended.
BARE = re.compile(
    r"Error: (?!A JNI)|Error occurred during initialization of VM|Exception in thread |Unrecognized (VM )?option|"
    r"Invalid (maximum|initial) heap size|Error opening zip file|# There is insufficient memory|# A fatal error|"
    r"Terminating due to java\.lang\.OutOfMemoryError|java\.lang\.OutOfMemoryError|.*UnsupportedClassVersionError"
)
# Warnings (and reports on executors) that explain why nothing runs; other warnings are harmless.
TELLING = re.compile(
    r"Failed to connect to master|All masters are unresponsive|Master removed our application|"
    r"Application has been killed|Initial job has not accepted any resources|"
    r"is now (EXITED|FAILED|LOST|KILLED)|Executor .* removed|Lost executor|Disconnected from Spark cluster|"
    r"Address already in use|UnknownHostException|OutOfMemoryError|No space left on device|"
    r"Service '.*' failed|Exception when trying to|Failed to load class|Could not initialize"
)
# Errors of single tasks and calls, which the client of that operation has received already.
OF_ONE_OPERATION = re.compile(
    r"Spark Connect (RPC )?error during: |Exception in task|Lost task|Task \d+ in stage|Aborting task|"
    r"Error in TaskCompletionListener"
)


@dataclass
class Record:
    """One log record: its level, its first line, the lines of its stack trace, and its timestamp as text."""

    level: str
    message: str
    moment: str
    rest: list[str] = field(default_factory=list)

    @property
    def shows_a_cause(self) -> bool:
        if OF_ONE_OPERATION.match(self.message):
            return False
        if self.level in ("ERROR", "FATAL"):
            return True
        return self.level in ("WARN", "INFO") and bool(TELLING.search(self.message))

    def is_after(self, since: datetime) -> bool:
        return not self.moment or datetime.strptime(self.moment, MOMENT) >= since

    @property
    def sentence(self) -> str:
        """The message and, if it differs, the innermost exception that caused it."""
        inner = self._innermost()
        text = self.message if not inner or inner in self.message else f"{self.message} ({inner})"
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."

    def _innermost(self) -> str:
        causes = [found[1] for line in self.rest if (found := CAUSED_BY.match(line.strip()))]
        outer = [line.strip() for line in self.rest[:1] if EXCEPTION.match(line.strip()) or self.level == "FATAL"]
        return (causes or outer or [""])[-1]


def first_cause(log: str, since: datetime = datetime.min) -> str:
    """The first cause after `since`; empty if the log shows none. For a long-running Spark only recent records
    count."""
    telling = (record for record in records_of(log) if record.shows_a_cause)
    return next((record.sentence for record in telling if record.is_after(since)), "")


def records_of(log: str) -> Iterator[Record]:
    record: Record | None = None
    for line in log.splitlines():
        if found := HEADER.match(line):
            yield from [record] if record else []
            record = Record(found[2], found[3], found[1])
        elif BARE.match(line):
            yield from [record] if record else []
            record = Record("FATAL", line.removeprefix("# "), record.moment if record else "")
        elif record is not None:
            record.rest.append(line)
    yield from [record] if record else []
