"""A chat's shorthands are spelt in full before a question to the books is read."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.vocabulary import in_full


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("nilai penjualan sblm diskon brp?", "nilai penjualan sebelum diskon berapa?"),
        ("pelanggan yg blm bayar, thn lalu", "pelanggan yang belum bayar, tahun lalu"),
        ("Faktur SPT-org dan TP", "Faktur SPT-org dan TP"),
        ("penjualan lg dan spt masa bln kmrn", "penjualan lg dan spt masa bulan kemarin"),
        ("ada brp sj bln ini, siapa sj yg sdh bayar", "ada berapa sj bulan ini, siapa saja yang sudah bayar"),
        ("durasi dlm menit, Januari smpe Maret", "durasi dalam menit, Januari sampai Maret"),
        ("", ""),
    ],
)
def test_shorthands_are_spelt_in_full_and_names_and_codes_stay(text: str, spelt: str) -> None:
    assert in_full(text) == spelt
