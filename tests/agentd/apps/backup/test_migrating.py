"""A state folder that agentd 0.1.0 made is brought up: copied first, nothing lost when cut off, a newer one refused.

state-0.1.0.tar.xz was made by 0.1.0's own daemon: one letter issued (run `budi-1`), one that waits for its yes
(`waiting-1`), a token. tests/e2e/test_upgrade.py works on with it.
"""

from __future__ import annotations

import hashlib
import itertools
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from agentd.apps.backup import migrating
from agentd.apps.backup.manifest import BackupError, files_in
from agentd.apps.backup.migrating import Pending, migrate, pending
from agentd.runs.tables import SCHEMA
from agentd.state import StateError, in_use
from servers.certificate.cli import main

OLD = Path(__file__).with_name("state-0.1.0.tar.xz")
KEPT = ("agentd_sessions", "agentd_runs", "agentd_turns")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return unpacked(tmp_path)


def unpacked(folder: Path) -> Path:
    """The old office's state, in `folder`, as if it had worked two minutes ago: a call still waits for its yes."""
    with tarfile.open(OLD) as archive:
        archive.extractall(folder, filter="data")
    now = datetime.now(UTC)
    told = {
        "/var/lib/agentd": f"{folder}/state",
        "2026-11-22T21:13:": f"{now + timedelta(minutes=13):%Y-%m-%dT%H:%M:}",
        "2026-11-22T20:58:": f"{now - timedelta(minutes=2):%Y-%m-%dT%H:%M:}",
    }
    with closing(sqlite3.connect(folder / "state" / "agentd.db")) as database, database:
        for table in ("agentd_sessions", "agentd_runs", "agentd_events"):
            columns = database.execute(
                "SELECT name FROM pragma_table_info(?) WHERE upper(type) NOT LIKE '%INT%'", [table]
            ).fetchall()
            for (name,), (then, today) in itertools.product(columns, told.items()):
                database.execute(f"UPDATE {table} SET {name} = replace({name}, ?, ?)", [then, today])
    return folder / "state"


def letters_of(state: Path) -> None:
    assert main(["upgrade", "--state", str(state)]) == 0


def up(state: Path, name: str = "copy") -> Pending:
    return migrate(state, state.parent / name, lambda: letters_of(state))


def files(folder: Path) -> dict[str, str]:
    """{name: hash} of what is kept; a journal that only its reader made is none of it."""
    kept = (path for path in files_in(folder) if not path.name.endswith(("-wal", "-shm", ".in-use")))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


def rows(state: Path) -> dict[str, list[dict[str, Any]]]:
    """What a citizen said and got, by the columns that 0.1.0 had."""
    with closing(sqlite3.connect(state / "agentd.db")) as database:
        database.row_factory = sqlite3.Row
        return {name: [dict(row) for row in database.execute(f"SELECT * FROM {name} ORDER BY 1")] for name in KEPT}


def holds(now: dict[str, list[dict[str, Any]]], before: dict[str, list[dict[str, Any]]]) -> bool:
    return all(
        len(now[name]) == len(before[name])
        and all(b.items() <= n.items() for b, n in zip(before[name], now[name], strict=True))
        for name in KEPT
    )


def letters_in(state: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(state / "letters" / "ledger.db")) as register:
        return register.execute("SELECT number, status FROM letters ORDER BY id").fetchall()


def test_what_an_older_agentd_made_is_copied_as_it_was_and_then_brought_up(state: Path) -> None:
    before, said = files(state), rows(state)
    found = up(state)
    assert found.schema == 1
    assert found.lacking
    assert files(state.parent / "copy") == before
    assert pending(state) == Pending(SCHEMA, [])
    assert holds(rows(state), said)
    assert letters_in(state) == [("001/SKD/CONTOH/XI/2026", "issued")]
    assert main(["audit", "--state", str(state)]) == 0
    assert (state / "letters" / "register.jsonl").exists()


def test_the_copy_is_whole_so_that_going_back_is_moving_it_back(state: Path) -> None:
    said = rows(state)
    up(state)
    shutil.rmtree(state)
    (state.parent / "copy").rename(state)
    assert rows(state) == said
    assert pending(state).schema == 1


