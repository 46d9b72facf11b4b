"""Completion in the shell: what may stand next, by the commands' own parsers, and in a real bash (issue 21)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentd.apps.setup.completion_command import SCRIPTS, candidates
from agentd.cli import COMMANDS, main
from clients.jsonrpc import completion as jsonrpc_completion


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ([], set(COMMANDS)),
        (["to"], {"token", "tools", "top"}),
        (["tools", ""], {"add", "import", "export", "try", "explain", "check"}),
        (["tools", "add", "--"], {"--for", "--env", "--url", "--config"}),
        (["models", "p"], {"pull"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["config", "check", "--st"], {"--state"}),
        (["nothing", ""], set()),
    ],
)
def test_what_may_stand_next(line: list[str], some: set[str]) -> None:
    found = set(candidates(line))
    assert some <= found and all(word.startswith(line[-1] if line else "") for word in found)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_each_shells_script_asks_the_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "agentd completion words --" in capsys.readouterr().out


@pytest.mark.parametrize("script", [SCRIPTS["zsh"], jsonrpc_completion.SCRIPTS["zsh"]])
def test_what_zsh_reads_closes_all_that_it_opens(script: str) -> None:
    """zsh 5.9 completes by these scripts; where it isn't installed, this holds what it once could not parse."""
    ends = {"${": "}", "$(": ")", "((": "))", "(": ")", "{": "}", '"': '"'}
    waits: list[str] = []
    for mark in re.findall(r"\$[{(]|\(\(|\)\)|[(){}\"]", script.replace("()", "")):
        if waits and mark == waits[-1]:
            waits.pop()
        else:
            assert mark in ends, (script, mark, waits)
            waits.append(ends[mark])
    assert not waits


def test_only_a_shell_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["completion"])
    assert capsys.readouterr().err.endswith("required: bash | zsh | fish\n")


def test_a_real_bash_completes(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    script = SCRIPTS["bash"] + 'COMP_WORDS=(agentd tools a); COMP_CWORD=2; _agentd; echo "${COMPREPLY[*]}"'
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [bash, "-c", script], capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=120
    )
    assert done.stdout.strip() == "add", done.stderr
