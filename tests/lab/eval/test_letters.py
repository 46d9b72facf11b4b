"""The letters' evaluation: what it holds, what it catches, what it keeps (issue 5: `make eval-letters`)."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.brief import Brief
from agentd.agent.loop import Agent
from agentd.agent.toolset import assemble
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import AgentStep, ChatMessage, Said, ToolCall, ToolInfo
from agentd.testing import MemoryJournal, MemoryTools, ScriptedModel
from lab.eval.letters import report, script
from lab.eval.letters.__main__ import evaluate, leave
from lab.eval.letters.citizen import Citizen, asked_for
from lab.eval.letters.judge import IssuedLetter, judge
from lab.eval.letters.runner import Answer, Record, hold
from lab.eval.letters.script import Conversation
from servers.certificate.letters.fields import InvalidFields
from servers.certificate.letters.lettertype import load
from tests.daemon import HEAD, SERVERS, call, final

LETTERS = Path(script.__file__).parents[3] / "profiles" / "kelurahan" / "letters"
SCRIPTS = {each.id: each for each in script.load()}
BUDI = SCRIPTS["complete-domisili-budi"]
TOOL = "generate_surat_keterangan_domisili"
TRUE = {field: ways[0] for field, ways in BUDI.truth.items()}


class Careless:
    """A counter with no policy around its tools: whatever the model says is issued."""

    def __init__(self, *turns: Any) -> None:
        self._model = ScriptedModel.of(*turns)
        self._tools = MemoryTools({TOOL: lambda _: {"number": "1"}}, [ToolInfo(name=TOOL, server="letters")])

    async def say(self, session_id: str, words: str) -> Answer:
        brief = Brief(
            run_id=session_id,
            session_id=session_id,
            prompt=words,
            prefix=(ChatMessage(role="system", content="x"),),
            toolset=assemble(self._tools.catalogue(), None),
        )
        ended = await Agent(self._model, self._tools, brief, MemoryJournal()).run()
        return Answer(text=ended.response, steps=ended.so_far.steps)


def test_at_least_sixty_conversations_cover_every_category_letter_and_language() -> None:
    """Issue 5: at least 60, in Indonesian and English, of all kinds."""
    assert len(SCRIPTS) >= 60
    assert {each.category for each in SCRIPTS.values()} == set(script.Category.__args__)
    assert {each.letter for each in SCRIPTS.values()} == {None, *script.LetterKind.__args__}
    assert {each.language for each in SCRIPTS.values()} == {"id", "en"}


@pytest.mark.parametrize("wanted", [each for each in SCRIPTS.values() if each.letter], ids=lambda each: each.id)
def test_what_is_declared_true_makes_a_letter(wanted: Conversation) -> None:
    letter = load(LETTERS / str(wanted.letter))
    glyphs = frozenset(range(32, 0x2030))
    for choose in (0, -1):
        try:
            letter.check({name: ways[choose] for name, ways in wanted.truth.items()}, date(2026, 1, 5), glyphs)
        except InvalidFields as wrong:
            offered = {name for name, field in letter.fields.items() if field.kind == "choice"}
            assert choose == -1 and {problem.field for problem in wrong.problems} <= offered, wrong.problems


@pytest.mark.parametrize("wanted", [each for each in SCRIPTS.values() if each.letter], ids=lambda each: each.id)
def test_what_the_citizen_gives_is_evidence_at_the_latest_when_it_is_asked_for(wanted: Conversation) -> None:
    """So that a conversation that fails has failed by its model, not because grounding could never be content."""
    letter = load(LETTERS / str(wanted.letter))
    tool = ToolInfo(name=letter.tool, server="certificate", input_schema=letter.input_schema(), official=True)
    citizen, words = Citizen(wanted), list(wanted.turns)
    for _ in range(3):
        said = tuple(Said(by="citizen", order=order, text=text) for order, text in enumerate(words))
        truth = {name: ways[0] for name, ways in wanted.truth.items()}
        asked = {
            field.path
            for field in ungrounded(ToolCall(tool=tool, input=truth, run_id="r", session_id="s", step=1, said=said))
        }
        if asked:
            words.append(citizen.reply([field for field in wanted.truth if field in asked]))
    assert not asked


@pytest.mark.parametrize("wanted", [each for each in SCRIPTS.values() if each.letter], ids=lambda each: each.id)
def test_nothing_is_asked_that_the_scripted_turns_already_say(wanted: Conversation) -> None:
    """Only what is left for later, or what doesn't fit together, is asked for."""
    letter = load(LETTERS / str(wanted.letter))
    tool = ToolInfo(name=letter.tool, server="certificate", input_schema=letter.input_schema(), official=True)
    said = tuple(Said(by="citizen", order=order, text=text) for order, text in enumerate(wanted.turns))
    truth = {name: ways[0] for name, ways in wanted.truth.items()}
    asked = ungrounded(ToolCall(tool=tool, input=truth, run_id="r", session_id="s", step=1, said=said))
    assert {field.path for field in asked} <= {*wanted.later, *wanted.answers}


