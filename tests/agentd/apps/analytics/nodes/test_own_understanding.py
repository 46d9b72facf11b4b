"""The prompt that asks a model to read a question about an office's own database."""

from __future__ import annotations

import json
from pathlib import Path

from agentd.apps.analytics.nodes.understand_query import SCHEMA, begun_for, orders_to_write
from agentd.apps.analytics.planner.examples import ExampleLibrary

BOOKS = """
[tables.Physician]
label = "dokter"
synonyms = ["doctor"]
[tables.Stay]
label = ""
synonyms = []
[[questions]]
ask = "Berapa banyak stay?"
sql = "SELECT COUNT(*) AS n FROM `Stay`"
"""


def test_an_own_database_is_described_by_its_tables_and_its_own_questions(tmp_path: Path) -> None:
    file = tmp_path / "books.toml"
    file.write_text(BOOKS)
    messages, schema = begun_for(ExampleLibrary(shipped=False, books=file))
    assert "Physician (dokter, doctor); Stay" in messages[0].content
    assert "trading company" not in messages[0].content
    assert json.loads(messages[2].content)["entities_mentioned"] == ["Stay"]
    assert not any("faktur" in message.content for message in messages)
    assert schema["properties"]["intent"]["enum"] == ["report", "change_data", "unclear"]


def test_the_sample_company_stays_a_trading_company() -> None:
    messages, schema = begun_for(ExampleLibrary())
    assert "a trading company's books" in messages[0].content
    assert schema is SCHEMA


def test_an_order_to_change_data_is_known_by_its_verb_whatever_the_model_says() -> None:
    assert orders_to_write("Tolong hapus semua penyewaan yang sudah dikembalikan")
    assert orders_to_write("Delete all rentals")
    assert orders_to_write("Set semua order menjadi lunas")
    assert orders_to_write("Please mark invoice 12 as paid")
    assert not orders_to_write("Change in revenue from 2021 to 2022?")
    assert not orders_to_write("Set menu mana yang paling laku?")
    assert not orders_to_write("Berapa faktur yang dihapus?")
