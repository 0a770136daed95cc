"""Thousands of broken requests: every one gets an answer or an error of Spark's, and the server stays as it was."""

import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from attacked import Attacked, Serve
from mutations import SERVICE, mutated_requests
from pyspark.sql.connect.proto import base_pb2 as pb

SECONDS = 20
PATH = re.compile(r"(?<![\w<])/(?:root|home|tmp|usr|work|var|opt|etc)/")
STREAMS = {"ExecutePlan", "ReattachExecute"}
Count = Callable[[str, int], None]


class Client:
    """Sends bytes as they are, and gives what came back: the code and the text of the status."""

    def __init__(self, port: int) -> None:
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")

    def call(self, name: str, data: bytes) -> tuple[grpc.StatusCode, str]:
        kind = self._channel.unary_stream if name in STREAMS else self._channel.unary_unary
        try:
            answer = kind(SERVICE + name)(data, timeout=SECONDS)
            for _ in answer if name in STREAMS else ():
                pass
        except grpc.RpcError as error:
            return error.code(), error.details() or ""
        return grpc.StatusCode.OK, ""

    def interrupt(self, session: str) -> None:
        request = pb.InterruptRequest(session_id=session, interrupt_type=pb.InterruptRequest.INTERRUPT_TYPE_ALL)
        self.call("Interrupt", request.SerializeToString())

    def close(self) -> None:
        self._channel.close()


@pytest.fixture
def attacked(serve: Serve) -> Iterator[Attacked]:
    return serve("--engine", "duckdb")


def send_all(server: Attacked, seed: int, number: int) -> tuple[Counter[str], list[str]]:
    """How many ended how, and what must not be: errors that show a path, and a connection that broke."""
    client, session, seen, wrong = Client(server.port), str(uuid.uuid4()), Counter[str](), []
    for name, data in mutated_requests(session, seed, number):
        code, said = client.call(name, data)
        seen[code.name] += 1
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            client.interrupt(session)
        seen["internal"] += "twinspark failed" in said  # the request is broken, and we did not see where
        if "twinspark failed" in said and PATH.search(said):
            wrong.append(said[:400])
        if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN):
            wrong.append(f"{name}: {code.name} {said[:300]}")
    client.close()
    return seen, wrong


def check_as_it_was(server: Attacked, before: int) -> None:
    server.check_alive()
    assert server.resident_kib() - before < 400 * 1024


def attack(server: Attacked, seed: int, number: int) -> Any:
    server.check_alive()
    before = server.resident_kib()
    seen, wrong = send_all(server, seed, number)
    assert not wrong, Counter(wrong).most_common(20)
    assert seen["internal"] <= number // 100, seen
    check_as_it_was(server, before)
    return seen


def test_mutated_requests_get_answers(attacked: Attacked) -> None:
    attack(attacked, 18, 300)


@pytest.mark.attack
@pytest.mark.parametrize("seed", range(4))
def test_thousands_of_mutated_requests_get_answers(attacked: Attacked, seed: int, count: Count) -> None:
    seen = attack(attacked, seed, 2500)
    count("doors: mutated requests", seen.total() - seen["internal"])
