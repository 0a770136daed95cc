"""A pre-shared key: clients send it as a bearer token, as they would to spark.connect.authenticate.token."""

import hmac
from collections.abc import Callable
from typing import Any

import grpc


class TokenCheck(grpc.ServerInterceptor):  # type: ignore[misc]
    """Lets through only those who know the key."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()
        self._refusals = {
            (False, False): grpc.unary_unary_rpc_method_handler(refuse),
            (False, True): grpc.unary_stream_rpc_method_handler(refuse),
            (True, False): grpc.stream_unary_rpc_method_handler(refuse),
        }

    def intercept_service(self, continuation: Callable[[Any], Any], details: Any) -> Any:
        given = dict(details.invocation_metadata).get("authorization", "")
        handler = continuation(details)
        if handler is None or hmac.compare_digest(str(given).encode(), self._expected):
            return handler
        return self._refusals[(bool(handler.request_streaming), bool(handler.response_streaming))]


def refuse(request: Any, context: Any) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "Invalid authentication token")
