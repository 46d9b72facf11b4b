"""Letters as data: a folder is a type, and a folder that can't be used says where it is wrong."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from servers.certificate import office
from servers.certificate.languages import words
from servers.certificate.letters import kinds
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.letters.fields import LetterField
from servers.certificate.letters.lettertype import LetterTypeError, load
from servers.certificate.messages import WrongValue
from servers.certificate.server import create_server
from servers.certificate.settings import SHIPPED_LETTERS
from servers.certificate.tools import generate_tool
from tests.servers.certificate.letters import open_service


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", tmp_path / "letters" / "surat_saya"))


def change(folder: Path, old: str, new: str, file: str = "letter.toml") -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "file", "says"),
    [
        ('series = "SP"', "", "letter.toml", "series: is missing"),
        ('kind = "nik"', 'kind = "nic"', "letter.toml", "fields.nik.kind"),
        ('choices = "agama"', 'choices = "agam"', "letter.toml", "fields.agama"),
        ("{tujuan}", "{tujuann}", "letter.txt", "{tujuann}"),
        ("order = 40", "odrer = 40", "letter.toml", "odrer"),
        ("order = 40", "order = ", "letter.toml", "line"),
        ('assurance = "officer"', 'assurance = "pin"\ndeclares = true', "letter.toml", "declares"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_key(folder: Path, old: str, new: str, file: str, says: str) -> None:
    change(folder, old, new, file)
    with pytest.raises(LetterTypeError) as caught:
        load(folder)
    assert str(folder / "letter.toml") in str(caught.value) and says in str(caught.value)


def test_a_broken_folder_is_left_out_and_the_others_stay(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "letter.txt").unlink()
    catalogue = Catalogue((SHIPPED_LETTERS, folder.parent))
    assert (
        catalogue.types.keys() == {path.name for path in SHIPPED_LETTERS.iterdir()}
        and "letter.txt is missing" in caplog.text
    )


@pytest.mark.parametrize(
    ("text", "to", "said"),
    [
        ("letter.txt", "/dev/zero", "letter.txt: should be a file of at most"),
        ("letter.txt", "/", "letter.txt: should be a file of at most"),
        ("letter.txt", "letter.txt", "letter.txt: Too many levels of symbolic links"),
        ("letter.toml", "a = " + "[" * 5000, "letter.toml: maximum recursion depth"),
    ],
)
def test_a_strangers_folder_that_leads_elsewhere_or_has_no_end_stops_no_other(
    folder: Path, caplog: pytest.LogCaptureFixture, text: str, to: str, said: str
) -> None:
    (folder / text).unlink()
    if text == "letter.txt":
        (folder / text).symlink_to(to)
    else:
        (folder / text).write_text(to, encoding="utf-8")
    assert Catalogue((SHIPPED_LETTERS, folder.parent)).types.keys() == Catalogue((SHIPPED_LETTERS,)).types.keys()
    assert said in caplog.text


def test_each_mistake_of_a_broken_folder_is_a_line_of_the_log(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    change(folder, 'kind = "nik"', 'kind = "nic"')
    change(folder, 'series = "SP"', "")
    assert "surat_saya" not in Catalogue((folder.parent,)).types
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2 and all(str(folder / "letter.toml") in line for line in lines)
    assert "series: is missing" in lines[0] and "fields.nik.kind" in lines[1]


def test_two_types_may_not_share_a_series(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert "surat_saya" not in Catalogue((SHIPPED_LETTERS, folder.parent)).types
    assert "surat_saya: series: SP is surat_pengantar's already" in caplog.text


def test_a_letter_may_be_signed_by_another_officer_whom_the_office_has(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change(folder, 'series = "SP"', 'series = "SPX"\nsigner = "sekretaris"')
    assert "surat_saya" not in Catalogue((folder.parent,), ["lurah"]).types
    assert "surat_saya: signer: the office file has no sekretaris" in caplog.text
    assert Catalogue((folder.parent,), ["lurah", "sekretaris"]).types["surat_saya"].signer == "sekretaris"


def test_a_letters_validity_ends_on_a_day_that_exists() -> None:
    sample = office.load()
    assert sample.valid_until(date(2026, 8, 31)) is None
    limited = sample.model_copy(update={"validity_months": 6})
    assert limited.valid_until(date(2026, 8, 31)) == date(2027, 2, 28)
    assert limited.valid_until(date(2026, 12, 1)) == date(2027, 6, 1)


def test_an_offices_own_folder_replaces_the_shipped_one(tmp_path: Path) -> None:
    own = Path(shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", tmp_path / "surat_pengantar"))
    change(own, 'title = "Surat Pengantar"', 'title = "Surat Pengantar Kami"')
    assert Catalogue((SHIPPED_LETTERS, tmp_path)).types["surat_pengantar"].title == "Surat Pengantar Kami"


def test_a_field_that_sounds_like_anothers_may_be_said_to_be_the_applicants() -> None:
    """`nama_pemberi_kuasa` was read as an heir's, and nothing in letter.toml could say otherwise."""
    spoken = words("id")
    for about, said in (({}, None), ({"about": "applicant"}, "applicant")):
        field = LetterField.model_validate({"kind": "person-name", "label": "Nama pemberi kuasa", **about})
        assert field.json_schema(spoken).get("x-agentd-about") == said


