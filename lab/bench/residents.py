"""Measures what a resident waits for: a PIN among 100,000, a letter by taps, fifty kiosks at once, a register's import.

`verify` asks OpenSID's tables in MariaDB in turns, with 200 residents and with 100,000; the limit is 10 ms. `taps`
is from the PIN to the PDF over the wire, with no model; the limit is 1 s. `kiosks` are fifty visitors at once, each
on a connection that it keeps as a browser does, with turns of a scripted model that answers at once; the limit is
300 ms for the 95th of a hundred, and `turn_cpu_ms` is what a turn takes of the daemon's processors. `import` is
`agentd residents import` of a CSV into MariaDB; the limit is 60 s for 100,000 rows, and memory is that of its whole
process.
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from typing import Any

from lab.bench._timing import cpu_ms, median, p95, timed_ms
from servers.residents.configured import ConfiguredRegister
from servers.residents.locks import Locks
from servers.residents.settings import Settings
from servers.residents.verification import Verification
from tests.daemon import SERVERS, Daemon, final, running
from tests.e2e.register import REGISTER, WITH_OFFICERS, Person, person, residents
from tests.mariadb import MariaDB, mariadb
from tests.servers.residents import opensid

MANY, FEW = 100_000, 200
ROUNDS, KIOSKS, TURNS, LETTERS = 200, 50, 6, 12
FORM = {"tool_hint": "generate_surat_keterangan_domisili", "tool_arguments": {"keperluan": "Melamar pekerjaan"}}
PIN = "123456"
GREETING = "Selamat datang."


def run() -> dict[str, Any]:
    """The figures of all four measurements."""
    with tempfile.TemporaryDirectory() as folder, mariadb() as server:
        figures = {"verify": _verify_times(Path(folder), server), "import": _imported(Path(folder), server)}
    with tempfile.TemporaryDirectory() as folder:
        config = WITH_OFFICERS + SERVERS["certificate"] + REGISTER
        with running(Path(folder), final(GREETING), config=config) as daemon:
            figures |= {"taps": _taps(daemon), "kiosks": _kiosks(daemon)}
    return figures


def _verify_times(folder: Path, server: MariaDB) -> dict[str, Any]:
    """Milliseconds to check a right PIN among 200 and among `MANY` residents; the 200 are measured before and after."""
    opensid.make(server)
    settings = Settings.from_env({"RESIDENTS_URL": server.url(), "AGENTD_STATE": str(folder)})
    verification = Verification(ConfiguredRegister(settings), Locks(folder / "locks.db", time.time))
    few = median(timed_ms(lambda: _verify(verification, opensid.nik(1)), ROUNDS))
    _more(server)
    many = median(timed_ms(lambda: _verify(verification, f"9{MANY:015d}"), ROUNDS))
    again = median(timed_ms(lambda: _verify(verification, opensid.nik(1)), ROUNDS))
    return {
        "residents": MANY,
        "right_pin_ms": many,
        "to_200_residents": round(statistics.mean((many, again)) / few, 2),
    }


def _verify(verification: Verification, nik: str) -> None:
    if verification.verify(nik=nik, card=None, pin=PIN).resident is None:
        raise SystemExit(f"{nik} was not verified")


def _more(server: MariaDB) -> None:
    """Add residents up to `MANY`, each with the same PIN as the existing ones."""
    columns = "config_id, nama, nik, sex, tempatlahir, tanggallahir, agama_id, status, status_dasar"
    people = ((n, 1, f"WARGA {n}", f"9{n:015d}", 1, "JAKARTA", "1985-08-17", 1, 1, 1) for n in range(FEW + 1, MANY + 1))
    with server.connect() as connection, connection.cursor() as cursor:
        while batch := list(islice(people, 5000)):
            cursor.executemany(f"INSERT INTO tweb_penduduk (id, {columns}) VALUES ({', '.join(['%s'] * 10)})", batch)
            pins = [(row[0], opensid.PIN_123456, 1, 0, 1) for row in batch]
            cursor.executemany("INSERT INTO tweb_penduduk_mandiri VALUES (%s, %s, %s, %s, %s)", pins)


def _imported(folder: Path, server: MariaDB) -> dict[str, Any]:
    server.execute("CREATE DATABASE own")
    url = server.url().removesuffix(server.database) + "own"
    small, large = (_import(folder, url, rows) for rows in (MANY // 10, MANY))
    return {
        "rows": MANY,
        "seconds": large[0],
        "peak_mb": large[1],
        "peak_to_10000_rows": round(large[1] / small[1], 2),
    }


def _import(folder: Path, url: str, rows: int) -> tuple[float, float]:
    """Run the import command for `rows` rows: (seconds, peak megabytes)."""
    sheet = folder / "residents.csv"
    with sheet.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["nik", "no_kk", "nama", "jenis_kelamin", "tempat_lahir", "tanggal_lahir", "agama", "alamat"])
        for n in range(1, rows + 1):
            lines.writerow([f"317506{n:010d}", "", f"Warga {n}", "Laki-laki", "Jakarta", "", "Islam", "Jl. Contoh"])
    env = {**os.environ, "RESIDENTS_URL": url, "AGENTD_STATE": str(folder)}
    began = time.perf_counter()
    command = [sys.executable, "-m", "servers.residents", "import", str(sheet)]
    process = subprocess.Popen(command, env=env)
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    if status:
        raise SystemExit("the import failed: its words are above")
    return round(took, 1), round(used.ru_maxrss / 1024, 1)


def _taps(daemon: Daemon) -> dict[str, Any]:
    """Milliseconds from the PIN to the PDF, one resident after the other."""
    screen = person(daemon, "taps", "kiosk")
    taken = [_letter(screen, one) for one in [row for row in residents() if row["pin"]][:LETTERS]]
    return {
        "letters": len(taken),
        "pin_to_pdf_p50_ms": median(taken, 1),
        "pin_to_pdf_max_ms": round(max(taken), 1),
    }


def _letter(screen: Person, resident: dict[str, str]) -> float:
    screen.arrive()
    began = time.perf_counter()
    screen.verify(nik=resident["nik"], pin=resident["pin"])
    screen.says("Saya mau Surat Keterangan Domisili", options=FORM)
    if screen.says("ya")["status"] != "completed":
        raise SystemExit("a letter was not issued")
    return (time.perf_counter() - began) * 1000


def _kiosks(daemon: Daemon) -> dict[str, Any]:
    """Milliseconds per turn with fifty concurrent visitors."""
    screens = [person(daemon, f"kiosk-{number}", "kiosk") for number in range(KIOSKS)]
    assert daemon.process is not None
    used = cpu_ms(daemon.process.pid)
    with ThreadPoolExecutor(KIOSKS) as pool:
        taken = [ms for turns in pool.map(_talk, screens) for ms in turns]
    return {
        "kiosks": KIOSKS,
        "turns": len(taken),
        "turn_p50_ms": median(taken, 1),
        "turn_p95_ms": p95(taken),
        "turn_cpu_ms": round((cpu_ms(daemon.process.pid) - used) / len(taken), 2),
    }


def _talk(screen: Person) -> list[float]:
    """Milliseconds of each of a visitor's turns on one keep-alive connection. A wrong answer ends the bench."""
    session_id = screen.arrive()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {screen.token}"}
    headers["Agentd-Session-Key"] = screen.key
    connection = HTTPConnection(screen.daemon.url.removeprefix("http://"))
    taken = []
    for turn in range(TURNS):
        said = {"prompt": f"Halo, pertanyaan nomor {turn}", "session_id": session_id}
        body = json.dumps({"jsonrpc": "2.0", "id": turn, "method": "Agent.run", "params": said})
        began = time.perf_counter()
        connection.request("POST", "/rpc", body, headers)
        answer = json.load(connection.getresponse())
        taken.append((time.perf_counter() - began) * 1000)
        if answer.get("result", {}).get("response") != GREETING:
            raise SystemExit(f"not the model's answer but {answer}")
    connection.close()
    return taken
