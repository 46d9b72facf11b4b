"""`agentd books check`: runs the data server's own command (client.toml) on the database of `[books]`. `agentd books
ask`: asks like `agentd analyze`; questions can be saved under a name and asked again."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentd.apps.analytics import command
from agentd.apps.analytics.servers import OPERATIONS
from agentd.apps.server_command import ServerCommand
from agentd.cli import options

HELP = "the office's own database: check it (writes books.toml), ask it"
CHECK = ServerCommand("books check", HELP, "", lambda _: OPERATIONS)


def register(commands: Any) -> None:
    parser = commands.add_parser("books", help=HELP)
    words = parser.add_subparsers(required=True, metavar="check | ask")
    check = options.command(words, "check", "connect, inspect the database, and write books.toml", CHECK.run)
    check.set_defaults(helped=False, words=["check"])
    ask = options.command(words, "ask", "ask a question, or one that was saved", run, listen=True)
    ask.add_argument("question", nargs="?", help="what to ask, in Indonesian or English")
    ask.add_argument("--saved", metavar="NAME", help="ask the question that was saved under this name")
    ask.add_argument("--save", metavar="NAME", help="save the question under this name once it is answered")
    command.arguments(ask)


def run(given: argparse.Namespace) -> int:
    """The exit code: 0 with an answer, 1 without, 2 if there is nothing to ask."""
    from agentd import config

    if given.saved and given.question:
        print("agentd books ask: write a question or --saved NAME, not both; --save NAME saves one", file=sys.stderr)
        return 2
    saved = SavedQuestions(Path(config.load(given.config, state=given.state, listen=given.listen).state))
    try:
        if given.saved:
            found = saved.named(given.saved)
            given.question, given.style = found.question, given.style or found.style
    except NotSaved as error:
        print(f"agentd books ask: {error.args[0]}", file=sys.stderr)
        return 2
    if not given.question:
        print("agentd books ask: write a question, or --saved NAME", file=sys.stderr)
        return 2
    given.keep = given.keep or bool(given.save)  # the kept plan is reused when the question is asked again
    code = command.run(given)
    if code == 0 and given.save:
        saved.save(given.save, Saved(given.question, given.style))
    return code


class NotSaved(KeyError):
    """No question has this name; the text says which there are."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A question and its plan style (None: the configured one)."""

    question: str
    style: str | None = None


class SavedQuestions:
    """The saved questions of a state folder, in `analytics/saved.json`."""

    def __init__(self, state: Path) -> None:
        self._file = state / "analytics" / "saved.json"

    def all(self) -> dict[str, Saved]:
        """The questions by name. Raises ValueError if the file can't be parsed."""
        if not self._file.is_file():
            return {}
        content = json.loads(self._file.read_text(encoding="utf-8"))
        return {name: Saved(**each) for name, each in content.items()}

    def named(self, name: str) -> Saved:
        """The question saved under a name. Raises NotSaved."""
        known = self.all()
        if name not in known:
            raise NotSaved(f"no question is saved as {name!r}; there are: {', '.join(sorted(known)) or 'none'}")
        return known[name]

    def save(self, name: str, question: Saved) -> None:
        """Saves a question under a name, replacing an earlier one."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        content = {key: asdict(each) for key, each in ({**self.all(), name: question}).items()}
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        beside.replace(self._file)
