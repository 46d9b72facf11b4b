"""`agentd doctor` on the office's letters: checks office.toml, and has the letter server check the rest. Read-only."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentd.apps.setup.findings import Finding
from agentd.config.proxy import LOOPBACK
from agentd.config.shipped import PROFILES, shipped

SAMPLE = ("[", "/CONTOH/", "/SAMPLE/")
"""Marks in the sample's texts that an office must replace."""


def office(settings: Any) -> Iterator[Finding]:
    """Values of office.toml that are still the sample's and would be printed; the server reports mistakes in it."""
    env = _env(settings)
    file = Path(env.get("OFFICE_FILE", settings.file.resolve().parent / "office.toml"))
    try:
        said = _read(file)
    except (OSError, ValueError):
        return
    if blanks := [text for text in _texts(said) if any(mark in text for mark in SAMPLE)]:
        what = f"office: {file} is still the sample's in: {', '.join(blanks)}"
        yield Finding("note", what, "put the office's own there: it stands on letters")
    for client in PROFILES.glob("*/client.toml"):
        head = _read(client.with_name("office.toml"))["letterhead"]
        if _read(client)["prompt_template"] == settings.prompt_template and said.get("letterhead") != head:
            what = f"office: the model reads in {settings.file} that it serves another office, the sample's"
            yield Finding("note", what, "put the office's name into prompt_template there")
    verify = env.get("VERIFY_BASE_URL") or str(said.get("verify_base_url"))
    if urlsplit(verify).hostname in LOOPBACK:
        to_do = f"verify_base_url in {file}: the address at which citizens reach the page /verify"
        yield Finding("note", f"office: the letters' QR codes lead to {verify}, this machine alone", to_do)


def examples(settings: Any) -> Iterator[Finding]:
    """Letters that an example of client.toml names, and the office does not have (any more)."""
    own = settings.file.resolve().parent / "letters"
    more = [Path(one) for one in _env(settings)["LETTERS_DIR"].split(":") if one]
    folders = [own] if own.exists() and not more else [shipped("letters"), *more]
    actions = [example.action for example in settings.examples]
    named = [str(one.get("tool", "")).partition("generate_")[2] for one in actions]
    inputs = [one["input"] for one in actions if isinstance(one.get("input"), dict)]
    named += [str(one.get("letter_type", "")) for one in inputs]
    for name in dict.fromkeys(filter(None, named)):
        if not any((folder / name).is_dir() for folder in folders):
            what = f"examples: {settings.file} shows the model the letter {name}, which the office does not have"
            yield Finding("note", what, "take that [[examples]] entry out, or put the letter's folder back")


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _env(settings: Any) -> dict[str, str]:
    servers = {name: value for server in settings.servers for name, value in server.env.items()}
    return {"LETTERS_DIR": os.environ.get("LETTERS_DIR", ""), **servers}


def _texts(value: Any) -> Iterator[str]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from [value] if isinstance(value, str) else [text for one in inside for text in _texts(one)]


def letters(settings: Any) -> Iterator[Finding]:
    """Whether the office can issue letters now, by the letter server's quick check of register, archive and key."""
    from agentd.apps import server_command

    if not (settings.state / "letters").exists():
        return
    try:
        words = ("letters", "audit", "--quick", "--json")
        looked = server_command.run(settings, settings.server_of("letters"), words, capture=True)
    except (OSError, server_command.NoServer):
        return  # the server's own finding says why
    if looked.returncode not in (0, 1):
        yield Finding("must", f"letters: {looked.stderr.strip()}", "fix it; `agentd letters audit` checks again")
        return
    found = json.loads(looked.stdout)
    for one in found:
        yield Finding("must" if one["mark"] == "fault" else "note", one["what"], one["to_do"])
    if not found:
        yield Finding("good", "letters: register, archive, key and clock are consistent")
