"""What people ask first: where the host knows the right action, a small model has nothing to choose."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentd.agent.actions import schema
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Offer, Turn
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import AgentStep, Said, ToolCall, ToolInfo
from bridges.llamacpp import constraint
from lab.eval.letters.script import load as load_scripts
from servers.certificate.languages import asked_by
from servers.certificate.letters.lettertype import load
from servers.certificate.settings import SHIPPED_LETTERS
from servers.certificate.tools import generate_tool

LETTER_TYPE = {"type": "object", "properties": {"letter_type": {"type": "string"}}, "required": ["letter_type"]}
CODES = {"number": {"type": "string", "x-agentd-kind": "code"}, "code": {"type": "string", "x-agentd-kind": "code"}}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
MISSING = {"missing": ["nik"], "labels": ["NIK"]}
DOMICILE = "generate_surat_keterangan_domisili"


def letter(key: str) -> ToolInfo:
    made = generate_tool(load(SHIPPED_LETTERS / key), "id")
    return ToolInfo(
        name=made.name, server="certificate", official=True, input_schema=made.input_schema, meta=made.meta or {}
    )


def look_up(name: str, input_schema: dict[str, Any], **meta: Any) -> ToolInfo:
    named = {f"agentd/{key}": value for key, value in meta.items()}
    return ToolInfo(
        name=name, server="certificate", input_schema=input_schema, annotations={"readOnlyHint": True}, meta=named
    )


TOOLS = (
    look_up("get_current_time", NOTHING, asked_by=["jam berapa", "what time"]),
    letter("surat_keterangan_domisili"),
    letter("surat_keterangan_usaha"),
    look_up("list_letters", NOTHING, lists=True),
    look_up(
        "get_letter_requirements",
        LETTER_TYPE,
        asked_by=asked_by("get_letter_requirements", "fees"),
        about={"letter_type": ["skds"]},
    ),
    look_up("get_letter_status", {"type": "object", "properties": CODES}, asked_by=asked_by("get_letter_status")),
    look_up("get_office_hours", NOTHING, asked_by=asked_by("get_office_hours", "fees")),
)


def forced(request: str, *steps: AgentStep, refused: bool = False, **more: Any) -> dict[str, Any] | None:
    """The one action that is left to a model, None where it has a choice."""
    turn = Turn(
        request=request,
        toolset=Toolset(tools=TOOLS, servers=()),
        said=(Said(by="citizen", order=1, text=request),),
        steps=steps,
        official_refused=refused,
        **more,
    )
    offer = LetterTurns().offer(turn, Offer(TOOLS))
    text = constraint.only_text(schema(offer))
    return None if text is None else json.loads(text)


@pytest.mark.parametrize(
    ("request_", "tool", "arguments"),
    [
        ("Saya mau surat domisili", DOMICILE, {}),
        ("Tolong buatkan surat domisili untuk melamar kerja", DOMICILE, {}),
        ("I need a domicile letter please", DOMICILE, {}),
        ("Bisa urus surat domisili di sini?", "get_letter_requirements", {"letter_type": "surat domisili"}),
        ("Syarat surat domisili apa saja?", "get_letter_requirements", {"letter_type": "surat domisili"}),
        ("Berapa biaya SKU?", "get_letter_requirements", {"letter_type": "sku"}),
        ("Can I get a business letter here?", "get_letter_requirements", {"letter_type": "business letter"}),
        ("Syaratnya apa saja?", "list_letters", {}),
        ("Kantor buka jam berapa?", "get_office_hours", {}),
        ("ada biaya admin?", "get_office_hours", {}),
        ("Gratis kan?", "get_office_hours", {}),
        ("do i have to pay anything here", "get_office_hours", {}),
        ("surat domisili ada biaya adminnya ga", "get_letter_requirements", {"letter_type": "surat domisili"}),
        ("Is the domicile letter free of charge?", "get_letter_requirements", {"letter_type": "domicile letter"}),
        ("Jam berapa buka?", "get_office_hours", {}),
        ("Jam berapa sekarang?", "get_current_time", {}),
        ("What are your opening hours?", "get_office_hours", {}),
        ("Surat domisili saya kok belum jadi, lama sekali!", "get_letter_status", {}),
        ("dokumen buat SKU apa saja yg disiapkan", "get_letter_requirements", {"letter_type": "sku"}),
        ("syarate surat usaha apa wae nggih", "get_letter_requirements", {"letter_type": "surat usaha"}),
        ("surat sy kok blm jadi2 ya", "get_letter_status", {}),
    ],
)
def test_what_the_words_settle_needs_no_model(request_: str, tool: str, arguments: dict[str, str]) -> None:
    action = forced(request_)
    assert action is not None and action["action"] == "call_tool" and action["tool"] == tool
    spoken = {name: str(value).casefold() for name, value in action["input"].items()}
    assert spoken == arguments


@pytest.mark.parametrize("request_", ["Halo", "Terima kasih", "Pelayanannya lambat!", "Saya mau bikin paspor"])
def test_the_rest_is_a_models_to_answer(request_: str) -> None:
    assert forced(request_) is None


def test_small_talk_brings_no_look_up_about_what_nobody_named() -> None:
    turn = Turn(request="Halo", toolset=Toolset(TOOLS, ()), said=(Said(by="citizen", order=1, text="Halo"),))
    offered = {tool.name for tool in LetterTurns().offer(turn, Offer(TOOLS)).tools}
    assert offered == {"get_current_time", "list_letters", "get_office_hours"}


def step(tool: str, message: str, **more: Any) -> AgentStep:
    return AgentStep.model_validate({"tool": tool, "server": "certificate", "input": {}, "message": message} | more)


@pytest.mark.parametrize(
    ("request_", "tool", "message", "more"),
    [
        ("Syarat surat domisili?", "get_letter_requirements", "Syarat surat ini: KTP dan KK.", {"success": True}),
        ("Saya mau surat domisili", DOMICILE, "Mohon sebutkan: NIK.", {"success": False, "output": MISSING}),
        ("Saya mau surat domisili", DOMICILE, "Surat itu sudah terbit sebagai PDF.", {"success": True}),
        ("I need a domicile letter", DOMICILE, "Please tell me: NIK.", {"success": False, "output": MISSING}),
    ],
)
def test_what_a_tool_says_in_the_citizens_language_is_the_answer(
    request_: str, tool: str, message: str, more: dict[str, Any]
) -> None:
    language: Any = "en" if "need" in request_ else "id"
    answer = forced(request_, step(tool, message, **more), refused=not more["success"], language=language)
    assert answer == {"action": "final", "response": message}


def test_a_model_says_it_in_a_language_that_neither_host_nor_tool_speaks() -> None:
    told = step("get_letter_requirements", "Syarat surat ini: KTP dan Kartu Keluarga.", success=True)
    assert forced("Syarate layang domisili opo?", told, language="id", spoken="jv") is None
    issued = step(DOMICILE, "Surat Keterangan Domisili nomor 001 sudah terbit sebagai PDF.", success=True)
    assert forced("I need a domicile letter", issued, language="en") is None


HELD = {
    key: letter(key)
    for key in ("surat_keterangan_domisili", "surat_keterangan_tidak_mampu", "surat_pengantar", "surat_pengantar_skck")
}


def shown(*said: str) -> list[str]:
    """The letters that are offered after these messages; what begins with `A: ` was asked by the office."""
    talk = tuple(
        Said(by="agent" if each.startswith("A: ") else "citizen", order=at, text=each.removeprefix("A: "))
        for at, each in enumerate(said)
    )
    turn = Turn(request=talk[-1].text, toolset=Toolset(tools=tuple(HELD.values()), servers=()), said=talk, steps=())
    offer = LetterTurns().offer(turn, Offer(tuple(HELD.values())))
    return [key for tool in offer.tools for key, each in HELD.items() if each.name == tool.name]


@pytest.mark.parametrize("held", ["complete-pengantar-rudi", "corrected-letter-type", "turns-pengantar-en"])
def test_the_letter_that_is_named_is_offered_and_not_that_of_a_purpose_nor_the_one_denied(held: str) -> None:
    script = next(each for each in load_scripts() if each.id == held)
    told = script.turns[:1] if held == "complete-pengantar-rudi" else script.turns
    assert shown(*told) == [script.letter]


def test_an_answer_to_the_question_what_for_asks_for_no_other_letter() -> None:
    domicile = "Saya mau surat domisili, NIK 3175060606600001"
    for purpose in ("buat ngurus SKCK", "RT 3, RW 7, bikin SKCK"):
        assert shown(domicile, "A: Mohon sebutkan: RT, RW dan keperluan.", purpose) == ["surat_keterangan_domisili"]
    assert shown("Saya perlu surat untuk membuat SKCK, NIK 3175060606600001") == ["surat_pengantar_skck"]


@pytest.mark.parametrize(
    ("newest", "waits"),
    [
        ("Maaf, maksud saya surat keterangan tidak mampu, bukan surat domisili.", False),
        ("Not the domicile letter, the business letter please.", False),
        ("Maksud saya surat domisili, bukan surat usaha.", True),
        ("Saya belum pernah punya surat domisili.", True),
        ("ya, benar", True),
    ],
)
def test_a_letter_that_another_is_named_instead_of_waits_no_more(newest: str, waits: bool) -> None:
    said = tuple(Said(by="citizen", order=at, text=text) for at, text in enumerate(("Saya mau surat domisili", newest)))
    tool = HELD["surat_keterangan_domisili"].model_copy(update={"input_schema": NOTHING})
    call = ToolCall(tool=tool, input={}, said=said, run_id="r", session_id="s", step=1, language="id")
    assert LetterTurns().supports(call) is waits
