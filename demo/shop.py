"""The demo's input: a web shop's customers (CSV), products (JSON lines), orders and order lines (Parquet).

Every value is a hash of its row number, so every run writes the same rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

CUSTOMERS, PRODUCTS, ORDERS, LINES = 20_000, 1_500, 200_000, 600_000

MACROS = """
CREATE MACRO scatter(i, salt, n) AS CAST(hash(concat(i, '-', salt)) % n AS BIGINT);
CREATE MACRO pick(choices, i, salt) AS choices[1 + scatter(i, salt, len(choices))];
"""

CUSTOMER_ROWS = f"""
SELECT i AS customer_id,
       pick(['Ada','Grace','Edsger','Barbara','Alan','Katherine','Donald','Frances','Niklaus','Radia'], i, 1)
         || ' ' || pick(['Lovelace','Hopper','Dijkstra','Liskov','Turing','Johnson','Knuth','Allen','Wirth','Perlman'],
                        i, 2) AS name,
       CASE WHEN scatter(i, 3, 40) = 0 THEN NULL ELSE 'c' || i || '@example.org' END AS email,
       pick(['DE','FR','NL','PL','ES','IT','SE','AT'], i, 4) AS country,
       pick(['consumer','business','public'], i, 5) AS segment,
       DATE '2022-01-01' + CAST(scatter(i, 6, 700) AS INTEGER) AS signed_up
FROM range(1, {CUSTOMERS} + 1) t(i)
"""

PRODUCT_ROWS = f"""
SELECT i AS product_id,
       pick(['Oak','Steel','Linen','Paper','Glass','Wool'], i, 7) || ' '
         || pick(['Desk','Lamp','Chair','Notebook','Shelf','Kettle','Blanket'], i, 8) || ' ' || i AS title,
       {{'name': pick(['furniture','lighting','kitchen','office','textiles'], i, 9),
         'tax_percent': pick([7, 19], i, 10)}} AS category,
       [t FOR t IN ['new','sale','eco','import'] IF scatter(i, len(t), 3) = 0] AS tags
FROM range(1, {PRODUCTS} + 1) t(i)
"""

ORDER_ROWS = f"""
SELECT CAST(i AS BIGINT) AS order_id,
       CAST(1 + scatter(i, 11, {CUSTOMERS}) AS INTEGER) AS customer_id,
       CAST(TIMESTAMP '2024-01-01 00:00:00' + to_seconds(scatter(i, 12, 31536000)) AS TIMESTAMPTZ) AS ordered_at,
       pick(['done','done','done','done','returned','cancelled'], i, 13) AS status,
       CASE WHEN scatter(i, 14, 25) = 0 THEN NULL ELSE pick(['web','app','shop','phone'], i, 15) END AS channel
FROM range(1, {ORDERS} + 1) t(i)
"""

LINE_ROWS = f"""
SELECT CAST(1 + scatter(i, 16, {ORDERS}) AS BIGINT) AS order_id,
       CAST(1 + scatter(i, 17, {PRODUCTS}) AS INTEGER) AS product_id,
       CAST(1 + scatter(i, 18, 8) AS INTEGER) AS quantity,
       CAST((99 + scatter(i, 19, 25000)) / 100 AS DECIMAL(10, 2)) AS unit_price,
       CAST(pick([0, 0, 0, 5, 10, 20], i, 20) / 100 AS DECIMAL(4, 2)) AS discount
FROM range(1, {LINES} + 1) t(i)
"""

FILES = {
    "customers.csv": (CUSTOMER_ROWS, "FORMAT csv, HEADER"),
    "products.json": (PRODUCT_ROWS, "FORMAT json"),
    "orders.parquet": (ORDER_ROWS, "FORMAT parquet"),
    "order_lines.parquet": (LINE_ROWS, "FORMAT parquet"),
}


def generate(directory: Path) -> None:
    """Write the four files; a file that is there already is kept."""
    directory.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect()
    connection.execute(MACROS)
    connection.execute("SET TimeZone = 'UTC'")
    for name, (rows, options) in FILES.items():
        if not (directory / name).exists():
            write(connection, rows, directory / name, options)


def write(connection: duckdb.DuckDBPyConnection, rows: str, path: Path, options: str) -> None:
    """Through a second name, so that an interrupted run leaves no half file behind."""
    unfinished = path.with_name(path.name + ".unfinished")
    connection.execute(f"COPY ({rows}) TO '{unfinished}' ({options})")
    unfinished.rename(path)


if __name__ == "__main__":
    generate(Path(sys.argv[1]))
