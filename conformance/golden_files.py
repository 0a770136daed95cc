"""Spark's SQL golden files: statements with their expected answers, the settings, and what the suite masks in rows."""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path

RESOURCES = Path(os.environ.get("SUITE_SRC", ".")) / "sql/core/src/test/resources"
TESTS = RESOURCES / "sql-tests"
LEFT_OUT = ("udf/", "udaf/", "udtf/")  # they need Spark's own wrapped test functions
MASK = "[not included in comparison]"
SUITE = "org.apache.spark.sql.SQLQueryTestSuite"
SETTINGS = {
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.collation.schemaLevel.enabled": "true",
}
Statement = tuple[str, str, str]  # SQL, schema, output


def golden_files(patterns: list[str]) -> list[str]:
    """The chosen files by their names below results/, such as subquery/in-subquery/in-basic.sql."""
    top = TESTS / "results"
    names = sorted(path.relative_to(top).as_posix().removesuffix(".out") for path in top.rglob("*.sql.out"))
    if patterns:
        return [
            name
            for name in names
            if any(fnmatch.fnmatch(name, p) or fnmatch.fnmatch(name, p + ".sql") for p in patterns)
        ]
    return [name for name in names if not name.startswith(LEFT_OUT)]


def statements(name: str, variant: str = "") -> list[Statement]:
    """What one golden file asks and expects."""
    with open(TESTS / "results" / f"{name}.out{variant}", newline="") as file:
        parts = re.split(r"-- !query.*\n", file.read())[1:]
    triples = zip(parts[0::3], parts[1::3], parts[2::3], strict=False)
    return [(sql.strip(), schema.strip(), normalize(output)) for sql, schema, output in triples]


def settings_of(name: str) -> dict[str, str]:
    """The session's settings for a file: by its directory, then by its own --SET lines."""
    settings = dict(SETTINGS)
    if name.startswith("postgreSQL"):
        settings["spark.sql.legacy.interval.enabled"] = "true"
    elif name.startswith("nonansi"):
        settings["spark.sql.ansi.enabled"] = "false"
    elif name.startswith("timestampNTZ"):
        settings["spark.sql.timestampType"] = "TIMESTAMP_NTZ"
        del settings["spark.sql.ansi.enabled"]
    lines = (TESTS / "inputs" / name).read_text().splitlines()
    pairs = [pair.partition("=") for line in lines if line.startswith("--SET ") for pair in line[6:].split(",")]
    return settings | {key.strip(): value.strip() for key, _, value in pairs}


def normalize(text: str) -> str:
    """Drops Python tracebacks and trailing blanks."""
    kept, traceback = [], False
    for line in text.split("\n"):
        if line == "Traceback (most recent call last):":
            traceback = True
        elif not line.startswith(" "):
            traceback = False
        if not traceback:
            kept.append(line)
    return re.sub(r"\s+$", "", "\n".join(kept))


def ordered(sql: str) -> bool:
    """Whether ORDER BY stands outside every parenthesis (string and comment text removed)."""
    sql = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|--[^\n]*|/\*.*?\*/", " ", sql, flags=re.DOTALL)
    depth, top = 0, []
    for character in sql:
        depth += (character == "(") - (character == ")")
        top.append(character if depth == 0 else " ")
    return re.search(r"\border\s+by\b", "".join(top), re.IGNORECASE) is not None


MASKS = [
    (re.compile(p), r)
    for p, r in [
        (r"#\d+", "#x"),
        (r"plan_id=\d+", "plan_id=x"),
        (r"uuid\(Some\(-?\d+\)\)", "uuid(Some(x))"),
        (rf"Location.*{SUITE}/", f"Location {MASK}/{{warehouse_dir}}/"),
        (rf"file:[^\s,]*{SUITE}", f"file:{MASK}/{{warehouse_dir}}"),
        (r"Created By.*", f"Created By {MASK}"),
        (r"Created Time.*", f"Created Time {MASK}"),
        (r"Last Access.*", f"Last Access {MASK}"),
        (r"Owner[\t ]+(.*)", f"Owner\t{MASK}"),
        (r"Partition Statistics\t\d+", f"Partition Statistics\t{MASK}"),
        (r"CTERelationDef \d+,", "CTERelationDef xxxx,"),
        (r"CTERelationRef \d+,", "CTERelationRef xxxx,"),
        (r"UnionLoop \d+", "UnionLoop xxxx"),
        (r"UnionLoopRef \d+,", "UnionLoopRef xxxx,"),
        (r"Loop id: \d+", "Loop id: xxxx"),
        (r"@\w*,", "@xxxxxxxx,"),
        (r"\*\(\d+\) ", "*"),
        (rf'"location":.*?{SUITE}/', f'"location": "{MASK}/{{warehouse_dir}}/'),
        (r'"created_by":".*?"', f'"created_by {MASK}":"None"'),
        (r'"created_time":".*?"', f'"created_time {MASK}":"None"'),
        (r"transient_lastDdlTime=\d+", f"transient_lastDdlTime={MASK}"),
        (r'"transient_lastDdlTime":"\d+"', f'"transient_lastDdlTime {MASK}":"None"'),
        (r'"last_access":".*?"', f'"last_access {MASK}":"None"'),
        (r'"owner":".*?"', f'"owner {MASK}":"None"'),
        (r'"partition_statistics":"\d+"', f'"partition_statistics {MASK}":"None"'),
        (r"cterelationdef \d+,", "cterelationdef xxxx,"),
        (r"cterelationref \d+,", "cterelationref xxxx,"),
    ]
]


def mask(line: str, warehouse: str | None) -> str:
    """What differs from run to run, hidden as Spark's suite hides it."""
    if warehouse:
        line = line.replace(warehouse, "/" + SUITE)
    for pattern, replacement in MASKS:
        line = pattern.sub(replacement, line)
    return line