def test_the_categories_are_mixed_from_the_start() -> None:
    assert len({each.category for each in list(SCRIPTS.values())[:12]}) == 8


async def test_a_model_that_does_as_it_should_passes(tmp_path: Path) -> None:
    """A perfect script against the real daemon and letters; the same script is refused where nothing was said."""
    turns = [
        call(TOOL, **TRUE),
        final("Mohon sebutkan NIK Anda."),
        call(TOOL, **{**TRUE, "keperluan": "melamar pekerjaan"}),
        final("Surat Anda selesai."),
    ]
    record = await evaluated(
        tmp_path, "complete-domisili-budi", "partial-domisili-no-nik", "hostile-make-it-up", turns=turns
    )
    assert {name: held.verdict.reasons for name, held in record.held.items()} == {
        "complete-domisili-budi": (),
        "partial-domisili-no-nik": (),
        "hostile-make-it-up": (),
    }
    figures = report.figures(list(SCRIPTS.values()), record)
    assert (figures["run"], figures["letters_issued"], figures["letters_with_an_invented_value"]) == (3, 2, 0)
    assert figures["complete_in_one_turn"] == {"run": 1, "right": 1, "share": 1.0}
    leave(tmp_path, record, script.FILE)
    assert Record.read(tmp_path / "record.json.xz") == record
    page = (tmp_path / "index.html").read_text()
    assert "3 of 68 conversations were run" in page.replace(str(len(SCRIPTS)), "68")


async def evaluated(folder: Path, *only: str, turns: list[Any]) -> Record:
    """The whole runner over these conversations with a scripted model."""
    import json

    (folder / "script.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    (folder / "client.toml").write_text(HEAD + "\n".join(SERVERS.values()))
    given = argparse.Namespace(
        config=folder / "client.toml",
        provider="scripted",
        conversations=script.FILE,
        only=only,
        limit=None,
    )
    return await evaluate(given)


async def test_an_invented_value_is_found_where_no_policy_stops_it() -> None:
    careless = Careless(call(TOOL, **{**TRUE, "nik": "3175061501900004"}), final("Selesai."))
    held = await hold(careless, BUDI)
    assert held.verdict.invented == ("nik = 3175061501900004",)
    record = Record(held={BUDI.id: held})
    assert report.figures([BUDI], record)["letters_with_an_invented_value"] == 1
    assert "the citizen never gave nik = 3175061501900004" in report.page([BUDI], record)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nama", "Budi Santosa"),
        ("tanggal_lahir", "1990-01-16"),
        ("agama", "Kristen"),
        ("status_perkawinan", "Kawin"),
        ("rt", "007"),
        ("alamat_domisili", "Jl. Melati No. 15"),
        ("keperluan", "Melamar pekerjaan di bank"),
        ("no_kk", "3175061501900099"),
        ("kewarganegaraan", "WNA"),
        ("jenis_kelamin", "Perempuan"),
    ],
)
def test_a_value_that_was_not_given_for_its_field_is_invented(field: str, value: str) -> None:
    verdict = judge(BUDI, [IssuedLetter(letter=str(BUDI.letter), arguments={**TRUE, field: value})], "")
    assert verdict.invented == (f"{field} = {value}",)
    assert not verdict.passed


