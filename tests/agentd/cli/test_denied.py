"""A command that lacks a right says which file, why, and who has the right; without a traceback or an errno."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from hardening.reasons import reason
from tests.daemon import AGENTD

SHIPPED = str(Path(__file__).parents[3] / "config" / "client.toml")
DENIED = (errno.EACCES, "Permission denied")
OWN = "give yourself the right to {} (chmod u+rwX)"


@pytest.mark.parametrize("name", ["agentd.db", "not/there"])
def test_the_nearest_that_can_be_looked_at_has_the_owner(tmp_path: Path, name: str) -> None:
    (tmp_path / "agentd.db").touch()
    file = tmp_path / name
    there = file if file.exists() else tmp_path
    assert reason(PermissionError(*DENIED, str(file))) == f"{file}: Permission denied; {OWN.format(there)}"
    if os.geteuid() == 0:
        os.chown(there, 1, -1)
        assert reason(PermissionError(*DENIED, os.fsencode(file))).endswith("; run this as daemon, its owner")


def test_other_errors_are_said_without_their_number(tmp_path: Path) -> None:
    assert reason(OSError(errno.ENOSPC, "No space left on device")) == "No space left on device"
    assert reason(OSError(errno.EISDIR, "Is a directory", tmp_path)) == f"{tmp_path}: Is a directory"
    assert reason(ValueError("as it says")) == "as it says"


@pytest.mark.slow  # processes of their own: root, too, is one without its rights here
@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["migrate"], "agentd.db"),
        (["migrate", "--dry-run"], "agentd.db"),
        (["audit"], "audit.jsonl"),
        (["letters", "audit"], "letters/ledger.db"),
        (["init", "campus", "state/own"], "own"),
    ],
)
def test_a_command_names_the_file_that_it_may_not_use(words: list[str], file: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0)
    bare = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    env = {**os.environ, "AGENTD_CONFIG": SHIPPED, "AGENTD_STATE": str(state)}
    done = subprocess.run([*bare, AGENTD, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode in (1, 2), done.stdout) == (True, "")
    said = f"agentd {words[0]}: {state / file}: Permission denied; {OWN.format(state)}\n"
    assert done.stderr.replace("state/own:", f"{state}/own:") == said
