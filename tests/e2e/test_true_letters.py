"""A true letter in two turns: the sample register and the letters' own server, on a real daemon as it is shipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pypdf import PdfReader

from tests.daemon import SERVERS, Daemon, call, final, running
from tests.e2e.register import REGISTER, WITH_OFFICERS, person, residents

CONFIG = WITH_OFFICERS + SERVERS["certificate"] + REGISTER
TOOL = "generate_surat_keterangan_domisili"


def printed(daemon: Daemon, outcome: dict[str, Any]) -> str:
    """The letter's text, with single blanks."""
    (letter,) = [file for file in outcome["artifacts"] if file["name"].endswith(".pdf")]
    with daemon.request(letter["uri"]) as response:
        file = daemon.folder / "letter.pdf"
        file.write_bytes(response.read())
    return " ".join(" ".join(page.extract_text() for page in PdfReader(file).pages).split())


def test_a_resident_with_a_pin_says_only_the_purpose(tmp_path: Path) -> None:
    wants = call(TOOL, keperluan="melamar kerja")
    with running(tmp_path, wants, final("Surat Anda selesai."), config=CONFIG) as daemon:
        for resident in [row for row in residents() if row["pin"]][:3]:
            one = person(daemon, f"screen-{resident['rt']}-{resident['nik'][-4:]}", "kiosk")
            one.arrive()
            one.verify(nik=resident["nik"], pin=resident["pin"])
            asked = one.says("Saya perlu surat domisili untuk melamar kerja")
            arguments, sources = asked["approval"]["arguments"], asked["approval"]["sources"]
            assert (arguments["nama"], arguments["nik"], arguments["alamat_domisili"]) == (
                *(resident["nama"], resident["nik"]),
                resident["alamat"],
            )
            assert {name for name, source in sources.items() if source == "citizen"} == {"keperluan"}
            done = one.says("ya")
            assert (done["status"], done["steps"][0]["success"]) == ("completed", True), done["steps"]
            text = printed(daemon, done)
            assert resident["nama"] in text and resident["nik"] in text
            assert "berdasarkan data kependudukan" in text.casefold()
