"""Which letters the register's values don't allow, and whom a tap on a member of the family means (issue 18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Offer, Turn
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.apps.residents.conditions import unmet
from agentd.apps.residents.family import described, meant
from agentd.apps.residents.filling import ConditionUnmet, Known, filled, offered
from agentd.apps.residents.register import Resident
from agentd.messages import Said, ToolInfo
from servers.certificate.letters.lettertype import load
from servers.certificate.tools import generate_tool
from servers.residents.sample import SampleRegister

LETTERS = Path(__file__).parents[4] / "profiles" / "kelurahan" / "letters"
BUDI, RIZKY = "3175061708859001", "3175062108049003"


def tool(name: str) -> ToolInfo:
    made = generate_tool(load(LETTERS / name), "id")
    return ToolInfo(name=made.name, server="certificate", official=True, input_schema=made.input_schema, meta=made.meta)


@pytest.fixture
def family() -> tuple[Resident, ...]:
    register = SampleRegister()
    head = register.find(nik=BUDI)
    assert head is not None
    return tuple(one.resident.model_dump() for one in register.family(head))


def known(family: tuple[Resident, ...], nama: str) -> Known:
    return Known("pin", next(one for one in family if one["nama"] == nama), family)


UNMARRIED = tool("surat_keterangan_belum_menikah")
INCOME, DEATH = tool("surat_keterangan_penghasilan_orang_tua"), tool("surat_keterangan_kematian")


def test_a_married_resident_is_told_before_anything_is_asked(family: tuple[Resident, ...]) -> None:
    married = known(family, "Budi Contoh")
    shown = offered(UNMARRIED, married)
    assert (shown.input_schema["properties"], shown.input_schema["required"]) == ({}, [])
    with pytest.raises(ConditionUnmet) as refused:
        filled(UNMARRIED, {}, married, [], "id")
    assert "status perkawinan Anda: Kawin." in refused.value.unmet.words("id")
    assert "marital status: Kawin." in refused.value.unmet.words("en")
    assert list(offered(UNMARRIED, known(family, "Rizky Contoh")).input_schema["properties"]) == ["keperluan"]


def test_by_words_too_it_is_the_only_thing_that_the_model_may_call(family: tuple[Resident, ...]) -> None:
    words = "Saya perlu surat belum menikah"
    shown = tuple(offered(one, known(family, "Budi Contoh")) for one in (UNMARRIED, INCOME, DEATH))
    turn = Turn(request=words, toolset=Toolset(shown, ()), said=(Said(by="citizen", order=0, text=words),))
    offer = LetterTurns().offer(turn, Offer(tools=shown))
    assert ([one.name for one in offer.tools], offer.may_answer) == ([UNMARRIED.name], False)


def test_what_the_register_does_not_hold_is_not_judged(family: tuple[Resident, ...]) -> None:
    assert unmet(UNMARRIED, {**family[0], "status_perkawinan": None}) is None


@pytest.mark.parametrize(
    ("letter", "member", "said"),
    [
        (DEATH, "Budi Contoh", "tidak mungkin pemohon sendiri"),
        (DEATH, "Siti Contoh", None),
        (INCOME, "Siti Contoh", "mencatat hubungan itu: Istri."),
        (INCOME, "Rizky Contoh", None),
    ],
    ids=["one's own death", "of the wife", "the wife as a child", "the child"],
)
def test_whom_a_letter_may_name(family: tuple[Resident, ...], letter: ToolInfo, member: str, said: str | None) -> None:
    named = next(one for one in family if one["nama"] == member)
    found = unmet(letter, family[0], named)
    assert (found is None) is (said is None)
    assert said is None or (found is not None and said in found.words("id"))


CHILD = {"nik": "3175062108109009", "nama": "Adik Contoh", "hubungan": "Anak"}


@pytest.mark.parametrize(
    ("applicant", "member", "allowed"),
    [
        ("Rizky Contoh", {}, False),  # her father, who is the head of the family
        ("Rizky Contoh", CHILD, False),  # a brother
        ("Siti Contoh", CHILD, True),
        ("Siti Contoh", CHILD | {"nik_ibu": None}, True),  # by her name
        ("Siti Contoh", CHILD | {"nik_ibu": None, "nama_ibu": "Ibu Lain"}, False),
        ("Siti Contoh", CHILD | {"nik_ibu": "3175064806849999"}, False),  # of the same name
        ("Siti Contoh", CHILD | {"nik_ibu": None, "nama_ibu": None}, True),  # the register doesn't say
    ],
)
def test_only_a_parent_states_an_income_for_a_child(
    family: tuple[Resident, ...], applicant: str, member: dict[str, str | None], allowed: bool
) -> None:
    named = {**family[2], **member} if member else family[0]
    found = unmet(INCOME, known(family, applicant).resident, named)
    assert (found is None) is allowed


def test_what_no_register_knows_rests_on_a_statement_though_a_pin_was_given(family: tuple[Resident, ...]) -> None:
    declared = {"nama_anak": "Rizky Contoh", "penghasilan": "3000000", "keperluan": "sekolah"}
    stated = filled(INCOME, declared, known(family, "Budi Contoh"), ["anak saya Rizky Contoh"], "id")
    assert (stated.level, stated.sources["nama"], stated.sources["penghasilan"]) == ("declared", "register", "citizen")
    purpose = filled(UNMARRIED, {"keperluan": "kerja"}, known(family, "Rizky Contoh"), [], "id")
    assert purpose.level == "pin"


def test_of_two_of_one_name_the_tapped_one_is_meant(family: tuple[Resident, ...]) -> None:
    twin = {**family[2], "nik": "3175062108109009", "tanggal_lahir": "2010-08-21"}
    both = (*family, twin)
    assert len(meant("Rizky Contoh", both, ["Rizky Contoh"])) == 2
    for one in (family[2], twin):
        value = described(one, "id")
        assert meant(value, both, [f'{{"nama_anak": "{value}"}}']) == [one]
        filling = filled(INCOME, {"nama_anak": value}, Known("pin", family[0], both), [value], "id")
        assert (filling.arguments["nama_anak"], filling.sources["nama_anak"]) == (one["nama"], "register")
