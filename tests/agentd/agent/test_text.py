"""Words are folded and spelt in full before they are read."""

from __future__ import annotations

import pytest

from agentd.agent.text import in_full


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("nilai penjualan sblm diskon brp?", "nilai penjualan sebelum diskon berapa?"),
        ("pelanggan yg blm bayar, thn lalu", "pelanggan yang belum bayar, tahun lalu"),
        ("Faktur SPT-org dan TP", "Faktur SPT-org dan TP"),
        ("", ""),
    ],
)
def test_shorthands_are_spelt_in_full_and_names_and_codes_stay(text: str, spelt: str) -> None:
    assert in_full(text) == spelt
