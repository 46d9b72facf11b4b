"""`agentd token` as an administrator uses it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentd.access import Access, Approach, LastUse, TokenStore
from agentd.apps.operator import operator
from agentd.audit import FILE_NAME, AuditTrail
from agentd.cli import main
from agentd.clock import SetClock, SystemClock
from agentd.errors import Unauthorized
from tests.waiting import until

CONFIG = str(Path(__file__).parents[4] / "config" / "client.toml")


def token(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["token", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_token_is_shown_once_and_kept_only_as_a_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = str(tmp_path)
    code, out, err = token(capsys, "add", "loket-1", "--scope", "kiosk", "--rate", "60", "--state", state)
    secret = out.strip()
    assert (code, secret[:4]) == (0, "agd_")
    assert "every caller of this daemon needs one" in err
    file = tmp_path / "access.json"
    assert secret not in file.read_text()
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    caller = TokenStore(file).holder(secret)
    assert caller is not None
    assert (caller.id, caller.scopes) == ("loket-1", frozenset({"kiosk"}))


def test_listed_and_revoked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = str(tmp_path)
    secret = token(capsys, "add", "siti", "--scope", "staff", "--scope", "chat", "--state", state)[1].strip()
    code, out, _ = token(capsys, "list", "--state", state)
    assert code == 0
    assert "siti  chat,staff" in out
    assert secret not in out
    assert token(capsys, "revoke", "siti", "--state", state)[0] == 0
    assert TokenStore(tmp_path / "access.json").holder(secret) is None
    assert "No token yet" in token(capsys, "list", "--state", state)[2]


def test_a_name_twice_an_unknown_name_and_a_reserved_one_say_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = str(tmp_path)
    add = ("--scope", "kiosk", "--state", state)
    assert token(capsys, "add", "front", *add)[0] == 0
    for words, told in (
        (("add", "front", *add), "revoke it first"),
        (("revoke", "back", "--state", state), "there are: front"),
        (("add", "local", *add), "choose another"),
        (("add", "a b", *add), "is no name"),
        (("add", "other", *add, "--rate", "0"), "above 0"),
        (("add", "other", *add, "--profile", "nobody", "--config", CONFIG), "no [[profiles]] entry named nobody"),
    ):
        code, out, err = token(capsys, *words)
        assert (code, out) == (1, "")
        assert told in err


def test_making_and_revoking_stand_in_the_audit_trail_with_the_account(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = token(capsys, "add", "siti", "--scope", "staff", "--state", str(tmp_path))[1].strip()
    token(capsys, "revoke", "siti", "--state", str(tmp_path))
    token(capsys, "revoke", "siti", "--state", str(tmp_path))
    entries = list(AuditTrail(tmp_path, SystemClock()).entries())
    assert [(entry.action, entry.subject) for entry in entries] == [("token.added", "siti"), ("token.revoked", "siti")]
    assert {entry.actor for entry in entries} == {operator()}
    assert secret not in (tmp_path / FILE_NAME).read_text()


def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "access.json"
    file.write_text(json.dumps({"principals": 3}))
    for words in (("list",), ("add", "a", "--scope", "kiosk"), ("revoke", "a")):
        code, _, err = token(capsys, *words, "--state", str(tmp_path))
        assert code == 1
        assert "repair it, or remove it" in err
    assert json.loads(file.read_text()) == {"principals": 3}


@pytest.mark.parametrize("running", [True, False], ids=["while it runs", "before it starts"])
def test_a_lost_file_lets_nobody_in_until_tokens_are_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], running: bool
) -> None:
    state = ("--state", str(tmp_path))
    tokens = TokenStore(tmp_path / "access.json")
    token(capsys, "revoke", "nobody", *state)
    assert not tokens.closed, "a mistake on a fresh machine closes nothing"
    token(capsys, "add", "siti", "--scope", "staff", *state)
    tokens = TokenStore(tmp_path / "access.json")
    assert not running or tokens.closed
    (tmp_path / "access.json").unlink()
    until(lambda: tokens.broken, "the file is missed")
    assert tokens.closed
    with pytest.raises(Unauthorized):
        Access(tokens).admit(Approach(None, None, False, None, True))
    secret = token(capsys, "add", "siti", "--scope", "staff", *state)[1].strip()
    assert TokenStore(tmp_path / "access.json").holder(secret) is not None
    token(capsys, "revoke", "siti", *state)
    assert not TokenStore(tmp_path / "access.json").closed, "without tokens it is open again, as an admin decided"


def test_a_folder_that_can_not_be_looked_into_is_no_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentd.access.tokens._LOOK_EVERY_S", 0.0)
    folder = tmp_path / "state"
    folder.mkdir()
    tokens = TokenStore(folder / "access.json")
    assert not tokens.closed, "there never was a token"
    folder.rmdir()
    folder.write_text("")  # a file in its place: who is in it can't be told
    assert tokens.broken and tokens.closed


def test_peoples_tokens_expire_and_machines_do_not_unless_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ("--state", str(tmp_path))
    for name, words in {
        "front": ("--scope", "kiosk"),
        "graph": ("--scope", "model"),
        "siti": ("--scope", "staff"),
        "both": ("--scope", "kiosk", "--scope", "chat"),
        "short": ("--scope", "staff", "--expires", "90d"),
        "always": ("--scope", "admin", "--expires", "never"),
    }.items():
        assert token(capsys, "add", name, *words, *state)[0] == 0
    lives = {
        one.id: None if one.expires_at is None else (one.expires_at - one.created_at).days
        for one in TokenStore(tmp_path / "access.json").principals()
    }
    assert lives == {"front": None, "graph": None, "siti": 180, "both": 180, "short": 90, "always": None}
    for wrong in ("", "90", "d", "-1d", "1w", "0d"):
        code, _, err = token(capsys, "add", "other", "--scope", "staff", f"--expires={wrong}", *state)
        assert code == 1
        assert "--expires takes a number" in err


def test_an_expired_token_is_nobodys_and_keeps_the_door_closed(tmp_path: Path) -> None:
    now = datetime(2026, 1, 5, tzinfo=UTC)
    times = iter([now, now + timedelta(seconds=9), now + timedelta(seconds=10)])
    book = TokenStore(tmp_path / "access.json", lambda: next(times))
    secret = book.add("siti", frozenset({"staff"}), now=now, lifetime=timedelta(seconds=10))
    assert [book.holder(secret) is not None for _ in range(3)] == [True, True, False]
    assert book.closed


def test_a_rotated_token_ends_the_one_before_and_lives_as_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ("--state", str(tmp_path))
    old = token(capsys, "add", "siti", "--scope", "staff", "--expires", "90d", *state)[1].strip()
    code, out, _ = token(capsys, "rotate", "siti", *state)
    book = TokenStore(tmp_path / "access.json")
    [siti] = book.principals()
    assert code == 0
    assert book.holder(old) is None
    assert book.holder(out.strip()) == siti.caller
    assert siti.expires_at == siti.created_at + timedelta(days=90)
    assert [one.action for one in AuditTrail(tmp_path, SystemClock()).entries()][-1] == "token.rotated"
    assert token(capsys, "rotate", "budi", *state)[0] == 1


def test_the_last_use_is_listed_and_costs_no_write_a_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ("--state", str(tmp_path))
    secret = token(capsys, "add", "siti", "--scope", "staff", *state)[1].strip()
    used = LastUse(tmp_path, SetClock(datetime(2026, 1, 5, 2, 30, tzinfo=UTC), running=False))
    access = Access(TokenStore(tmp_path / "access.json"), used=used)
    for _ in range(3):
        access.admit(Approach(secret, None, False, None, True))
    assert not (tmp_path / "access-used.json").exists()
    used.write()
    assert "2026-01-05 02:30" in token(capsys, "list", *state)[1]
