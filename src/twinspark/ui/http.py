"""The HTTP server of the metrics port: few threads, each with a short timeout."""

import logging
import socket
import threading
import time
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

log = logging.getLogger("twinspark.metrics")
THREADS = 8  # at once; further connections are closed
REQUEST_SECONDS = 10.0  # for a whole request and its response
PAUSE_SECONDS = 0.1  # after a connection cannot be accepted, such as for too many open files


class QuietHandler(WSGIRequestHandler):
    """Does not log requests."""

    timeout = REQUEST_SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)


class BoundedServer(ThreadingMixIn, WSGIServer):
    """A thread for each request, up to `THREADS`; `serve_in_background` returns at once."""

    daemon_threads = True
    request_queue_size = 16

    def __init__(self, host: str, port: int, application: Any) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._since: dict[Any, float] = {}
        self._slots = threading.BoundedSemaphore(THREADS)
        super().__init__((host, port), QuietHandler)
        self.set_app(application)

    def serve_in_background(self) -> None:
        threading.Thread(target=self.serve_forever, name="metrics", daemon=True).start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()

    def get_request(self) -> tuple[socket.socket, Any]:
        try:
            return super().get_request()
        except OSError:
            time.sleep(PAUSE_SECONDS)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            self._since[request] = time.monotonic()
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self._forget(request)
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget(request)

    def _forget(self, request: Any) -> None:
        if self._since.pop(request, None) is not None:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.info("a request for metrics failed", exc_info=True)

    def service_actions(self) -> None:
        """Called twice a second: also closes connections that send single bytes slowly."""
        oldest = time.monotonic() - REQUEST_SECONDS
        for request, since in list(self._since.items()):
            if since < oldest:
                cut(request)


def cut(request: Any) -> None:
    try:
        request.shutdown(socket.SHUT_RDWR)
    except OSError:  # it has ended already
        return
