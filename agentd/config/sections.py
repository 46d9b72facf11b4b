"""Sections of client.toml that apps add, through the entry points `agentd.sections`: {key: class}. It names no app.

Such a section also says what the servers of its app are given.
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
from agentd.installed import installed, load
from agentd.messages import Scope, ToolInfo

Report = Callable[[KeyPath, str], None]
"""Receives a problem: the key's path and a message."""


@dataclass(frozen=True, slots=True)
class Given:
    """What an app's section gives a server in addition to the server's own entry."""

    env: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, bytes] = field(default_factory=dict)
    needs: Sequence[str] = ()
    """The credentials in these values; the server is not started if one is missing."""


class SectionOfApp(BaseModel):
    """A section that gives nothing; each overrides what it has. A key `server` names the one its app speaks to."""

    def with_secrets(self, environ: Mapping[str, str]) -> Self:
        """The section with the values of the credentials that it uses itself."""
        return self

    def check(self, file: ClientFile, problem: Report, warning: Report) -> None:
        """Report conflicts between this section and the others."""

    def given(self, entry: ServerEntry, file: ClientFile, folder: Path, environ: Mapping[str, str]) -> Given:
        """What this server is given; `folder` is the folder of the file."""
        return Given()

    def credentials(self) -> Sequence[str]:
        """The names of its credentials."""
        return ()

    def own_tools(self) -> Mapping[str, Sequence[Scope] | None]:
        """{server name under which the app's own tools are listed: scopes whose agents have them (None: all)}."""
        return {}

    def session_servers(self) -> Sequence[str]:
        """The servers of its app that store data of a session."""
        return ()

    def tool(self, tool: ToolInfo) -> ToolInfo:
        """A server's tool, adapted to this office."""
        return tool


class AppSection(SectionOfApp, Section):
    """One that is a table of keys."""


@cache
def kinds() -> Mapping[str, type[SectionOfApp]]:
    """{key: section class} of each installed app with a section. Raises PluginError."""
    return {name: load(entry) for name, entry in installed("agentd.sections").items()}


@cache
def client_file() -> type[ClientFile]:
    """The model of client.toml, including the apps' sections."""
    own: dict[str, Any] = {name: (kind, kind()) for name, kind in kinds().items()}
    return create_model("ClientFile", __base__=ClientFile, __doc__=ClientFile.__doc__, **own)


def of(file: ClientFile) -> dict[str, SectionOfApp]:
    """{key: section} of the apps' sections in a file."""
    return {name: getattr(file, name) for name in kinds()}
