"""Third-party and unusual databases on a server: how to load and query them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import create_engine, text

from servers.common.database import Database
from servers.mysql.scan import split
from servers.mysql.server import _run_all

ODD = """
CREATE TABLE <Order> (<Nomor Faktur> VARCHAR(20), <group> VARCHAR(20), <Tanggal> VARCHAR(10), <Tgl> VARCHAR(10),
 <Mata Uang> CHAR(3), <Nilai> DECIMAL(12,2), <Lunas> INTEGER);
INSERT INTO <Order> VALUES ('A', 'tunai', '2023-01-05', '05/01/2023', 'IDR', 150000.50, 1),
 ('B', 'kredit', '2023-01-09', '09/01/2023', 'USD', 20, 0), ('C', 'tunai', '2023-02-01', '01/02/2023', 'IDR', NULL, 1);
CREATE VIEW <Faktur Januari> AS SELECT * FROM <Order> WHERE <Tanggal> < '2023-02-01';
"""


def load_odd(kind: str, url: str) -> None:
    """Load unusual names, dates as text, two currencies and a view; `kind` is mysql or postgres."""
    quote = "`" if kind == "mysql" else '"'
    odd = ODD.replace("<Tanggal> < ", "<Tanggal> LESS ").replace("<", quote).replace(">", quote)
    statements(url, *odd.replace("LESS", "<").split(";\n")[:-1])


def named(url: str, name: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://").rpartition("/")[0] + f"/{name}"


def statements(url: str, *statements: str) -> None:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement.replace(":", r"\:")))
    engine.dispose()


async def asked(database: Database, *queries: str) -> list[Any]:
    statements = [statement for query in queries for statement in split(query, database.kind)]
    return await _run_all(database, statements, 100, 30)
