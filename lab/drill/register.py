"""Part of the drill: the register of letters is tampered with, rolled back, left without keys, given a wrong clock and
restored at each point of issuing; papers are altered. A process of its own, because it sets the clock.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from pathlib import Path

from lab.drill.attacks import Attack
from servers.certificate.issuing.finishing import CRASH_POINTS
from servers.certificate.issuing.issued import IssueError
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.issuing.standing import NotNow
from servers.certificate.signing.statement import StatementError, read, sign
from servers.certificate.verifying.verification import Verifier
from tests.agentd.apps.backup.test_restoring import backed_up, restored
from tests.agentd.apps.backup.test_restoring_files import limited
from tests.servers.certificate.letters import DOMISILI, NOW, issue, open_service
from tests.servers.certificate.test_audit import TAMPERED, faults, forge, three_letters
from tests.servers.certificate.test_drills import in_process, issue_all
from tests.servers.certificate.test_standing import copy_of, put_back
from tests.servers.certificate.test_statement import KEY, SAID, data_of, text_of

BYTES_FLIPPED = 200
RESTORES = 4


def register(folder: Path) -> list[Attack]:
    """Run `python -m lab.drill.register FOLDER` and return its rows."""
    command = [sys.executable, "-m", "lab.drill.register", str(folder)]
    env = {**os.environ, "AGENTD_CLOCK": NOW}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=env, check=True, text=True)
    return [Attack(**row) for row in json.loads(done.stdout)]


def tampered(folder: Path) -> Attack:
    """Apply each statement to a fresh register."""
    found = 0
    for number, (statements, named) in enumerate(TAMPERED):
        service = three_letters(open_service(folder / str(number)))
        forge(folder / str(number) / "letters/ledger.db", *statements)
        found += named in faults(service)
        service.close()
    return Attack(
        "a register changed by a database program", len(TAMPERED), f"audit names {found}", len(TAMPERED) - found
    )


def refused(folder: Path) -> Attack:
    """An old register, missing keys, or a clock set back must prevent issuing; a number could be given twice."""
    harms: list[tuple[str, Callable[[Path], object], dict[str, str]]] = [
        ("register_behind", lambda state: put_back(state / "letters/copy.db", state / "letters/ledger.db"), {}),
        ("key_missing", lambda state: shutil.rmtree(state / "letters/office"), {}),
        ("clock_behind", lambda _state: None, {"AGENTD_CLOCK": "2026-03-04T09:15:00+07:00"}),
    ]
    heard, lost = [], 0
    for kind, harm, env in harms:
        state = folder / kind
        service = open_service(state)
        issue(service, key="run:1")
        copy_of(state / "letters/ledger.db")
        issue(service, DOMISILI | {"rt": "9"}, key="run:2")
        service.close()
        harm(state)
        os.environ.update(env)
        again = open_service(state)
        try:
            issue(again, DOMISILI | {"rt": "8"}, key="run:3")
            lost += 1
        except IssueError as error:
            heard.append(error.__cause__.refusal.kind if isinstance(error.__cause__, NotNow) else error.kind)
        finally:
            again.close()
            os.environ["AGENTD_CLOCK"] = NOW
    return Attack("a letter from an older register, without its keys, by a clock set back", 3, ", ".join(heard), lost)


def at_each_point(folder: Path) -> Attack:
    """Kill issuing at each named point, take a backup, and check what is restored from it."""
    lost = 0
    for point in CRASH_POINTS:
        old, new = folder / f"{point}-old", folder / f"{point}-new"
        before = open_service(old)
        issue(before, key="earlier")
        before.close()
        in_process(issue_all, old, {"CERTIFICATE_CRASH_AT": point}, ["run:1"]).join(120)
        backed_up(old, folder / f"{point}-backup")
        restored(folder / f"{point}-backup", new)
        lost += not _whole(new)
    return Attack("restored from a backup after a kill at each point of issuing", len(CRASH_POINTS), "whole", lost)


def _whole(state: Path) -> bool:
    service = open_service(state)
    try:
        service.recover()
        letter = issue(service, DOMISILI | {"keperluan": "Keperluan run:1"}, "run:1")
        numbers = [row.seq for row in service.ledger.all()]
        genuine = Verifier(service).file(Path(letter.path).read_bytes()).genuine
        return letter.number.startswith("002/") and sorted(numbers) == [1, 2] and genuine and not faults(service)
    finally:
        service.close()


def undrawn(folder: Path) -> Attack:
    """The year's folder can't be created: the number stays reserved and goes to the same letter later."""
    service = open_service(folder)
    year = folder / "letters" / NOW[:4]
    year.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    year.write_text("in the way")
    heard, lost = [], 0
    for _ in range(3):
        try:
            issue(service, key="run:1")
            lost += 1
        except IssueError as error:
            heard.append(error.kind)
    lost += [row.status for row in service.ledger.all()] != ["reserved"]
    year.unlink()
    lost += not issue(service, key="run:1").number.startswith("001/") or len(service.ledger.all()) != 1
    service.close()
    return Attack("a letter while the archive can't be written, then while it can", 4, ", ".join(heard), lost)


def papers(folder: Path) -> list[Attack]:
    """Flip bits in a letter's PDF and in a QR code's statement."""
    service: LetterService = open_service(folder)
    pdf = Path(issue(service).path).read_bytes()
    verifier = Verifier(service)
    believed = 0
    for position in range(200, len(pdf), len(pdf) // BYTES_FLIPPED):
        changed = bytearray(pdf)
        changed[position] ^= 1
        believed += verifier.file(bytes(changed)).genuine
    tries = len(range(200, len(pdf), len(pdf) // BYTES_FLIPPED))
    service.close()
    good = data_of(sign(SAID, KEY))
    bad = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(len(good))]
    accepted = 0
    for data in bad:
        with suppress(StatementError):
            accepted += read(text_of(data), [KEY.public_key()]) is not None
    return [
        Attack("a letter's PDF with one bit changed", tries, "not genuine", believed),
        Attack("a QR code's statement with one bit changed", len(bad), "not the office's", accepted),
    ]


def set_aside(folder: Path) -> Attack:
    """Restore repeatedly at one clock time, then on a full disk: everything set aside must still exist."""
    state = folder / "state"
    service = open_service(state)
    issue(service)
    service.close()
    backed_up(state, folder / "backup")
    for number in range(RESTORES):
        (state / "access.json").write_text(str(number))
        restored(folder / "backup", state, replace=True)
    filled = in_process(limited, state, folder / "backup", 100)
    filled.join(120)
    kept = {file.read_text() for file in state.glob("before-restore-*/access.json")}
    lost = RESTORES - len(kept) + (filled.exitcode != 0)
    return Attack("restored again within a second, then on a full disk", RESTORES + 1, "all set aside is there", lost)


def main() -> None:
    """Print the rows as JSON."""
    out = sys.stdout
    folder = Path(sys.argv[1])
    with redirect_stdout(sys.stderr):
        rows = [tampered(folder / "tampered"), refused(folder / "refused"), at_each_point(folder / "points")]
        rows.append(undrawn(folder / "undrawn"))
        rows += papers(folder / "papers")
        rows.append(set_aside(folder / "aside"))
    json.dump([dataclasses.asdict(row) for row in rows], out)


if __name__ == "__main__":
    main()
