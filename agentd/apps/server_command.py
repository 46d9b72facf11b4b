"""Runs a server's own command line as client.toml starts the server: `agentd letters`, `agentd residents`, backups.

It knows no server: each app names the server of its command.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agentd.errors import CommandError


class NoServer(CommandError):
    """A server's command can't be run here; the text says why."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """`agentd NAME …`: all words after it are passed to the server."""

    name: str
    help: str
    words: str
    """The metavar of the words, for the help."""
    server: Callable[[Any], str]
    """Returns the server's name from the settings."""
    group: tuple[str, ...] = ()
    """Words put before the user's in the server's command."""

    def register(self, commands: Any) -> None:
        """Add the command to agentd's."""
        parser = commands.add_parser(self.name, help=self.help, add_help=False)
        parser.add_argument("--config", metavar="FILE")
        parser.add_argument("--state", metavar="DIR")
        # argparse's help lacks the server's words
        parser.add_argument("-h", "--help", dest="helped", action="store_true")
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar=self.words)
        parser.set_defaults(run=self.run)

    def run(self, given: argparse.Namespace) -> int:
        """Run the server's command and return its exit code."""
        from agentd import config

        own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)  # it may come after the server's words
        own.add_argument("--config", default=given.config)
        found, words = own.parse_known_args(given.words)
        settings = config.load(found.config, state=given.state)
        asked = ["--help"] if given.helped or not words else words
        try:
            return run(settings, self.server(settings), [*self.group, *asked]).returncode
        except NoServer as error:
            print(f"agentd {self.name}: {error}", file=sys.stderr)
            return 2


def run(settings: Any, name: str, words: Sequence[str], *, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the words with the command of server `name`, for this state folder and with the server's credentials.

    With `capture`, the output is in `stdout` and `stderr`. Raises NoServer.
    """
    server = next((server for server in settings.servers if server.name == name), None)
    if server is None or server.command is None:
        raise NoServer(f"{settings.file} starts no server `{name}`; add its [[servers]] entry")
    if server.blocked:
        raise NoServer(server.blocked)
    state = [] if "--state" in words else ["--state", str(settings.state)]
    command = [server.command, *server.args, *words, *state]
    with TemporaryDirectory(prefix="agentd-credentials-") as folder:
        for credential, value in server.credentials.items():
            Path(folder, credential).write_bytes(value)
        env = {**os.environ, **server.env, "CREDENTIALS_DIRECTORY": folder}
        return subprocess.run(command, env=env, capture_output=capture, text=True, check=False)


def letters(settings: Any, *words: str) -> str:
    """The output of `letters WORDS` of the server that issues letters. Raises NoServer, CommandError if it fails."""
    done = run(settings, settings.server_of("letters"), ["letters", *words], capture=True)
    if done.returncode != 0:
        raise CommandError(f"`agentd letters {words[0]}` failed: {done.stderr.strip()}")
    return done.stdout
