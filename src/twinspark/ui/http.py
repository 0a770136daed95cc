"""The HTTP server of the metrics port and of the web UI: few threads, each with a short timeout."""

import logging
import socket
import ssl
import threading
import time
from socketserver import TCPServer, ThreadingMixIn
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
    """A thread for each request, up to a number of them; `serve_in_background` returns at once."""

    daemon_threads = True
    request_queue_size = 16

    def __init__(
        self,
        host: str,
        port: int,
        application: Any,
        name: str = "metrics",
        tls: ssl.SSLContext | None = None,
        threads: int = THREADS,
        seconds: float | None = None,
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._since: dict[Any, float] = {}
        self._encrypted: dict[Any, ssl.SSLSocket] = {}
        self._slots = threading.BoundedSemaphore(threads)
        self._name = name
        self._seconds = seconds
        self._tls = tls
        super().__init__((host, port), QuietHandler)
        self.set_app(application)

    def server_bind(self) -> None:
        """Without the reverse lookup of the host's name by http.server, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def serve_in_background(self) -> None:
        threading.Thread(target=self.serve_forever, name=self._name, daemon=True).start()

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
            if self._tls is None:
                super().process_request_thread(request, client_address)
            else:
                self._process_encrypted(self._tls, request, client_address)
        finally:
            self._forget(request)

    def _process_encrypted(self, tls: ssl.SSLContext, request: Any, client_address: Any) -> None:
        """The handshake runs in the request's own thread, since a client may take its time."""
        request.settimeout(REQUEST_SECONDS)
        try:
            encrypted = tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
            self._encrypted[request] = encrypted
            encrypted.do_handshake()
        except (OSError, ValueError):
            self.shutdown_request(request)
            return
        super().process_request_thread(encrypted, client_address)

    def _forget(self, request: Any) -> None:
        self._encrypted.pop(request, None)
        if self._since.pop(request, None) is not None:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.info("a request for %s failed", self._name, exc_info=True)

    def service_actions(self) -> None:
        """Called twice a second: also closes connections that send single bytes slowly."""
        oldest = time.monotonic() - (self._seconds or REQUEST_SECONDS)
        for request, since in list(self._since.items()):
            if since < oldest:
                cut(self._encrypted.get(request, request))


def cut(request: Any) -> None:
    try:
        request.shutdown(socket.SHUT_RDWR)
    except OSError:  # it has ended already
        return
