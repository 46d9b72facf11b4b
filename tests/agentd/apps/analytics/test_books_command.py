"""`agentd books ask`: a saved question is asked again, and an answer's table is written as CSV and XLSX."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from agentd.apps.analytics import books_command, command, tables
from agentd.apps.analytics.books_command import NotSaved, Saved, SavedQuestions
from tests.agentd.apps.analytics.scripts import CONFIG

ROWS = [
    {"Nama": "PT Émas", "Nilai": 1250000.5, "Catatan": None},
    {"Nama": '=HYPERLINK("http://x")', "Nilai": -3, "Catatan": "a,b"},
]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_table_is_written_without_formulas(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"jawaban.{kind}"
    tables.write(ROWS, file)
    if kind == "csv":
        with file.open(encoding="utf-8-sig", newline="") as opened:
            read: list[list[Any]] = list(csv.reader(opened))
        assert read[1:] == [["PT Émas", "1250000.5", ""], ['\'=HYPERLINK("http://x")', "-3", "a,b"]]
    else:
        sheet = load_workbook(file).active
        read = [list(row) for row in sheet.iter_rows(values_only=True)]
        assert read[1:] == [["PT Émas", 1250000.5, None], ['=HYPERLINK("http://x")', -3, "a,b"]]
        assert [cell.data_type for cell in sheet["A"]] == ["s", "s", "s"]
    assert read[0] == ["Nama", "Nilai", "Catatan"]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("start", [*"=+-@\t\r\n＝＋－＠"])
def test_no_text_that_a_spreadsheet_would_run_stands_first_in_a_cell(tmp_path: Path, kind: str, start: str) -> None:
    file = tmp_path / f"jawaban.{kind}"
    text = f"{start}cmd|' /C calc'!A0"
    tables.write([{"Nama": text}], file)
    if kind == "csv":
        with file.open(encoding="utf-8-sig", newline="") as opened:
            assert list(csv.reader(opened))[1] == [f"'{text}"]
    else:
        [[cell]] = load_workbook(file).active["A2:A2"]
        assert cell.data_type == "s"


def test_no_text_within_a_list_begins_a_cell_where_semicolons_part_them(tmp_path: Path) -> None:
    file = tmp_path / "jawaban.csv"
    tables.write([{"Nama": ["a;=1+1", {"b": "c;@x"}], "Nilai": -1.5}], file)
    assert file.read_text(encoding="utf-8-sig").splitlines()[1] == """"['a;'=1+1', {'b': 'c;'@x'}]",-1.5"""


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_what_no_sheet_can_hold_costs_its_character_alone(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"jawaban.{kind}"
    tables.write([{"Nama\x00": "PT \x08Maju\ud800", "Nilai": 10**30}], file)
    assert file.stat().st_size
    if kind == "xlsx":
        assert [cell.value for cell in load_workbook(file).active["A"]] == ["Nama\ufffd", "PT \ufffdMaju?"]


def test_another_kind_of_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.csv or \.xlsx"):
        tables.write(ROWS, tmp_path / "jawaban.pdf")


def test_no_file_without_a_line_is_written_for_an_answer_of_one_figure(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"jawaban\.csv is not written: the answer has no table"):
        tables.write([], tmp_path / "jawaban.csv")
    assert not list(tmp_path.iterdir())


def test_a_question_is_found_by_the_name_it_was_saved_under(tmp_path: Path) -> None:
    SavedQuestions(tmp_path).save("bulanan", Saved("Total penjualan bulan lalu?", "operations"))
    SavedQuestions(tmp_path).save("piutang", Saved("Berapa piutang?"))
    assert SavedQuestions(tmp_path).named("bulanan") == Saved("Total penjualan bulan lalu?", "operations")
    with pytest.raises(NotSaved, match="bulanan, piutang"):
        SavedQuestions(tmp_path).named("mingguan")


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    books_command.register(parser.add_subparsers())
    return parser.parse_args(["books", *words])


def test_a_saved_question_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, str | None, bool]] = []

    def answered(given: argparse.Namespace) -> int:
        asked.append((given.question, given.style, given.keep))
        return 0

    monkeypatch.setattr(command, "run", answered)
    config = tmp_path / "client.toml"
    config.write_text(CONFIG)
    place = ("--config", str(config), "--state", str(tmp_path))
    first = parsed("ask", "Total penjualan bulan lalu?", "--save", "bulanan", *place)
    assert first.run(first) == 0
    again = parsed("ask", "--saved", "bulanan", *place)
    assert again.run(again) == 0
    assert asked == [("Total penjualan bulan lalu?", None, kept) for kept in (True, False)]  # its plan is kept, too
    unknown = parsed("ask", "--saved", "mingguan", *place)
    assert unknown.run(unknown) == 2
    both = parsed("ask", "Berapa piutang?", "--saved", "bulanan", *place)
    assert both.run(both) == 2
    assert "not both" in capsys.readouterr().err
    assert len(asked) == 2
    assert parsed("check", *place).words == ["check"]
