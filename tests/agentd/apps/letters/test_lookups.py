"""Look-ups and answers name nobody and nothing that neither the citizen nor a result of this session named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentd.agent.policies import PolicedTools
from agentd.agent.prompts import Called, tool_result
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Turn, UnsupportedAnswer
from agentd.apps.letters.claims.unfounded import unfounded
from agentd.apps.letters.policies.lookups import LookUps, askable
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import AgentStep, Catalogue, Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ProgressSink
from tests.agentd.apps.letters.letters import session

NUMBER = "1234567890123456"
STATUS = ToolInfo(
    name="get_letter_status",
    server="certificate",
    input_schema={
        "type": "object",
        "properties": {
            "number": {"type": "string", "default": "", "x-agentd-kind": "code"},
            "nik": {"type": "string", "format": "nik"},
            "language": {"type": "string"},
        },
    },
)
ORDER = ToolInfo(
    name="get_order",
    server="shop",
    input_schema={
        "type": "object",
        "properties": {
            "order_id": {"type": "integer"},
            "on": {"type": "string", "format": "date"},
            "customer": {"type": "string", "format": "person-name"},
            "limit": {"type": "integer"},
            "query": {"type": "string"},
            "at": {"type": "string"},
        },
        "required": ["order_id"],
    },
)


class Heard:
    def __init__(self) -> None:
        self.inputs: list[dict[str, Any]] = []

    def catalogue(self) -> Catalogue:
        return Catalogue()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        self.inputs.append(call.input)
        return ToolOutcome(success=True)


async def asked(tool: ToolInfo, arguments: dict[str, Any], *lines: str, said: tuple[Said, ...] = ()) -> Any:
    """The input that reached the tool, or the arguments that were asked for instead."""
    heard = Heard()
    call = ToolCall(tool=tool, input=arguments, run_id="r", session_id="s", step=1, said=(*session(*lines), *said))
    outcome = await PolicedTools(heard, [LookUps()]).call(call)
    return heard.inputs[0] if outcome.success else outcome.missing


async def test_a_number_that_nobody_named_is_not_looked_up() -> None:
    assert await asked(STATUS, {"number": NUMBER, "language": "id"}, "Bisa urus surat domisili di sini?") == {
        "language": "id"
    }


@pytest.mark.parametrize(
    "said", [f"Status surat {NUMBER}?", "Nomornya 1234 5678 9012 3456", "nomor 1234-5678-9012-3456"]
)
async def test_a_number_that_the_citizen_said_is_looked_up_however_it_was_spaced(said: str) -> None:
    assert await asked(STATUS, {"number": NUMBER}, said) == {"number": NUMBER}


async def test_what_a_required_argument_names_is_asked_for() -> None:
    assert await asked(ORDER, {"order_id": 77120}, "Di mana pesanan saya?") == ("order_id",)
    assert await asked(ORDER, {"order_id": 77120}, "Di mana pesanan 77120?") == {"order_id": 77120}
    assert await asked(ORDER, {"order_id": 7}, "Pesanan nomor tujuh") == {"order_id": 7}


async def test_dates_and_people_are_named_and_everything_else_is_the_models_to_write() -> None:
    whole = {"order_id": 7, "on": "2026-05-04", "customer": "Siti Aminah", "limit": 10, "query": "top 5", "at": "14:30"}
    assert await asked(ORDER, whole, "Pesanan 7 atas nama Siti Aminah tanggal 4 Mei 2026") == whole
    assert await asked(ORDER, whole, "Pesanan 7 besok") == {k: v for k, v in whole.items() if k != "customer"}
    assert await asked(ORDER, whole, "Pesanan 7") == {
        key: value for key, value in whole.items() if key not in ("on", "customer")
    }
    friday = {"order_id": 7, "on": "2026-05-08"}
    assert await asked(ORDER, friday, "Order 7, on Friday") == friday
    assert await asked(ORDER, friday, "Order 7, on Thursday") == {"order_id": 7}


async def test_a_choice_that_the_tool_lacks_goes_back_to_the_model_before_anybody_says_yes() -> None:
    services = {"type": "array", "items": {"enum": ["clean", "fill"]}}
    visit = ToolInfo(name="visit", server="s", input_schema={"type": "object", "properties": {"do": services}})
    call = ToolCall(tool=visit, input={"do": ["cabut"]}, run_id="r", session_id="s", step=1, said=session("cabut"))
    refused = await LookUps().before(call)
    assert isinstance(refused, ToolOutcome) and refused.message == "`do.0` must be one of: clean, fill"
    assert await asked(visit, {"do": ["fill"]}, "tambal") == {"do": ["fill"]}
    needed = visit.model_copy(update={"input_schema": {**visit.input_schema, "required": ["do", "session_id"]}})
    refused = await LookUps().before(call.model_copy(update={"tool": needed, "input": {"other": 1}}))
    assert isinstance(refused, ToolOutcome) and refused.message == "required: `do`"


WEATHER = ToolInfo(
    name="get_weather",
    server="weather",
    input_schema={"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
)


@pytest.mark.parametrize(
    ("said", "city"),
    [
        ("Cuaca di Kuala Lumpur?", True),
        ("Cuaca di KL?", True),
        ("Cuaca di kuala lumpr?", True),
        ("Cuaca besok?", False),
    ],
)
async def test_a_place_is_looked_up_if_it_was_named_perhaps_misspelt_or_by_its_initials(said: str, city: bool) -> None:
    assert ("city" in await asked(WEATHER, {"city": "Kuala Lumpur", "days": 1}, said)) is city


HOUSES = ToolInfo(
    name="find_houses",
    server="houses",
    input_schema={
        "type": "object",
        "properties": {
            "pets_allowed": {"type": "boolean"},
            "category": {"type": "string"},
            "timezone": {"type": "string"},
        },
    },
)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Any flats with two rooms?", {"timezone"}),
        ("Any flats? Pets must be allowed", {"timezone", "pets_allowed", "category"}),
        ("Any flats? I have no pets", {"timezone", "category"}),
        ("A house, please", {"timezone"}),
    ],
)
async def test_a_yes_that_nobody_spoke_of_and_words_that_nobody_said_are_left_out(said: str, kept: set[str]) -> None:
    whole = {"pets_allowed": True, "category": "flats", "timezone": "Asia/Jakarta"}
    assert set(await asked(HOUSES, whole, said)) == kept | ({"category"} if "flats" in said else set())


async def test_a_word_that_a_model_may_have_translated_for_its_tool_is_kept() -> None:
    english = HOUSES.model_copy(update={"description": "Finds houses and flats to rent, by their category."})
    assert await asked(english, {"category": "detached house"}, "Ada rumah tapak yang disewakan?") != {}
    assert await asked(english, {"pets_allowed": True}, "Ada rumah tapak yang disewakan?") == {}


async def test_the_model_reads_by_what_a_result_is_not_limited() -> None:
    arguments = {"pets_allowed": True, "timezone": "Asia/Jakarta"}
    call = ToolCall(tool=HOUSES, input=arguments, run_id="r", session_id="s", step=1, said=session("A house, please"))
    outcome = await PolicedTools(Heard(), [LookUps()]).call(call)
    assert outcome.input == {"timezone": "Asia/Jakarta"}
    shown = json.loads(tool_result(Called("find_houses", arguments, outcome, "en", "A house, please")).content)
    assert shown["tool_result"]["input"] == outcome.input
    assert "not limited by pets_allowed: nobody said it" in shown["instruction"]


async def test_a_call_that_may_change_something_keeps_what_nobody_said() -> None:
    schema = {"type": "object", "properties": {"dry_run": {"type": "boolean"}, "only": {"type": "object"}}}
    clear = ToolInfo(name="clear_cache", server="cache", input_schema=schema)
    whole = {"dry_run": True, "only": {"pets_allowed": True}}
    assert await asked(clear, whole, "Clean up, please") == whole
    reading = clear.model_copy(update={"name": "list_cache"})
    assert await asked(reading, whole, "What is in the cache?") == {"only": whole["only"]}


async def test_two_cities_of_nearly_one_name_are_two() -> None:
    assert await asked(WEATHER, {"city": "Jogjakarta"}, "Cuaca di Jakarta?") == {}


async def test_a_number_hidden_in_free_text_must_have_been_named_too() -> None:
    arguments = {"order_id": 7, "query": f"nik = {NUMBER}"}
    assert await asked(ORDER, arguments, "Pesanan 7") == {"order_id": 7}
    assert await asked(ORDER, arguments, f"Pesanan 7, NIK {NUMBER}") == arguments


async def test_what_a_result_found_may_be_asked_about_and_an_echo_is_no_finding() -> None:
    found = Said(by="tool", order=9, tool="list", text="{}", value={"letters": [{"number": NUMBER}]})
    echo = found.model_copy(update={"text": f'{{"number": "{NUMBER}"}}'})
    assert await asked(STATUS, {"number": NUMBER}, "cek surat saya", said=(found,)) == {"number": NUMBER}
    assert await asked(STATUS, {"number": NUMBER}, "cek surat saya", said=(echo,)) == {}
    assert await asked(STATUS, {"number": NUMBER}, f"A: Nomor {NUMBER}?", "cek surat saya") == {}


async def test_a_call_outside_any_conversation_is_its_callers() -> None:
    assert await asked(STATUS, {"number": NUMBER}) == {"number": NUMBER}


def test_a_constrained_model_can_write_only_numbers_that_were_named() -> None:
    unsaid = askable(STATUS, session("Bisa urus surat di sini?"))
    assert unsaid is not None and unsaid.input_schema["properties"].keys() == {"language"}
    told = askable(STATUS, session("Cek surat 012/SKD/V/2026."))
    assert told is not None and told.input_schema["properties"]["number"]["enum"] == ["012/SKD/V/2026"]
    needs = STATUS.model_copy(update={"input_schema": {**STATUS.input_schema, "required": ["number"]}})
    assert askable(needs, session("Bisa urus surat di sini?")) is None


@pytest.mark.parametrize(
    "answer",
    [
        "Nomor Anda 3175064501900003.",
        "Kode Anda HX-77420-B.",
        "Hubungi 0812 5567 9021.",
        "Janji temu Anda tanggal 5 Mei 2026.",
        "Saldo Anda Rp2.238.000.",
        "Your balance is $1,250.",
        "Student F55121044 was found.",
        "Surat atas nama Bambang Irawan sudah ada.",
        "Silakan temui Bapak Bambang Irawan.",
        "Please ask Mrs Amelia Lim.",
    ],
)
def test_an_answer_names_nothing_that_nobody_named(answer: str) -> None:
    assert unfounded(answer, session("Halo, mau tanya"), "") is not None
    assert unfounded(answer, session(answer), "") is None
    assert unfounded(answer, session("Halo"), f"Kantor: {answer}") is None
    found = Said(by="tool", order=2, tool="find", text="{}", value={"result": answer})
    assert unfounded(answer, (*session("Halo"), found), "") is None


@pytest.mark.parametrize(
    "answer",
    [
        "Bawa KTP, KK, dan 2 lembar pas foto 3x4.",
        "NIK terdiri dari 16 digit. Mohon sebutkan.",
        "Bagaimana kalau besok jam 9 pagi?",
        "Syaratnya: 1. KTP 2. KK 3. Surat pengantar RT/RW",
        "Surat selesai dalam 1 hari dan gratis (Perda 5/2019).",
        "File PDF/A-2b bisa diunduh.",
        "There are 12 letters, 3 of them from 2026.",
        "Nama Lengkap, Nama Ibu Kandung dan Nama Kepala Keluarga diisi sesuai KTP.",
        "Baik, Bapak. Silakan Datang besok.",
        "Terima kasih, Pak Lurah menandatanganinya.",
    ],
)
def test_counts_forms_and_hours_are_nobodys(answer: str) -> None:
    assert unfounded(answer, session("Apa saja syaratnya?"), "") is None


def test_what_a_tool_said_of_a_call_that_failed_may_be_repeated() -> None:
    step = AgentStep(tool="find", server="x", input={}, success=False, message="Hubungi 0812 5567 9021.")
    turn = Turn("Halo", Toolset((), ()), said=session("Halo"), steps=(step,))
    LetterTurns().check_answer(turn, "Maaf, hubungi 0812 5567 9021.")
    with pytest.raises(UnsupportedAnswer):
        LetterTurns().check_answer(turn, "Maaf, hubungi 0812 5567 9029.")


def test_a_sum_of_named_amounts_may_be_told() -> None:
    assert unfounded("Totalnya Rp3.000.000.", session("Gaji 1.000.000 dan istri 2.000.000"), "") is None
    assert unfounded("Totalnya Rp3.000.000.", session("Berapa totalnya?"), "") is not None