def test_only_a_change_on_disk_is_a_change(folder: Path) -> None:
    catalogue = Catalogue((folder.parent,))
    assert not catalogue.refresh()
    change(folder, 'series = "SP"', 'series = "SPX"')
    (folder / "letter.toml").touch()
    assert catalogue.refresh() and catalogue.types["surat_saya"].series == "SPX"


@pytest.mark.parametrize("name", ["domisili", "SKD", "Surat Keterangan Domisili", "generate_surat_keterangan_domisili"])
def test_a_letter_is_known_by_its_names(name: str) -> None:
    letter = Catalogue((SHIPPED_LETTERS,)).named(name)
    assert letter is not None and letter.key == "surat_keterangan_domisili"


@pytest.mark.parametrize("office", ["kelurahan", "campus"])
def test_a_letter_is_known_by_every_name_that_it_is_offered_by(office: str) -> None:
    """A student who asked for the `surat aktif kuliah` was told that there is no such letter."""
    catalogue = Catalogue((SHIPPED_LETTERS.parents[1] / office / "letters",))
    assert catalogue.types
    for letter in catalogue.types.values():
        names = (generate_tool(letter, "id").meta or {})["agentd/asked_by"]
        assert [name for name in names if catalogue.named(name) is not letter] == []


@pytest.mark.parametrize(
    "pattern",
    [
        *("{seq}/{year}", "{seq}/{series}", "{series}/{year}", "{nomor}", "{seq:03d"),
        *("{seq}{month}/{series}/{year}", "{month}{seq}/{series}/{year}"),  # 1 in December and 11 in February are 112
    ],
)
def test_a_number_pattern_that_could_repeat_a_number_is_refused(pattern: str, tmp_path: Path) -> None:
    file = tmp_path / "office.toml"
    text = office.SAMPLE.read_text().replace("{seq:03d}/{series}/CONTOH/{month_roman}/{year}", pattern)
    file.write_text(text)
    with pytest.raises(office.OfficeError, match="number_pattern"):
        office.load(file)


def test_an_office_file_that_is_missing_or_misspelt_is_named(tmp_path: Path) -> None:
    with pytest.raises(office.OfficeError, match="OFFICE_FILE"):
        office.load(tmp_path / "none.toml")
    (tmp_path / "office.toml").write_text(office.SAMPLE.read_text().replace("kecamatan =", "kecamatn ="))
    with pytest.raises(office.OfficeError, match="kecamat"):
        office.load(tmp_path / "office.toml")


async def test_letters_of_other_offices_that_a_new_folder_names_are_asked_for_without_a_restart(tmp_path: Path) -> None:
    mine = tmp_path / "letters"
    service = open_service(tmp_path / "state", LETTERS_DIR=str(mine))
    server = create_server(service)
    made = Path(shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", mine / "surat_saya"))
    change(made, 'series = "SP"', 'series = "SPX"')
    with (made / "letter.toml").open("a", encoding="utf-8") as file:
        file.write('\n[elsewhere]\n"surat paspor" = "Paspor diurus di kantor imigrasi."\n')
    (tool,) = [one for one in await server.list_tools() if one.name == "get_letter_requirements"]
    assert "surat paspor" in tool.meta["agentd/about"]["letter_type"]
    assert {"surat paspor", "requirements"} <= {*tool.meta["agentd/asked_by"]}
    service.close()


@pytest.mark.parametrize("text", ["S1", "D3", "SMA", "kelas 5"])
def test_a_text_with_a_letter_in_it_is_a_text(text: str) -> None:
    assert kinds.read_text(text) == text
    for none in ("5", "1/3", "-"):
        with pytest.raises(WrongValue):
            kinds.read_text(none)
