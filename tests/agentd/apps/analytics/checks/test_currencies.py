"""Amounts of two currencies: not added, and not shown as the office's own. Issue 19."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.analytics.checks.currencies import mixed, unlabelled
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.office import plan

TABLES: list[dict[str, Any]] = [
    {
        "table_name": "Faktur",
        "columns": [
            {"name": "Nomor", "classification": "identifier"},
            {"name": "Mata Uang", "classification": "descriptive", "sample_values": ["IDR", "USD"]},
            {"name": "Nilai", "classification": "financial_amount"},
            {"name": "NilaiLokal", "classification": "financial_amount"},
        ],
    }
]


def made(query: str, template: str = "Total {TOTAL}.") -> Any:
    return read_plan(
        plan(("TOTAL", query), template=template), "sql", {}, ["Total faktur, dan yang terbesar?"], Schema.read(TABLES)
    )


@pytest.mark.parametrize(
    ("query", "refused"),
    [
        ("SELECT SUM(Nilai) AS total FROM Faktur", True),
        ("SELECT AVG(f.Nilai) AS total FROM Faktur f", True),
        ("SELECT MAX(Nilai) AS total FROM Faktur", True),
        ("SELECT Nomor, Nilai AS total FROM Faktur ORDER BY Nilai DESC LIMIT 1", True),
        ("SELECT Nomor, Nilai AS total FROM Faktur WHERE `Mata Uang` = 'USD' ORDER BY Nilai DESC LIMIT 1", False),
        ("SELECT Nomor, Nilai AS total FROM Faktur", False),
        ("SELECT SUM(NilaiLokal) AS total FROM Faktur", False),
        ("SELECT `Mata Uang`, SUM(Nilai) AS total FROM Faktur GROUP BY `Mata Uang`", False),
        ("SELECT SUM(Nilai) AS total FROM Faktur WHERE `Mata Uang` = 'IDR'", False),
        ("SELECT COUNT(*) AS total FROM Faktur", False),
    ],
)
def test_rupiah_and_dollars_are_not_added(query: str, refused: bool) -> None:
    assert bool(mixed(made(query), Schema.read(TABLES))) is refused


def test_one_currency_alone_is_added() -> None:
    alone = [{**TABLES[0], "columns": [{"name": "Mata Uang", "sample_values": ["IDR"]}, {"name": "Nilai"}]}]
    assert mixed(made("SELECT SUM(Nilai) AS total FROM Faktur"), Schema.read(alone)) == []


def test_an_operation_is_judged_alike() -> None:
    operation = {
        "operation_id": "o",
        "main_table": "Faktur",
        "select_columns": [{"field_name": "Faktur.Nilai", "aggregation": "SUM", "alias": "TOTAL"}],
        "result_key": "TOTAL",
    }
    answer = {"operations": [operation], "response_template": "Total {TOTAL}."}
    read = read_plan(answer, "operations", {}, ["Total faktur, dan yang terbesar?"], Schema.read(TABLES))
    assert "IDR and USD" in mixed(read, Schema.read(TABLES))[0]


def test_amounts_told_apart_by_currency_are_plain_numbers() -> None:
    by_currency = made("SELECT `Mata Uang` AS kode, SUM(Nilai) AS total FROM Faktur GROUP BY `Mata Uang`")
    assert unlabelled(by_currency, Schema.read(TABLES)).mapping["total"] == "number_with_separator"
    local = made("SELECT SUM(NilaiLokal) AS total FROM Faktur")
    assert unlabelled(local, Schema.read(TABLES)).mapping == local.mapping


@pytest.mark.parametrize(
    ("shown", "template"),
    [
        ("SUM(Nilai)", "Total USD {TOTAL}."),
        ("SUM(NilaiLokal)", "Total {TOTAL}."),
        ("COUNT(*)", "Total {TOTAL}."),
    ],
)
def test_the_amount_of_one_currency_stands_behind_its_code(shown: str, template: str) -> None:
    dollars = made(f"SELECT {shown} AS total FROM Faktur WHERE `Mata Uang` = 'USD'")
    once = unlabelled(dollars, Schema.read(TABLES))
    assert (once.template, unlabelled(once, Schema.read(TABLES)).template) == (template, template)


def test_rows_of_several_currencies_are_not_the_offices_money() -> None:
    rows = made("SELECT Nomor, Nilai AS nilai, NilaiLokal AS lokal FROM Faktur", "{TOTAL}")
    mapping = unlabelled(rows, Schema.read(TABLES)).mapping
    assert (mapping["nilai"], mapping["lokal"]) == ("number_with_separator", "currency_IDR")


@pytest.mark.parametrize("kind", ["RANK", "TOP", "BOTTOM", "TREND"])
def test_a_statement_does_not_compare_rupiah_with_dollars(kind: str) -> None:
    rows = made("SELECT Nomor, Nilai AS nilai FROM Faktur", f"{{{kind} TOTAL}}")
    assert "IDR and USD" in mixed(rows, Schema.read(TABLES))[0]
