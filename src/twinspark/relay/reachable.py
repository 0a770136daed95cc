"""Checks whether a Spark master or a Spark Connect server accepts connections, before a start or request times out."""

import re
import socket
from contextlib import closing

from twinspark.relay.grpc_calls import CHANNEL_OPTIONS, CONNECT_TIMEOUT, Relay
from twinspark.relay.health import Ping

STANDALONE = "spark://"


def unreachable_master(master: str, timeout: float) -> str:
    """Why no standalone master can be reached; empty if one can, or if the master is of another kind."""
    if not master.startswith(STANDALONE):
        return ""
    reasons = [connection_failure(each, timeout) for each in master.removeprefix(STANDALONE).split(",")]
    return "" if not all(reasons) else f"no Spark master at {master}: {'; '.join(reasons)}"


def unreachable_remote(url: str, timeout: float) -> str:
    """Why no Spark answers at an sc:// address; empty if one does."""
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.client import DefaultChannelBuilder

    try:
        builder = DefaultChannelBuilder(url, channelOptions=[*CHANNEL_OPTIONS, (CONNECT_TIMEOUT, int(timeout * 1000))])
    except (PySparkException, ValueError) as invalid:
        return str(invalid)
    if reason := connection_failure(builder.endpoint, timeout):
        return reason
    with closing(Relay(builder.toChannel(), tuple(builder.metadata()))) as relay:
        return Ping(relay).failure(timeout)


def connection_failure(address: str, timeout: float) -> str:
    found = re.fullmatch(r"\[?(.+?)\]?:(\d+)", address)
    if found is None:
        return f"{address} is no host:port"
    try:
        socket.create_connection((found[1], int(found[2])), timeout).close()
    except (OSError, OverflowError) as failure:
        return f"{address}: {failure}"
    return ""
