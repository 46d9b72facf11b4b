"""On what a letter rests: its text says it truly, the register's values stand, and it is valid as long as it says."""

from __future__ import annotations

import fcntl
import io
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pypdf
import pytest
from mcp import Client

from servers.certificate import office
from servers.certificate.callmeta import BASIS, basis_of
from servers.certificate.drawing import page
from servers.certificate.issuing.issued import Issued
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.letters import lettertype
from servers.certificate.letters.basis import Basis
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.server import create_server
from servers.certificate.settings import SHIPPED_LETTERS
from servers.certificate.signing import statement
from servers.certificate.tools import generate_tool
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import ANSWERS, DOMISILI, issue, open_service
from tests.waiting import until

TODAY = date(2026, 3, 5)
REGISTER = "data kependudukan pada Kelurahan Cakung Barat"
STATEMENT = "keterangan yang bersangkutan"
ALL = dict.fromkeys(DOMISILI.keys() - {"keperluan"}, "register") | {"keperluan": "citizen"}
KTP, COVER = "KTP (asli dan salinan)", "Surat pengantar dari RT dan RW"


def text(pdf: bytes) -> str:
    return " ".join(" ".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(pdf)).pages).split())


def printed(service: LetterService, letter: Issued) -> str:
    return text(Path(letter.path).read_bytes())


@pytest.mark.parametrize(
    ("basis", "says"),
    [
        ({}, f"Berdasarkan {STATEMENT}, orang"),
        ({"level": "declared", "seen": [KTP]}, f"{STATEMENT} serta KTP yang diperlihatkan kepada petugas, orang"),
        ({"level": "declared", "sources": {"nama": "register"}}, f"Berdasarkan {STATEMENT} dan {REGISTER}, orang"),
        ({"level": "pin", "sources": ALL}, f"Berdasarkan {REGISTER}, orang"),
        ({"level": "card+pin"}, f"Berdasarkan {REGISTER}, orang"),
        ({"level": "officer", "sources": ALL | {"agama": "citizen"}}, f"{REGISTER} dan {STATEMENT}, orang"),
        ({"level": "officer", "sources": ALL | {"agama": "derived"}}, f"{REGISTER} dan {STATEMENT}, orang"),
        ({"level": "pin", "sources": dict.fromkeys(ALL, "citizen")}, f"Berdasarkan {STATEMENT}, orang"),
        (
            {"level": "officer", "sources": ALL, "seen": [COVER, KTP]},
            f"{REGISTER} serta surat pengantar dari RT dan RW dan KTP yang diperlihatkan kepada petugas, orang",
        ),
        ({"level": "admin", "seen": "KTP", "sources": {"nama": "nobody"}}, f"Berdasarkan {STATEMENT}, orang"),
    ],
)
def test_the_text_says_on_what_the_letter_rests(basis: dict[str, Any], says: str, service: LetterService) -> None:
    assert says in printed(service, issue(service, basis=basis_of({BASIS: basis})))


def test_a_document_that_the_letter_does_not_ask_for_is_never_named(service: LetterService) -> None:
    shown = printed(service, issue(service, basis=Basis(seen=("Surat sakti",))))
    assert "sakti" not in shown and "diperlihatkan" not in shown


@pytest.mark.parametrize("key", sorted(path.name for path in SHIPPED_LETTERS.iterdir()))
def test_no_letter_speaks_of_a_document_or_a_fact_that_nobody_gave(key: str) -> None:
    """Every value it prints is a field, so it stood in the summary; the rest of its text names no person's datum."""
    letter = lettertype.load(SHIPPED_LETTERS / key)
    own = re.sub(r"\{\w+\}", "", " ".join((*letter.text, *(line for _, line in letter.rows))))
    words = r"pernyataan|surat pengantar RT|KTP|Kartu Keluarga|WNI|warga|laki-laki|perempuan|Islam|kawin"
    assert re.findall(words, own.replace(letter.title, ""), re.IGNORECASE) == []


@pytest.mark.parametrize("key", sorted(ANSWERS))
def test_every_value_on_the_paper_was_an_argument(key: str) -> None:
    letter = lettertype.load(SHIPPED_LETTERS / key)
    values, _ = letter.check(ANSWERS[key], TODAY, page.glyphs())
    added = {name: values[name] for name in values.keys() - ANSWERS[key].keys()}
    published = letter.input_schema()["properties"]
    assert added == {name: published[name]["default"] for name in added}


