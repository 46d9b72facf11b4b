"""Crash drills: `kill -9` at every point of issuing, and four processes at once (issue 5, Shows).

After each: numbers without gap or double, every issued row has its file with its hash, every file has its row.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from servers.certificate.issuing.finishing import CRASH_POINTS
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import DOMISILI, issue, open_service

KEYS = [f"run-{number}:1" for number in range(12)]
fork = multiprocessing.get_context("fork")


def in_process(work: Callable[..., None], *args: Any) -> BaseProcess:
    """Start `work` in a process of its own that has no pytest around it."""
    process = fork.Process(target=_leave, args=(work, *args))
    process.start()
    return process


def _leave(work: Callable[..., None], *args: Any) -> None:
    work(*args)
    os._exit(0)


def issue_all(state: Path, env: dict[str, str], keys: list[str]) -> None:
    service = open_service(state, **env)
    service.recover()
    for key in keys:
        issue(service, DOMISILI | {"keperluan": f"Keperluan {key}"}, key)


def assert_sound(service: LetterService, letters: int) -> None:
    rows = service.ledger.all()
    assert [row.status for row in rows] == ["issued"] * letters
    assert sorted(row.seq for row in rows) == list(range(1, letters + 1))
    assert len({row.number for row in rows}) == len({row.code for row in rows}) == letters
    named = {row.file: row.sha256 for row in rows}
    found = {
        f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in service.archive.folder.glob("2026/*")
    }
    assert named == found
    assert not (service.archive.folder / "orphans").exists()


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_a_letter_survives_a_kill_at_any_point(point: str, tmp_path: Path) -> None:
    before = open_service(tmp_path)
    issue(before, key="earlier")
    before.close()
    victim = in_process(issue_all, tmp_path, {"CERTIFICATE_CRASH_AT": point}, ["run:1"])
    victim.join(300)
    assert victim.exitcode == -signal.SIGKILL
    service = open_service(tmp_path)
    service.recover()
    letter = issue(service, DOMISILI | {"keperluan": "Keperluan run:1"}, "run:1")
    assert letter.number.startswith("002/")
    assert letter.already_issued == (point not in ("before_reserve", "in_reservation"))
    assert Verifier(service).file(Path(letter.path).read_bytes()).genuine
    assert_sound(service, 2)


def test_a_retry_finishes_what_a_dead_process_left_without_any_restart(tmp_path: Path) -> None:
    survivor = open_service(tmp_path)
    survivor.recover()
    survivor.close()
    victim = in_process(issue_all, tmp_path, {"CERTIFICATE_CRASH_AT": "reserved"}, ["run:1"])
    victim.join(300)
    letter = issue(survivor, DOMISILI | {"keperluan": "Keperluan run:1"}, "run:1")
    assert letter.number.startswith("001/") and letter.already_issued
    assert_sound(survivor, 1)


def run_four(state: Path, env: dict[str, str]) -> None:
    """Three times four processes, killed at every point between them, then four that all want the same letters."""
    points = (*CRASH_POINTS, "reserved", "written", "renamed")
    for wave in (points[:4], points[4:8], points[8:]):
        dying = [
            in_process(issue_all, state, env | {"CERTIFICATE_CRASH_AT": point}, KEYS[start::4])
            for start, point in enumerate(wave)
        ]
        for process in dying:
            process.join(300)
            assert process.exitcode == -signal.SIGKILL
    living = [in_process(issue_all, state, env, KEYS[start:] + KEYS[:start]) for start in (0, 3, 6, 9)]
    for process in living:
        process.join(300)
        assert process.exitcode == 0


def test_four_processes_at_once_give_each_request_one_letter(tmp_path: Path) -> None:
    run_four(tmp_path, {})
    service = open_service(tmp_path)
    assert_sound(service, len(KEYS))


def test_a_sweep_during_an_issue_waits_for_it(tmp_path: Path) -> None:
    """The trap of facts/letters.md: a sweep of another process deleted the file of an issue under way."""
    service = open_service(tmp_path)
    issue(service)
    with service.archive.shared():
        (service.archive.folder / "2026" / "under-way.pdf").write_bytes(b"%PDF-")
        sweeper = in_process(issue_all, tmp_path, {}, [])
        sweeper.join(0.5)
        assert sweeper.is_alive() and (service.archive.folder / "2026" / "under-way.pdf").exists()
    sweeper.join(300)
    assert (service.archive.folder / "orphans" / "under-way.pdf").exists()
