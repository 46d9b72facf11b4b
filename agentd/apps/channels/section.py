"""`[[channels]]`: the chat services through which people write to the office. It connects to none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, Field, RootModel

from agentd.apps.channels.port import ChannelSettings
from agentd.config.check import check_doubles, check_plugins
from agentd.config.schema import ClientFile
from agentd.config.sections import Report, SectionOfApp
from agentd.credentials import advice, missing, secret, wrong_name


class ChannelEntry(BaseModel, frozen=True, extra="allow", strict=True):
    """`[[channels]]`: chat services by which people write to the office (docs/channels.md), read at each start."""

    name: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    """Its name here and in the address of its webhook, `/channels/NAME`."""
    type: str = Field(min_length=1)
    """The plug-in that speaks to it: `telegram`, `whatsapp`, or another package's."""
    endpoint: str | None = None
    """Where the service is. Default: the type's own."""
    public_url: str | None = Field(default=None, pattern=r"^https?://[^/?#]+(/[^?#]*[^/?#])?$")
    """The address of this daemon for people's browsers and for the service, as `https://surat.example.go.id`. Without
    it nobody signs in by a link, and messages come by polling alone. Its name belongs into `[rpc] allowed_hosts`."""
    credentials: dict[str, str] = Field(default_factory=dict)
    """{what the service calls it: *name* of the credential}: `{ token = "telegram_token" }`."""
    profile: str | None = None
    """The profile of its callers' agent; left out, that of the scope `chat`."""
    rate_per_minute: float = Field(default=20, gt=0)
    """Messages a minute that one person may send."""


class ChannelsSection(SectionOfApp, RootModel[list[ChannelEntry]], frozen=True, strict=True):
    """Chat services by which people write to the office."""

    root: list[ChannelEntry] = Field(default_factory=list)
    _channels: tuple[ChannelSettings, ...] = ()

    @property
    def channels(self) -> tuple[ChannelSettings, ...]:
        """The entries with their secrets filled in; an entry without one of its secrets says so in `blocked`."""
        return self._channels

    def with_secrets(self, environ: Mapping[str, str]) -> Self:
        found = self.model_copy()
        found._channels = tuple(_channel(entry, environ) for entry in self.root)
        return found

    def check(self, file: ClientFile, problem: Report, warning: Report) -> None:
        """Check that each channel has a unique name and an installed plug-in."""
        names = [entry.name for entry in self.root]
        check_doubles("channels", names, problem)
        check_plugins("channels", "channels", list(zip(names, self.root, strict=True)), problem)
        for index, entry in enumerate(self.root):
            if (entry.public_url or "").startswith("http://"):
                text = "`public_url` is not https://: only a service on this machine can deliver to it"
                warning(("channels", index, "public_url"), text)
        for index, name in ((at, name) for at, entry in enumerate(self.root) for name in entry.credentials.values()):
            if wrong := wrong_name(name):
                problem(("channels", index, "credentials"), wrong)

    def credentials(self) -> Sequence[str]:
        return [name for entry in self.root for name in entry.credentials.values()]


def _channel(entry: ChannelEntry, environ: Mapping[str, str]) -> ChannelSettings:
    lacking = missing(entry.credentials.values(), environ)
    found = {role: secret(name, environ) for role, name in entry.credentials.items()}
    return ChannelSettings(
        **entry.model_dump(include={"name", "type", "endpoint", "public_url", "profile", "rate_per_minute"}),
        secrets={role: value for role, value in found.items() if value is not None},
        settings=dict(entry.model_extra or {}),
        blocked=advice(lacking) if lacking else None,
    )
