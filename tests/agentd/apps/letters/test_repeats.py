"""When a call would do again what was done: nobody agrees twice to one letter because a model spells it otherwise."""

from __future__ import annotations

import pytest

from agentd.apps.letters.policies.turns import LetterTurns
from tests.agentd.apps.letters.letters import letter

MADE = {
    "nama": "Budi Santoso",
    "tanggal_lahir": "1990-01-15",
    "alamat_domisili": "Jl. Melati No. 5",
    "rt": "003",
    "keperluan": "Melamar pekerjaan",
}


@pytest.mark.parametrize(
    ("field", "value", "again"),
    [
        ("nama", "BUDI SANTOSO", True),
        ("tanggal_lahir", "15 Januari 1990", True),
        ("alamat_domisili", "jl melati no 5", True),
        ("rt", "3", True),
        ("keperluan", "melamar pekerjaan.", True),
        ("nama", "Ani Santoso", False),
        ("nama", "Bu\u0304di Santoso", False),
        ("alamat_domisili", "Jl. Melati No. 6", False),
        ("keperluan", "beasiswa", False),
        ("agama", "Islam", False),
    ],
)
def test_a_call_repeats_another_when_every_value_is_the_same(field: str, value: str, again: bool) -> None:
    assert LetterTurns().repeats(letter(("nama", "nik")), MADE, {**MADE, field: value}) is again
