"""Asks a running Spark about every configuration key its jars mention: config/config.tsv and descriptions.json.

usage: python tests/session/record_config.py sc://host:port

Candidate keys are the strings of the classes inside the installed PySpark's jars; what a key is (SQL, static, core),
its default, its type, its options and how they may be spelled, its least value and its warning are Spark's own answers.
"""

import json
import re
import sys
import uuid
import zipfile
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from pyspark.sql import SparkSession
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub

from twinspark.relay.launch import spark_home

DESCRIPTIONS = Path(__file__).parents[2] / "src" / "twinspark" / "config" / "descriptions.json"
UNDEFINED = "<undefined>"
OUT = Path(__file__).parents[2] / "src" / "twinspark" / "config" / "config.tsv"
KEY = re.compile(rb"spark\.[a-zA-Z][a-zA-Z0-9]*(?:\.[a-zA-Z0-9_-]+)+")
JARS = ("spark-sql", "spark-catalyst", "spark-connect", "spark-core", "spark-hive", "spark-common", "spark-network")
JARS += ("spark-streaming", "spark-pipelines", "spark-kvstore", "spark-yarn", "spark-kubernetes", "spark-mllib")
OF_THE_MACHINE = {"spark.sql.warehouse.dir", "spark.connect.grpc.binding.port", "spark.sql.session.timeZone"}
NONSENSE = "\u2603"


def candidate_keys() -> list[str]:
    found: set[bytes] = set()
    for jar in (spark_home() / "jars").glob("spark-*.jar"):
        if not jar.name.startswith(JARS):
            continue
        with zipfile.ZipFile(jar) as opened:
            for name in opened.namelist():
                if name.endswith(".class"):
                    found.update(KEY.findall(opened.read(name)))
    return sorted(key.decode() for key in found)


class Asker:
    """Config requests in one session of the Spark being asked."""

    def __init__(self, url: str) -> None:
        self._stub = SparkConnectServiceStub(DefaultChannelBuilder(url).toChannel())
        self._session = str(uuid.uuid4())

    def ask(self, **operation: object) -> tuple[list[str | None], list[str], str, dict[str, str]]:
        """Values, warnings; or the error's condition and parameters."""
        request = base_pb2.ConfigRequest(session_id=self._session)
        request.user_context.user_id = "record"
        request.operation.CopyFrom(base_pb2.ConfigRequest.Operation(**operation))
        try:
            answer = self._stub.Config(request)
        except grpc.RpcError as error:
            return [], [], *condition_of(error)
        values = [pair.value if pair.HasField("value") else None for pair in answer.pairs]
        return values, list(answer.warnings), "", {}

    def set(self, key: str, value: str) -> tuple[str, dict[str, str]]:
        pair = base_pb2.KeyValue(key=key, value=value)
        return self.ask(set=base_pb2.ConfigRequest.Set(pairs=[pair]))[2:]

    def unset(self, key: str) -> str:
        return self.ask(unset=base_pb2.ConfigRequest.Unset(keys=[key]))[2]


def condition_of(error: grpc.RpcError) -> tuple[str, dict[str, str]]:
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    status.details[0].Unpack(info)
    return info.metadata["errorClass"], json.loads(info.metadata["messageParameters"] or "{}")


def describe(asker: Asker, key: str) -> list[str] | None:
    condition, parameters = asker.set(key, NONSENSE)
    if condition == "CANNOT_MODIFY_CONFIG":
        return [key, "core", "", "", "", "", "", ""]
    static = condition == "CANNOT_MODIFY_STATIC_CONFIG"
    if not static:
        asker.unset(key)
    modifiable = asker.ask(is_modifiable=base_pb2.ConfigRequest.IsModifiable(keys=[key]))[0] == ["true"]
    if not static and not modifiable:
        return None  # a key that Spark does not know: anything may be set
    values, warnings, _, _ = asker.ask(get=base_pb2.ConfigRequest.Get(keys=[key]))
    default = values[0] if values and key not in OF_THE_MACHINE else None
    kind = "static" if static else "sql"
    row = [key, kind, "" if default is None else "=" + default, "", "", "", "", " ".join(warnings), ""]
    if condition.startswith("INVALID_CONF_VALUE"):
        row[3] = parameters.get("confType", "")
        row[4] = parameters.get("confOptions", "")
        row[5:7] = least_value(asker, key) if not row[4] else ["", parameters.get("confRequirement", "")]
        row[8] = spelling(asker, key, row[4].split(", ")[-1]) if row[4] else ""
    return [text.replace("\n", "\\n").replace("\t", " ") for text in row]


def spelling(asker: Asker, key: str, option: str) -> str:
    """Whether an option may be written in the other case, and with blanks around it."""
    if asker.set(key, option.swapcase())[0]:
        return "exact"
    found = "folded" if asker.set(key, f" {option}")[0] else "trimmed"
    asker.unset(key)
    return found


def least_value(asker: Asker, key: str) -> list[str]:
    said = ""
    for number in ("-2", "-1", "0", "1", "2"):
        condition, parameters = asker.set(key, number)
        asker.unset(key)
        if not condition:
            return [number, said] if said else ["", ""]
        said = parameters.get("confRequirement", "")
    return ["", said]


def record_descriptions(url: str) -> None:
    """What `SET -v` shows of keys that this Spark was not started with; the others have no value here."""
    spark = SparkSession.builder.remote(url).create()
    given = {row.key for row in spark.sql("SET").collect()}
    rows = [(key, UNDEFINED if key in given else value, *more) for key, value, *more in spark.sql("SET -v").collect()]
    DESCRIPTIONS.write_text(json.dumps(rows, indent=0, ensure_ascii=False) + "\n")
    print(f"{len(rows)} keys in {DESCRIPTIONS.name}")


def main(url: str) -> None:
    record_descriptions(url)
    asker, rows = Asker(url), []
    for key in candidate_keys():
        if row := describe(asker, key):
            rows.append(row)
    header = ["key", "kind", "default", "type", "options", "least", "requirement", "warning", "spelling"]
    OUT.write_text("".join("\t".join(row).rstrip() + "\n" for row in [header, *rows]))
    print(f"{len(rows)} keys in {OUT.name}")


if __name__ == "__main__":
    main(sys.argv[1])
