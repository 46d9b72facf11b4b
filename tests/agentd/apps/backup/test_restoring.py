"""Backups and restores of letters at every point of issuing, over what is there, after kills, and of broken backups."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentd.apps.backup import restoring
from agentd.apps.backup.manifest import BackupError, Manifest
from agentd.apps.backup.restoring import Places, restore
from agentd.apps.backup.snapshot import make
from agentd.apps.setup.rights import open_to_others
from agentd.config import state_folder
from agentd.state import StateError, in_use
from servers.certificate.cli import main
from servers.certificate.issuing.finishing import CRASH_POINTS
from servers.certificate.issuing.issued import IssueError
from servers.certificate.maintenance import backup
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import DOMISILI, NOW, issue, open_service
from tests.servers.certificate.test_drills import assert_sound, in_process, issue_all

AT = datetime(2026, 3, 5, 3, tzinfo=UTC)


@pytest.fixture(autouse=True)
def frozen_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", NOW)


def backed_up(state: Path, folder: Path) -> Manifest:
    def letters(part: Path) -> None:
        assert main(["backup", str(part), "--state", str(state)]) == 0

    return make(state, folder, lambda: AT, letters, [])


def restored(folder: Path, state: Path, replace: bool = False) -> Manifest:
    return restore(folder, state, places(state), AT, replace)


def places(state: Path, **env: str) -> Places:
    service = open_service(state, **env)
    service.close()
    return Places.model_validate(backup.places(service.settings))


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_a_backup_taken_after_a_kill_at_any_point_of_issuing_is_restored_whole(point: str, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    before = open_service(old)
    issue(before, key="earlier")
    before.close()
    victim = in_process(issue_all, old, {"CERTIFICATE_CRASH_AT": point}, ["run:1"])
    victim.join(300)
    assert victim.exitcode == -signal.SIGKILL
    backed_up(old, tmp_path / "backup")
    restored(tmp_path / "backup", new)
    assert open_to_others(new) == []
    service = open_service(new)
    service.recover()
    letter = issue(service, DOMISILI | {"keperluan": "Keperluan run:1"}, "run:1")
    assert letter.number.startswith("002/")
    assert letter.already_issued == (point not in ("before_reserve", "in_reservation"))
    assert Verifier(service).file(Path(letter.path).read_bytes()).genuine
    assert_sound(service, 2)
    assert main(["audit", "--state", str(new)]) == 0
    service.close()


def test_a_backup_taken_while_four_issue_fits_in_itself(tmp_path: Path) -> None:
    old = tmp_path / "old"
    issuers = [in_process(issue_all, old, {}, [f"run-{number}:{step}" for step in range(6)]) for number in range(3)]
    count = 0
    while any(issuer.is_alive() for issuer in issuers):
        count += 1
        if (old / "letters").exists():
            backed_up(old, tmp_path / f"backup{count}")
    for issuer in issuers:
        assert issuer.exitcode == 0
    taken = sorted(tmp_path.glob("backup*"))
    assert taken
    for folder in taken[:: max(1, len(taken) // 4)]:
        new = tmp_path / f"new-{folder.name}"
        restored(folder, new)
        service = open_service(new)
        service.recover()
        issue(service, DOMISILI | {"rt": "9"})
        assert_sound(service, len(service.ledger.all()))
        service.close()


def test_an_archive_on_another_disk_keeps_what_the_backup_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCHIVE_DIR", str(tmp_path / "archive"))
    env = {"ARCHIVE_DIR": str(tmp_path / "archive")}
    service = open_service(tmp_path / "old", **env)
    issue(service, key="run:1")
    backed_up(tmp_path / "old", tmp_path / "backup")
    lost = issue(service, DOMISILI | {"rt": "9"}, key="run:2")
    service.close()
    restore(tmp_path / "backup", tmp_path / "new", places(tmp_path / "new", **env), AT, replace=False)
    new = open_service(tmp_path / "new", **env)
    with pytest.raises(IssueError) as caught:
        issue(new, DOMISILI | {"rt": "8"})
    assert caught.value.kind == "refused"
    assert main(["repair", "--yes", "--state", str(tmp_path / "new")]) == 0
    assert issue(new, DOMISILI | {"rt": "9"}, key="run:2").number == lost.number
    assert issue(new, DOMISILI | {"rt": "8"}).number.startswith("003/")
    new.close()


def test_a_changed_an_unfinished_and_a_newer_backup_are_refused_before_anything_is_touched(tmp_path: Path) -> None:
    service = open_service(tmp_path / "old")
    issue(service)
    service.close()
    folder, new = tmp_path / "backup", tmp_path / "new"
    manifest = backed_up(tmp_path / "old", folder)
    with (folder / "letters/ledger.db").open("r+b") as file:
        file.seek(5000)
        file.write(b"changed")
    (folder / "stranger").write_text("")
    (folder / "letters/archive/register.jsonl").unlink()
    with pytest.raises(BackupError) as caught:
        restored(folder, new)
    for told in ("ledger.db was changed", "stranger is not in the manifest", "register.jsonl is missing"):
        assert told in str(caught.value)
    newer = manifest.model_copy(update={"format": 99, "agentd": "9.0"})
    (folder / "manifest.json").write_text(newer.model_dump_json())
    with pytest.raises(BackupError, match="newer form"):
        restored(folder, new)
    (folder / "manifest.json").unlink()
    with pytest.raises(BackupError, match="not finished"):
        restored(folder, new)
    assert not (new / "letters").exists()


@pytest.mark.parametrize(("name", "why"), [("file/state", "Not a directory"), ("loop", "File exists")])
def test_a_state_folder_that_cannot_be_made_is_named_with_what_to_do(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    said = rf"state folder .*{name} can't be used \({why}\): .*--state or AGENTD_STATE"
    with pytest.raises(StateError, match=said), in_use(state_folder(str(tmp_path / name))):
        pytest.fail("no folder is there")


def test_a_folder_in_use_and_one_that_is_not_empty_are_left_alone(tmp_path: Path) -> None:
    service = open_service(tmp_path / "old")
    issue(service)
    service.close()
    backed_up(tmp_path / "old", tmp_path / "backup")
    with in_use(tmp_path / "old"), pytest.raises(StateError, match="stop it first"):
        restored(tmp_path / "backup", tmp_path / "old", replace=True)
    with pytest.raises(BackupError, match="--replace"):
        restored(tmp_path / "backup", tmp_path / "old")
    with pytest.raises(BackupError, match="lies in the state folder"):
        backed_up(tmp_path / "old", tmp_path / "old/backup")


def tree(folder: Path) -> dict[str, bytes]:
    skipped = {".in-use", ".restoring", ".lock", ".turnstile"}
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in skipped)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def restore_and_die(folder: Path, state: Path, at: int) -> None:
    """Killed as it would have the n-th thing on the disk."""
    count = 0
    sync = restoring.sync

    def counting(path: Path) -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
        sync(path)

    restoring.sync = counting
    restored(folder, state, replace=True)


@pytest.mark.parametrize("at", [1, 2, 3, 4, 6, 9, 12])
def test_a_restore_killed_anywhere_leaves_nothing_half_done(at: int, tmp_path: Path) -> None:
    state = tmp_path / "state"
    service = open_service(state)
    issue(service)
    (state / "access.json").write_text("{}")
    backed_up(state, tmp_path / "backup")
    issue(service, DOMISILI | {"rt": "9"})
    service.close()
    before = tree(state)
    victim = in_process(restore_and_die, tmp_path / "backup", state, at)
    victim.join(300)
    assert victim.exitcode == -signal.SIGKILL
    if (state / ".restoring").exists():
        with pytest.raises(StateError, match="cut off"), in_use(state):
            pass
    restoring.undo(state)
    assert tree(state) == before
    restored(tmp_path / "backup", state, replace=True)
    assert main(["repair", "--yes", "--state", str(state)]) == 0
    again = open_service(state)
    assert_sound(again, 2)
    again.close()


@pytest.mark.parametrize("at", [2, 4, 8, 11, 13])
def test_a_restore_into_an_empty_folder_that_was_killed_is_made_again_without_more_ado(at: int, tmp_path: Path) -> None:
    service = open_service(tmp_path / "old")
    issue(service)
    service.close()
    backed_up(tmp_path / "old", tmp_path / "backup")
    victim = in_process(restore_and_die, tmp_path / "backup", tmp_path / "new", at)
    victim.join(300)
    assert victim.exitcode == -signal.SIGKILL
    restored(tmp_path / "backup", tmp_path / "new")
    again = open_service(tmp_path / "new")
    assert_sound(again, 1)
    assert main(["audit", "--state", str(tmp_path / "new")]) == 0
    again.close()
