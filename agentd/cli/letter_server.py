"""A server's own command line, as client.toml starts it: the letter server's for `agentd letters`, `backup`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


class NoLetterServer(Exception):
    """A server's command can't be run here; the text says why."""


def run(settings: Any, words: Sequence[str], *, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """`letters WORDS` of the letter server, for this state folder and with the server's credentials.

    Its output is in `stdout` and `stderr` when captured. Raises NoLetterServer.
    """
    return run_words(settings, settings.letters.server, ["letters", *words], capture=capture)


def run_words(
    settings: Any, name: str, words: Sequence[str], *, capture: bool = False
) -> subprocess.CompletedProcess[str]:
    """The same with the words of the server `name`. Raises NoLetterServer."""
    server = next((server for server in settings.servers if server.name == name), None)
    if server is None or server.command is None:
        raise NoLetterServer(f"{settings.file} starts no server `{name}`; add its [[servers]] entry")
    if server.blocked:
        raise NoLetterServer(server.blocked)
    state = [] if "--state" in words else ["--state", str(settings.state)]
    command = [server.command, *server.args, *words, *state]
    with TemporaryDirectory(prefix="agentd-credentials-") as folder:
        for name, value in server.credentials.items():
            Path(folder, name).write_bytes(value)
        env = {**os.environ, **server.env, "CREDENTIALS_DIRECTORY": folder}
        return subprocess.run(command, env=env, capture_output=capture, text=True, check=False)