def test_a_letter_whose_text_forgets_to_say_so_says_it_at_its_end(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", tmp_path / "surat_saya"))
    (folder / "letter.txt").write_text("Menerangkan:\n[data]\nDemikian.\n")
    letter = lettertype.load(folder)
    values, _ = letter.check(ANSWERS["surat_pengantar"], TODAY, page.glyphs())
    assert f"dibuat berdasarkan {STATEMENT}." in text(page.render(letter, values, office.load(), None, TODAY))


def test_what_the_citizen_says_beside_it_is_still_checked(service: LetterService) -> None:
    basis = Basis(level="pin", sources=ALL | {"nik": "citizen"})
    with pytest.raises(lettertype.InvalidFields):
        issue(service, DOMISILI | {"nik": "3175060101700001"}, basis=basis)


def test_what_no_register_knows_always_rests_on_a_statement(service: LetterService) -> None:
    answers = ANSWERS["surat_keterangan_ktp_dalam_proses"]
    basis = Basis(level="pin", sources=dict.fromkeys(answers, "register"))
    issued = issue(service, answers, letter="surat_keterangan_ktp_dalam_proses", basis=basis)
    assert f"Berdasarkan {REGISTER} dan {STATEMENT}, kartu" in printed(service, issued)


def test_a_letter_for_one_choice_is_refused_to_who_is_another_by_the_register(service: LetterService) -> None:
    answers = ANSWERS["surat_keterangan_belum_menikah"] | {"status_perkawinan": "Kawin"}
    basis = Basis(level="pin", sources=dict.fromkeys(answers, "register"))
    with pytest.raises(lettertype.InvalidFields) as caught:
        issue(service, answers, letter="surat_keterangan_belum_menikah", basis=basis)
    assert [problem.message for problem in caught.value.problems] == [
        "Status perkawinan: pilih salah satu: Belum Kawin."
    ]


def test_the_deceased_and_the_one_who_reports_are_two_persons(service: LetterService) -> None:
    """Each one's NIK is compared with their own day of birth, and it rests on the reporter's statement."""
    answers = ANSWERS["surat_keterangan_kematian"]
    assert "Berdasarkan keterangan pelapor, Budi Contoh telah meninggal" in printed(
        service, issue(service, answers, letter="surat_keterangan_kematian")
    )
    with pytest.raises(lettertype.InvalidFields) as caught:
        issue(service, answers | {"nik_almarhum": answers["nik_pelapor"]}, letter="surat_keterangan_kematian")
    assert {problem.field for problem in caught.value.problems} == {"nik_almarhum", "jenis_kelamin_almarhum"}


@pytest.fixture
def limited(tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", tmp_path / "own" / "surat_saya"))
    source = (folder / "letter.toml").read_text().replace('series = "SP"', 'series = "SPX"\nvalid_days = 30')
    (folder / "letter.toml").write_text(source)
    return folder


def test_a_letters_own_validity_is_printed_kept_and_checked(
    limited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = open_service(tmp_path / "state", LETTERS_DIR=str(limited.parent))
    issued = issue(service, ANSWERS["surat_pengantar"], letter="surat_saya")
    row = service.ledger.by_number(issued.number)
    assert issued.valid_until == "2026-04-04" and row is not None and row.valid_until == date(2026, 4, 4)
    assert "berlaku sampai dengan tanggal 4 April 2026" in printed(service, issued)
    said = statement.stated(service.catalogue.types["surat_saya"], row.values, row.number, row.day, row.valid_until)
    qr = f"{issued.verify_url}#{statement.sign(said, service.keys.statement)}"
    found = Verifier(service).code(qr)
    assert found.cause == "valid" and found.paper is not None and found.paper.valid_until == "2026-04-04"
    # What is printed holds, whatever the folder says later.
    (limited / "letter.toml").write_text((limited / "letter.toml").read_text().replace("= 30", "= 300"))
    service.catalogue.types = Catalogue((SHIPPED_LETTERS, limited.parent)).types
    assert Verifier(service).code(qr).valid_until == "2026-04-04"
    monkeypatch.setenv("AGENTD_CLOCK", "2026-04-05T09:00:00+07:00")
    later = Verifier(service).code(qr)
    assert (later.genuine, later.cause) == (True, "expired") and "masa berlakunya habis" in later.reason


def test_a_letter_that_waits_past_midnight_is_valid_from_its_own_date(
    limited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", "2026-03-05T23:59:00+07:00")
    service = open_service(tmp_path / "state", LETTERS_DIR=str(limited.parent))
    service.recover()
    with ThreadPoolExecutor() as pool:
        with service.archive.exclusive():
            issuing = pool.submit(issue, service, ANSWERS["surat_pengantar"], letter="surat_saya")
            until(lambda: _is_locked(service.archive.folder / ".turnstile"), "the letter waits for the archive")
            monkeypatch.setenv("AGENTD_CLOCK", "2026-03-06T00:01:00+07:00")
        issued = issuing.result()
    assert (issued.date, issued.valid_until) == ("2026-03-06", "2026-04-05")


def _is_locked(file: Path) -> bool:
    with file.open() as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_without_a_limit_of_its_own_a_letter_is_valid_as_the_office_says(service: LetterService) -> None:
    assert issue(service).valid_until is None
    letter = service.catalogue.types["surat_keterangan_domisili"]
    limited = office.load().model_copy(update={"validity_months": 6})
    assert letter.valid_until(date(2026, 8, 31), limited) == date(2027, 2, 28)


async def test_only_the_daemons_word_counts_and_the_tools_say_what_they_need(service: LetterService) -> None:
    generate, basis = "generate_surat_keterangan_domisili", {"level": "pin", "sources": ALL}
    async with Client(create_server(service)) as client:
        [tool] = [tool for tool in (await client.list_tools()).tools if tool.name == generate]
        forged = await client.call_tool(generate, DOMISILI | {"agentd/basis": "pin"})
        told = await client.call_tool(generate, DOMISILI, meta={"agentd/basis": basis})
        draft = {"letter_type": "domisili", "data": DOMISILI, "pdf": True}
        drawn = await client.call_tool("preview_letter", draft, meta={"agentd/basis": basis})
    meta = tool.meta or {}
    assert (meta["agentd/letter"], meta["agentd/assurance"], meta["agentd/valid_days"]) == (True, "officer", 0)
    assert KTP in meta["agentd/requirements"] and meta["agentd/titles"]["en"] == "Certificate of domicile"
    assert tool.input_schema["properties"]["nama"]["x-agentd-source"] == "resident.nama"
    assert "x-agentd-source" not in tool.input_schema["properties"]["keperluan"]
    assert forged.is_error and not told.is_error and not drawn.is_error
    [issued] = service.ledger.all()
    assert issued.basis == Basis(level="pin", sources=ALL)


@pytest.mark.parametrize(
    ("file", "was", "becomes"),
    [
        ("letter.txt", "memberikan pengantar", "tidak memberikan pengantar"),
        ("letter.toml", "= 30", "= 300"),
        ("letter.toml", "rows = [", 'rows = [["Ke", "{tujuan}"],'),
    ],
)
def test_a_letter_that_would_say_something_else_is_another_for_who_agreed(
    limited: Path, file: str, was: str, becomes: str
) -> None:
    before = generate_tool(lettertype.load(limited), "id")
    text = (limited / file).read_text()
    assert was in text
    (limited / file).write_text(text.replace(was, becomes, 1))
    after = generate_tool(lettertype.load(limited), "id")
    assert before.meta is not None and after.meta is not None and before.input_schema == after.input_schema
    assert before.meta["agentd/wording"] != after.meta["agentd/wording"]


def test_a_field_may_say_what_it_is_for_any_reader(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", tmp_path / "surat_saya"))
    field = 'tujuan = { kind = "text", label = "Instansi tujuan"'
    says = ', about = "company", labels = { en = ["agency"] }, time = "future", sensitive = true, says = "code"'
    source = (folder / "letter.toml").read_text()
    assert field in source
    (folder / "letter.toml").write_text(source.replace(field, field + says))
    with pytest.raises(lettertype.LetterTypeError, match="about = company: not one of"):
        lettertype.load(folder)
    roles = '[roles]\ncompany = { id = ["perusahaan"] }\n\n[fields]'
    (folder / "letter.toml").write_text(source.replace(field, field + says).replace("[fields]", roles))
    schema = lettertype.load(folder).input_schema()
    assert schema["x-agentd-roles"] == {"company": {"id": ["perusahaan"]}}
    rule = schema["properties"]["tujuan"]
    assert {name.removeprefix("x-agentd-"): rule[name] for name in rule if name.startswith("x-agentd-")} == {
        **{"about": "company", "labels": {"en": ["agency"]}, "time": "future", "sensitive": True, "kind": "code"}
    }
