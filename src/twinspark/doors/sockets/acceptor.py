"""Accepts connections as long as the server runs, also after errors."""

import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

log = logging.getLogger("twinspark.sockets")
PAUSE_SECONDS = 0.1  # after a failure, such as too many open files: closed connections make room again
QUIET_SECONDS = 10.0  # between two log lines about that


class Acceptor:
    """A thread for each listening socket; `welcome(accepted, address)` must not block on the client."""

    def __init__(self, listeners: list[socket.socket], welcome: Callable[[socket.socket, str], None]) -> None:
        self._listeners = listeners
        self._welcome = welcome
        self._is_stopped = False
        self._last_words = -QUIET_SECONDS

    def start(self) -> None:
        for each in self._listeners:
            threading.Thread(target=self._run, args=(each,), name="accept", daemon=True).start()

    def stop(self) -> None:
        self._is_stopped = True
        for each in self._listeners:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)  # closing alone does not wake a thread that waits in accept
            each.close()

    def _run(self, listener: socket.socket) -> None:
        while not self._is_stopped:
            try:
                self._accept_one(listener)
            except Exception as error:  # noqa: BLE001  no client could connect again if this thread ended
                if not self._is_stopped:
                    self._complain(error)
                    time.sleep(PAUSE_SECONDS)

    def _accept_one(self, listener: socket.socket) -> None:
        accepted, address = listener.accept()
        try:
            self._welcome(accepted, str(address[0]))
        except BaseException:
            accepted.close()
            raise

    def _complain(self, error: Exception) -> None:
        if time.monotonic() - self._last_words >= QUIET_SECONDS:
            self._last_words = time.monotonic()
            log.warning("a connection could not be accepted: %s", error)
