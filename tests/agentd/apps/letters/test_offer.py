"""Which forms a constrained model may fill in a turn (it was seen to fill a usaha where a domisili was asked for)."""

from __future__ import annotations

import pytest

from agentd.apps.letters.claims.deeds import ASKED_BY
from agentd.apps.letters.policies.offer import ABOUT, about, looked_up, not_again, offered
from agentd.messages import AgentStep, Said, ToolInfo


def letter(name: str, *asked_by: str) -> ToolInfo:
    schema = {"type": "object", "properties": {"nik": {"type": "string", "format": "nik"}}, "required": ["nik"]}
    return ToolInfo(
        name=name, server="certificate", official=True, input_schema=schema, meta={ASKED_BY: list(asked_by)}
    )


TIME = ToolInfo(name="get_current_time", server="time")
HOME, TRADE = letter("home", "domisili", "surat domisili"), letter("trade", "usaha", "sku")
SEAL = ToolInfo(name="seal", server="office", official=True)


def said(*texts: str) -> list[Said]:
    return [Said(by="citizen", order=order, text=text) for order, text in enumerate(texts)]


def names(*texts: str) -> list[str]:
    return [tool.name for tool in offered([TIME, HOME, TRADE, SEAL], said(*texts))]


@pytest.mark.parametrize(
    ("words", "there"),
    [
        *(("Selamat siang", False), ("", False), ("Halo, pertanyaan nomor 3", False), ("RT 003 RW 007", False)),
        *(("NIK 3175061708859001", True), ("Surat domisili, RT 003", True), ("lahir lima Januari", False)),
        ("tiga satu tujuh lima nol enam tujuh belas nol delapan lima sembilan", True),
    ],
)
def test_a_form_with_a_nik_is_offered_once_a_number_was_said(words: str, there: bool) -> None:
    assert ("home" in names(words)) is there


def test_the_letter_that_was_asked_for_is_offered_and_no_other() -> None:
    assert names("Surat DOMISILI", "NIK 3175061501900003") == ["get_current_time", "home", "seal"]
    assert names("minta sku-nya", "NIK 3175061501900003") == ["get_current_time", "trade", "seal"]
    assert names("sku-mu", "NIK 3175061501900003") == ["get_current_time", "trade", "seal"]


def test_both_are_offered_where_both_were_named_and_all_where_none_was() -> None:
    assert names("domisili", "maaf, surat usaha saja", "NIK 3175061501900003")[1:3] == ["home", "trade"]
    assert names("Saya mau surat", "NIK 3175061501900003")[1:3] == ["home", "trade"]
    assert names("berwirausaha, NIK 3175061501900003")[1:3] == ["home", "trade"]


def test_words_within_another_letters_longer_name_ask_for_that_one_alone() -> None:
    shop = letter("shop", "domisili usaha")
    for words, wanted in (("surat domisili usaha", ["shop"]), ("domisili usaha, dan juga sku", ["shop", "trade"])):
        shown = offered([HOME, TRADE, shop], said(words, "NIK 3175061501900003"))
        assert sorted(tool.name for tool in shown) == wanted


def test_what_the_agent_said_asks_for_no_form() -> None:
    talk = [*said("NIK 3175061501900003"), Said(by="agent", order=1, text="Surat usaha?")]
    assert len(offered([HOME, TRADE], talk)) == 2


def test_what_is_asked_for_by_name_is_looked_up_before_it_is_answered() -> None:
    rules = ToolInfo(name="rules", server="certificate", meta={ASKED_BY: ["syaratnya", "what do i need"]})
    tools = [TIME, rules, HOME]
    assert looked_up(tools, "Apa syaratnya?") == rules
    assert looked_up(tools, "What do I need for it?") == rules
    assert looked_up(tools, "Saya mau surat domisili") is None
    assert [tool.name for tool in offered(tools, said("surat domisili, syaratnya? NIK 1"))] == [
        "get_current_time",
        "rules",
        "home",
    ]


def test_what_would_only_answer_the_same_is_not_offered_again() -> None:
    search = ToolInfo(name="search", server="office", input_schema={"required": ["text"]})

    def step(tool: str, **given: str) -> AgentStep:
        return AgentStep(tool=tool, server="x", input=given, success=True)

    def left(*steps: AgentStep) -> list[str]:
        return [tool.name for tool in not_again([TIME, search, HOME], steps)]

    assert left() == ["get_current_time", "search", "home"]
    assert left(step("get_current_time"), step("search", text="a"), step("home")) == ["search", "home"]
    assert left(step("search", text="a"), step("search", text="b")) == ["get_current_time", "search", "home"]
    assert left(step("search", text="a"), step("search", text="a")) == ["get_current_time", "home"]


def test_what_is_looked_up_is_the_letter_that_was_spoken_of_last() -> None:
    """It was seen to look up a domisili for a SKTM, and to tell its requirements as the SKTM's."""
    schema = {"type": "object", "properties": {"letter_type": {"type": "string"}}}
    rules = ToolInfo(name="rules", server="certificate", input_schema=schema, meta={ABOUT: {"letter_type": ["skds"]}})

    def choices(tool: ToolInfo, *texts: str) -> list[str] | None:
        found = about(tool, [TIME, tool, HOME, TRADE], said(*texts))
        return found.input_schema["properties"]["letter_type"].get("enum")

    assert choices(rules, "surat domisili", "kalau mau SKU harus bawa apa?") == ["sku"]
    assert choices(rules, "surat domisili", "syaratnya apa?") == ["surat domisili"]
    assert choices(rules, "saya pendatang, apakah bisa urus SKDS di sini?") == ["skds"]
    assert choices(rules, "syarat bikin KTP?") is None
    assert choices(rules.model_copy(update={"meta": {}}), "SKU") is None
