"""Turns a session's past into messages for the model (within a token budget) and into evidence. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentd.agent import prompts
from agentd.agent.courtesies import answer_to
from agentd.agent.languages import replies
from agentd.agent.picking import PromptTools
from agentd.agent.toolset import Toolset
from agentd.errors import Language
from agentd.messages import AgentStep, ChatMessage, Said, ToolOutcome

RESULT_CHARS = 400
"""Characters of a past tool result that stay in the prompt; the evidence keeps all of it."""
MESSAGE_CHARS = 1200
"""Characters of a past tool message that stay: a turn that exceeds the whole budget would be left out."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One past run of the session: the citizen's words, the calls and the answer."""

    prompt: str
    response: str
    steps: tuple[AgentStep, ...] = ()
    language: Language = "id"
    """The language of the daemon's own sentences."""
    spoken: str | None = None
    """The code of the language that the citizen wrote; None if it is `language`."""
    prompt_tools: PromptTools | None = None
    typed: dict[str, Any] | None = None
    """The values that the citizen entered into a form."""
    quoted: str | None = None
    """What a page quotes of an earlier conversation."""
    day: str = ""
    """The day on which the run began (ISO date)."""


def tokens(text: str) -> int:
    """Estimate a text's tokens: Indonesian has about 3.2 characters per token."""
    return len(text) * 10 // 32 + 4


def messages(past: Sequence[PastTurn], budget: int, toolset: Toolset) -> tuple[ChatMessage, ...]:
    """The newest turns that fit in `budget` tokens, oldest first. A turn is never split.

    Greetings and thanks with the office's fixed answer are left out: they are no context for the next request.
    """
    kept: list[ChatMessage] = []
    for turn in reversed(past):
        if turn.response and not turn.steps and turn.response == answer_to(turn.prompt, turn.language):
            continue
        shown = list(_turn(turn, toolset))
        cost = sum(tokens(message.content) for message in shown)
        if cost > budget:
            break
        budget -= cost
        kept[:0] = shown
    return tuple(kept)


def opening(
    prompt: str, language: str, toolset: Toolset, tools: PromptTools | None, quoted: str | None = None
) -> ChatMessage:
    """The user message of a request, with the tools that it adds to those the prompt describes."""
    more = prompts.in_prompt(toolset, frozenset(tools.added)) if tools is not None else ()
    signed_in = any(tool.whole_schema is not None for tool in toolset.tools)
    return prompts.request(prompt, language, more, signed_in=signed_in, quoted=quoted)


def _turn(turn: PastTurn, toolset: Toolset) -> Sequence[ChatMessage]:
    language = turn.spoken or turn.language
    shown = [opening(turn.prompt, language, toolset, turn.prompt_tools, turn.quoted)]
    for step in turn.steps:
        arguments = step.input if isinstance(step.input, dict) else {}
        message = prompts.cut(step.message, MESSAGE_CHARS)
        outcome = ToolOutcome(success=step.success, output=step.output, message=message)
        official = step.tool in toolset.official
        called = prompts.Called(step.tool, arguments, outcome, language, turn.prompt, official, RESULT_CHARS)
        shown += prompts.exchange(called)
    response = turn.response or replies()[turn.language].cut_off
    return [*shown, prompts.answered({"action": "final", "response": response})]


def evidence(past: Sequence[PastTurn]) -> tuple[Said, ...]:
    """All statements and successful tool results of the session, in order."""
    said: list[Said] = []

    def add(**what: Any) -> None:
        said.append(Said(order=len(said), **what))

    for turn in past:
        if turn.prompt:
            add(by="citizen", text=turn.prompt, day=turn.day)
        if turn.typed:
            add(by="citizen", text=json.dumps(turn.typed, ensure_ascii=False), day=turn.day)
        for step in turn.steps:
            if step.success:
                add(by="tool", tool=step.tool, text=json.dumps(step.input, ensure_ascii=False), value=step.output)
        if turn.response:
            refused = turn.steps[-1] if turn.steps and not turn.steps[-1].success else None
            what = {"tool": refused.tool, "value": refused.output} if refused is not None else {}
            add(by="agent", text=turn.response, **what)
    return tuple(said)
