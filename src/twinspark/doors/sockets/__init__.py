"""Sockets of both servers: admission of connections, non-blocking reads and writes, and the thread that polls them."""

from twinspark.doors.sockets.acceptor import Acceptor
from twinspark.doors.sockets.admission import Admission
from twinspark.doors.sockets.client_socket import ClientSocket, TlsClientSocket, wrap_socket
from twinspark.doors.sockets.poller import READ, WRITE, Poller
from twinspark.doors.sockets.rejection_counts import RejectionCounts
from twinspark.doors.sockets.slots import Slots
from twinspark.doors.sockets.unread_bytes import UnreadBytes

__all__ = [
    "READ",
    "WRITE",
    "Acceptor",
    "Admission",
    "ClientSocket",
    "Poller",
    "RejectionCounts",
    "Slots",
    "TlsClientSocket",
    "UnreadBytes",
    "wrap_socket",
]
