"""A TCP proxy that cuts every connection after a number of bytes from the server, to see who can live with that."""

import socket
import threading
from contextlib import suppress

CHUNK = 65536


class CuttingProxy:
    """Forwards to a port; each connection is cut once it has carried `cut_after` bytes, `cuts` times in all."""

    def __init__(self, target: int, cut_after: int, cuts: int) -> None:
        self._target = target
        self._cut_after = cut_after
        self.cuts_left = cuts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # or its thread would wait for the next client for ever
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                threading.Thread(target=self._pump, args=(client, server, None), daemon=True).start()
                threading.Thread(target=self._pump, args=(server, client, self._cut_after), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, cut_after: int | None) -> None:
        carried = 0
        with suppress(OSError):
            while data := source.recv(CHUNK):
                sink.sendall(data)
                carried += len(data)
                if cut_after is not None and carried > cut_after and self.cuts_left > 0:
                    self.cuts_left -= 1
                    break
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
