"""A letter of a verified resident stands in OpenSID's own lists, once, whatever dies meanwhile (`write_log`, issue 18).

A real daemon before a MariaDB with OpenSID's tables; a register that is down answers nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.residents.database import Database
from servers.residents.opensid import OpensidRegister
from tests.daemon import SERVERS, Daemon, running
from tests.e2e.register import REGISTER, WITH_OFFICERS, Person, person
from tests.mariadb import PASSWORD, MariaDB, mariadb
from tests.servers.residents import opensid
from tests.servers.residents.test_issued_log import TABLES
from tests.waiting import until

NO_MODEL = '{"error": "unavailable"}'
FORM = {
    "tool_hint": "generate_surat_keterangan_domisili",
    "tool_arguments": {"keperluan": "Melamar pekerjaan", "alamat_ktp": "Jl. Contoh No. 1"},
}


UNMARRIED = "generate_surat_keterangan_belum_menikah"
BY_PURPOSE = (FORM["tool_hint"], UNMARRIED, "generate_surat_pengantar_skck")
"""Letters of which a resident says the purpose alone."""


@pytest.fixture(scope="module")
def maria() -> Iterator[MariaDB]:
    with mariadb("opensid") as server:
        opensid.make(server, 2000)
        server.execute(*(statement.replace("{password}", PASSWORD) for statement in TABLES))
        yield server


def office(maria: MariaDB) -> str:
    """client.toml of an office whose register lists letters."""
    register = f'{REGISTER}residents_url = "{maria.url("writer")}"\nwrite_log = true\n'
    return WITH_OFFICERS + SERVERS["certificate"] + register


def letter(visitor: Person, number: int, before_yes: Callable[[], None] = lambda: None) -> str:
    """A resident's letter by taps: its number."""
    visitor.arrive()
    assert visitor.verify(nik=opensid.nik(number), pin=opensid.pin(number))["verified"]
    asked = visitor.says("Surat Keterangan Domisili", options=FORM)
    assert asked["status"] == "needs_approval", asked["response"]
    before_yes()
    done = visitor.says("ya")
    assert done["status"] == "completed", done["response"]
    return str(done["steps"][-1]["output"]["number"])


def listed(maria: MariaDB, number: str) -> list[tuple[object, ...]]:
    return maria.execute(
        "SELECT l.id_pend, l.no_surat, l.tahun, l.status, f.url_surat, p.id_pemohon, p.status, p.isian_form "
        "FROM log_surat l JOIN permohonan_surat p ON p.keterangan = l.keterangan "
        f"JOIN tweb_surat_format f ON f.id = l.id_format_surat WHERE l.keterangan = '{number}'"
    )


def outbox(daemon: Daemon) -> list[tuple[Any, ...]]:
    with sqlite3.connect(daemon.state / "agentd.db") as db:
        return db.execute("SELECT * FROM agentd_letter_log").fetchall()


def test_a_letter_is_listed_once_by_a_daemon_and_a_register_that_come_and_go(maria: MariaDB, tmp_path: Path) -> None:
    maria.execute("DELETE FROM log_surat", "DELETE FROM permohonan_surat")
    with running(tmp_path, NO_MODEL, config=office(maria)) as daemon:
        screen = person(daemon, "screen", "kiosk")
        first = letter(screen, 1)
        rows = until(lambda: listed(maria, first), "the letter in the list")
        head, form = rows[0][:-1], str(rows[0][-1])
        assert len(rows) == 1 and head == (1, first.partition("/")[0], *head[2:])
        assert (head[3:]) == (1, "surat-keterangan-domisili", 1, 3)
        assert "Melamar pekerjaan" in form and opensid.nik(1) not in form
        until(lambda: not outbox(daemon), "an empty outbox")

        second = letter(screen, 2, before_yes=maria.freeze)
        (waiting,) = outbox(daemon)
        assert waiting[0] == second, "the letter is the citizen's, and its entry waits"
        daemon.kill(9)
        daemon.start()
        maria.thaw()
        until(lambda: listed(maria, second), "the letter in the list")
        until(lambda: not outbox(daemon), "an empty outbox")

        daemon.kill(9)
        with sqlite3.connect(daemon.state / "agentd.db") as db:  # as if it had died before it forgot the entry
            db.execute(f"INSERT INTO agentd_letter_log VALUES ({', '.join('?' * len(waiting))})", waiting)
        daemon.start()
        until(lambda: not outbox(daemon), "an empty outbox")
        assert [len(listed(maria, number)) for number in (first, second)] == [1, 1]
        assert maria.execute("SELECT COUNT(*) FROM log_surat")[0][0] == 2
        assert maria.execute("SELECT COUNT(*) FROM permohonan_surat")[0][0] == 2


def test_residents_of_all_codes_get_true_letters_and_each_is_listed(maria: MariaDB, tmp_path: Path) -> None:
    """2,000 residents; twelve of them, in whom each religion, marital status and citizenship is there, by taps."""
    maria.execute("DELETE FROM log_surat", "DELETE FROM permohonan_surat")
    register = OpensidRegister(Database(maria.url("reader")), None)
    people = [number for number in range(1401, 1415) if number % 5]  # each fifth has neither RT nor RW
    seen: dict[str, set[str | None]] = {"agama": set(), "status_perkawinan": set(), "kewarganegaraan": set()}
    with running(tmp_path, NO_MODEL, config=office(maria)) as daemon:
        screen = person(daemon, "screen", "kiosk")
        listed_letters = {one["tool"]: one for one in screen.call("Letters.list")["letters"]}
        numbers = [letter(screen, number) for number in people]
        for number in people:
            found = register.find(nik=opensid.nik(number))
            assert found is not None
            holds = found.resident.model_dump()
            for name, values in seen.items():
                values.add(holds[name])
            screen.arrive()
            screen.verify(nik=opensid.nik(number), pin=opensid.pin(number))
            visit = screen.call("Residents.visit", session_id=screen.session_id)
            withheld = {one["tool"] for one in visit["withheld"]}
            assert (UNMARRIED in withheld) is (holds["status_perkawinan"] != "Belum Kawin")
            for tool in (tool for tool in BY_PURPOSE if tool not in withheld):
                form = {"tool_hint": tool, "tool_arguments": {"keperluan": "Melamar pekerjaan"}}
                approval = screen.says("Saya mau surat", options=form)["approval"]
                for field in listed_letters[tool]["fields"]:
                    whose, _, key = (field["source"] or "").partition(".")
                    if whose == "resident" and holds[key] is not None:
                        assert approval["arguments"][field["name"]] == holds[key], (number, tool, field["name"])
        until(lambda: not outbox(daemon), "an empty outbox")
    assert [len(values) for values in seen.values()] == [7, 4, 3]
    logged = maria.execute("SELECT keterangan, id_pend FROM log_surat WHERE id_pend > 1400 ORDER BY id")
    assert logged == list(zip(numbers, people, strict=True))
