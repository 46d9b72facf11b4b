"""`agentd completion bash|zsh|fish`: a shell script that asks this command for completions. No daemon."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SCRIPTS: dict[str, str] = tomllib.loads(Path(__file__).with_name("completion.toml").read_text(encoding="utf-8"))
WHERE = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/config.fish"}


def register(commands: Any) -> None:
    places = "; ".join(f"{shell}: {WHERE[shell]}" for shell in SCRIPTS)
    parser = commands.add_parser("completion", help="print the completion script of a shell", epilog=f"Where: {places}")
    parser.add_argument("shell", choices=[*SCRIPTS, "words"], metavar=" | ".join(SCRIPTS))
    parser.add_argument("line", nargs=argparse.REMAINDER, help=argparse.SUPPRESS).required = False
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the script; or, called by the script, the words that fit at the cursor."""
    if given.shell != "words":
        print(SCRIPTS[given.shell], end="")
        return 0
    line = given.line[1:] if given.line[:1] == ["--"] else given.line
    print("\n".join(candidates(line)))
    return 0


def candidates(line: Sequence[str]) -> list[str]:
    """The words that complete the line's last word, which may be empty."""
    from agentd.cli import parser_for

    *before, last = line or [""]
    parser = parser_for(next((word for word in before if not word.startswith("-")), None))
    for word in before:
        parser = _words(parser).get(word, parser)
    found = [*_words(parser), *_choices(parser)] if not last.startswith("-") else list(_options(parser))
    return sorted({word for word in found if word.startswith(last)})


def _words(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    subcommands = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: inner for action in subcommands for name, inner in action.choices.items()}


def _choices(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction):
            yield from (str(choice) for choice in action.choices or () if choice != "words")


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
