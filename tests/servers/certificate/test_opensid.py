"""An office's own templates of OpenSID become letters that can be issued; what could not be carried over is named.

The templates here are our own, in the form of OpenSID's tables.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from servers.certificate.cli import main
from servers.certificate.letters import lettertype
from servers.certificate.letters.wording import fill
from servers.certificate.opensid.page import blocks
from servers.certificate.opensid.placeholders import Mapped, letter_case, translate
from servers.certificate.settings import SHIPPED_LETTERS
from tests.mariadb import mariadb
from tests.servers.certificate.letters import BORN, PLACE, issue, open_service
from tests.servers.certificate.test_basis import printed

HEAD = """<table><tr><td>[logo]</td><td><p>PEMERINTAH [SEBUTAN_KABUPATEN] [NAMA_KABUPATEN]</p></td></tr></table>
<p style="text-align:center"><u>[JUDUL_SURAT]</u><br>Nomor: [format_nomor_surat]</p>
<p>Yang bertanda tangan di bawah ini [jabaTAN] [SebutaN_desa] [NamA_desA], menerangkan:</p>"""
FOOT = """<table><tr><td>[qr_code]</td><td>[NamA_desA], [TgL_surat]<br>[JabataN]<br>[NamA_pamonG]</td></tr></table>"""
ROWS = """<table><tbody>
<tr><td>1.</td><td>Nama Lengkap</td><td>:</td><td><b>[NAma]</b></td></tr>
<tr><td>2.</td><td>NIK / No KTP</td><td>:</td><td>[NIK]</td></tr>
<tr><td>3.</td><td>Tempat/Tgl Lahir</td><td>: [Ttl]</td></tr>
<tr><td>4.</td><td>Alamat &amp; dusun</td><td>:</td><td>[AlamaT]</td></tr></tbody></table>"""
ASKED = [
    {"tipe": "text", "kode": "[form_hewan]", "nama": "Hewan", "deskripsi": "hewan apa", "required": "1"},
    {"tipe": "number", "kode": "[form_jumlah]", "nama": "Jumlah", "required": "1"},
    {"tipe": "date", "kode": "[form_sejak]", "nama": "Sejak", "required": "0"},
    {
        "tipe": "select-manual",
        "kode": "[form_kandang]",
        "nama": "Kandang",
        "required": "1",
        "pilihan": ["Ada", "Tidak"],
    },
]
TEXT = (
    "<p>adalah pemilik [form_hewaN] sejumlah [Form_jumlaH] ekor {sehat}, kandang: [Form_kandanG].</p>"
    "<p>Dipelihara sejak [Form_sejaK].</p><p>Surat ini berlaku sampai [BerlakU_sampaI].</p>"
)


TABLES = (
    "CREATE TABLE config (id INT, kode_desa VARCHAR(20))",
    "CREATE TABLE ref_syarat_surat (ref_syarat_id INT, ref_syarat_nama VARCHAR(255))",
    "CREATE TABLE tweb_surat_format (id INT PRIMARY KEY, config_id INT, nama VARCHAR(100), url_surat VARCHAR(100),"
    " kode_surat VARCHAR(10), masa_berlaku INT, satuan_masa_berlaku VARCHAR(15), syarat_surat TEXT, template TEXT,"
    " template_desa TEXT, form_isian TEXT, kode_isian TEXT, format_nomor VARCHAR(100), kunci INT)",
    "INSERT INTO ref_syarat_surat VALUES (1, 'Kartu Vaksin'), (2, 'KTP')",
)


def inserted(number: int, template: dict[str, Any], mark: str) -> tuple[str, list[Any]]:
    row = {"id": number, "config_id": 1, "kunci": 0, "kode_isian": json.dumps(ASKED), **template}
    return f"INSERT INTO tweb_surat_format ({', '.join(row)}) VALUES ({', '.join([mark] * len(row))})", [*row.values()]


def office(tmp_path: Path, *templates: dict[str, Any], offices: tuple[int, ...] = (1,)) -> str:
    """The database's address, with these templates of office 1."""
    file = tmp_path / "opensid.db"
    with sqlite3.connect(file) as db:
        for statement in TABLES:
            db.execute(statement)
        db.executemany("INSERT INTO config VALUES (?, '3201012001')", [(one,) for one in offices])
        for number, template in enumerate(templates, 1):
            db.execute(*inserted(number, template, "?"))
    return f"sqlite:///{file}"


