"""The port for an app's rules on what a model may do in one turn and what its answer may say.

It has no rules of its own. app.py composes the policies; the loop only asks them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentd.agent.actions import CallTool, InvalidAction
from agentd.agent.toolset import Toolset
from agentd.errors import Language
from agentd.messages import AgentStep, Said, ToolCall, ToolInfo, canonical


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as the policies see it."""

    request: str
    """The citizen's newest words."""
    toolset: Toolset
    session_id: str = ""
    """The key under which policies cache what they have read, until the app is asked to forget the session."""
    said: tuple[Said, ...] = ()
    steps: tuple[AgentStep, ...] = ()
    language: Language = "id"
    spoken: str | None = None
    """The code of the language that the citizen writes; None if it is `language`."""
    instructions: str = ""
    """The office's instructions to the model, which it may repeat to anybody."""
    official_refused: bool = False
    """An official call was refused since the citizen's last message; it would be refused again."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a schema-constrained model may write: calls of these tools, a listing, an answer."""

    tools: tuple[ToolInfo, ...] = ()
    may_list: bool = True
    may_answer: bool = True
    answer: str | None = None
    """The fixed answer for a small model, word for word, if nothing else would be right."""
    known: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By tool name, the arguments that the host fills in if the model omits them."""

    def completed(self, call: CallTool) -> CallTool:
        """The call, and those that follow it, with the `known` arguments added."""
        known = next((known for name, known in self.known.items() if name.casefold() == call.tool.casefold()), {})
        more = tuple(map(self.completed, call.more))
        return replace(call, input={**known, **call.input}, more=more) if self.known else call


class UnsupportedAnswer(InvalidAction):
    """The session does not support what the answer claims; the message tells the model so.

    `instead` is the answer for the citizen if the model insists.
    """

    def __init__(self, reason: str, instead: str) -> None:
        self.instead = instead
        super().__init__(reason)


class TurnPolicy:
    """One app's rules for a turn. This base class has none; apps override what they need.

    All methods except `weigh_answer` are pure and must take time linear in the session's text.
    """

    def offer(self, turn: Turn, offer: Offer) -> Offer:  # noqa: ARG002 - for those that need it
        """Return the same offer or a narrower one."""
        return offer

    def check_answer(self, turn: Turn, answer: str) -> None:
        """Raise UnsupportedAnswer for an answer that the citizen must not hear."""

    async def weigh_answer(self, turn: Turn, answer: str) -> None:
        """Like `check_answer`, for an answer that passed it, but judged by a model."""

    def supports(self, call: ToolCall) -> bool:  # noqa: ARG002 - for those that need it
        """Whether a call that waits for approval may still be made, given what was said since."""
        return True

    def repeats(self, tool: ToolInfo, made: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Whether a call with `wanted` would repeat the one with `made`."""
        return canonical(wanted) == canonical(made)


UNRESTRICTED = TurnPolicy()
"""No rules: every tool may be called, every answer may be given."""


@dataclass(frozen=True, slots=True)
class TurnPolicies(TurnPolicy):
    """Combines policies: each narrows the offer of the previous one, and an answer must pass all of them."""

    policies: Sequence[TurnPolicy]

    def offer(self, turn: Turn, offer: Offer) -> Offer:
        for policy in self.policies:
            offer = policy.offer(turn, offer)
        return offer

    def check_answer(self, turn: Turn, answer: str) -> None:
        for policy in self.policies:
            policy.check_answer(turn, answer)

    async def weigh_answer(self, turn: Turn, answer: str) -> None:
        for policy in self.policies:
            await policy.weigh_answer(turn, answer)

    def supports(self, call: ToolCall) -> bool:
        return all(policy.supports(call) for policy in self.policies)

    def repeats(self, tool: ToolInfo, made: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        return any(policy.repeats(tool, made, wanted) for policy in self.policies)
