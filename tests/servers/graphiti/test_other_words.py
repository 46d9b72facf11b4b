"""Questions in another language than the names of an office's own schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from servers.graphiti.answers import schema_info
from servers.graphiti.embedding import Embedder
from servers.graphiti.schema_search import SchemaSearch
from servers.graphiti.schema_source import FileSource
from tests.servers.graphiti.conftest import no_graph

TABLES = {
    "Patient": ("SSN", "Name", "Address", "Phone"),
    "Physician": ("EmployeeID", "Name", "Position"),
    "Medication": ("Code", "Name", "Brand"),
    "Affiliated_With": ("Physician", "Department"),
    "Room": ("RoomNumber", "RoomType", "Unavailable"),
}


async def purposes(folder: Path, asked: str) -> dict[str, str]:
    tables = [
        {"name": name, "columns": [{"name": each, "type": "VARCHAR"} for each in columns]}
        for name, columns in TABLES.items()
    ]
    (folder / "own.json").write_text(json.dumps({"tables": tables, "profiled": True}))
    search = SchemaSearch(FileSource(folder / "own.json"), Embedder(), no_graph)
    found = schema_info(await search.find("count", [asked]))
    return {table["table_name"]: table.get("purpose", "") for table in found["relevant_tables"]}


@pytest.mark.parametrize(
    ("asked", "table", "word"),
    [
        ("berapa pasien?", "Patient", "pasien"),
        ("siapa saja dokternya?", "Physician", "dokter"),
        ("obat apa saja?", "Medication", "obat"),
    ],
)
async def test_a_word_for_a_name_in_another_language_finds_it_and_counts_as_said(
    tmp_path: Path, asked: str, table: str, word: str
) -> None:
    found = await purposes(tmp_path, asked)
    assert word in found[table]
    assert not any(word in purpose for name, purpose in found.items() if name != table)


@pytest.mark.parametrize("asked", ["berapa gajinya yang tersedia?", "berapa tingkat kepuasan?"])
async def test_words_for_nothing_in_the_schema_find_nothing(tmp_path: Path, asked: str) -> None:
    assert await purposes(tmp_path, asked) == {}
