"""Reads Iceberg tables with DuckDB's own iceberg extension (1.5, from its wheels): rows as sorted texts, as JSON.

Runs in an environment of its own: `pip install duckdb==1.5.5 duckdb-extension-iceberg duckdb-extension-avro`.
"""

import json
import sys
from pathlib import Path

import duckdb


def extension(name: str) -> str:
    for entry in sys.path:
        for found in Path(entry).glob(f"duckdb_extension_{name}/**/{name}.duckdb_extension"):
            return str(found)
    raise SystemExit(f"the extension {name} is not installed")


if __name__ == "__main__":
    reader = duckdb.connect()
    reader.execute("SET TimeZone = 'UTC'")
    for each in ("avro", "iceberg"):
        reader.execute(f"LOAD '{extension(each)}'")
    for metadata in sys.argv[1:]:
        rows = reader.execute(f"SELECT CAST(to_json(t) AS VARCHAR) FROM iceberg_scan('{metadata}') t").fetchall()
        print(json.dumps(sorted(text for (text,) in rows)))
