"""Classifies messages and formats answers for a chat. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from agentd.agent.pins import looks_like_pin
from agentd.agent.text import plain
from agentd.apps.channels.port import Choice, Incoming
from agentd.apps.channels.texts import texts
from agentd.errors import Language
from agentd.messages import AgentOutcome

Kind = Literal["text", "tap", "media", "forwarded", "edited", "wordless", "pin", "start", "stop", "sign_in"]
YES, NO, CHANGE, LETTER = "y:", "n:", "c:", "l:"
"""Prefixes of the ids of choices, followed by the approval's id or the tool's name."""

_COMMAND = re.compile(r"^/(\w+)(?=@|\s|$)")
"""A chat app's command; the bot that it is for (`/start@BOT`) and a parameter (`/start PARAM`) may follow it."""
_NUMBER = re.compile(r"\d{4}")


def kind_of(message: Incoming) -> Kind:
    """The kind of a message, decided before anything of it is stored."""
    if message.kind != "tap" and looks_like_pin(message.text):
        return "pin"
    if message.kind != "text":
        return message.kind
    text = message.text.strip().casefold()
    ordered = {plain(text.removeprefix("/")), *_COMMAND.findall(text)}
    for kind, orders in (("start", "starts"), ("stop", "stops"), ("sign_in", "signs_in")):
        if any(ordered & getattr(words, orders) for words in texts().values()):
            return kind  # type: ignore[return-value]   # all three are a Kind
    return "text" if any(char.isalnum() for char in message.text) else "wordless"


def confirmation(text: str) -> str | None:
    """The four digits of a message that consists only of them, else None."""
    return text.strip() if _NUMBER.fullmatch(text.strip()) else None


def units(text: str) -> int:
    """The length of a text as chat services count it, in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def pieces(text: str, longest: int) -> Iterator[str]:
    """The text in pieces of at most `longest` units, cut at a line's end or a blank if there is one."""
    text = text.strip()
    while units(text) > longest:
        head = text[:longest]
        while units(head) > longest:
            head = head[: len(head) - (units(head) - longest + 1) // 2]
        at = max(head.rfind("\n"), head.rfind(" "))
        at = at if at > len(head) // 2 else len(head)
        yield text[:at].rstrip()
        text = text[at:].lstrip()
    if text:
        yield text


def again(text: str, language: Language, longest: int) -> str:
    """The text with a note that it may have arrived before, if there is room for the note."""
    whole = f"{texts()[language].again}\n\n{text}"
    return whole if text and units(whole) <= longest else text


def said(text: str, choices: tuple[Choice, ...] = ()) -> dict[str, Any]:
    """A text in the form of the outbox."""
    return {"text": text, "choices": [choice.model_dump() for choice in choices]}


def shown(outcome: AgentOutcome, language: Language, longest: int, longest_asking: int) -> tuple[dict[str, Any], ...]:
    """A run's outcome as messages: the text in pieces, then its files or the buttons that decide."""
    approval = outcome.approval
    if outcome.status != "needs_approval" or approval is None or approval.rule == "staff":
        files = [{"run_id": outcome.run_id, "file": artifact.name} for artifact in outcome.artifacts]
        return (*map(said, pieces(outcome.response, longest)), *files)
    words = texts()[language]
    choices = (
        Choice(id=YES + approval.approval_id, title=words.yes),
        Choice(id=CHANGE + approval.approval_id, title=words.change),
        Choice(id=NO + approval.approval_id, title=words.cancel),
    )
    if units(outcome.response) <= longest_asking:
        return (said(outcome.response, choices),)
    return (*map(said, pieces(outcome.response, longest)), said(words.agree, choices))
