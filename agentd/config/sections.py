"""Sections of client.toml that apps bring, by the entry points `agentd.sections`: {key: class}. It names no app.

Besides its own keys, such a section says what the servers of its app get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, create_model

from agentd.config.lines import Path as KeyPath
from agentd.config.schema import ClientFile, Section, ServerEntry
from agentd.installed import installed
from agentd.messages import Scope, ToolInfo

Report = Callable[[KeyPath, str], None]
"""Takes a problem: the path of the key, and a sentence."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a server gets besides its own entry."""

    env: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, bytes] = field(default_factory=dict)
    needs: Sequence[str] = ()
    """The credentials that these contain: if one is missing, the server is not started."""


class SectionOfApp(BaseModel):
    """A section that gives nothing; each overrides what it has. A key `server` names the one its app speaks to."""

    def with_secrets(self, environ: Mapping[str, str]) -> Self:
        """The section with the values of the credentials that it holds itself."""
        return self

    def check(self, file: ClientFile, problem: Report, warning: Report) -> None:
        """What must fit together between this section and the others."""

    def given(self, entry: ServerEntry, file: ClientFile, folder: Path, environ: Mapping[str, str]) -> Given:
        """What this server gets; `folder` is that of the file."""
        return Given()

    def credentials(self) -> Sequence[str]:
        """The credentials that it names."""
        return ()

    def own_tools(self) -> Mapping[str, Sequence[Scope] | None]:
        """{the name under which the app's own tools are listed, as if it were a server: whose agents have them}."""
        return {}

    def session_servers(self) -> Sequence[str]:
        """Those of its app's servers that keep data of a session."""
        return ()

    def tool(self, tool: ToolInfo) -> ToolInfo:
        """A server's tool as this office wants it."""
        return tool


class AppSection(SectionOfApp, Section):
    """One that is a table of keys."""


@cache
def kinds() -> Mapping[str, type[SectionOfApp]]:
    """The section of each installed app that has one, by its key."""
    return {name: entry.load() for name, entry in installed("agentd.sections").items()}


@cache
def client_file() -> type[ClientFile]:
    """The shape of client.toml with the apps' sections."""
    own: dict[str, Any] = {name: (kind, kind()) for name, kind in kinds().items()}
    return create_model("ClientFile", __base__=ClientFile, __doc__=ClientFile.__doc__, **own)


def of(file: ClientFile) -> dict[str, SectionOfApp]:
    """The apps' sections of a file."""
    return {name: getattr(file, name) for name in kinds()}
