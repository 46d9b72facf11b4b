"""`placeholder_mcp_server`: the document's example, every type, and everything that can be amiss (seed 000 §4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from servers.placeholder.fill import FormattingRule, fill
from servers.placeholder.formats import FORMATS, UnfitError, format_value
from servers.placeholder.server import create_server
from tests.servers.process import served

ROOT = Path(__file__).resolve().parents[3]


async def test_the_example_of_the_document_answers_as_printed_there() -> None:
    """Seed 000 §4.4, by a client of its own process."""
    request = {
        "response_template": "Laporan Penjualan {PERIOD_LABEL}:\n- Total Penjualan: {TOTAL_SALES_VALUE}\n"
        "- Jumlah Transaksi: {TRANSACTION_COUNT_VALUE} transaksi",
        "data_values": {
            "PERIOD_LABEL": "Januari 2023",
            "TOTAL_SALES_VALUE": 125000000.50,
            "TRANSACTION_COUNT_VALUE": 456,
        },
        "formatting_rules": {
            "TOTAL_SALES_VALUE": {"type": "currency_IDR", "precision": 2},
            "TRANSACTION_COUNT_VALUE": {"type": "number_with_separator"},
        },
    }
    async with served("placeholder") as client:
        assert client.server_info.name == "placeholder_mcp_server"
        result = await client.call_tool("fill_placeholders", request)
    assert not result.is_error
    assert result.structured_content == {
        "final_narrative": "Laporan Penjualan Januari 2023:\n- Total Penjualan: Rp 125.000.000,50\n"
        "- Jumlah Transaksi: 456 transaksi"
    }
    assert json.loads(result.content[0].text) == result.structured_content


async def test_a_client_learns_the_types_and_that_nothing_is_changed() -> None:
    async with Client(create_server()) as client:
        assert "currency_IDR" in str(client.instructions)
        [tool] = (await client.list_tools()).tools
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.input_schema["required"] == ["response_template", "data_values"]
        assert tool.output_schema is not None
        assert tool.output_schema["required"] == ["final_narrative"]
        short = {"response_template": "{A}", "data_values": {"A": 2}, "formatting_rules": {"A": "currency_IDR"}}
        answer = await client.call_tool("fill_placeholders", short)
        assert answer.structured_content == {"final_narrative": "Rp 2"}
        half = {"response_template": "{A}", "data_values": {"A": "1\ud800"}}
        assert (await client.call_tool("fill_placeholders", half)).structured_content == {"final_narrative": "1?"}
        wrong = await client.call_tool("fill_placeholders", {"response_template": "{A}"})
        assert wrong.is_error


@pytest.mark.parametrize(
    ("kind", "precision", "value", "expected"),
    [
        ("currency_IDR", None, 125000000.5, "Rp 125.000.000,50"),
        ("currency_IDR", None, 1234, "Rp 1.234"),
        ("currency_IDR", None, 29500000.00, "Rp 29.500.000"),
        ("currency_IDR", None, 1234.999, "Rp 1.235"),
        ("currency_IDR", 0, 1234.5, "Rp 1.235"),
        ("currency_IDR", 2, 0.1, "Rp 0,10"),
        ("currency_IDR", None, -1500.25, "-Rp 1.500,25"),
        ("currency_IDR", None, -0.001, "Rp 0"),
        ("currency_IDR", None, "12345678901234567890.25", "Rp 12.345.678.901.234.567.890,25"),
        ("currency_IDR", 2, 1.005, "Rp 1,01"),
        ("currency_IDR", None, 1e28, "Rp 10.000.000.000.000.000.000.000.000.000"),
        ("currency_IDR", None, "-123456789012345678901234567890.25", "-Rp 123.456.789.012.345.678.901.234.567.890,25"),
        ("percentage", None, "1234567890123456789012345678.90", "123.456.789.012.345.678.901.234.567.890%"),
        ("number_with_separator", None, 456, "456"),
        ("number_with_separator", None, -0.0, "0"),
        ("number_with_separator", None, 1234567, "1.234.567"),
        ("number_with_separator", None, 1234.5, "1.234,5"),
        ("number_with_separator", 3, 1234.5, "1.234,500"),
        ("number_with_separator", None, -1e21, "-1.000.000.000.000.000.000.000"),
        ("number_with_separator", None, 0.1, "0,1"),
        ("integer", None, 1999.5, "2000"),
        ("integer", None, "-3", "-3"),
        ("integer", 0, 2.4, "2"),
        ("percentage", None, 0.1234, "12,34%"),
        ("percentage", None, 0.5, "50%"),
        ("percentage", 1, 0.5, "50,0%"),
        ("percentage", None, 1 / 3, "33,33%"),
        ("percentage", None, -0.025, "-2,5%"),
        ("percentage", None, 12, "1.200%"),
        ("date_DD_MMM_YYYY", None, "2023-01-15", "15 Jan 2023"),
        ("date_DD_MMM_YYYY", None, "2023-08-05T09:30:00", "05 Agu 2023"),
        ("date_DD_MMM_YYYY", None, "2023-05-05 23:59:59", "05 Mei 2023"),
        ("date_long", None, "2023-12-01", "1 Desember 2023"),
        ("terbilang", None, 0, "nol"),
        ("terbilang", None, 1250000.5, "satu juta dua ratus lima puluh ribu koma lima"),
        ("terbilang", 2, 1000.05, "seribu koma nol lima"),
        ("terbilang", None, -11, "minus sebelas"),
        ("terbilang", 0, 1.5, "dua"),
        ("text", None, 125000000.5, "125000000.5"),
        ("text", None, 1e22, "10000000000000000000000"),
        ("text", None, True, "ya"),
        ("text", None, ["a", 2, None], "a, 2, tidak tersedia"),
        ("text", None, {"a": "ü"}, '{"a": "ü"}'),
        *((kind, None, None, "tidak tersedia") for kind in FORMATS),
    ],
)
def test_a_value_is_written_the_indonesian_way(kind: str, precision: int | None, value: Any, expected: str) -> None:
    assert format_value(value, kind, precision) == expected


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        ("currency_IDR", "abc", "not a number"),
        ("currency_IDR", True, "not a number"),
        ("number_with_separator", [1], "not a number"),
        ("number_with_separator", float("nan"), "not a finite number"),
        ("integer", "1e999999", "too many digits"),
        ("date_long", "15/01/2023", "not a date"),
        ("date_DD_MMM_YYYY", 20230115, "not a date"),
        ("terbilang", 10**18, "too large"),
        ("currency_USD", 1, "there is no type 'currency_USD'"),
    ],
)
def test_a_value_that_does_not_fit_says_why(kind: str, value: Any, why: str) -> None:
    with pytest.raises(UnfitError, match=why):
        format_value(value, kind)


@pytest.mark.parametrize(
    ("template", "values", "narrative", "warned"),
    [
        ("{A} dan {A}", {"A": 1}, "1 dan 1", []),
        ("{ A }", {"A": 1}, "1", []),
        ("Total {TOTAL}", {"TOTALS": 1}, "Total {TOTAL}", ["TOTAL has no value", "asks for TOTALS"]),
        ("{A} {A}", {}, "{A} {A}", ["A has no value; the placeholder stays."]),
        ("{A}", {"A": None}, "tidak tersedia", ["A is null."]),
        ("tetap", {"A": 1, "B": 2}, "tetap", ["asks for A, B."]),
        ("{} {a, b} {1} { } }{", {}, "{} {a, b} {1} { } }{", []),
        ("{{A}} {x {A}} {A", {"A": 1}, "{1} {x 1} {A", []),
        ("{A}", {"A": "{B}", "B": 2}, "{B}", ["asks for B."]),
        ("{Nama Pelanggan}", {"Nama Pelanggan": "PT ABC"}, "PT ABC", []),
        ("{total.jan-23} {größe}", {"total.jan-23": 1, "größe": 2}, "1 2", []),
        ("", {}, "", []),
        (r"\1 {A} \g<0>", {"A": r"\2"}, r"\1 \2 \g<0>", []),
    ],
)
def test_every_oddity_of_a_template_has_its_stated_answer(
    template: str, values: dict[str, Any], narrative: str, warned: list[str]
) -> None:
    """Issue 6: missing values, unused values, braces in text and nested braces each have a stated answer."""
    filled = fill(template, values, {})
    assert filled.narrative == narrative
    assert len(filled.warnings) == len(warned), filled.warnings
    for warning, said in zip(filled.warnings, warned, strict=True):
        assert said in warning


def test_a_rule_that_cannot_be_applied_leaves_the_value_and_says_so() -> None:
    rules = {name: FormattingRule(type=kind) for name, kind in (("A", "currency_IDR"), ("B", "kurs"), ("C", "text"))}
    filled = fill("{A} {B}", {"A": "abc", "B": 1}, rules)
    assert filled.narrative == "abc 1"
    assert "A is shown as it is: it is not a number" in filled.warnings[0]
    assert "currency_IDR" in filled.warnings[1]
    assert "rules for C" in filled.warnings[2]
