"""A graph's answer as a file: its headings are words, a node is its properties (issue 20)."""

from __future__ import annotations

import io
from datetime import datetime

import pytest
from openpyxl import load_workbook

from agentd.apps.analytics.tables import made, rows_of_graph


def test_a_graphs_rows_are_headed_by_words_and_a_node_is_its_properties() -> None:
    answer = {
        "columns": ["m.title", "m", "avg(r.firstRating)"],
        "headings": ["title", "Movie", "average first rating"],
        "rows": [["Jaws", None, 81.5], ["Alien", {"title": "Alien", "firstShown": 1979}, 90]],
    }
    first = {"title": "Jaws", "title 2": None, "first shown": None, "average first rating": 81.5}
    second = {"title": "Alien", "title 2": "Alien", "first shown": 1979, "average first rating": 90}
    assert rows_of_graph(answer) == [first, second]
    assert made(rows_of_graph(answer), ".csv").decode("utf-8-sig").splitlines()[0] == ",".join(first)


def test_an_answer_that_was_kept_without_headings_keeps_its_columns() -> None:
    assert rows_of_graph({"columns": ["m.title"], "rows": [["Jaws"]]}) == [{"m.title": "Jaws"}]
    assert rows_of_graph({}) == []


def test_dates_are_cells_that_a_spreadsheet_can_count_with() -> None:
    days = ["2023-01-31", "2023-01-31 14:05:00", "1899-12-31", "2023-02-30", "2023-01-31T10:00:00+07:00"]
    sheet = load_workbook(io.BytesIO(made([{"day": day} for day in days], ".xlsx"))).active
    cells = [cell.value for cell in sheet["A"][1:]]
    assert cells == [datetime(2023, 1, 31), datetime(2023, 1, 31, 14, 5), *days[2:]]
    assert [cell.number_format for cell in sheet["A"][1:3]] == ["yyyy-mm-dd", "yyyy-mm-dd h:mm:ss"]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        (" =1+1", "' =1+1"),
        ("Budi;=1+1", "Budi;'=1+1"),
        ("Budi; @x;-1", "Budi;' @x;'-1"),
        ("Jl. Melati 5; RT 3-4", "Jl. Melati 5; RT 3-4"),
    ],
)
def test_no_cell_of_a_csv_file_is_a_formula_where_semicolons_separate_either(value: str, cell: str) -> None:
    assert made([{"nama": value}], ".csv").decode("utf-8-sig").splitlines()[1] == cell
