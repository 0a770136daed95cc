"""Limits on what one client, or all of them together, may use of the server; an operator sets them with `serve
--limit`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from twinspark.config.own import suggestion

MEBIBYTE = 1024 * 1024


def limit(default: float, help: str) -> Any:
    """A field of Limits; docs/reference/settings.md shows its text."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Limits:
    """Each limit applies to each port separately; docs/operate/limits.md describes what a client sees beyond them."""

    connections: int = limit(4096, "open at once; at most half of the files that this process may open")
    connections_per_address: int = limit(1024, "open at once from one address")
    calls: int = limit(1024, "that run at once; further calls end with UNAVAILABLE, which clients retry")
    calls_per_connection: int = limit(1000, "SETTINGS_MAX_CONCURRENT_STREAMS")
    reading_threads: int = limit(512, "threads that wait for the next call of a client that has just made one")
    reading_seconds: float = limit(5.0, "for how long such a thread waits; afterwards the connection uses no thread")
    handshake_seconds: float = limit(
        10.0, "from connecting to the first bytes that identify the protocol, with or without TLS"
    )
    login_seconds: float = limit(60.0, "from connecting to the first call that is not rejected")
    header_seconds: float = limit(10.0, "from the first byte of a header block, or of a frame, to its last")
    silence_seconds: float = limit(60.0, "in the middle of a Thrift message")
    request_seconds: float = limit(
        300.0, "from the headers of a request to its end, or between two messages of an upload"
    )
    idle_seconds: float = limit(3600.0, "without any call; a gRPC client reconnects by itself")
    stalled_seconds: float = limit(3600.0, "for which a response waits for a client to continue reading")
    closing_seconds: float = limit(5.0, "for a client to hang up after it was sent GOAWAY")
    message_bytes: int = limit(128 * MEBIBYTE, "spark.connect.grpc.maxInboundMessageSize")
    unread_bytes: int = limit(
        1024 * MEBIBYTE, "received or decompressed, and not yet consumed by the method that was called"
    )
    unread_bytes_per_connection: int = limit(256 * MEBIBYTE, "the same for one connection")
    unsent_bytes_per_connection: int = limit(8 * MEBIBYTE, "of responses, after which a call waits")
    expansion: int = limit(200, "largest ratio of decompressed to compressed size of a message above one MiB")
    header_bytes: int = limit(32 * 1024, "of one compressed header block")
    header_list_bytes: int = limit(64 * 1024, "of one decompressed header block: SETTINGS_MAX_HEADER_LIST_SIZE")
    header_frames: int = limit(100, "into which one header block may be split")
    resets: int = limit(500, "of calls by the client in a burst; a tenth of it is allowed again each second")
    control_frames: int = limit(
        10_000, "pings, settings and the like in a burst; a tenth of it is allowed again each second"
    )

    def with_changes(self, pairs: Iterable[str]) -> Limits:
        """These limits with the given `name=value` pairs replaced."""
        values = dict(parse_pair(each) for each in pairs)
        return Limits(**{each.name: values.get(each.name, getattr(self, each.name)) for each in fields(self)})


KINDS: dict[str, type[float]] = {each.name: type(getattr(Limits, each.name)) for each in fields(Limits)}


def parse_pair(pair: str) -> tuple[str, float]:
    name, _, value = pair.partition("=")
    if name not in KINDS:
        raise ValueError(f"no limit is called {name}{suggestion(name, KINDS)}")
    try:
        number: float = KINDS[name](value)
    except ValueError:
        raise ValueError(f"{name} takes a number, not {value!r}") from None
    if number <= 0:
        raise ValueError(f"{name} must be above zero")
    return name, number
