"""Answers one message of a chat: with a run, a decision, a link, or a fixed text of the office.

It sends and stores nothing: mailbox.py stores the answer in the transaction that removes the message. A message may be
answered again after a kill; its run has the message's mark as its id, and no decision is made twice.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agentd.agent.language import detect, own_language
from agentd.application import MethodCall
from agentd.apps.channels.mailbox import Answer, Chat, Letter, Mailbox
from agentd.apps.channels.port import Channel, ChannelSettings, Choice
from agentd.apps.channels.reading import CHANGE, LETTER, NO, YES, confirmation, said, shown
from agentd.apps.channels.texts import Texts, texts
from agentd.errors import AgentdError, Busy, Conflict, Draining, MethodNotFound, NotFound
from agentd.messages import AgentOutcome, Caller
from agentd.runs.agent_api import AgentRuns

SENDING = 4
"""Messages sent at once: services take few more a second, and those being sent at a kill arrive twice."""
TRIES = 3
"""Wrong entries of the sign-in page's number that sign the person out."""


@dataclass(frozen=True, slots=True)
class Service:
    """A configured chat service with its entry in client.toml."""

    settings: ChannelSettings
    channel: Channel
    sending: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SENDING))

    @property
    def name(self) -> str:
        """Its name in client.toml."""
        return self.settings.name


