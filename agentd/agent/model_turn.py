"""One turn of the model: build its schema, check the reply, repair it or ask the next provider. Calls no tool."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentd.agent import prompts
from agentd.agent.actions import LIST_TOOLS, CallTool, Final, InvalidAction, parse, schema
from agentd.agent.aside import SHORT, OverBudget, read
from agentd.agent.brief import Asked, Beginning, Brief, Progress, Publish
from agentd.agent.languages import replies
from agentd.agent.listing import shown_in_full
from agentd.agent.streaming import CheckedText
from agentd.agent.turn_policy import Offer, Turn, TurnPolicy, UnsupportedAnswer
from agentd.errors import BudgetExceeded, InvalidResponse, ProviderFailure, ProviderUnavailable, in_each_language
from agentd.messages import ChatMessage, Fallback, ModelReply, ModelRequest
from agentd.ports import RESTART, ChatModel, TextChunk
from hardening.texts import json_size

LISTINGS = 3
"""How many listings a schema-constrained model may make per run if its prompt doesn't describe all tools."""


@dataclass
class ModelTurn:
    """Asks the model of one run for its next action."""

    model: ChatModel
    brief: Brief
    so_far: Progress
    beginning: Beginning
    policy: TurnPolicy
    publish: Publish

    def __post_init__(self) -> None:
        self._answer = self._begun_answer()

    async def action(self, asked: Asked) -> CallTool | Final:
        """Get one action, with one repair per provider before the next one is asked; costs are added to `asked`.

        Raises ProviderFailure and AgentdError.
        """
        skip, offer = self.brief.barred, await read(self._length(), self._offer)
        may_call, may_search = bool(self.brief.toolset.tools), self.brief.prompt_tools is not None
        wanted = schema(offer, may_call=may_call, may_search=may_search)
        while True:
            messages = [*self.brief.prefix, *self.so_far.messages]
            try:
                reply = await self._reply(asked, messages, wanted, skip)
            except ProviderUnavailable as error:
                asked.fallbacks += [Fallback.model_validate(value) for value in error.data.get("fallbacks", [])]
                if asked.reason:
                    raise InvalidResponse(f"no provider gave a valid action: {asked.reason}") from None
                raise
            if asked.reason and reply.provider in skip:
                raise InvalidResponse(f"no provider gave a valid action: {asked.reason}")
            try:
                return await self._checked(reply.text, offer)
            except InvalidAction as wrong:
                asked.reason = str(wrong)
            repair = [
                *messages,
                ChatMessage(role="assistant", content=reply.text[:4000] or "…"),
                prompts.repair(asked.reason),
            ]
            again = await self._reply(asked, repair, wanted, skip, reply)
            try:
                return await self._checked(again.text, offer)
            except UnsupportedAnswer as wrong:
                self.publish("model.delta", {"restart": True, "text": wrong.instead})
                return Final(wrong.instead)
            except InvalidAction as wrong:
                asked.reason = str(wrong)
            skip |= {reply.provider, again.provider}
            asked.fallbacks.append(Fallback(provider=again.provider, kind="bad_output", message=asked.reason))

    def _length(self, answer: str = "") -> int:
        """The number of characters that a policy reads, counted only until it exceeds SHORT."""
        length = len(answer)
        for one in self.so_far.said:
            length += len(one.text) + (0 if one.value is None else json_size(one.value))
            if length > SHORT:
                break
        return length

    async def _checked(self, text: str, offer: Offer) -> CallTool | Final:
        """Parse and check the turn. Raises InvalidAction, or UnsupportedAnswer if the citizen must not hear it."""
        action = await read(len(text), parse, text)
        if isinstance(action, Final):
            await self._check(action.response)
            self._answer.finish(action.response)
            return action
        return offer.completed(action)

    async def _check(self, answer: str) -> None:
        turn = self._seen()
        await read(self._length(answer), self.policy.check_answer, turn, answer)
        await self.policy.weigh_answer(turn, answer)

    def _begun_answer(self) -> CheckedText:
        return CheckedText(self._passes, lambda text: self.publish("model.delta", {"text": text}))

    async def _passes(self, text: str) -> bool:
        try:
            await self._check(text)
        except (UnsupportedAnswer, OverBudget):
            return False
        return True

    async def _reply(
        self,
        asked: Asked,
        messages: Sequence[ChatMessage],
        wanted: dict[str, Any],
        skip: frozenset[str],
        before: ModelReply | None = None,
    ) -> ModelReply:
        """Ask the model for its text. `before` is the invalid reply to repair: the same model is asked again."""
        self._check_budget(asked)
        brief = self.brief
        request = ModelRequest(
            messages=tuple(messages),
            stable=len(brief.prefix),
            json_schema=wanted,
            provider=before.provider if before else brief.options.provider,
            model=before.model if before else brief.options.model,
            skip=skip,
            attempt=brief.attempt + self.so_far.attempts + asked.attempts,
        )
        self._answer = self._begun_answer()
        if asked.attempts:
            self._on_text(RESTART)
        started = time.perf_counter()
        try:
            reply = await self.model.turn(request, self._on_text)
        except ProviderUnavailable as error:
            asked.attempts += int(error.data.get("attempts", 1))
            raise
        except ProviderFailure:
            asked.attempts += 1
            raise
        finally:
            self._answer.stop()
        asked.answered(reply)
        asked.logs.append(self._log(reply, 1000 * (time.perf_counter() - started)))
        return reply

    def _check_budget(self, asked: Asked) -> None:
        """Raise BudgetExceeded if the run has used more tokens than it may."""
        used, most = self.so_far.usage + asked.usage, self.brief.limits.max_tokens
        if used.output_tokens + used.input_tokens > most:
            reason = f"the run used up its {most} tokens (max_tokens)"
            raise BudgetExceeded(reason, user_message=in_each_language("too_long"))

    def _on_text(self, chunk: TextChunk) -> None:
        """Feed a part of the reply to the checked answer, which begins again if the reply does."""
        if chunk.restart:
            self._answer.stop()
            self._answer = self._begun_answer()
            self.publish("model.delta", {"restart": True, "text": ""})
        else:
            self._answer.feed(chunk.text)

    def _log(self, reply: ModelReply, ms: float) -> str:
        """The run's log line about a reply that took `ms` milliseconds, in the citizen's language."""
        line = replies()[self.brief.language].logs["model" if reply.read is None else "model_read"]
        usage, model = reply.usage, f"{reply.provider}/{reply.model}"
        return line.format(model=model, input=usage.input_tokens, read=reply.read, output=usage.output_tokens, ms=ms)

    def _offer(self) -> Offer:
        """What the model may do in this turn, narrowed by the policy."""
        brief = self.brief
        listings = [step.output for step in self.so_far.steps if step.tool.casefold() == LIST_TOOLS]
        described = None
        if brief.prompt_tools is not None:
            described = brief.prompt_tools.names.union(*map(shown_in_full, listings))
        may_list = len(listings) < (LISTINGS if brief.prompt_tools is not None else 1)
        all_shown = Offer(tuple(prompts.in_prompt(brief.toolset, described)), may_list=may_list)
        left = self.policy.offer(self._seen(), all_shown)
        hinted = self.beginning.first(self.so_far.steps)
        if hinted is not None:
            alone = self.policy.offer(self._seen(), Offer((hinted,), may_list=False))
            left = Offer(alone.tools or (hinted,), may_list=False, may_answer=False, known=alone.known)
        return left

    def _seen(self) -> Turn:
        """This turn as the policies see it."""
        brief, done = self.brief, self.so_far
        return Turn(
            request=brief.prompt,
            toolset=brief.toolset,
            session_id=brief.session_id,
            said=tuple(done.said),
            steps=tuple(done.steps),
            language=brief.language,
            spoken=brief.spoken,
            instructions="\n".join(one.content for one in brief.prefix if one.role == "system"),
            official_refused=not done.may_call_official,
        )
