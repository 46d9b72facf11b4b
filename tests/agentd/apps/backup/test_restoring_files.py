"""What a backup or a restore does with files: full disks, links, owners, databases that are written meanwhile."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agentd.apps.backup import restoring
from agentd.apps.backup.manifest import BackupError, Manifest
from agentd.apps.backup.restoring import restore
from agentd.apps.backup.snapshot import make
from tests.agentd.apps.backup.test_restoring import AT, backed_up, frozen_clock, restored, tree
from tests.servers.certificate.letters import issue, open_service
from tests.servers.certificate.test_drills import in_process

__all__ = ["frozen_clock"]


def limited(state: Path, folder: Path, size: int) -> None:
    """As on a full disk: no file may grow beyond that size."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    with pytest.raises((BackupError, OSError)):
        make(state, folder.with_name("full"), lambda: AT, lambda _: None, [])
    with pytest.raises((BackupError, OSError)):
        restored(folder, state, replace=True)


@pytest.mark.parametrize("size", [100, 20_000])
def test_a_full_disk_leaves_no_backup_and_a_state_as_it_was(size: int, tmp_path: Path) -> None:
    state = tmp_path / "state"
    service = open_service(state)
    issue(service)
    service.close()
    with closing(sqlite3.connect(state / "large.db")) as db:
        db.execute("CREATE TABLE t AS SELECT randomblob(40000) AS x")
        db.commit()
    (state / "gone").symlink_to("nowhere")
    backed_up(state, tmp_path / "backup")
    (state / ".in-use").touch()
    before, names = tree(state), sorted(state.iterdir())
    filled = in_process(limited, state, tmp_path / "backup", size)
    filled.join(300)
    assert filled.exitcode == 0
    assert not (tmp_path / "full/manifest.json").exists()
    after = {name: held for name, held in tree(state).items() if not name.endswith(("-wal", "-shm"))}
    assert [name for name in before if after.get(name) != before[name]] == []
    assert (sorted(after), sorted(state.iterdir())) == (sorted(before), names)


def test_what_was_set_aside_stays_when_the_clock_says_the_same_time_again(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "access.json").write_text("the first")
    make(state, tmp_path / "backup", lambda: AT, lambda _: None, [])
    for text in ("the second", "the third"):
        (state / "access.json").write_text(text)
        restore(tmp_path / "backup", state, None, AT, replace=True)
    aside = sorted(state.glob("before-restore-*/access.json"))
    assert [path.read_text() for path in aside] == ["the second", "the third"]
    assert (state / "access.json").read_text() == "the first"


def test_what_only_a_link_leads_to_is_named_and_none_is_followed_by_root(tmp_path: Path) -> None:
    state, other = tmp_path / "state", tmp_path / "other"
    (state / "artifacts").mkdir(parents=True)
    (state / "artifacts/letter.pdf").write_text("a letter")
    other.write_text("another's")
    (state / "link").symlink_to(other)
    manifest = make(state, tmp_path / "backup", lambda: AT, lambda _: None, [])
    assert manifest.missing == [f"what the link {state / 'link'} leads to"]
    for name in (".in-use", ".restoring.part", "artifacts/letter.pdf.part"):
        shutil.rmtree(state)
        (state / name).parent.mkdir(parents=True)
        (state / name).symlink_to(other)
        with suppress(OSError, BackupError):
            restore(tmp_path / "backup", state, None, AT, replace=True)
        assert other.read_text() == "another's"


def test_what_root_puts_back_is_the_state_folders_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: set[str] = set()

    def chown(made: int | Path, *_owner: int) -> None:
        given.add(str(Path(f"/proc/self/fd/{made}").readlink() if isinstance(made, int) else made))

    (tmp_path / "old/artifacts/run").mkdir(parents=True)
    (tmp_path / "old/artifacts/run/letter.pdf").write_text("a letter")
    make(tmp_path / "old", tmp_path / "backup", lambda: AT, lambda _: None, [])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", chown)
    state = tmp_path / "state"
    state.mkdir()
    restore(tmp_path / "backup", state, None, AT, replace=False)
    there = {str(path).removesuffix(".pdf") for path in state.rglob("*")}
    assert there <= {path.removesuffix(".part").removesuffix(".pdf") for path in given}


WRITER = """
import sqlite3, sys
dbs = [sqlite3.connect(path, timeout=300, isolation_level=None) for path in sys.argv[1:]]
while True:
    for db in dbs:
        db.execute("INSERT INTO t VALUES (1)")
    print(end="x", flush=True)
"""


def counted(file: Path) -> int:
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM t").fetchone()[0])


def test_databases_are_copied_as_of_one_moment(tmp_path: Path) -> None:
    """Two databases that are always written one after the other: the copy never has the second without the first."""
    state = tmp_path / "state"
    state.mkdir()
    paths = [state / "a.db", state / "b.db"]
    for path in paths:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("CREATE TABLE t (n INTEGER)")
    with (
        (tmp_path / "written").open("wb") as written,
        subprocess.Popen([sys.executable, "-c", WRITER, *map(str, paths)], stdout=written) as writer,
    ):
        try:
            while not (tmp_path / "written").stat().st_size and writer.poll() is None:
                time.sleep(0.01)
            for number in range(10):
                make(state, tmp_path / f"backup{number}", lambda: AT, lambda _: None, [])
        finally:
            writer.kill()
    pairs = [[counted(tmp_path / f"backup{number}/state" / path.name) for path in paths] for number in range(10)]
    assert pairs[-1][0] > 0
    assert [pair for pair in pairs if pair[0] - pair[1] not in (0, 1)] == []


def test_the_note_of_a_restore_is_json_whatever_the_manifest_says(tmp_path: Path) -> None:
    manifest = Manifest(agentd="0", made_at='2026-03-05", "restored_at": "never', files=[], missing=[])
    restoring._note(tmp_path / "restored.json", manifest, AT, tmp_path.stat())
    told = json.loads((tmp_path / "restored.json").read_text())
    assert told == {"backup_made_at": manifest.made_at, "restored_at": AT.isoformat()}
