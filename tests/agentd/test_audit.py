"""The audit trail as a file that many processes write and an auditor reads."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentd.apps.setup.audit_check import verify
from agentd.audit import FILE_NAME, HEAD_NAME, AuditTrail
from agentd.cli import main
from agentd.clock import SetClock

CLOCK = SetClock(datetime(2026, 1, 5, 2, tzinfo=UTC), running=False)


def trail_of(state: Path, entries: int = 3) -> AuditTrail:
    trail = AuditTrail(state, CLOCK)
    for number in range(entries):
        trail.record("session.deleted", actor="siti", subject=f"s-{number}", runs=number)
    return trail


def lines(state: Path) -> list[str]:
    return (state / FILE_NAME).read_text().splitlines()


def rewrite(state: Path, kept: list[str]) -> None:
    (state / FILE_NAME).write_text("".join(line + "\n" for line in kept))


def test_what_was_recorded_is_read_back_and_whole(tmp_path: Path) -> None:
    trail = trail_of(tmp_path)
    first = next(trail.entries())
    assert (first.number, first.at, first.action) == (1, "2026-01-05T02:00:00.000+00:00", "session.deleted")
    assert (first.actor, first.subject, first.facts, first.before) == ("siti", "s-0", {"runs": 0}, "")
    verdict = verify(trail)
    assert (verdict.head.number, verdict.problems, verdict.notes) == (3, [], [])
    assert {oct((tmp_path / name).stat().st_mode & 0o777) for name in (FILE_NAME, HEAD_NAME)} == {"0o600"}


@pytest.mark.parametrize("lost", [[0], [1], [2], [1, 2], [0, 1, 2]])
def test_lost_entries_are_seen_and_stay_seen(tmp_path: Path, lost: list[int]) -> None:
    trail = trail_of(tmp_path)
    rewrite(tmp_path, [line for number, line in enumerate(lines(tmp_path)) if number not in lost])
    assert verify(trail).problems
    trail.record("config.reloaded", actor="admin")
    assert verify(trail).problems, "writing on must not heal it"


def test_a_change_and_an_insertion_are_seen(tmp_path: Path) -> None:
    trail = trail_of(tmp_path)
    whole = lines(tmp_path)
    rewrite(tmp_path, [whole[0], whole[1].replace("siti", "budi"), whole[2]])
    assert "entry 2 was changed" in verify(trail).problems[0]
    rewrite(tmp_path, [whole[0], whole[0], *whole[1:]])
    assert verify(trail).problems
    forged = json.loads(whole[2]) | {"actor": "budi"}
    rewrite(tmp_path, [*whole[:2], json.dumps(forged)])
    assert verify(trail).problems


def test_a_changed_last_entry_with_a_right_hash_is_not_the_one_that_was_written(tmp_path: Path) -> None:
    trail = trail_of(tmp_path)
    (other := tmp_path / "other").mkdir()
    forger = AuditTrail(other, CLOCK)
    for number in range(2):
        forger.record("session.deleted", actor="siti", subject=f"s-{number}", runs=number)
    forger.record("session.deleted", actor="budi", subject="s-2", runs=2)
    rewrite(tmp_path, lines(other))
    assert "not the one" in verify(trail).problems[0]


def test_a_write_that_a_crash_cut_off_loses_no_entry_and_is_no_problem(tmp_path: Path) -> None:
    trail = trail_of(tmp_path)
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write('{"number": 4, "at": "2026-')
    assert verify(trail).problems == []
    trail.record("config.reloaded", actor="admin")
    verdict = verify(trail)
    assert (verdict.head.number, verdict.problems, len(verdict.notes)) == (4, [], 1)


def test_a_cut_last_entry_is_no_crash(tmp_path: Path) -> None:
    trail = trail_of(tmp_path)
    file = tmp_path / FILE_NAME
    file.write_bytes(file.read_bytes()[:-20])
    assert "the end is missing" in verify(trail).problems[0]


def test_processes_that_write_at_once_make_one_chain(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from agentd.clock import SystemClock\n"
        "from agentd.audit import AuditTrail\n"
        "trail = AuditTrail(Path(sys.argv[1]), SystemClock())\n"
        "for each in range(25): trail.record('token.added', actor=sys.argv[2], subject=str(each))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), who]) for who in "abcd"]
    assert [process.wait() for process in running] == [0] * 4
    trail = AuditTrail(tmp_path, CLOCK)
    verdict = verify(trail)
    assert (verdict.head.number, verdict.problems, verdict.notes) == (100, [], [])
    for who in "abcd":
        assert [entry.subject for entry in trail.entries() if entry.actor == who] == [str(each) for each in range(25)]


def test_a_citizens_words_that_come_here_by_mistake_are_not_readable(tmp_path: Path) -> None:
    trail = AuditTrail(tmp_path, CLOCK)
    trail.record(
        "approval.approved",
        actor="siti",
        subject="Budi Santoso",
        fields=["nama", "nik 3175091203900001"],
        number="3175091203900001",
        nik=3175091203900001,
        reason="x" * 500,
    )
    kept = (tmp_path / FILE_NAME).read_text()
    for word in ("Budi", "Santoso", "3175091203900001", "xxx"):
        assert word not in kept
    assert '"nama"' in kept
    assert verify(trail).problems == []


def test_an_action_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no action"):
        AuditTrail(tmp_path, CLOCK).record("Budi Santoso was here", actor="siti")


def audit(capsys: pytest.CaptureFixture[str], state: Path, *words: str) -> tuple[int, str, str]:
    code = main(["audit", *words, "--state", str(state)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_lists_filters_and_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trail = trail_of(tmp_path)
    noted = verify(trail).head
    trail.record("config.reloaded", actor="admin")
    assert len(audit(capsys, tmp_path)[1].splitlines()) == 4
    assert "s-1" in audit(capsys, tmp_path, "--action", "session", "--subject", "s-1")[1]
    assert audit(capsys, tmp_path, "--actor", "admin")[1].count("\n") == 1
    assert audit(capsys, tmp_path, "--since", "2026-02-01")[1] == ""
    assert audit(capsys, tmp_path, "--until", "2026-01-05")[1] == ""
    assert audit(capsys, tmp_path, "--until", "2026-01-05T07:00+07:00")[1] == "", "another zone's time is understood"
    last = json.loads(audit(capsys, tmp_path, "--json")[1].splitlines()[-1])
    assert (last["action"], last["number"]) == ("config.reloaded", 4)
    code, out, _ = audit(capsys, tmp_path, "--verify", "--expect", str(noted))
    assert (code, out.split()[0]) == (0, "4")


@pytest.mark.parametrize("words", [("--since", "gestern"), ("--until", "2026-13-01")])
def test_a_time_that_is_none_is_refused(
    words: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trail_of(tmp_path)
    with pytest.raises(SystemExit) as ended:
        audit(capsys, tmp_path, *words)
    assert ended.value.code == 2
    assert words[1] in capsys.readouterr().err


def test_a_trail_that_was_made_again_from_nothing_is_seen_by_a_noted_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noted = str(verify(trail_of(tmp_path)).head)
    for name in (FILE_NAME, HEAD_NAME):
        (tmp_path / name).unlink()
    AuditTrail(tmp_path, CLOCK).record("config.reloaded", actor="admin")
    assert audit(capsys, tmp_path, "--verify")[0] == 0, "the trail alone can't know"
    code, _, err = audit(capsys, tmp_path, "--expect", noted)
    assert (code, "is not in the trail" in err) == (1, True)


def test_a_state_folder_that_is_not_there_is_no_intact_trail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--verify", "--state", str(tmp_path / "typo")]) == 1
    assert capsys.readouterr().err == f"agentd audit: there is no state folder {tmp_path}/typo\n"


def test_a_trail_without_such_an_entry_says_so_beside_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit(capsys, tmp_path) == (0, "", f"no entry yet in {tmp_path}\n")
    trail_of(tmp_path)
    assert audit(capsys, tmp_path, "--actor", "nobody") == (0, "", f"no such entry in {tmp_path}\n")


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trail_of(tmp_path)
    rewrite(tmp_path, lines(tmp_path)[:-1])
    code, out, err = audit(capsys, tmp_path, "--verify")
    assert (code, out) == (1, "")
    assert "the end is missing" in err
