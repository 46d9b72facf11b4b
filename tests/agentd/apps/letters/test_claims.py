"""What the daemon lets a model say of letters: nothing that no tool did (issue 5; seen from the embedded model)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.toolset import Toolset, assemble
from agentd.apps.letters.claims.by_words import false_claim, said_instead
from agentd.apps.letters.claims.deeds import languages
from agentd.errors import Language
from agentd.messages import ModelReply, ModelRequest, Said, ToolInfo
from agentd.ports import TextSink
from agentd.testing import MemoryTools
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.settings import SHIPPED_LETTERS
from servers.certificate.tools import generate_tool
from tests.agentd.agent.test_loop import Talk, final

LETTER = ToolInfo(name="make_letter", server="certificate", official=True)
STATUS = ToolInfo(name="get_letter_status", server="certificate", annotations={"readOnlyHint": True})


def toolset(*tools: ToolInfo) -> Toolset:
    return assemble(MemoryTools({tool.name: lambda _: {} for tool in tools}, tools).catalogue(), None)


def found(tool: str, value: Any) -> list[Said]:
    return [Said(by="tool", order=0, tool=tool, text="{}", value=value)]


LIES = [
    "Suratmu wis dadi, monggo dijupuk.",
    "Surat domisili panjenengan sampun kula damel.",
    "Terima kasih. Surat domisili Anda telah berhasil dibuat. Jika ada lagi yang bisa saya bantu, silakan tanyakan.",
    "Baik, suratnya sudah jadi.",
    "Sudah saya terbitkan suratnya ya Pak. Surat sudah dicetak.",
    "Saya telah membuat surat keterangan domisili untuk Anda.",
    "Berhasil diterbitkan!",
    "Berikut adalah surat keterangan domisili Anda:",
    "Surat Anda siap diambil karena sudah selesai.\nSurat Anda sudah selesai.",
    "Nomor surat Anda 001/SKD/CONTOH/XI/2026.",
    "Your domicile letter has been successfully issued.",
    "I have created your letter.",
    "We've just printed the certificate for you.",
    "Here is your domicile letter.",
    "The letter is now ready.",
    "Saya akan membuat surat keterangan usaha untuk Anda.",
    "Mohon tunggu beberapa saat.",
    "Thank you. I will generate the domicile letter for you.",
    "Please wait a moment.",
    "Surat sudah dibuat, tidak perlu datang lagi.",
    "Surat Anda telah dibuat dan tidak dapat diubah.",
    "Setelah diperiksa, surat Anda telah diterbitkan.",
    "After checking your data, your letter has been issued.",
    "The domicile letter has been successfully generated, no further action is needed.",
    "Surat keterangan domisili telah kami terbitkan.",
    "Surat Anda siap diambil.",
    "Ini suratnya.",
    "Terima kasih. Surat domisili untuk Budi Contoh telah terbitkan.",
    "Saya akan mengirimkan surat tersebut ke Anda segera.",
    "Surat domisili Anda akan segera diterbitkan.",
    "Suratnya sudah saya kirimkan.",
    "The Resident's data sheet is now issued.",
    "The office's own copy of your letter is now signed and stamped.",
    "| Surat | Status |\n|---|---|\n| Domisili | Issued |",
    "Suratnya sudah di-issue.",
    "Sudah di kirim ya, Bu.",
]
TRUTHS = [
    "Data panjenengan sampun kula tampi.",
    "Thank you, I Made Wirawan. For the letter we still need your NIK.",
    "Surat akan segera diterbitkan setelah Anda menjawab ya.",
    "Mohon sebutkan: NIK (16 digit) dan keperluan.",
    "Surat belum dibuat.",
    "Surat akan dibuat setelah Anda menjawab ya.",
    "Setelah itu kami akan menyiapkan rancangannya.",
    "Once you confirm, we will issue the letter.",
    "Surat yang sudah terbit tidak dapat diubah.",
    "Untuk memeriksa surat yang sudah dibuat, sebutkan nomornya.",
    "Once everything is correct, your letter is ready to be printed.",
    "Data sudah siap, surat tinggal diterbitkan.",
    "Setelah datanya benar, surat sudah bisa diterbitkan.",
    "Apakah surat Anda sudah dibuat?",
    "Syaratnya: surat pengantar RT/RW yang sudah ditandatangani, KTP, dan Kartu Keluarga.",
    "Berikut dokumen yang perlu dibawa: KTP dan KK.",
    "Surat diterbitkan gratis dan selesai dalam satu hari.",
    "Jika surat sudah terbit, Anda dapat memeriksanya di laman verifikasi.",
    "No letter has been made yet.",
    "Your letter will be issued once you confirm.",
    "Has your letter been issued?",
    "Letters are issued free of charge.",
    "Selamat pagi! Ada yang bisa kami bantu hari ini?",
]


OFFICES = tomllib.loads(Path(__file__).with_name("claims_offices.toml").read_text(encoding="utf-8"))["office"]


def tools_of(office: dict[str, Any]) -> Toolset:
    return toolset(*(ToolInfo(server="office", official=True, **tool) for tool in office["tools"]))


def answers(kind: str) -> list[Any]:
    return [pytest.param(office, answer, id=answer) for office in OFFICES for answer in office[kind]]


@pytest.mark.parametrize(("office", "answer"), answers("lies"))
def test_no_deed_of_any_office_is_claimed_that_no_tool_did(office: dict[str, Any], answer: str) -> None:
    assert false_claim(answer, tools_of(office), []) is not None


@pytest.mark.parametrize(("office", "answer"), answers("honest"))
def test_an_office_may_speak_of_its_deeds_without_claiming_one(office: dict[str, Any], answer: str) -> None:
    assert false_claim(answer, tools_of(office), []) is None


WAITING = tomllib.loads(Path(__file__).with_name("claims_waiting.toml").read_text(encoding="utf-8"))["language"]


@pytest.mark.parametrize(("first", "lies"), [(0, 33), (1, 32)], ids=["tuning", "unseen"])
def test_while_an_officer_decides_no_answer_says_that_a_letter_is_there_or_when(first: int, lies: int) -> None:
    def withheld(kind: str) -> list[str]:
        said = [answer for language in WAITING for answer in language[kind][first::2]]
        return [answer for answer in said if false_claim(answer, toolset(LETTER), [])]

    assert len(withheld("lies")) >= lies
    assert withheld("honest") == []


@pytest.mark.parametrize(
    "named",
    [
        {"title": "Surat Keterangan Domisili"},
        {"requirements": ["KTP asli", "Surat pengantar", "Printed form"]},
        {"first": "Foto cetak 3x4", "letters": [{"tool": "generate_surat_keterangan_domisili"}]},
    ],
)
def test_what_a_look_up_names_proves_no_letter(named: Any) -> None:
    look_up = ToolInfo(name="get_requirements", server="certificate", annotations={"readOnlyHint": True})
    assert false_claim("Surat Anda telah diterbitkan.", toolset(LETTER, look_up), found(look_up.name, named))


@pytest.mark.parametrize("status", ["issued", "terbit", "sudah terbit"])
def test_a_status_in_few_words_proves_its_letter(status: str) -> None:
    said = found("get_letter_status", {"letter": {"status": status}})
    assert false_claim("Surat Anda telah diterbitkan.", toolset(LETTER, STATUS), said) is None


SHIPPED = [generate_tool(letter, "id") for letter in Catalogue((SHIPPED_LETTERS,)).types.values()]
OFFICIAL = [
    ToolInfo(server="office", official=True, name=tool.name, description=tool.description or "", meta=tool.meta or {})
    for tool in SHIPPED
]
TITLES = [title for tool in OFFICIAL for title in tool.meta["agentd/titles"].values()]
VERBS = {
    "id": [f"di{stem}" for stem in languages()["id"].deeds["issue"]],
    "en": [*(f"{stem}ed" for stem in languages()["en"].deeds["issue"]), "made", "sent", "written"],
}
FRAMES = {
    "id": (
        ["{title} sudah {done}. Silakan cek di loket.", "{title} telah kami {done}.", "{title} selesai {done}."],
        [
            "Kami melayani:\n- {title}",
            "Berikut data yang sudah Anda berikan: nama Budi.",
            "Tahun akademik: ini masih contoh, isi dengan data Anda.",
            "{title} belum {done}.",
            "Apakah {title} sudah {done}?",
            "{title} tidak mampu {done}.",
        ],
    ),
    "en": (
        ["Your {title} has been {done}.", "The {title} has now been {done}.", "The {title} is now {done}."],
        [
            "We make:\n- {title}",
            "Here is the data I still need for it: your NIK.",
            "The {title} has not been {done}.",
            "Has the {title} been {done}?",
        ],
    ),
}


@pytest.mark.parametrize("language", ["id", "en"])
@pytest.mark.parametrize("title", [*TITLES, *map(str.casefold, TITLES)])
def test_no_word_of_a_title_takes_a_claim_back_or_makes_one(title: str, language: str) -> None:
    """`Surat Keterangan Tidak Mampu sudah dibuat` denies nothing; `a letter that … is being made` tells nothing."""
    lies, honest = (
        [frame.format(title=title, done=done) for frame in frames for done in VERBS[language]]
        for frames in FRAMES[language]
    )
    office = toolset(*OFFICIAL)
    assert [answer for answer in lies if false_claim(answer, office, []) is None] == []
    assert [answer for answer in honest if false_claim(answer, office, []) is not None] == []


def test_one_letter_made_lets_no_other_be_claimed_by_its_title() -> None:
    office = toolset(*OFFICIAL, STATUS)
    for truth_told, made in (
        ("Surat Keterangan Domisili sudah dibuat.", "surat_keterangan_domisili"),
        (
            "Surat Keterangan Domisili sudah terbit; untuk Surat Keterangan Usaha sebutkan NIK.",
            "surat_keterangan_domisili",
        ),
        ("Surat pengantar sudah terbit.", "surat_pengantar_skck"),
        ("Suratnya sudah jadi.", "surat_pengantar_skck"),
    ):
        assert false_claim(truth_told, office, found(f"generate_{made}", {"number": "001/SKD/X/2026"})) is None
    done = found("generate_surat_keterangan_domisili", {"number": "001/SKD/X/2026"})
    for lie in (
        "Surat Keterangan Usaha sudah dibuat.",
        "Your Business letter has been issued.",
        "Surat Keterangan Domisili Usaha sudah terbit.",
    ):
        assert false_claim(lie, office, done) == lie
        assert false_claim(lie, office, found("get_letter_status", {"letter": {"status": "issued"}})) is None


BLOCK = ToolInfo(name="block_card", server="bank", official=True, description="Block a customer's card.")
SEND = ToolInfo(name="send_transfer", server="bank", official=True, description="Send money to another account.")
CARD = ToolInfo(name="get_card", server="bank", annotations={"readOnlyHint": True})


def test_one_deed_done_lets_no_other_be_claimed() -> None:
    done = found("block_card", {"reference": "B-1"})
    for truth_told in ("Your card has been blocked.", "Kartu Anda sudah kami blokir.", "Done!"):
        assert false_claim(truth_told, toolset(BLOCK, SEND), done) is None
    for lie in ("The money has been sent.", "Uangnya sudah kami kirim."):
        assert false_claim(lie, toolset(BLOCK, SEND), done) == lie


@pytest.mark.parametrize("status", [{"status": "blocked"}, {"blocked": True}, {"card": {"state": "diblokir"}}])
def test_a_status_that_a_tool_found_may_be_reported(status: Any) -> None:
    assert false_claim("Your card has been blocked.", toolset(BLOCK, CARD), found("get_card", status)) is None


@pytest.mark.parametrize(
    "status", [{"status": "active"}, {"blocked": False}, {"help": "How a card is blocked, by post"}]
)
def test_what_a_tool_did_not_state_is_no_status(status: Any) -> None:
    assert false_claim("Your card has been blocked.", toolset(BLOCK, CARD), found("get_card", status)) is not None


@pytest.mark.parametrize("answer", LIES)
def test_a_letter_that_no_tool_made_is_not_claimed(answer: str) -> None:
    assert false_claim(answer, toolset(LETTER), []) is not None


@pytest.mark.parametrize("answer", TRUTHS)
def test_plans_conditions_questions_and_procedures_are_no_claims(answer: str) -> None:
    assert false_claim(answer, toolset(LETTER), []) is None


def test_what_a_tool_did_or_found_may_be_said() -> None:
    made, looked_up = found("make_letter", {"pages": 1}), found("get_letter_status", {"number": "001/SKD/X/2026"})
    for said in (made, looked_up):
        assert false_claim("Surat Anda telah diterbitkan.", toolset(LETTER, STATUS), said) is None
    assert false_claim("Nomornya 001/SKD/X/2026.", toolset(LETTER, STATUS), looked_up) is None
    assert false_claim("Nomornya 002/SKD/X/2026.", toolset(LETTER, STATUS), looked_up) is not None


def test_an_agent_without_official_tools_may_speak_of_letters() -> None:
    assert false_claim(LIES[0], toolset(STATUS), []) is None


@pytest.mark.parametrize("language", ["id", "en"])
def test_the_truth_is_no_claim(language: Language) -> None:
    assert false_claim(said_instead(language).truth, toolset(LETTER), []) is None


async def test_a_model_that_claims_a_letter_is_asked_once_more() -> None:
    talk = Talk(final(LIES[0]), final("Mohon sebutkan: NIK."), tools=MemoryTools({"make_letter": dict}, [LETTER]))
    heard: list[str] = []
    turn = talk.model.turn

    async def listening(request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        heard.append(request.messages[-1].content)
        return await turn(request, on_text)

    talk.model.turn = listening  # type: ignore[method-assign]
    ended = await talk.run()
    assert (ended.status, ended.response, ended.so_far.fallbacks) == ("completed", "Mohon sebutkan: NIK.", [])
    assert "no tool has done that" in heard[1]


async def test_a_model_that_insists_is_not_believed_and_the_page_takes_its_words_back() -> None:
    talk = Talk(final(LIES[0]), final(LIES[1]), tools=MemoryTools({"make_letter": dict}, [LETTER]))
    ended = await talk.run()
    assert ended.response == said_instead("id").truth
    assert talk.told[-2] == ("model.delta", {"restart": True, "text": said_instead("id").truth})


@pytest.mark.parametrize("name", ["meta", "x", "_", "工具"])
def test_a_tool_that_tells_of_no_deed_keeps_no_answer_from_being_judged(name: str) -> None:
    tools = toolset(ToolInfo(name=name, server="friendly", official=True))
    assert false_claim("Halo, ada yang bisa dibantu?", tools, []) is None
