"""MySQL's functions of dates give on SQLite what MySQL gives."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from servers.common import mysql_dates


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("DATEDIFF('2023-03-01', '2023-02-27')", 2),
        ("DATEDIFF('2023-02-27 23:59:59', '2023-03-01')", -2),
        ("DATEDIFF('2023-03-01', NULL)", None),
        ("DATEDIFF('besok', '2023-03-01')", None),
        ("YEAR('2022-12-31')", 2022),
        ("QUARTER('2022-10-01')", 4),
        ("MONTH('2022-10-01')", 10),
        ("DAY('2022-10-01 08:00')", 1),
    ],
)
def test_a_function_gives_what_mysql_gives(expression: str, value: int | None) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        mysql_dates.add_to(database)
        assert database.execute(f"SELECT {expression}").fetchone() == (value,)
