"""A server in a process of its own, to be killed: python served_process.py WAREHOUSE prints its address."""

import sys

from twinspark.doors.connect.server import ConnectServer
from twinspark.session.settings import Settings

if __name__ == "__main__":
    server = ConnectServer(Settings(engine="duckdb", warehouse=sys.argv[1]))
    print(server.url, flush=True)
    server.wait()
