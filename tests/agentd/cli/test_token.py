"""`agentd token` as an administrator uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentd.access import AccessBook
from agentd.audit import FILE_NAME, AuditTrail, operator
from agentd.cli import main
from agentd.clock import SystemClock

CONFIG = str(Path(__file__).parents[3] / "config" / "client.toml")


def token(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["token", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_token_is_shown_once_and_kept_only_as_a_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = str(tmp_path)
    code, out, err = token(capsys, "add", "loket-1", "--scope", "kiosk", "--rate", "60", "--state", state)
    secret = out.strip()
    assert (code, secret[:4]) == (0, "agd_")
    assert "every caller of this daemon needs a token" in err
    file = tmp_path / "access.json"
    assert secret not in file.read_text()
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    caller = AccessBook(file).holder(secret)
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
    assert AccessBook(tmp_path / "access.json").holder(secret) is None
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
        assert "mend it, or remove it" in err
    assert json.loads(file.read_text()) == {"principals": 3}
