"""Agent and certificate server give one verdict on every spelling of a choice: what is proven is read, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.agent import actions
from agentd.agent.listing import manifest
from agentd.agent.policies import PolicedTools
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Offer
from agentd.apps.letters.evidence.fields.field import fields, form
from agentd.apps.letters.evidence.normalisers.choices import Enum, canonical
from agentd.apps.letters.policies.grounding import Grounded, ungrounded
from agentd.messages import ToolInfo
from agentd.testing import MemoryTools
from servers.certificate.letters import kinds, lettertype
from servers.certificate.settings import SHIPPED_LETTERS
from tests.agentd.apps.letters.letters import call

LETTER = lettertype.load(SHIPPED_LETTERS / "biodata_penduduk")
SCHEMA = LETTER.input_schema()
TOOL = ToolInfo(name=LETTER.tool, server="certificate", official=True, input_schema=SCHEMA)
SPELLINGS = [
    (field, choice, spelling)
    for field, table in kinds.CHOICES.items()
    for choice, others in table.items()
    for spelling in (choice, *others)
]
ODD = {
    "status_perkawinan": [
        "cerai",
        "Bercerai",
        "udh kawin",
        "blm  kawin",
        "kawin!",
        "janda",
        "sudah",
        "kawin kawin",
        "",
    ],
    "jenis_kelamin": ["perempuam", "LAKI–LAKI", "laki_laki", "L.", "Ｐ", "laki\u200b-laki", "bapak", "la ki"],
    "agama": ["Kristen-Katolik", "islam.", "kristen/protestan", "kepercayaan terhadap tuhan", "yahudi", "Islám"],
    "kewarganegaraan": ["W.N.I", "Warga-Negara Indonesia", "wn", "indonesia 1"],
}


def agents(field: str, written: str) -> str | None:
    alone = {**SCHEMA, "required": [field]}
    (one,) = fields(alone, {field: written}, form(alone))
    return canonical(written, one.enum)


def servers(field: str, written: str) -> str | None:
    try:
        return kinds.read_choice(kinds.text_of(written), kinds.CHOICES[field])
    except ValueError:
        return None


@pytest.mark.parametrize(("field", "choice", "spelling"), SPELLINGS, ids=lambda value: str(value))
def test_a_declared_spelling_is_proven_and_read_as_its_choice(field: str, choice: str, spelling: str) -> None:
    for written in (spelling, spelling.upper(), f"{spelling}.", spelling.replace(" ", "-")):
        assert agents(field, written) == servers(field, written) == choice
    label = field.replace("_", " ")
    missing = {one.path for one in ungrounded(call({field: spelling}, f"{label}: {spelling}", tool=TOOL))}
    assert field not in missing


@pytest.mark.parametrize(("field", "written"), [(field, each) for field, odd in ODD.items() for each in odd])
def test_what_no_schema_spells_has_one_verdict_too(field: str, written: str) -> None:
    assert agents(field, written) == servers(field, written)


@pytest.mark.parametrize(("field", "choice", "spelling"), SPELLINGS, ids=lambda value: str(value))
def test_the_common_spellings_say_what_the_letters_spellings_say(field: str, choice: str, spelling: str) -> None:
    assert canonical(spelling, Enum(tuple(kinds.CHOICES[field]))) == choice


@pytest.mark.parametrize("said", ["status perkawinan cerai", "status saya cerai", "Status: cerai pak"])
async def test_a_bare_cerai_is_asked_by_the_agent(said: str) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"status_perkawinan": SCHEMA["properties"]["status_perkawinan"]},
    }
    tool = TOOL.model_copy(update={"input_schema": schema})
    host = PolicedTools(MemoryTools({tool.name: lambda _: {}}, [tool]), [Grounded()])
    for guessed in ("Cerai Hidup", "Cerai Mati", "cerai"):
        refused = await host.call(call({"status_perkawinan": guessed}, said, tool=tool))
        assert refused.missing == ("status_perkawinan",)
        assert "Cerai Hidup / Cerai Mati" in refused.message
    assert (await host.call(call({"status_perkawinan": "Cerai Mati"}, said, "cerai mati", tool=tool))).success


def test_a_bare_cerai_is_asked_by_the_server() -> None:
    with pytest.raises(ValueError, match=r"^pilih salah satu: Cerai Hidup, Cerai Mati\.$"):
        kinds.read_choice("Cerai", kinds.CHOICES["status_perkawinan"])


def test_a_spelling_of_two_choices_is_no_letters_field() -> None:
    with pytest.raises(ValueError, match="cerai"):
        lettertype.LetterField(
            kind="choice", label="Status", choices={"Cerai Hidup": ("cerai",), "Cerai Mati": ("Cerai",)}
        )


def test_no_model_reads_the_spellings() -> None:
    assert "x-agentd-spellings" in str(SCHEMA)
    shown = manifest(Toolset((TOOL,), ()))
    assert "x-agentd-spellings" not in f"{shown}{actions.schema(Offer((TOOL,)))}" and "Cerai Hidup" in str(shown)


@pytest.mark.parametrize("title", ["H", "Hj", "Drs", "M", "Moh", "Muh", "Mhd", "Abd", "Ach", "Rr", "Tb", "Ust", "KH"])
def test_a_full_stop_within_a_name_ends_no_sentence(title: str) -> None:
    name = f"{title}. Yasin Rahmat"
    assert "nama" not in [one.path for one in ungrounded(call({"nama": name}, f"Nama saya {name}, agama Islam"))]
