"""More than forty statements that would run forever or use all memory on SQLite, and a small database for them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ROWS = 3000
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
_N = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
_T = "t a, t b, t c, t d"
BIG = "printf('%.*c',900000,'x')"
VARIED = "printf('%.*c',900000+a.x%7+b.x%11,'x')"
"""Differs in every row, so that SQLite can't compute it once."""
MANY = "printf('%.*c',60000,'y')||'x'"
GREEDY = (
    # one function that runs long within one row, where no interrupt reaches it
    "SELECT printf('%.*c',700000000,'x')",
    "SELECT length(printf('%.*c',2000000000,'x'))",
    "SELECT format('%.*c',1500000000,'x') FROM t",
    "SELECT sum(length(printf('%900000d',a.x+b.x))) FROM t a, t b",
    f"SELECT sum(length(trim({VARIED},{MANY}))) FROM t a, t b",
    f"SELECT sum(length(ltrim({VARIED},{MANY}))) FROM t a, t b",
    f"SELECT sum(length(rtrim({VARIED},{MANY}))) FROM t a, t b",
    f"SELECT sum(length(replace({VARIED},'x','x'))) FROM t a, t b",
    f"SELECT sum(instr({BIG},printf('%.*c',450000,'x')||'y')) FROM t",
    f"SELECT sum(length(hex(substr({VARIED},1,400000)))) FROM t a, t b",
    f"SELECT sum(length(quote({VARIED}))) FROM t a, t b",
    f"SELECT sum(length(upper({VARIED}))) FROM t a, t b",
    f"SELECT sum(unicode(substr({VARIED},800000))) FROM t a, t b",
    f"SELECT sum({VARIED} LIKE '%x%xy') FROM t a, t b",
    f"SELECT sum({VARIED} GLOB '*x*xy') FROM t a, t b",
    f"SELECT sum({VARIED} LIKE '{'%x_' * 100}y') FROM t a, t b",
    f"SELECT sum({VARIED} GLOB '{'*[xz]' * 80}y') FROM t a, t b",
    "SELECT sum(length(randomblob(1000000))) FROM t a, t b",
    "SELECT sum(length(hex(randomblob(400000)))) FROM t a, t b",
    "SELECT sum(length(zeroblob(1000000+a.x%7+b.x%11)||'x')) FROM t a, t b",
    "SELECT sum(length(hex(zeroblob(500000+a.x%7+b.x%11)))) FROM t a, t b",
    f"SELECT sum(json_array_length('['||replace(substr({VARIED},1,300000),'x','1,')||'1]')) FROM t a, t b",
    # statements with an unlimited number of rows
    ENDLESS,
    _N + "SELECT sum(i) FROM n",
    _N + "SELECT max(i) FROM n WHERE i < 0",
    _N + "SELECT DISTINCT i FROM n ORDER BY i",
    _N + "SELECT i % 7, COUNT(*) FROM n GROUP BY 1",
    _N + "SELECT group_concat(i) FROM n",
    _N + "SELECT total(i * 1.5) FROM n",
    _N + "SELECT i FROM n ORDER BY -i LIMIT 1",
    _N + "SELECT row_number() OVER (ORDER BY -i) FROM n",
    "WITH RECURSIVE s(x) AS (SELECT 'ab' UNION ALL SELECT substr(x||x,1,100000) FROM s) SELECT sum(length(x)) FROM s",
    "WITH RECURSIVE s(x) AS (SELECT 1 UNION SELECT x * 3 % 1000000007 FROM s) SELECT count(*) FROM s",
    f"SELECT COUNT(*) FROM {_T}",
    f"SELECT COUNT(*) FROM {_T} WHERE a.x + b.x = c.x * d.x",
    f"SELECT a.y FROM {_T} ORDER BY a.y || b.y || c.y LIMIT 1",
    f"SELECT DISTINCT a.y || b.y || c.y || d.y FROM {_T} ORDER BY 1",
    f"SELECT a.y || b.y, COUNT(*) FROM {_T} GROUP BY 1 ORDER BY 2",
    "SELECT COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b, t c, t d WHERE b.x + c.x + d.x = -a.x)",
    "SELECT a.x, (SELECT COUNT(*) FROM t b, t c WHERE b.y < c.y AND c.y < a.y) FROM t a ORDER BY 2",
    "SELECT COUNT(*) FROM t a, t b, t c WHERE a.y LIKE '%'||b.y||'%'||c.y||'%'",
    "SELECT SUM(YEAR(a.y)+DATEDIFF(b.y,c.y)) FROM t a, t b, t c",
    "SELECT a.x FROM t a, t b, t c EXCEPT SELECT d.x FROM t d, t e, t f",
    "SELECT sum(a.x) OVER (ORDER BY b.x, c.x, a.x) FROM t a, t b, t c",
)


def file_of(path: Path) -> Path:
    """A database with one table of ROWS rows."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (x INTEGER, y TEXT)")
        rows = [(number, f"2026-01-{number % 28 + 1:02}-{number}") for number in range(ROWS)]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    return path
