"""Whose a value is, as citizens tell it: the deceased by relation, a stall's place, a letter for somebody else."""

from __future__ import annotations

import pytest

from agentd.apps.letters.evidence.claims.host_questions import FOR
from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of, refusal, ungrounded
from agentd.errors import Language
from agentd.messages import Said
from tests.agentd.apps.letters.letters import call, session
from tests.agentd.apps.letters.test_conversations import tool as shipped

NIK = "3175061205570003"


def missing(key: str, arguments: dict[str, str], *lines: str) -> set[str]:
    return {field.path for field in ungrounded(call(arguments, *lines, tool=shipped(key)))} & arguments.keys()


@pytest.mark.parametrize(
    ("said", "deceased"),
    [
        ("mertua saya atas nama Sukarno Hadi meninggal tgl 27 november", "Sukarno Hadi"),
        ("bapak aku namanya Slamet Riyadi meninggal kemarin sore", "Slamet Riyadi"),
        ("my father Slamet Riyadi passed away yesterday", "Slamet Riyadi"),
        ("my husband Joko Susilo has died", "Joko Susilo"),
        ("my late uncle Hadi Pranoto", "Hadi Pranoto"),
        ("my dad Bambang Irawan is dead", "Bambang Irawan"),
    ],
)
def test_a_relative_of_whom_death_is_said_is_the_deceased_whom_the_form_names(said: str, deceased: str) -> None:
    arguments = {"nama_almarhum": deceased, "nik_almarhum": NIK}
    assert not missing("surat_keterangan_kematian", arguments, f"{said}. NIK almarhum {NIK}")


@pytest.mark.parametrize(
    "said",
    [
        "bapak saya Slamet Riyadi yang lapor, ibu saya meninggal",
        "saya diantar bapak saya Slamet Riyadi, nenek saya meninggal kemarin",
        "my father Slamet Riyadi reported that my mother passed away",
        "kalau bapak saya Slamet Riyadi meninggal apa syaratnya",
        "my father Slamet Riyadi has not died",
    ],
)
def test_a_relative_of_whom_no_death_is_said_is_not_the_deceased(said: str) -> None:
    assert missing("surat_keterangan_kematian", {"nama_almarhum": "Slamet Riyadi"}, said)


DIED = "Nama almarhum Slamet Widagdo, meninggal tanggal 3 Februari 2026 di RSUD Banyumas."


@pytest.mark.parametrize(
    ("lines", "relation"),
    [
        ((DIED,), None),
        ((DIED, "saya pelapor, nama saya Rina Utami"), None),
        ((DIED, "Hubungan pelapor: anak"), "anak"),
        ((DIED, "A: Apa hubungan Anda dengan almarhum?", "istri"), "istri"),
        ((DIED, "saya tetangga almarhum"), "tetangga"),
        (("tetangga saya Slamet Widagdo meninggal",), "tetangga"),
        ((DIED, "saya ahli waris almarhum"), "ahli waris"),
        ((DIED, "saya penjamin almarhum"), None),
        ((DIED, "teman saya Budi ikut. Hubungan pelapor: anak"), "anak"),
        ((DIED, "nama istri almarhum Siti"), None),
        ((DIED, "Suami: Joko Widagdo"), None),
        ((DIED, "Hubungan pelapor: wali"), "wali"),
        ((DIED, "Relation to the deceased: son"), "anak"),
        ((DIED, "nama kepala keluarga Joko"), None),
        ((DIED, "tetangga saya Joko juga tahu"), None),
        ((DIED, "majikan saya yang bayar"), None),
        ((DIED, "pasien itu bapak saya"), None),
        (("karyawan saya meninggal", DIED), None),
    ],
)
def test_nobody_who_was_only_mentioned_is_the_reporters_relation(lines: tuple[str, ...], relation: str | None) -> None:
    tool = shipped("surat_keterangan_kematian")
    assert copied(tool, case_of(tool, session(*lines))).known.get("hubungan_pelapor") == relation
    for role in ("almarhum", "almarhumah", "mendiang", "the deceased", "pelapor", "pemohon"):
        assert missing("surat_keterangan_kematian", {"hubungan_pelapor": role}, *lines)


@pytest.mark.parametrize(
    ("said", "street"),
    [
        ("gerobak saya di depan Jl. Kenanga 8", "Jl. Kenanga 8"),
        ("my stall is at Jl. Pasar Minggu block C 12", "Jl. Pasar Minggu block C 12"),
        ("I have a kiosk on Jl. Raya Bogor 12", "Jl. Raya Bogor 12"),
        ("I trade at the market, Jl. Pasar Baru 4", "Jl. Pasar Baru 4"),
        ("saya jualan sayur, lapaknya di pasar induk, Jl. Pasar Induk 7", "Jl. Pasar Induk 7"),
    ],
)
def test_where_somebody_sells_is_not_where_they_live(said: str, street: str) -> None:
    tool = shipped("surat_keterangan_usaha")
    assert "alamat" not in copied(tool, case_of(tool, session(said))).known
    assert missing("surat_keterangan_usaha", {"alamat": street}, said)


