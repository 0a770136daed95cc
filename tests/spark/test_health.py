"""The health check of a Spark that is given up while the check runs."""

import grpc

from twinspark.relay.grpc_calls import Relay
from twinspark.relay.health import Health, health


def test_a_closed_connection_is_ill_and_no_failure_of_the_check() -> None:
    relay = Relay(grpc.insecure_channel("127.0.0.1:1"))
    relay.close()
    assert health(relay, seconds=1.0) is Health.ILL