CATTLE = {
    "nama": "Keterangan Ternak",
    "url_surat": "ket-ternak",
    "kode_surat": "T-07",
    "masa_berlaku": 2,
    "satuan_masa_berlaku": "w",
    "syarat_surat": '["1", "2", "9"]',
    "template": "<p>usang</p>",
    "template_desa": HEAD + ROWS + TEXT + FOOT,
    "format_nomor": "[kode_surat]/[nomor_surat, 3]/[kode_desa]/[bulan_romawi]/[tahun]",
}


def run(url: str, target: Path, *more: str) -> int:
    return main(["import-opensid", "--from", url, "--into", str(target), "--state", str(target.parent / "s"), *more])


def test_a_template_becomes_a_letter_that_is_issued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "own"
    assert run(office(tmp_path, CATTLE), target) == 0
    assert "Surat Keterangan Ternak  made: ket_ternak" in capsys.readouterr().out
    service = open_service(tmp_path / "state", LETTERS_DIR=str(target))
    letter = service.catalogue.types["ket_ternak"]
    assert (letter.series, letter.valid_days, letter.requirements) == ("T-07", 14, ("Kartu Vaksin", "KTP"))
    assert {name: field.source for name, field in letter.fields.items() if field.source}["alamat"] == "resident.alamat"
    answers = BORN | PLACE | {"form_hewan": "KAMBING", "form_jumlah": "3", "form_kandang": "ada"}
    del answers["jenis_kelamin"]
    issued = issue(service, answers, letter="ket_ternak")
    assert issued.number == "T-07/001/3201012001/III/2026" and issued.valid_until == "2026-03-19"
    shown = printed(service, issued)
    assert (
        "SITI RAHAYU" in shown
        and "Jakarta, 5 Agustus 1990" in shown
        and "Jl. Contoh Raya No. 5, RT 003/RW 005" in shown
    )
    assert "pemilik kambing sejumlah 3 ekor {sehat}, kandang: Ada." in shown
    assert "Dipelihara sejak" not in shown and "usang" not in shown
    assert shown.count("SURAT KETERANGAN TERNAK") == 1 and shown.count("berlaku sampai") == 1
    assert "dibuat berdasarkan keterangan yang bersangkutan" in shown


def test_the_templates_are_read_from_mariadb_by_an_account_that_may_only_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with mariadb("opensid") as server:
        server.execute(*TABLES, "INSERT INTO config VALUES (1, '3201012001')")
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(*inserted(1, CATTLE, "%s"))
        assert run(server.url(user="reader"), tmp_path / "own") == 0
    assert "made: ket_ternak" in capsys.readouterr().out


