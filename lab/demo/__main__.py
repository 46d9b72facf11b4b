"""`make demo` shows a resident with a PIN, a visitor without one, and the officer; it leaves two real letters on disk.

With OFFICE=campus it shows a university's counter (campus.py). Nothing is scripted: the model is the embedded one, the
daemon is `agentd serve` with the shipped configuration and its sample register of residents, the protocol is JSON-RPC
2.0 over HTTP. It is no test.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from agentd.config import shipped
from lab.demo import campus
from lab.demo.daemon import AGENTD, Person, daemon, token
from lab.demo.screen import say
from lab.demo.talk import decide, show_letters, talk

SERVERS = ("time", "certificate", "residents")
"""The servers the demonstration uses. It omits the books and the graph, which need more packages."""
SAMPLE = Path(__file__).resolve().parents[2] / "servers/residents/sample.csv"
WISH = "Saya perlu surat domisili untuk melamar kerja"
FORM = {
    "nama": "Sari Wulandari",
    "nik": "3175065203920004",
    "tempat_lahir": "Bogor",
    "tanggal_lahir": "12-03-1992",
    "agama": "Islam",
    "alamat": "Jl. Mawar No. 5",
    "rt": "003",
    "rw": "007",
    "nama_usaha": "Warung Sari",
    "jenis_usaha": "Warung makan",
    "alamat_usaha": "Jl. Mawar No. 5",
    "keperluan": "Membuka rekening bank",
}
"""What a visitor without a PIN enters in the kiosk's form."""


def main() -> int:
    """Show the office named by OFFICE; return 0 when its letters are on disk."""
    argparse.ArgumentParser(prog="python -m lab.demo", description=__doc__).parse_args()
    began = time.monotonic()
    state = Path(os.environ.get("AGENTD_STATE") or tempfile.mkdtemp(prefix="agentd-demo-"))
    shown = {"kelurahan": show, "campus": campus.show}.get(office := os.environ.get("OFFICE") or "kelurahan")
    if shown is None:
        raise SystemExit(f"OFFICE={office}: there are kelurahan and campus")
    shown(state)
    say(f"Done in {time.monotonic() - began:.0f} s")
    return 0


def show(state: Path) -> None:
    """Show both ways to get a letter."""
    say("The embedded model (fetched once, checked by sha256)")
    subprocess.run([AGENTD, "models", "pull"], check=True)
    say("The daemon, with the sample register of residents")
    config = office(state / "office")
    screen, desk = token(state, f"kiosk-{os.getpid()}", "kiosk"), token(state, f"siti-{os.getpid()}", "staff")
    with daemon(state, config) as url:
        resident(Person(url, screen))
        visitor(Person(url, screen), Person(url, desk))
    show_letters(state, 2, config)


def office(folder: Path) -> Path:
    """Copy the shipped office with only the demonstration's parts; return its client.toml.

    The weights load at the first question: loading at start would delay the register's answer on a slow machine.
    """
    shutil.copytree(shipped("client.toml").parent, folder, dirs_exist_ok=True)
    config = folder / "client.toml"
    tables = re.split(r"^(?=\[)", config.read_text(encoding="utf-8"), flags=re.MULTILINE)
    shown = "".join(table for table in tables if _is_shown(table))
    config.write_text(shown.replace("warm = true", "warm = false"), encoding="utf-8")
    return config


def _is_shown(table: str) -> bool:
    """Whether the demonstration keeps this table of client.toml."""
    read = tomllib.loads(table)
    return "analytics" not in read and all(server["name"] in SERVERS for server in read.get("servers", []))


def resident(person: Person) -> None:
    """A resident signs in and asks in words: the register supplies the letter's fields, their words its purpose."""
    say("A resident, at the kiosk: NIK and PIN, then words")
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        budi = next(csv.DictReader(file))
    person.arrive()
    known = person.call("Session.verify", session_id=person.session_id, nik=budi["nik"], pin=budi["pin"])
    print(f"   Session.verify: {known['display_name']}, level {known['level']}")
    asked = talk(person, WISH)
    if asked["status"] != "needs_approval":
        raise SystemExit("No letter was asked about: the answer above shows why.")
    print(f"   from the register: {', '.join(registered(asked['approval']))}")
    if not talk(person, "ya, benar")["artifacts"]:
        raise SystemExit("No letter was issued: the conversation above shows why.")


def visitor(person: Person, officer: Person) -> None:
    """A visitor without a PIN fills in the form; the letter waits until an officer has checked the identity card."""
    say("A visitor without a PIN, at the kiosk: the form, then the officer")
    person.arrive()
    tapped = {"tool_hint": "generate_surat_keterangan_usaha", "tool_arguments": FORM}
    talk(person, "Saya mau Surat Keterangan Usaha", options=tapped)
    waiting = talk(person, "ya, benar")
    (request,) = person.call("Request.list")["requests"]
    differs = officer.call("Request.compare", request_id=request["request_id"])
    print(f"   a resident of this office: {'yes' if differs['resident'] else 'no'}")
    decide(officer, person, waiting)


def registered(approval: dict[str, Any]) -> list[str]:
    """The fields whose values came from the register."""
    return [name for name, source in approval.get("sources", {}).items() if source == "register"]


if __name__ == "__main__":
    sys.exit(main())