class Conversation:
    """Answers messages, one at a time per chat."""

    def __init__(self, mailbox: Mailbox, call: MethodCall, runs: Callable[[], AgentRuns]) -> None:
        self._mailbox = mailbox
        self._call = call
        self._runs = runs

    def caller(self, service: Service, chat: Chat) -> Caller:
        """The caller of this chat: a visitor, as on a chat page, with the chat's own key."""
        who = Caller(id=f"channel:{service.name}", scopes=frozenset({"chat"}), profile=service.settings.profile)
        return who.with_key(self._mailbox.key_of(chat))

    async def answer(self, service: Service, chat: Chat, letter: Letter) -> Answer:
        """The answer to a message. Raises Busy and Draining: then it is answered later."""
        kind, text = letter.body["kind"], letter.body["text"]
        words = texts()[chat.language]
        if kind == "stop":
            return await self._stop(service, chat, words)
        if kind == "start":
            choices = await self._letters(service, chat)
            return Answer((said(words.welcome, choices[: service.channel.most_choices]),), chat)
        if kind in ("media", "forwarded", "edited", "wordless"):
            return Answer((said(getattr(words, kind)),), chat)
        if kind == "pin":
            gone = letter.body.get("removed")
            return Answer((said(words.pin if gone else f"{words.pin}\n\n{words.pin_remains}"),), chat)
        if chat.confirm is not None:
            return await self._confirm(service, chat, text, words)
        if kind == "sign_in":
            return await self._sign_in(service, await self._opened(service, chat), words)
        if kind == "tap":
            return await self._tapped(service, chat, letter, words)
        spoken = own_language(detect(text, chat.language))
        return await self._ask(service, replace(chat, language=spoken), {"prompt": text, "run_id": letter.mark})

    async def ended(self, service: Service, chat: Chat, run_id: str) -> Answer | None:
        """The answer from a run that waited for an officer; None while it still waits."""
        try:
            found = await self._call("Agent.get", {"run_id": run_id}, self.caller(service, chat))
        except NotFound:
            return Answer((), chat, ends=(run_id,))
        if found["status"] in ("queued", "running", "needs_approval"):
            return None
        return replace(self._answer_of(service, chat, found), ends=(run_id,))

    async def _ask(self, service: Service, chat: Chat, params: dict[str, Any]) -> Answer:
        chat = await self._opened(service, chat)
        try:
            asked = {**params, "session_id": chat.session_id}
            outcome = await self._call("Agent.run", asked, self.caller(service, chat))
        except (Busy, Draining):
            raise
        except AgentdError as error:
            return _failed(chat, error)
        return self._outcome(service, chat, outcome)

    def _outcome(self, service: Service, chat: Chat, outcome: AgentOutcome) -> Answer:
        channel, approval = service.channel, outcome.approval
        waits = outcome.status == "needs_approval" and approval is not None
        staff = waits and approval is not None and approval.rule == "staff"
        asked = approval.approval_id if waits and approval is not None and not staff else None
        chat = replace(chat, run_id=outcome.run_id if asked else None, approval_id=asked)
        messages = shown(outcome, chat.language, channel.longest, channel.longest_asking)
        return Answer(messages, chat, awaits=outcome.run_id if staff else None)

    def _answer_of(self, service: Service, chat: Chat, found: dict[str, Any]) -> Answer:
        """The answer for a run's state (from Agent.get)."""
        if error := found.pop("error", None):
            return Answer((said(error["data"]["user_message"]),), replace(chat, run_id=None, approval_id=None))
        return self._outcome(service, chat, AgentOutcome.model_validate(found))

    async def _opened(self, service: Service, chat: Chat) -> Chat:
        """The chat with its session, created if there was none."""
        if chat.session_id is not None:
            return chat
        made = await self._call("Session.create", {}, self.caller(service, chat))
        chat = replace(chat, session_id=made["session_id"])
        await self._mailbox.put(chat)
        return chat

    async def _stop(self, service: Service, chat: Chat, words: Texts) -> Answer:
        if chat.session_id is not None:
            try:
                await self._call("Session.delete", {"session_id": chat.session_id}, self.caller(service, chat))
            except NotFound:  # it was already deleted
                await self._mailbox.forget(chat.session_id)
        return Answer((said(words.stopped),), None)

    async def _letters(self, service: Service, chat: Chat) -> tuple[Choice, ...]:
        """A button for each letter; empty if no installed app has letters."""
        try:
            letters = (await self._call("Letters.list", {}, self.caller(service, chat)))["letters"]
        except AgentdError:
            return ()
        titled = ((one["tool"], one["titles"].get(chat.language, one["title"])) for one in letters)
        return tuple(Choice(id=LETTER + tool, title=title) for tool, title in titled)

    async def _tapped(self, service: Service, chat: Chat, letter: Letter, words: Texts) -> Answer:
        tap, about = letter.body["text"][:2], letter.body["text"][2:]
        if tap == LETTER:
            titles = {choice.id: choice.title for choice in await self._letters(service, chat)}
            if (title := titles.get(LETTER + about)) is not None:
                params = {"prompt": title, "run_id": letter.mark, "options": {"tool_hint": about}}
                return await self._ask(service, chat, params)
        if tap in (YES, NO, CHANGE) and about == chat.approval_id and chat.run_id is not None:
            if tap == CHANGE:
                return Answer((said(words.ask_change),), chat)
            return await self._decide(service, chat, chat.run_id, about, tap == YES)
        return Answer((said(words.old_button),), chat)

    async def _decide(self, service: Service, chat: Chat, run_id: str, approval_id: str, yes: bool) -> Answer:
        """Approve or decline; a decision that comes too late is answered with the run's present state.

        Raises Busy and Draining: then the message is answered later.
        """
        caller = self.caller(service, chat)
        params = {"run_id": run_id, "approval_id": approval_id, "approved": yes}
        try:
            return self._outcome(service, chat, await self._call("Agent.approve", params, caller))
        except (Busy, Draining):
            raise
        except Conflict:  # decided before a kill, withdrawn or too late: ask the run
            async for _ in self._runs().events(run_id, caller):
                pass
            run = await self._call("Agent.get", {"run_id": run_id}, caller)
            if run["status"] in ("queued", "running"):
                raise Busy("the run goes on elsewhere", retry_after_s=1.0) from None
            return self._answer_of(service, chat, run)
        except AgentdError as error:
            return _failed(chat, error)

    async def _sign_in(self, service: Service, chat: Chat, words: Texts) -> Answer:
        try:
            status = await self._call("Residents.status", {}, self.caller(service, chat))
        except MethodNotFound:
            status = {"configured": False}
        if service.settings.public_url is None or not status["configured"]:
            return Answer((said(words.no_link),), chat)
        code = secrets.token_urlsafe(24)
        link = f"{service.settings.public_url}/masuk/{code}"
        return Answer((said(words.link.format(link=link)),), chat, link=code)

    async def _confirm(self, service: Service, chat: Chat, text: str, words: Texts) -> Answer:
        """Check the number that the sign-in page showed; after TRIES wrong ones, sign the person out."""
        number = confirmation(text)
        if number is not None and self._mailbox.mark("confirm", chat.visit, number) == chat.confirm:
            return Answer((said(words.confirmed),), replace(chat, confirm=None, tries=0))
        tries = chat.tries + (number is not None)
        if tries < TRIES:
            return Answer((said(words.confirm),), replace(chat, tries=tries))
        await self._call("Session.forget", {"session_id": chat.session_id}, self.caller(service, chat))
        return Answer((said(words.not_confirmed),), replace(chat, confirm=None, tries=0))


def _failed(chat: Chat, error: AgentdError) -> Answer:
    return Answer((said(error.user_message(chat.language)),), replace(chat, run_id=None, approval_id=None))
