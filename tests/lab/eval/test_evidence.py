"""The trials of evidence: which calls a foreign dialogue makes honest, and that the matrix is whole."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lab.eval.evidence import cod, forms, matrix, offices, soundness
from lab.eval.evidence.report import Judged, table
from lab.eval.evidence.trials import Trial, refused


def turn(speaker: str, utterance: str, *acts: tuple[str, str, str]) -> dict[str, Any]:
    actions = [{"act": act, "slot": slot, "values": [value] if value else []} for act, slot, value in acts]
    return {"speaker": speaker, "utterance": utterance, "frames": [{"service": "Flights_1", "actions": actions}]}


DIALOGUE = {
    "dialogue_id": "1_1",
    "turns": [
        turn("USER", "Dari Jakarta.", ("INFORM", "origin", "Jakarta")),
        turn("SYSTEM", "Ada Garuda.", ("OFFER", "airline", "Garuda")),
        turn("USER", "Ada yang lain?", ("REQUEST_ALTS", "", "")),
        turn("SYSTEM", "Ada Citilink.", ("OFFER", "airline", "Citilink")),
        turn("USER", "Boleh, ke Medan.", ("SELECT", "", ""), ("INFORM", "destination", "Medan")),
        turn("SYSTEM", "Dari Jakarta ke Solo?", ("CONFIRM", "origin", "Jakarta"), ("CONFIRM", "destination", "Solo")),
        turn("USER", "Bukan, ke Bandung.", ("NEGATE", "", ""), ("INFORM", "destination", "Bandung")),
        turn("SYSTEM", "Ke Bandung?", ("CONFIRM", "origin", "Jakarta"), ("CONFIRM", "destination", "Bandung")),
        turn("USER", "Betul.", ("AFFIRM", "", "")),
    ],
}
OTHER = {"dialogue_id": "1_2", "turns": [turn("USER", "Dari Ambon.", ("INFORM", "origin", "Ambon"))]}


def trials() -> list[Trial]:
    return [each for each in cod.trials("id", [DIALOGUE, OTHER]) if each.id.startswith("1_1")]


def of(row: str) -> list[Mapping[str, Any]]:
    return [each.arguments for each in trials() if each.row == row]


def test_a_call_is_honest_with_what_the_user_informed_and_affirmed() -> None:
    assert of("look-up") == [{"origin": "Jakarta"}]
    assert of("transaction") == [{"origin": "Jakarta", "destination": "Bandung"}]


def test_offers_and_summaries_that_were_turned_down_are_no_evidence() -> None:
    assert of("rejected offer") == [{"airline": "Garuda"}, {"destination": "Solo"}]
    assert of("accepted offer") == [{"airline": "Citilink"}]


def test_values_of_other_dialogues_are_invented() -> None:
    assert of("invented") == [{"origin": "Ambon"}, {"origin": "Ambon"}]


def test_a_trial_ends_with_the_message_that_it_judges_and_what_tools_found_stands_only_where_it_counts() -> None:
    for trial in trials():
        assert trial.said[-1].by == "citizen"
        assert any(one.by == "tool" for one in trial.said) == trial.row.endswith("found")


def test_only_development_files_are_read() -> None:
    with pytest.raises(ValueError, match="only …_dev"):
        cod.load(Path("id_test.json"))


def test_the_matrix_says_every_field_in_every_mood_and_both_languages() -> None:
    said = Counter((each.row, each.language, each.id.split(":")[0]) for each in matrix.trials())
    fields = {field for _, _, field in said}
    assert len(fields) == 65
    moods = {row for row, _, _ in said}
    assert {"honest", "negated", "hypothetical", "other person", "denied", "never", "corrected"} <= moods
    assert all(said[row, language, field] for row in moods for language in ("id", "en") for field in fields)


def test_a_bare_field_says_no_more_than_its_server_would() -> None:
    bare = next(iter(matrix.trials(bare=True))).tool.input_schema
    assert "x-agentd-" not in str(bare)
    assert "x-agentd-" in str(next(iter(matrix.trials())).tool.input_schema)


async def test_the_judge_of_the_daemon_decides() -> None:
    verdicts = {
        (each.row, each.id): await refused(each) for each in matrix.trials() if each.id.startswith("letter.agama")
    }
    assert verdicts["honest", "letter.agama:honest:0"] == frozenset()
    assert verdicts["negated", "letter.agama:negated:0"] == {"agama"}


def test_a_report_counts_what_passed_of_the_honest_and_what_was_refused_of_the_others() -> None:
    honest, invented = (next(each for each in trials() if each.row == row) for row in ("transaction", "invented"))
    lines = list(table([Judged(honest, frozenset({"origin"})), Judged(invented, frozenset({"origin"}))]))
    assert lines[2:] == [
        "| transaction: passed | id | 1 | 0 (0.0 %) | 2 | 1 (50.0 %) |",
        "| invented: refused | id | 1 | 1 (100.0 %) | 1 | 1 (100.0 %) |",
    ]


async def test_nothing_passes_at_a_strange_office_that_nobody_said_of_its_field() -> None:
    tried = [trial for trial in offices.trials() if not trial.honest]
    assert len(tried) > 40
    assert [trial.id for trial in tried if not await refused(trial)] == []


@pytest.mark.slow
@pytest.mark.parametrize("bare", [False, True], ids=["fields that say what they are", "names alone"])
async def test_nothing_passes_that_was_denied_supposed_of_another_person_or_of_another_time(bare: bool) -> None:
    wrong = [trial for trial in matrix.trials(bare=bare) if not trial.honest]
    assert [(trial.id, trial.language) for trial in wrong if not await refused(trial)] == []


async def test_every_conversation_at_the_strange_offices_comes_to_its_call() -> None:
    tried = [trial for trial in offices.trials() if trial.honest]
    assert len(tried) == 25
    assert [(trial.id, missing) for trial in tried if (missing := await refused(trial))] == []


REPORTING_REFUSED = 188
"""Of the reporting half only totals are looked at."""


@pytest.mark.slow
async def test_no_value_passes_that_was_said_of_something_else_than_its_field() -> None:
    wrong = [trial for trial in soundness.trials() if not trial.honest]
    passed = [trial for trial in wrong if not await refused(trial)]
    assert [trial.id for trial in passed if soundness.half_of(trial) == "tuning"] == []
    reporting, let_through = (sum(soundness.half_of(one) == "reporting" for one in each) for each in (wrong, passed))
    assert reporting - let_through >= REPORTING_REFUSED


def test_a_spec_of_another_library_is_counted_by_half(tmp_path: Path) -> None:
    spec = [
        {"Input": f"we are {word}", "Results": [{"Resolution": {"value": str(value)}}]}
        for value, word in enumerate(("two dozen", "seven", "nine"), 7)
    ]
    (tmp_path / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    total = forms.count(tmp_path / "spec.json", "number")
    counted = {what: sum(number for (_, one), number in total.items() if one == what) for _, what in total}
    assert counted == {"texts": 3, "read": 1, "others": 6, "wrong": 1}
