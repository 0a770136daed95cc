"""Runs inside a client's own environment: reads messages with Apache Thrift's generated classes and writes them again.

Each line of the input is a struct's name and its bytes in hex; the same line comes back.
"""

import sys

from databricks.sql.thrift_api.TCLIService import ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer


def again(name: str, data: bytes) -> bytes:
    message = getattr(ttypes, name)()
    source, target = TMemoryBuffer(data), TMemoryBuffer()
    message.read(TBinaryProtocol(source))
    if source.read(1):
        raise ValueError(f"{name}: bytes are left over")
    message.write(TBinaryProtocol(target))
    return bytes(target.getvalue())


def without_defaults() -> None:
    """The generated classes write what nobody set, where the interface names a default."""
    for known in vars(ttypes).values():
        if getattr(getattr(known, "__init__", None), "__defaults__", None):
            known.__init__.__defaults__ = (None,) * len(known.__init__.__defaults__)


def main() -> None:
    without_defaults()
    for line in sys.stdin:
        name, _, data = line.strip().partition(" ")
        print(name, again(name, bytes.fromhex(data)).hex())


if __name__ == "__main__":
    main()