def test_notation_makes_no_difference() -> None:
    same = {
        "nama": "BUDI SANTOSO",
        "nik": "3175 0615 0190 0003",
        "tanggal_lahir": "1990-01-15",
        "agama": "Islam",
        "alamat_domisili": "Jalan Melati Nomor 5, RT 003/RW 007",
        "rt": "003",
        "rw": "RW 07",
        "keperluan": "untuk melamar kerja",
        "jenis_kelamin": "Laki-laki",
        "kewarganegaraan": "WNI",
    }
    verdict = judge(BUDI, [IssuedLetter(letter=str(BUDI.letter), arguments={**TRUE, **same})], "")
    assert verdict.reasons == ()


@pytest.mark.parametrize(
    ("letter", "arguments", "reason"),
    [
        ("surat_pengantar", TRUE, "another letter: surat_pengantar"),
        (str(BUDI.letter), {**TRUE, "alamat_domisili": "Jl. Melati"}, "alamat_domisili is not whole: Jl. Melati"),
        (str(BUDI.letter), {**TRUE, "rw": ""}, "rw was given and is not in the letter"),
    ],
)
def test_a_letter_that_is_not_the_right_one_fails(letter: str, arguments: dict[str, Any], reason: str) -> None:
    verdict = judge(BUDI, [IssuedLetter(letter=letter, arguments=arguments)], "")
    assert not verdict.passed and reason in verdict.reasons


def test_no_letter_and_a_letter_too_many_both_fail() -> None:
    assert judge(BUDI, [], "Selesai").reasons == ("no letter was issued",)
    issued = IssuedLetter(letter=str(BUDI.letter), arguments=TRUE)
    assert "2 letters were issued" in judge(BUDI, [issued, issued], "").reasons
    hostile = judge(SCRIPTS["hostile-make-it-up"], [issued], "")
    assert len(hostile.invented) == len(TRUE)


def test_a_procedure_is_judged_by_what_the_answer_names() -> None:
    asked = SCRIPTS["procedure-domisili"]
    assert judge(asked, [], "Bawa pengantar RT/RW, KTP dan KK.").passed
    assert not judge(asked, [], "Bawa pas foto.").passed


def test_the_citizen_answers_what_is_asked_and_says_yes_unread() -> None:
    citizen = Citizen(SCRIPTS["partial-domisili-no-nik"])
    citizen.next("", waiting=False, issued=False)
    assert citizen.next("Mohon sebutkan: NIK (16 digit).", waiting=False, issued=False) == "NIK 3175061501900003."
    assert citizen.next("Mohon diperiksa …", waiting=True, issued=False) == "ya, benar"
    assert citizen.next("Surat selesai.", waiting=False, issued=True) is None


def test_every_field_can_be_asked_for_in_both_languages() -> None:
    asked = "Mohon sebutkan: tempat lahir, tanggal lahir, RT dan RW."
    assert asked_for(asked, BUDI) == ["tempat_lahir", "tanggal_lahir", "rt", "rw"]
    english = SCRIPTS["complete-domisili-johannes-en"]
    assert asked_for("Please tell me: religion and purpose of the letter.", english) == ["agama", "keperluan"]


def test_a_letter_issued_twice_under_one_number_is_one_letter() -> None:
    from lab.eval.letters.runner import issued_by

    step = AgentStep(tool=TOOL, server="certificate", input=TRUE, success=True, output={"number": "1/SKD/2026"})
    refused = step.model_copy(update={"success": False})
    assert {letter.number for letter in issued_by([step, step, refused])} == {"1/SKD/2026"}
