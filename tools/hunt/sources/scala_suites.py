"""SQL texts in Spark's Scala and Java suites: each `test(…)` is a script, with the views that its rows make."""

import re
from collections.abc import Iterator

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script, is_harmless
from tools.hunt.sources.scala_fixtures import fixtures_of
from tools.hunt.sources.scala_rows import NotRegular, rows_sql
from tools.hunt.sources.scala_text import closing, constants, literals, split_arguments

SUITES = (
    "sql/core/src/test/scala/*.scala",
    "sql/core/src/test/java/*.java",
    "sql/catalyst/src/test/scala/*.scala",
    "sql/hive/src/test/scala/*.scala",
    "sql/connect/client/*/src/test/scala/*.scala",
    "sql/hive-thriftserver/src/test/scala/*.scala",
)
LEFT_OUT = re.compile(r"Benchmark|/streaming/|Kafka|jdbc|/v2/|ExplainSuite|sources/|/ui/|Pipeline|connector/")
TEST = re.compile(r"\b(?:test|testWithWholeStageCodegenOnAndOff|gridTest|ignore|test\w+)\s*\(")
SQL = re.compile(
    r"(?is)^\s*\(?\s*(select|with|values|from|create|insert|drop|alter|use|set|cache|uncache|describe|desc|show|merge"
    r"|delete|update|truncate|table|declare|analyze|refresh|reset|explain|begin|map|reduce)\s+\S"
)
NAMED = {
    "format": "parquet",
    "provider": "parquet",
    "fileFormat": "parquet",
    "source": "parquet",
    "dataSource": "parquet",
}
FRAME = re.compile(r"(?:val\s+(\w+)\s*=\s*)?\b(?:Seq|List|Array)\s*\(")
COLUMNS = re.compile(r"\s*\.toDF\(([^()]*)\)")
VIEW = re.compile(r'\s*\.create(?:OrReplace)?(?:Temp|TempView|TempTable|OrReplaceTempView)\w*\("(\w+)"\)')
NAMED_VIEW = re.compile(r'\b(\w+)\s*\.create(?:OrReplace)?TempView\("(\w+)"\)')
NAMED_CALL = re.compile(r"\b(\w+)\s*\.(selectExpr|where|filter)\(")
RANGE = re.compile(r'spark\.range\((\d+)(?:L?,\s*(\d+))?L?\)\s*\.create(?:OrReplace)?TempView\("(\w+)"\)')
Event = tuple[int, str]


def suites(copy: GitCopy) -> Iterator[Script]:
    for name in copy.matching(*SUITES):
        if not LEFT_OUT.search(name):
            yield from scripts_of(name, copy.text(name))


def scripts_of(name: str, source: str) -> Iterator[Script]:
    """What stands outside of tests (beforeAll, withTable helpers) comes first in each of them."""
    starts = [found.start() for found in TEST.finditer(source)]
    events = sorted({*sql_events(source), *view_events(source)})
    shared = [text for offset, text in events if not starts or offset < starts[0]]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(source)
        own = [text for offset, text in events if start < offset < end]
        if own:
            yield script(f"{name}:{source.count(chr(10), 0, start) + 1}", [*shared, *own], source)


def script(name: str, statements: list[str], source: str) -> Script:
    chosen = tuple(dict.fromkeys(text for text in statements if is_harmless(text)))[:150]
    return Script("scala", name, chosen, fixtures_of("\n".join(chosen)))


def sql_events(source: str) -> Iterator[Event]:
    known = NAMED | constants(source)
    for literal in literals(source, known):
        if SQL.match(literal.text) and len(literal.text) < 20_000:
            yield literal.start, literal.text.strip().rstrip(";").strip()


def view_events(source: str) -> Iterator[Event]:
    frames: list[tuple[int, str, str]] = []
    for found in FRAME.finditer(source):
        yield from frame_events(source, found, frames)
    for found in NAMED_VIEW.finditer(source):
        if query := frame_before(frames, found[1], found.start()):
            yield found.start(), view_sql(found[2], query)
    for found in NAMED_CALL.finditer(source):
        if query := frame_before(frames, found[1], found.start()):
            yield from call_event(source, found, query)
    for found in RANGE.finditer(source):
        start, end = ("0", found[1]) if not found[2] else (found[1], found[2])
        yield found.start(), view_sql(found[3], f"SELECT * FROM range({start}, {min(int(end), 10000)})")


def frame_events(source: str, found: re.Match[str], frames: list[tuple[int, str, str]]) -> Iterator[Event]:
    end = closing(source, found.end() - 1)
    columns = COLUMNS.match(source, end + 1) if end > 0 else None
    if columns is None:
        return
    names = [part.strip('"') for part in split_arguments(columns[1])]
    try:
        query = rows_sql(source[found.end() : end], names or ["value"])
    except NotRegular:
        return
    if found[1]:
        frames.append((found.start(), found[1], query))
    if view := VIEW.match(source, columns.end()):
        yield found.start(), view_sql(view[1], query)


def frame_before(frames: list[tuple[int, str, str]], name: str, offset: int) -> str | None:
    return next((query for start, known, query in reversed(frames) if known == name and start < offset), None)


def view_sql(name: str, query: str) -> str:
    return f"CREATE OR REPLACE TEMPORARY VIEW `{name}` AS {query}"


def call_event(source: str, found: re.Match[str], query: str) -> Iterator[Event]:
    """`frame.selectExpr("a", "b")` and `frame.where("c")` as queries."""
    end = closing(source, found.end() - 1)
    arguments = split_arguments(source[found.end() : end])
    texts = [literal.text for literal in literals(source[found.end() : end], {})]
    if not texts or len(texts) != len(arguments):
        return
    if found[2] == "selectExpr":
        yield found.start(), f"SELECT {', '.join(texts)} FROM ({query})"
    elif len(texts) == 1:
        yield found.start(), f"SELECT * FROM ({query}) WHERE {texts[0]}"