def test_a_dry_run_writes_nothing_and_names_what_could_not_be_mapped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = CATTLE | {"nama": "Nikah", "url_surat": "nikah", "template_desa": ROWS + "<p>[Terbilang] [klg2_nama]</p>"}
    locked = CATTLE | {"nama": "Tutup", "url_surat": "tutup", "kunci": 1}
    listed = [{"tipe": "select-otomatis", "kode": "[form_a]", "nama": "Agama", "required": "1"}]
    odd = CATTLE | {
        **{"nama": "Aneh", "url_surat": "aneh", "format_nomor": "[nomor_surat]/[tahun]"},
        **{"template_desa": "<p>[form_a] membawa surat pengantar RT.</p>", "kode_isian": json.dumps(listed)},
        "form_isian": json.dumps({"individu": {"data": ["1"], "sex": "2", "status_dasar": ["1"]}}),
    }
    target = tmp_path / "own"
    assert run(office(tmp_path, CATTLE, unknown, locked, odd), target, "--dry-run") == 1
    shown = capsys.readouterr().out.splitlines()
    assert not target.exists() or list(target.iterdir()) == []
    assert "would be made: ket_ternak" in shown[0]
    assert "not made" in shown[1] and "[Terbilang]; [klg2_nama]" in shown[1]
    assert "disabled in OpenSID" in shown[2]
    for note in ("list of Agama: asked as text", "number format", "only for: sex 2", 'speaks of "surat pengantar RT"'):
        assert note in shown[3]


def test_no_letter_that_ships_or_is_there_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, same = tmp_path / "own", CATTLE | {"url_surat": "surat_pengantar", "kode_surat": "SP"}
    url = office(tmp_path, same)
    assert run(url, target) == 0
    made = target / "surat_pengantar_kantor" / "letter.txt"
    made.write_text("kami ubah\n[data]")
    assert run(url, target) == 0
    assert "there already: surat_pengantar_kantor" in capsys.readouterr().out
    assert made.read_text() == "kami ubah\n[data]" and lettertype.load(made.parent).series == "SP-2"
    assert not (target / "surat_pengantar").exists() and (SHIPPED_LETTERS / "surat_pengantar").exists()


@pytest.mark.parametrize(
    ("more", "says"), [((), "several offices share this database (1, 2)"), (("--office", "7"), "there is no office 7")]
)
def test_which_office_must_be_said_where_several_share(
    more: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(office(tmp_path, CATTLE, offices=(1, 2)), tmp_path / "own", *more) == 2
    assert says in capsys.readouterr().err


def test_a_database_that_cannot_be_read_is_named_without_its_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("mysql+aiomysql://reader:geheim@127.0.0.1:1/opensid", tmp_path / "own") == 2
    assert run("ftp://x", tmp_path / "own") == 2
    (tmp_path / "empty.db").touch()
    assert run(f"sqlite:///{tmp_path / 'empty.db'}", tmp_path / "own") == 2
    told = capsys.readouterr().err
    assert "can't be read" in told and "no such table" in told and "geheim" not in told


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        *(("NamA", "SITI rahayu"), ("NAMA", "SITI rahayu"), ("NAma", "SITI RAHAYU")),
        *(("nama", "siti rahayu"), ("Nama", "Siti Rahayu"), ("namA", "siti rahayu")),
    ],
)
def test_the_letters_of_a_placeholder_say_how_the_value_is_written(written: str, shown: str) -> None:
    assert fill(translate(f"[{written}]", frozenset(), Mapped()), {"nama": "SITI rahayu"}) == shown


def test_a_case_that_does_not_exist_is_named_when_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "surat_x").mkdir()
    source = (SHIPPED_LETTERS / "surat_pengantar" / "letter.toml").read_text()
    (tmp_path / "surat_x" / "letter.toml").write_text(source)
    (tmp_path / "surat_x" / "letter.txt").write_text("{nama:besar}\n")
    with pytest.raises(lettertype.LetterTypeError, match="nama:besar"):
        lettertype.load(tmp_path / "surat_x")


def test_a_table_in_a_cell_gives_its_rows_of_its_own() -> None:
    read = blocks("<table><tr><td>A<table><tr><td>b</td><td>c</td></tr></table></td><td>D</td></tr></table><p>e")
    assert [block.cells for block in read] == [("A",), ("b", "c"), ("D",), ("e",)]


def test_a_placeholder_without_letters_of_two_cases_is_still_read() -> None:
    assert [letter_case(one) for one in ("n", "N", "N1", "form_x")] == [":lower", "", "", ":lower"]
