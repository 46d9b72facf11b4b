"""Days beside a column that holds them in another form: no database reports it, and no row is found."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.dates import days_otherwise
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.scripts import of

COLUMNS = [
    {"name": "tanggal", "type": "VARCHAR", "description": "tanggal sebagai teks: 31/01/2023"},
    {"name": "iso", "type": "VARCHAR", "classification": "temporal", "description": "tanggal sebagai teks: 2023-01-31"},
    {"name": "nota", "type": "TEXT", "description": "nota"},
    {"name": "hari", "type": "INT", "classification": "quantitative"},
    {"name": "tahun", "type": "INTEGER", "classification": "temporal"},
    {"name": "waktu", "type": "TIMESTAMP", "classification": "temporal"},
]
SCHEMA = Schema.read([{"table_name": "jual", "columns": COLUMNS}, {"table_name": "beli", "columns": COLUMNS[:1]}])


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("tanggal BETWEEN '2023-01-01' AND '2023-01-31'", "tanggal"),
        ("J.tanggal >= '2023-01-01'", "tanggal"),
        ("hari < '2023-02-01' AND hari >= '2023-01-01'", "hari"),
        ("`hari` IN ('2023-01-01')", "hari"),
        ("STR_TO_DATE(tanggal, '%d/%m/%Y') >= '2023-01-01'", ""),
        ("TO_DATE(hari::text, 'YYYYMMDD') >= '2023-01-01'", ""),
        ("hari >= DATE '2023-01-01'", ""),
        ("iso >= '2023-01-01' AND waktu < '2023-02-01' AND tahun = '2023-01-01'", ""),
        ("nota = '2023-01-01'", ""),
        ("tanggal = '05/01/2023' AND hari = 20230105", ""),
    ],
)
def test_a_day_is_compared_only_with_a_date(condition: str, told: str) -> None:
    found = [*days_otherwise(of(f"SELECT COUNT(*) AS n FROM jual J WHERE {condition}", "N"), SCHEMA)]
    assert [each.split()[1] for each in found] == [told] * bool(told)
