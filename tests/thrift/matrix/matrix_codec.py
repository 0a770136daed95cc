"""The codec beside Apache Thrift's own (the generated classes of databricks-sql-connector): the same bytes."""

import random
import string
import subprocess
from typing import Any

import pyarrow as pa
import pytest
from matrix import ENVIRONMENTS, HERE

from twinspark.wire.thrift.binary import Reader, Writer
from twinspark.wire.thrift.columns import COLUMNS
from twinspark.wire.thrift.messages import FIELDS, STRUCTS
from twinspark.wire.thrift.row_values import IDS

KINDS = {
    line.split(": ")[0]: {part.split(" ")[1]: part.split(" ")[2] for part in line.split(": ")[1].split(", ")}
    for line in FIELDS.replace(",\n  ", ", ").strip().splitlines()
}
# Apache's classes of these are not among those the connector generates.
ABSENT = {"TApplicationException", "TSetClientInfoReq", "TSetClientInfoResp", "TGetQueryIdReq", "TGetQueryIdResp",
          "TGetLogReq", "TGetLogResp"}  # fmt: skip
UNIONS = {"TColumn", "TTypeEntry", "TTypeQualifierValue", "TGetInfoValue", "TSparkParameterValue"}
RANGES = {"byte": 7, "i16": 15, "i32": 31, "i64": 63}
LETTERS = string.printable + "äöü漢字😀"


def value_of(kind: str, chance: random.Random, depth: int) -> Any:
    if kind in RANGES:
        return chance.randrange(-(1 << RANGES[kind]), 1 << RANGES[kind])
    if kind in ("bool", "double"):
        return chance.random() < 0.5 if kind == "bool" else chance.gauss(0, 1e9)
    if kind in ("string", "binary"):
        text = "".join(chance.choices(LETTERS, k=chance.randrange(12)))
        return text if kind == "string" else text.encode()
    if kind == "rows":
        return rows_of(chance)
    outer, _, inner = kind[:-1].partition("<")
    if outer == "list":
        return [value_of(inner, chance, depth - 1) for _ in range(chance.randrange(3))]
    if outer == "map":
        return {str(index): value_of(inner, chance, depth - 1) for index in range(chance.randrange(2))}
    if outer == "column":
        values = [None if chance.random() < 0.3 else value_of(inner, chance, 0) for _ in range(chance.randrange(20))]
        return pa.array(values, COLUMNS[inner].arrow)
    return message_of(kind, chance, depth - 1)


def rows_of(chance: random.Random) -> list[dict[str, pa.Array]]:
    """Columns of one height, every kind of value and nulls among them."""
    height = chance.randrange(1, 6)
    return [row_column(name, height, chance) for name in chance.choices(sorted(IDS), k=chance.randrange(1, 9))]


def row_column(name: str, height: int, chance: random.Random) -> dict[str, pa.Array]:
    kind = name.removesuffix("Val")
    values = [None if chance.random() < 0.3 else value_of(kind, chance, 0) for _ in range(height)]
    return {name: pa.array(values, COLUMNS[kind].arrow)}


def message_of(name: str, chance: random.Random, depth: int = 4) -> dict[str, Any]:
    """A union holds one member, and enough depth lets every field be met."""
    fields = KINDS[name]
    if name in UNIONS:
        fields = dict([chance.choice(list(fields.items()))])
    kept = {field: kind for field, kind in fields.items() if depth > 0 or kind in SCALAR}
    return {field: value_of(kind, chance, depth) for field, kind in kept.items()}


SCALAR = {*RANGES, "bool", "double", "string", "binary"}


def written(name: str, message: dict[str, Any]) -> bytes:
    writer = Writer()
    STRUCTS[name].write(writer, message)
    return writer.bytes()


def test_apache_thrift_reads_and_writes_the_same_bytes() -> None:
    chance = random.Random(8)
    names = sorted(set(KINDS) - ABSENT)
    lines = [f"{name} {written(name, message_of(name, chance)).hex()}" for name in names for _ in range(20)]
    python = ENVIRONMENTS / "clients" / "bin" / "python"
    ran = subprocess.run(
        [str(python), str(HERE / "codec_probe.py")], input="\n".join(lines), capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    for sent, came in zip(lines, ran.stdout.splitlines(), strict=True):
        assert came == sent, sent.partition(" ")[0]


@pytest.mark.parametrize("name", sorted(ABSENT - {"TApplicationException"}))
def test_what_apache_does_not_generate_there_is_at_least_itself(name: str) -> None:
    message = message_of(name, random.Random(8))
    assert written(name, STRUCTS[name].read(Reader(written(name, message)))) == written(name, message)
