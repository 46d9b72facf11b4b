"""`agentd doctor` on the office's books: asks the data server to check their database. It repairs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentd.apps import server_command
from agentd.apps.setup.findings import Finding

UNKNOWN = 3
"""The exit status of `look` if books.toml doesn't match the database's tables."""


def books(settings: Any) -> Iterator[Finding]:
    """Whether the database of `[books]` answers and is unchanged; nothing if it or its server isn't configured."""
    if not getattr(settings.sections.get("books"), "url", None):
        return
    try:
        looked = server_command.run(settings, settings.server_of("books"), ["look"], capture=True)
    except (OSError, server_command.NoServer):
        return  # the server's own finding says why
    if looked.returncode == 0:
        yield Finding("good", f"books: {looked.stdout.strip()}, as books.toml has them")
    elif looked.returncode == UNKNOWN:
        what = f"books: {looked.stdout.strip()}, not as books.toml has them"
        yield Finding("note", what, "`agentd books check` writes it; your words in it stay")
    else:
        said = looked.stderr.strip().splitlines()[-1:] or ["the data server's look failed"]
        yield Finding("must", f"books: {said[0]}", "mend it; `agentd books check` looks again")
