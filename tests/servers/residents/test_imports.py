"""Imports into agentd's own register on SQLite: a large one beside a counter that reads it, one of unknown columns."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from servers.residents import importing
from servers.residents.cli import _fields
from servers.residents.database import Database
from servers.residents.importing import field_of
from tests.servers.residents.test_own import BUDI, GOOD, register_of, run, write


def test_the_register_can_be_read_until_the_import_ends(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/register.db"
    assert run(tmp_path, url, "import", write(tmp_path, *GOOD)).returncode == 0
    register, counts = register_of(url, tmp_path), list[int]()

    def read(count: int) -> None:
        found = register.find(nik=BUDI)
        assert found is not None and found.resident.nama.startswith("CONTOH")
        counts.append(count)

    lines = ((number, [f"{int(BUDI) + number:016d}", "Budi Contoh"]) for number in range(40_000))
    importing.run(Database(url, writing=True), lines, ["nik", "nama"], read)
    assert counts[-1] == 40_000
    renamed = register.find(nik=BUDI)
    assert renamed is not None and renamed.resident.nama == "Budi Contoh"


def test_columns_that_were_named_once_are_known_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"Nomor KTP": "nik", "Sebutan": "nama", 'Umur "kini" \\ 😀': ""}
    answers = iter(["nama", ""])  # the first is known
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    for _ in range(2):  # asked, then read from the file
        assert _fields([*named], tmp_path / "residents" / "columns.toml") == ["nik", "nama", ""]
    url = f"sqlite:///{tmp_path}/register.db"
    file = write(tmp_path, f"{BUDI};Budi Contoh", header="Nomor KTP;Sebutan")
    assert run(tmp_path, url, "import", file).returncode == 0
    without = run(tmp_path, url, "import", write(tmp_path, "Budi", header="Sebutan"))
    assert without.returncode == 2 and "no column is nik" in without.stderr
    assert field_of("Tanggal Lahir", {}) == "tanggal_lahir"
    assert field_of("akta_lahir", {}) == ""
