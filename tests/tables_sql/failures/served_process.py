"""Servers in processes of their own, to be killed: each line of standard input names a warehouse, for which a server is
forked; "process number, address" is printed.

The parent has imported everything and started nothing, so that a fork is a server within a moment.
"""

import os
import signal
import sys
from importlib import import_module

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

# What a session imports when a table is first named.
LATER = ("twinspark.tables.catalogs", "twinspark.tables.named_relations", "twinspark.commands.ddl.table_commands")


def serve(warehouse: str) -> None:
    server = ConnectServer(Settings(engine="duckdb", warehouse=warehouse))
    print(os.getpid(), server.url, flush=True)
    server.wait()


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries the dead
    for module in LATER:
        import_module(module)
    for line in sys.stdin:
        if os.fork() == 0:
            serve(line.rstrip("\n"))
            os._exit(0)
