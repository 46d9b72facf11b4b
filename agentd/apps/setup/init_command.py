"""`agentd init PROFILE DIR`: creates an office by copying one that ships. It starts nothing."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from shlex import quote
from typing import Any

from agentd.config.shipped import PROFILES
from agentd.errors import CommandError

SCHEMA = "client.schema.json"


def register(commands: Any) -> None:
    parser = commands.add_parser("init", help="create your own office from a shipped profile")
    parser.add_argument("profile", choices=profiles(), help="the office to start from")
    parser.add_argument("folder", type=Path, metavar="DIR", help="an empty or new folder")
    parser.set_defaults(run=run)


def profiles() -> list[str]:
    """The names of the shipped offices."""
    return sorted(file.parent.name for file in PROFILES.glob("*/client.toml"))


def run(given: argparse.Namespace) -> int:
    """Return 0 once the folder has the office. Raises CommandError if it isn't empty, OSError."""
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    if next(folder.iterdir(), None) is not None:
        raise CommandError(f"{folder} is not empty; choose an empty or new folder")
    shutil.copytree(PROFILES / given.profile, folder, dirs_exist_ok=True)
    shutil.copy(PROFILES / SCHEMA, folder)
    config = folder / "client.toml"
    config.write_text(config.read_text(encoding="utf-8").replace(f"../{SCHEMA}", SCHEMA, 1), encoding="utf-8")
    print(f"""{folder} holds an office like `{given.profile}`. Name it for every command of this shell:
  export AGENTD_CONFIG={quote(str(config.resolve()))} AGENTD_STATE={quote(str((folder / "state").resolve()))}
Next steps:
  1. office.toml: the name, letterhead, signer and opening hours
  2. letters: a folder for each letter; `agentd letters check` lists mistakes
  3. client.toml: models, servers, glossary and examples; `agentd config check` lists mistakes
  4. `agentd doctor` says what is missing, `agentd serve` starts the daemon""")
    return 0
