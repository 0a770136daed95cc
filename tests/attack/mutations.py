"""Requests that no client would send: recorded ones with a few bytes or fields changed, repeatably by a seed."""

import base64
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Kind
from pyspark.sql.connect.proto import base_pb2 as pb

from twinspark.doors.connect.depth import lift_depth_limit

RECORDED = Path(__file__).parents[1] / "plans" / "recorded"
lift_depth_limit()
SERVICE = "/spark.connect.SparkConnectService/"
TEXTS = [
    "",
    "\0",
    "a\0b",
    "../..",
    "/etc/passwd",
    "`",
    "'",
    '"; --',
    "\u202e",
    "ﷺ",
    "x" * 300,
    "a" * 5000,
    "\\",
    "🦆",
    "%s%n",
]
NUMBERS = [0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 255, 256, 65535, 1 << 20]
INTEGERS = {Kind.CPPTYPE_INT32: 32, Kind.CPPTYPE_INT64: 64, Kind.CPPTYPE_UINT32: 33, Kind.CPPTYPE_UINT64: 65}


def recorded_plans() -> list[bytes]:
    """Every plan that was recorded from a client, as it was sent."""
    lines = (line for path in sorted(RECORDED.glob("*.jsonl")) for line in path.read_text().splitlines())
    return [base64.b64decode(found["plan"]) for found in map(json.loads, lines) if "plan" in found]


def mutated_requests(session: str, seed: int, number: int) -> Iterator[tuple[str, bytes]]:
    """The name of an RPC and the bytes for it."""
    chance = random.Random(seed)
    plans = recorded_plans()
    for _ in range(number):
        name, request = request_for(chance, chance.choice(plans), session)
        for _ in range(chance.choice((0, 1, 1, 2, 5))):
            change_field(chance, request)
        request.session_id = session if chance.random() < 0.95 else chance.choice(TEXTS)
        data = request.SerializeToString()
        yield name, change_bytes(chance, data) if chance.random() < 0.4 else data


def request_for(chance: random.Random, plan: bytes, session: str) -> tuple[str, Any]:
    kind = chance.choices(("ExecutePlan", "AnalyzePlan", "other"), (6, 3, 1))[0]
    if kind == "ExecutePlan":
        return kind, pb.ExecutePlanRequest(plan=pb.Plan.FromString(plan))
    if kind == "AnalyzePlan":
        request = pb.AnalyzePlanRequest()
        chosen = chance.choice(("schema", "explain", "tree_string", "is_local", "is_streaming", "input_files"))
        getattr(request, chosen).plan.ParseFromString(plan)
        return kind, request
    return chance.choice(OTHERS)(session)


def of_config(session: str) -> tuple[str, Any]:
    request = pb.ConfigRequest()
    request.operation.set.pairs.add(key="spark.sql.ansi.enabled", value="true")
    return "Config", request


def of_interrupt(session: str) -> tuple[str, Any]:
    kind = pb.InterruptRequest.INTERRUPT_TYPE_OPERATION_ID
    return "Interrupt", pb.InterruptRequest(interrupt_type=kind, operation_id=session)


def of_reattach(session: str) -> tuple[str, Any]:
    return "ReattachExecute", pb.ReattachExecuteRequest(operation_id=session, last_response_id="x")


def of_release(session: str) -> tuple[str, Any]:
    return "ReleaseExecute", pb.ReleaseExecuteRequest(operation_id=session)


def of_artifact_status(session: str) -> tuple[str, Any]:
    return "ArtifactStatus", pb.ArtifactStatusesRequest(names=["cache/abc", "files/x"])


def of_error_details(session: str) -> tuple[str, Any]:
    return "FetchErrorDetails", pb.FetchErrorDetailsRequest(error_id="x")


OTHERS = (of_config, of_interrupt, of_reattach, of_release, of_artifact_status, of_error_details)


def change_bytes(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(changed) + 1)
        length = chance.choice((1, 1, 4, 16))
        piece = chance.choice((chance.randbytes(length), b"", bytes(changed[at : at + length]) * 2, b"\xff" * length))
        changed[at : at + length] = piece
    return bytes(changed)


def change_field(chance: random.Random, message: Any) -> None:
    """Some field of some message inside: another value, none, or twice."""
    inside = list(messages_in(message))
    chosen = chance.choice(inside)
    fields = chosen.ListFields()
    if not fields:
        return
    field, _ = chance.choice(fields)
    if field.name in ("session_id",) or chance.random() < 0.15:
        chosen.ClearField(field.name)
    elif is_repeated(field):
        change_list(chance, chosen, field)
    elif field.cpp_type == Kind.CPPTYPE_MESSAGE:
        target = getattr(chosen, field.name)
        donor = chance.choice([each for each in inside if type(each) is type(target)])
        target.ParseFromString(donor.SerializeToString())  # bytes: it may hold the target itself
    else:
        setattr(chosen, field.name, value_for(chance, field))


def is_repeated(field: Any) -> bool:
    return bool(field.is_repeated)


def change_list(chance: random.Random, chosen: Any, field: Any) -> None:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        chosen.ClearField(field.name)
        return
    values = getattr(chosen, field.name)
    if chance.random() < 0.5 and len(values):
        del values[chance.randrange(len(values))]
    elif field.cpp_type == Kind.CPPTYPE_MESSAGE:
        values.add().CopyFrom(type(values[0]).FromString(values[0].SerializeToString()))
    else:
        values.append(value_for(chance, field))


def value_for(chance: random.Random, field: Any) -> Any:
    if field.cpp_type == Kind.CPPTYPE_STRING:
        text = chance.choice(TEXTS)
        return text.encode() if field.type == Kind.TYPE_BYTES else text
    if field.cpp_type in INTEGERS:
        return fitting(chance.choice(NUMBERS), INTEGERS[field.cpp_type])
    if field.cpp_type == Kind.CPPTYPE_ENUM:
        return chance.choice((0, 1, 2, 3, 77))
    if field.cpp_type == Kind.CPPTYPE_BOOL:
        return chance.random() < 0.5
    return chance.choice((0.0, -0.0, float("nan"), float("inf"), 1e308))


def fitting(number: int, bits: int) -> int:
    """Signed numbers of 32 or 64 bits, unsigned ones where the bits are odd."""
    if bits % 2:
        return number % (1 << (bits - 1))
    return (number + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def messages_in(message: Any) -> Iterator[Any]:
    yield message
    for field, value in message.ListFields():
        if field.cpp_type != Kind.CPPTYPE_MESSAGE or (field.message_type.GetOptions().map_entry and is_repeated(field)):
            continue
        for each in value if is_repeated(field) else [value]:
            yield from messages_in(each)