@pytest.mark.parametrize(
    "said",
    [
        "saya jualan bakso, tinggal di Jl. Melati 5",
        "I live at Jl. Melati 5 and sell noodles at Jl. Mawar 2",
        "I rent a room at Jl. Melati 5",
    ],
)
def test_the_home_beside_a_business_is_still_the_home(said: str) -> None:
    assert not missing("surat_keterangan_usaha", {"alamat": "Jl. Melati 5"}, said)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("my stall is at Jl. Raya Bogor 12", True),
        ("warung saya di Jl. Raya Bogor 12", True),
        ("saya beli bahan di toko Jl. Raya Bogor 12", False),
        ("I sell noodles at Jl. Raya Bogor 12", False),
    ],
)
def test_only_ones_own_business_has_its_address_filled_in(said: str, known: bool) -> None:
    tool = shipped("surat_keterangan_usaha")
    found = copied(tool, case_of(tool, session(said))).known
    assert (found.get("alamat_usaha") == "Jl. Raya Bogor 12") is known and "alamat" not in found


@pytest.mark.parametrize(
    "said",
    [
        "surat domisili untuk suami tercinta",
        "surat domisili buat adik bungsu saya",
        "surat domisili untuk keponakan saya dari Solo",
        "ini buat mama aku, mama Siti Aminah",
        "a domicile letter, it's for my dear husband",
        "I need a domicile letter, it is for my elderly mother in Solo",
        "a domicile letter, for my brother who lives abroad",
    ],
)
def test_a_person_for_whom_a_letter_is_is_no_purpose(said: str) -> None:
    tool = shipped("surat_keterangan_domisili")
    assert "keperluan" not in copied(tool, case_of(tool, session(said))).known


@pytest.mark.parametrize(
    ("said", "purpose"),
    [
        ("surat domisili untuk anak saya yang bungsu, keperluannya daftar sekolah", "daftar sekolah"),
        ("surat domisili untuk anak saya daftar sekolah", "daftar sekolah"),
        ("untuk ibu saya, daftar BPJS", "daftar BPJS"),
        ("surat domisili untuk biaya berobat ibu saya", "biaya berobat ibu saya"),
    ],
)
def test_what_that_person_does_is_the_purpose(said: str, purpose: str) -> None:
    assert not missing("surat_keterangan_domisili", {"keperluan": purpose}, said)


DOMISILI = "surat_keterangan_domisili"
OTHER = "3175064501600003"


def talk(*lines: str, nik: str = NIK, language: Language = "id") -> tuple[list[str], bool]:
    """(the host's questions, whether the NIK is proven at last), with a model that passes the NIK once it is said."""
    tool, said, questions = shipped(DOMISILI), list[Said](), list[str]()
    for line in lines:
        said.append(Said(by="citizen", order=len(said), text=line))
        given = {"nik": nik} if any(nik in one.text for one in said) else {}
        asked = call(given, tool=tool, said=tuple(said), language=language)
        outcome = refusal(asked, missing_now := ungrounded(asked))
        questions.append(outcome.message)
        said.append(Said(by="agent", order=len(said), text=outcome.message, tool=tool.name, value=outcome.output))
    return questions, "nik" not in {field.path for field in missing_now}


@pytest.mark.parametrize(
    ("lines", "language"),
    [
        (("mau bikin surat domisili buat bapak", f"bapak saya Slamet Riyadi nik {NIK}", "iya buat bapak saya"), "id"),
        (("mau surat domisili mertua saya", f"mertua saya Sukarno NIK {NIK}", "iya betul"), "id"),
        (("surat domisili dong", f"NIK ayah saya {NIK}", "untuk ayah"), "id"),
        (("My grandmother needs a domicile letter", f"Her NIK: {NIK}, her name is Sumirah", "yes"), "en"),
        (("I care for an old man. He needs a domicile letter", f"his NIK is {NIK}", "yes"), "en"),
    ],
)
def test_a_carer_is_asked_once_whom_the_letter_is_for_and_a_plain_yes_settles_it(
    lines: tuple[str, ...], language: Language
) -> None:
    questions, proven = talk(*lines, language=language)
    assert proven and ("orang itu?" in questions[1] or "that person?" in questions[1])
    assert "NIK" not in questions[2]


@pytest.mark.parametrize(
    "answer",
    ["tidak", "bukan, untuk saya", "iya itu NIK istri, suratnya buat saya", "buat saya kok, istri cuma nganter"],
)
def test_without_that_yes_a_relatives_nik_proves_nothing_and_is_not_asked_about_again(answer: str) -> None:
    questions, proven = talk("surat domisili dong", f"NIK istri saya {NIK}", answer, "apa lagi?")
    assert not proven and [("orang itu" in question) for question in questions] == [False, True, False, False]


def test_instead_of_a_yes_ones_own_nik_may_be_given() -> None:
    assert talk("surat domisili dong", f"NIK istri saya {OTHER}", f"bukan, NIK saya {NIK}")[1]
    assert talk("surat domisili dong", f"NIK istri saya {OTHER}", NIK)[1]


@pytest.mark.parametrize("value", [5, "ya", ["istri"], [1, 2], {"istri": "istri"}, None])
def test_a_servers_own_refusal_with_such_a_key_asks_nothing(value: object) -> None:
    tool = shipped(DOMISILI)
    asked = Said(by="agent", order=2, text="Untuk istri?", tool=tool.name, value={FOR: value})
    said = (Said(by="citizen", order=1, text=f"NIK istri saya {NIK}"), asked, Said(by="citizen", order=3, text="ya"))
    assert case_of(tool, said).subject == (None, 0)
