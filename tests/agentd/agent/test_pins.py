"""A PIN that is written into a conversation stands in none; other numbers stay."""

from __future__ import annotations

import pytest

from agentd.agent.pins import HIDDEN, without_pin

NIK = "3175061708859001"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("pin saya 843156, tolong surat SKCK", f"pin saya {HIDDEN}, tolong surat SKCK"),
        ("P.I.N: 84 31 56", f"P.I.N: {HIDDEN}"),
        ("843-156 itu pin saya", f"{HIDDEN} itu pin saya"),
        (f"NIK {NIK} PIN {NIK[:6]}", f"NIK {NIK} PIN {HIDDEN}"),
        (f"{NIK} 843156", f"{NIK} {HIDDEN}"),
        ("my pin is 843156", f"my pin is {HIDDEN}"),
    ],
)
def test_a_pin_is_taken_out(said: str, kept: str) -> None:
    assert without_pin(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "750000",
        "penghasilan saya 750000 sebulan",
        f"pin lupa, NIK {NIK}",
        "pin 12345 kurang satu angka",
        "Perumahan Pinang Asri 123456",
        "pin saya hilang kemarin, dan saya perlu surat domisili untuk bank dengan nomor 123456",
    ],
)
def test_another_number_stays(said: str) -> None:
    assert without_pin(said) == said