def test_a_folder_that_is_up_to_date_is_neither_copied_nor_changed(state: Path) -> None:
    up(state)
    before = files(state)
    assert not up(state, "another").anything
    assert not (state.parent / "another").exists()
    assert files(state) == before


def test_only_looking_changes_nothing(state: Path) -> None:
    before = files(state)
    assert pending(state).anything
    assert files(state) == before


# ── cut off ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class CutOff(Exception):
    pass


@pytest.fixture
def statements() -> Iterator[list[int]]:
    """[how many changes of a schema are let through]; the next one is cut off."""
    allowed = [10_000]

    def count(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.lstrip().startswith(("ALTER", "CREATE", "INSERT INTO agentd_schema")):
            allowed[0] -= 1
            if allowed[0] < 0:
                raise CutOff

    sa.event.listen(sa.engine.Engine, "before_cursor_execute", count)
    yield allowed
    sa.event.remove(sa.engine.Engine, "before_cursor_execute", count)


@pytest.mark.slow
def test_a_change_that_is_cut_off_anywhere_loses_nothing_and_goes_on(tmp_path: Path, statements: list[int]) -> None:
    for after in itertools.count():
        statements[0] = 10_000
        state = unpacked(tmp_path / str(after))
        said = rows(state)
        statements[0] = after
        try:
            migrate(state, state.parent / "copy", lambda: None)
        except CutOff:
            assert holds(rows(state), said)
            assert pending(state).schema == 1, "the version is written last"
        else:
            break
        statements[0] = 10_000
        assert up(state, "copy again").anything
        assert pending(state) == Pending(SCHEMA, [])
        assert holds(rows(state), said)
    assert after > 3


def test_a_copy_that_is_cut_off_is_no_copy_and_is_made_again(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, synced = files(state), migrating.sync

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(migrating, "sync", full)
    with pytest.raises(OSError, match="No space"):
        up(state)
    assert files(state) == before
    assert [path.name for path in state.parent.iterdir()] == ["state"], "half a copy would keep the disk full"
    (state.parent / "state.copy.part" / "half").mkdir(parents=True)  # of one that was killed
    monkeypatch.setattr(migrating, "sync", synced)
    up(state)
    assert files(state.parent / "copy") == before
    assert sorted(path.name for path in state.parent.iterdir()) == ["copy", "state"]


def test_a_register_that_can_not_be_brought_up_leaves_the_rest_for_the_next_time(state: Path) -> None:
    def broken() -> None:
        raise BackupError("the register of letters was not brought up: no passphrase")

    with pytest.raises(BackupError, match="no passphrase"):
        migrate(state, state.parent / "copy", broken)
    assert pending(state).schema == 1
    up(state, "copy again")
    assert pending(state) == Pending(SCHEMA, [])


# ── refused ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_newer_agentds_folder_is_refused_and_left_alone(state: Path) -> None:
    with closing(sqlite3.connect(state / "agentd.db")) as database, database:
        database.execute("INSERT INTO agentd_schema (version) VALUES (?)", [SCHEMA + 1])
    before = files(state)
    with pytest.raises(BackupError, match=f"newer agentd .schema {SCHEMA + 1}, this one knows {SCHEMA}"):
        up(state)
    assert files(state) == before
    assert not (state.parent / "copy").exists()


def test_no_folder_and_no_database_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"nowhere has no agentd\.db: it is no state folder"):
        up(tmp_path / "nowhere")
    with pytest.raises(BackupError, match=r"has no agentd\.db"):
        pending(tmp_path)
    (tmp_path / "agentd.db").write_bytes(b"these are no rows" * 100)
    with pytest.raises(StateError, match="is damaged"):
        pending(tmp_path)


def test_a_folder_that_a_daemon_works_in_is_not_touched(state: Path) -> None:
    with in_use(state), pytest.raises(StateError, match="a daemon works in it"):
        up(state)
    assert pending(state).schema == 1


@pytest.mark.parametrize(("place", "why"), [("state/copy", "lies in the state folder"), (".", "is there already")])
def test_a_copy_goes_into_a_folder_of_its_own(state: Path, place: str, why: str) -> None:
    with pytest.raises(BackupError, match=why):
        migrate(state, state.parent / place, lambda: None)
    assert pending(state).schema == 1
