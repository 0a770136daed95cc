"""Runs inside a client's own environment: asks one server everything the matrix wants to know, and prints JSON."""

import json
import sys
import threading
import time
from typing import Any

MANY = "select id, cast(id as string) s, case when id % 3 = 0 then id end n from range(250000)"
LARGE = "select repeat(cast(id % 10 as string), 1000) s from range(120000)"
ODD_NAMES = "select 1 as `odd name ö`, 2 as `a.b`, 3 as `1x`, 4 as `select`"
LONG = "select count(*) from range(30000000000) where id % 7 = 3"


def pyhive(transport: str, port: int) -> Any:
    from pyhive import hive

    if transport == "sasl":
        return hive.connect("127.0.0.1", port=port, username="u")
    if transport == "binary":
        return hive.connect("127.0.0.1", port=port, auth="NOSASL")
    from thrift.transport.THttpClient import THttpClient

    client = THttpClient(f"http://127.0.0.1:{port}/cliservice")
    client.setCustomHeaders({"Authorization": "Basic dTpw"})
    return hive.connect(thrift_transport=client)


def impyla(transport: str, port: int) -> Any:
    from impala.dbapi import connect

    options: dict[str, dict[str, Any]] = {
        "sasl": {"auth_mechanism": "PLAIN"},
        "binary": {"auth_mechanism": "NOSASL"},
        "http": {"auth_mechanism": "PLAIN", "use_http_transport": True, "http_path": "cliservice"},
    }
    return connect("127.0.0.1", port=port, user="u", password="p", **options[transport])


def databricks(transport: str, port: int) -> Any:
    from databricks import sql

    uri = f"http://127.0.0.1:{port}/cliservice"
    return sql.connect(
        "127.0.0.1", http_path="/cliservice", _connection_uri=uri, access_token="x", enable_telemetry=False
    )


def sqlalchemy(transport: str, port: int) -> Any:
    from sqlalchemy import create_engine

    url = {
        "sasl": f"hive://u@127.0.0.1:{port}/default",
        "binary": f"hive://u@127.0.0.1:{port}/default?auth=NOSASL",
        "http": f"hive+http://u:p@127.0.0.1:{port}",
    }
    return create_engine(url[transport]).raw_connection()


CLIENTS = {"pyhive": pyhive, "impyla": impyla, "databricks": databricks, "sqlalchemy": sqlalchemy}


def plain(value: Any) -> Any:
    if hasattr(value, "tolist") and not isinstance(value, bytes | str):
        value = value.tolist()
    return repr(value)


def failure(cursor: Any, sql: str) -> str:
    try:
        cursor.execute(sql)
        cursor.fetchall()
    except Exception as error:  # noqa: BLE001 -- every client has its own kinds, and their words are the answer
        return str(error)
    return ""


def values(connection: Any, zoo: str) -> dict[str, Any]:
    """What may be compared between servers."""
    cursor = connection.cursor()
    cursor.execute(zoo)
    found: dict[str, Any] = {"zoo": [[plain(value) for value in row] for row in cursor.fetchall()]}
    cursor.execute(f"select * from ({zoo}) where i32 = 7")
    found["empty"] = [len(cursor.fetchall()), [column[0].split(".")[-1] for column in cursor.description]]
    cursor.execute(ODD_NAMES)
    found["names"] = [column[0] for column in cursor.description]
    cursor.fetchall()
    return found


def probe(connection: Any, zoo: str) -> dict[str, Any]:
    found = values(connection, zoo)
    cursor = connection.cursor()
    cursor.execute(MANY)
    rows = cursor.fetchall()
    found["many"] = [len(rows), sum(row[0] for row in rows), rows[-1][1], sum(1 for row in rows if row[2] is None)]
    cursor.execute(LARGE)
    found["large"] = sum(len(row[0]) for row in cursor.fetchall())
    found["error"] = failure(cursor, "select 1/0")
    found["syntax"] = failure(cursor, "selec 1")
    cursor.execute("create or replace temp view probed as select 7 as x")
    cursor.execute("select x from probed")
    found["view"] = [list(map(int, row)) for row in cursor.fetchall()]
    return found


def cancel(connection: Any, client: str) -> float:
    """Seconds until a statement of minutes ends after it was cancelled at the second."""
    cursor, began = connection.cursor(), time.monotonic()
    if client == "databricks":
        threading.Timer(7, cursor.cancel).start()
        assert failure(cursor, LONG)
    elif client == "impyla":
        cursor.execute_async(LONG)
        time.sleep(1)
        cursor.cancel_operation()
    else:
        cursor.execute(LONG, async_=True)
        time.sleep(1)
        cursor.cancel()
        while cursor.poll().operationState in (0, 1, 7):
            time.sleep(0.1)
    return time.monotonic() - began


def main() -> None:
    part, client, transport, port, zoo = sys.argv[1:6]
    connection = CLIENTS[client](transport, int(port))
    if part == "values":
        found = values(connection, zoo)
    else:
        found = probe(connection, zoo)
        found["cancel"] = cancel(CLIENTS[client](transport, int(port)), client)
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
