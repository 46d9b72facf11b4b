"""What crosses the port of a chat service: what people write there, what they are answered. No session, no run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from agentd.messages.base import Json, Message

IncomingKind = Literal["text", "tap", "media", "forwarded", "edited"]


class ChannelSettings(Message):
    """One `[[channels]]` entry. `secrets` are the credentials themselves, by what the service calls them."""

    name: str
    type: str
    endpoint: str | None = None
    public_url: str | None = None
    """The address under which people's browsers and the service reach this daemon, without a slash at its end."""
    profile: str | None = None
    rate_per_minute: float = 20
    secrets: Mapping[str, str] = Field(default_factory=dict, repr=False)
    settings: Mapping[str, Json] = Field(default_factory=dict)
    """The type's own further keys of client.toml."""
    blocked: str | None = None
    """Why it can't be begun: a credential is missing."""


class Incoming(Message):
    """One message of one person, or one tap on a button: then `text` is the id of the choice.

    Of what is not read as written here (a file's caption, a forwarded or changed message) the text is only for seeing
    that there is a PIN in it.

    `id` is the service's own and the same when the service sends it again; `reference` names it in calls about it.
    """

    id: str
    chat: str
    kind: IncomingKind
    text: str = ""
    reference: str = ""
    language: str | None = None
    """The language (`id`, `en-GB`) of the person's app, where the service says so."""


class Choice(Message):
    """A button: what is written on it, and what a tap on it brings as `text`."""

    id: str
    title: str


class Document(Message):
    """A file to send."""

    path: str
    name: str
    media_type: str


class Outgoing(Message):
    """One message to one person: a text with its choices, or a document. A service may tell of it by its `key`."""

    chat: str
    text: str = ""
    choices: tuple[Choice, ...] = ()
    key: str = ""
    document: Document | None = None
