"""The evaluation judges by values, and its gold is what the seed ERP says (issue 7 "Evaluation")."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from lab.eval.analytics.__main__ import GOLD, RESULTS, gold
from lab.eval.analytics.as_read import faults_of
from lab.eval.analytics.judging import invented, is_right
from lab.eval.analytics.questions import QUESTIONS, paraphrases
from lab.eval.analytics.reworded import sample
from servers.common.erp import build


def test_there_are_sixty_questions_of_every_kind() -> None:
    assert len({question.text for question in QUESTIONS}) >= 60
    assert set(Counter(question.kind for question in QUESTIONS)) == {
        "simple", "join", "period", "ranking", "comparison", "share", "overdue", "empty", "impossible", "ambiguous",
        "hostile", "follow_up",
    }  # fmt: skip


def test_forty_paraphrases_ask_for_what_forty_questions_do() -> None:
    """Issue 19 "Second and third opinions"."""
    known = {question.text: question for question in QUESTIONS}
    reworded = paraphrases()
    assert len({each.of for each in reworded}) == len({each.text for each in reworded} - known.keys()) == 40
    assert {each.kind for each in reworded} == {each.kind for each in QUESTIONS}
    assert all(each.queries == known[each.of].queries and each.before == known[each.of].before for each in reworded)
    assert [each.of for each in sample(12)["paraphrases"]] == [each.text for each in sample(12)["originals"]]


def test_the_gold_is_what_the_seed_erp_says(tmp_path: Path) -> None:
    known = json.loads(GOLD.read_text())
    assert known == json.loads(json.dumps(gold(build(tmp_path / "erp.db"))))
    assert known["Total penjualan Januari 2023 dan jumlah transaksinya?"] == [[[125000000.5, 456]]]
    assert known["Berapa total piutang yang belum lunas?"] == [[[29500000]]]


def test_an_answer_is_judged_by_its_values() -> None:
    question = next(each for each in QUESTIONS if each.text == "Berapa total piutang yang belum lunas?")
    answer = {"final_narrative": "apa pun", "mcp_tool_call_history": [
        {"tool_name": "execute_sql_query", "response_payload": {"batch_results": [{"results": [{"x": 29500000.0}]}]}}
    ]}  # fmt: skip
    assert is_right(question, answer, [[[29500000]]])
    assert not is_right(question, answer, [[[29500001]]])
    assert not is_right(question, {**answer, "final_narrative": None}, [[[29500000]]])
    hostile = next(each for each in QUESTIONS if each.kind == "hostile")
    assert not is_right(hostile, answer, [])
    assert is_right(hostile, {"final_narrative": None, "error": {"success": False}}, [])


def test_a_number_that_no_result_holds_is_seen() -> None:
    """Issue 7 "Figures": 0 answers with a number that isn't in the results."""
    question = next(each for each in QUESTIONS if each.text == "Berapa total piutang yang belum lunas?")
    results = {"batch_results": [{"results": [{"x": 29500000.5, "share": 0.2345, "name": "PT 3M"}]}]}
    history = [{"tool_name": "execute_sql_query", "response_payload": results}]

    def told(narrative: str) -> list[str]:
        return invented(question, {"final_narrative": narrative, "mcp_tool_call_history": history})

    assert told("Rp 29.500.000,50 atau 23,45 % dari PT 3M; in English 29,500,000.5") == []
    assert told("Rp 29.500.100, naik 24 %") == ["29.500.100", "24"]


def test_an_answer_is_judged_as_it_reads() -> None:
    """Issue 19: right values under an untrue or garbled sentence are no right answer."""
    by_text = {each.text: each for each in QUESTIONS}
    compared = by_text["Penjualan Februari 2023 dibanding bulan sebelumnya?"]
    ranked = by_text["Salesman dengan target tertinggi?"]
    gold_rows: list[list[list[Any]]] = [[[118677000]], [[125000000.5]]]
    both = "Rp 118.677.000 dan Rp 125.000.000,50"
    assert faults_of(compared, f"Penjualan: {both}.", gold_rows) == []
    assert faults_of(compared, f"Penjualan naik: {both}.", gold_rows) == ["it claims `naik`"]
    fell = "turun 5,1% dari Rp 125.000.000,50 menjadi Rp 118.677.000"
    assert faults_of(compared, f"Penjualan {fell}.", gold_rows) == []
    assert faults_of(compared, f"Penjualan {fell.replace('5,1', '6,1')}.", gold_rows) == ["it claims `turun`"]
    rose = "naik 5,3% dari Rp 118.677.000 menjadi Rp 125.000.000,50"
    assert faults_of(compared, f"Penjualan {rose}.", gold_rows) == ["it claims `naik`"], "the later month was the lower"
    assert faults_of(compared, "Penjualan: Rp 118.677.000.", gold_rows) == ["it leaves out 125000000.5"]
    assert faults_of(compared, f"Total {both}. Total {both}.", gold_rows) == ["it repeats itself"]
    assert faults_of(compared, f"{both} dari tidak tersedia", gold_rows) == ["a figure is missing"]
    doubted = "Jawaban ini belum pasti: Nilai untuk MEAN tidak tersedia. 125000000.5 baris.\n\n"
    assert faults_of(compared, f"{doubted}Penjualan: {both}.", gold_rows) == []
    assert faults_of(compared, f"{doubted}Penjualan: Rp 118.677.000.", gold_rows) == ["it leaves out 125000000.5"]
    assert faults_of(compared, f"{both} {{TOTAL}}", gold_rows) == ["a placeholder is left"]
    assert faults_of(compared, f"61 baris (lihat tabel) adalah {both}", gold_rows) == [
        "a number of rows stands for a figure"
    ]
    assert faults_of(ranked, "Target tertinggi: Fajar, Rp 60.000.000", [[["Fajar", 60000000]]]) == []


def test_the_stored_answers_of_the_embedded_model_read_as_the_page_says() -> None:
    made = json.loads((RESULTS / "embedded.json").read_text())
    gold_rows = json.loads(GOLD.read_text())
    by_text = {each.text: each for each in QUESTIONS}
    by_values = [each for each in made if each["right"]]
    well = [
        each
        for each in by_values
        if not each["narrative"]
        or not faults_of(by_text[each["question"]], each["narrative"], gold_rows[each["question"]])
    ]
    assert (len(made), len(by_values), len(well)) == (67, 57, 57)


def test_the_rows_that_a_list_leaves_to_the_table_are_counted_rightly() -> None:
    """issue 19 "Judged as a reader would": 12 rows, of which ten stand in the narrative."""
    question = next(each for each in QUESTIONS if each.text == "Penjualan Januari 2023 per customer?")
    rows = [{"n": 1000 + place} for place in range(12)]
    listed = "".join(f"\n- {row['n']}" for row in rows[:10])
    answer = {"data_table_for_display": rows, "final_narrative": f"Hasil:{listed}\n- … dan 2 baris lagi."}
    assert invented(question, answer) == []
    answer["final_narrative"] = f"Hasil:{listed}\n- … dan 3 baris lagi."
    assert invented(question, answer) == ["3"]
