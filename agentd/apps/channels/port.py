"""The port of a chat service, and its messages in both directions. It knows no session and no run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import Field

from agentd.messages.base import Json, Message


class ChannelFailure(Exception):
    """A call to a chat service failed. `final`: the service will never take this message, so it is not sent again;
    not `answered`: the service may have taken it nevertheless."""

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, final: bool = False, answered: bool = True
    ) -> None:
        self.message = message
        self.retry_after_s = retry_after_s
        self.final = final
        self.answered = answered
        super().__init__(message)


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
    """One message to one person: a text with its choices, or a document. A service may report its delivery by `key`."""

    chat: str
    text: str = ""
    choices: tuple[Choice, ...] = ()
    key: str = ""
    document: Document | None = None


Take = Callable[[Sequence[Incoming]], Awaitable[None]]
"""Stores messages durably; only afterwards may a channel let its service forget them."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A chat service's request to its channel's webhook, unchanged; header names are lower-cased."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a delivery, and the text that the service expects as the answer."""

    messages: tuple[Incoming, ...] = ()
    answer: str = ""
    sent: tuple[str, ...] = ()
    """Keys of messages that the service reports as delivered."""


class Channel(Protocol):
    """A chat service: receives people's messages and sends the answers.

    It stores nothing: it may bring a message twice, and what it sends was stored before and is sent in order.
    """

    longest: int
    """Maximum UTF-16 units of one text."""
    longest_asking: int
    """The same for a text with choices."""
    most_choices: int
    window_s: float | None
    """Seconds after a person's last message in which the service lets us write to them; None: always."""
    reports_within_s: float
    """Seconds within which the service usually reports a delivery; 0: it never does."""
    marks_read: bool
    """Whether `notice` also shows that the message was read; if not, it is only needed for a slow answer."""

    async def receive(self, take: Take) -> None:
        """Bring messages until cancelled; if they come by webhook, register it and return.

        Raises ChannelFailure; it is then called again.
        """

    def read(self, delivery: Delivery) -> Reading:
        """Check and read a request to the webhook. Raises Unauthorized, InvalidRequest, NotFound."""

    async def send(self, message: Outgoing) -> None:
        """Send one message. Raises ChannelFailure."""

    async def notice(self, message: Incoming) -> None:
        """Show the person that their message is being read. Raises ChannelFailure."""

    async def remove(self, message: Incoming) -> bool:
        """Delete a person's message for both sides; False if the service can't. Raises ChannelFailure."""

    async def check(self) -> Sequence[str]:
        """What the service reports about this account, one text per line. Raises ChannelFailure."""

    async def aclose(self) -> None:
        """Release connections."""
