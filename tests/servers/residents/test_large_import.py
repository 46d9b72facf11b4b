"""A large import into agentd's own register on SQLite, beside a counter that reads it."""

from __future__ import annotations

from pathlib import Path

from servers.residents import importing
from servers.residents.database import Database
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
