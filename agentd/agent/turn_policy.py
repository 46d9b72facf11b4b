"""What a model may do in one turn and what its answer may say: the port for an app's rules.

It has no rules of its own. app.py composes the policies; the loop asks them and knows none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentd.agent.actions import CallTool, InvalidAction
from agentd.agent.approval import canonical
from agentd.agent.toolset import Toolset
from agentd.errors import Language
from agentd.messages import AgentStep, Said, ToolCall, ToolInfo


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as policies see it, before the model is asked."""

    request: str
    """The citizen's newest words."""
    toolset: Toolset
    session_id: str = ""
    """The session's id: a policy caches what it has read under it, until the app is asked to forget the session."""
    said: tuple[Said, ...] = ()
    steps: tuple[AgentStep, ...] = ()
    language: Language = "id"
    spoken: str | None = None
    """The code of the language that the citizen writes; None: `language`."""
    instructions: str = ""
    """The office's own words to the model, which it may repeat to anybody."""
    official_refused: bool = False
    """An official call was refused since the citizen spoke last: tried again, it could only be refused again."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model that writes under a schema may write: these tools with these schemas, a listing, an answer."""

    tools: tuple[ToolInfo, ...] = ()
    may_list: bool = True
    may_answer: bool = True
    answer: str | None = None
    """What a small model is to answer, word for word, where it is all there is to say."""
    known: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By tool, the arguments that the host fills in where the model leaves them out."""

    def completed(self, call: CallTool) -> CallTool:
        """The call with what the host knows."""
        known = next((known for name, known in self.known.items() if name.casefold() == call.tool.casefold()), {})
        return replace(call, input={**known, **call.input}) if known else call


class UnsupportedAnswer(InvalidAction):
    """The answer says what this session does not support; the message says so to the model.

    `instead` is what the citizen reads when the model insists.
    """

    def __init__(self, reason: str, instead: str) -> None:
        self.instead = instead
        super().__init__(reason)


class TurnPolicy:
    """One app's rules for a turn; it has none, each overrides what it needs.

    All methods but `weigh_answer` are pure; they must take time linear in what was said.
    """

    def offer(self, turn: Turn, offer: Offer) -> Offer:  # noqa: ARG002 - for those that need it
        """The same offer or a smaller one."""
        return offer

    def check_answer(self, turn: Turn, answer: str) -> None:
        """Raise UnsupportedAnswer for an answer that the citizen must not hear."""

    async def weigh_answer(self, turn: Turn, answer: str) -> None:
        """The same for an answer that passed `check_answer`, by what a model says of it."""

    def supports(self, call: ToolCall) -> bool:  # noqa: ARG002 - for those that need it
        """Whether a call that waits for a yes could still be made, after all that was said since."""
        return True

    def repeats(self, tool: ToolInfo, made: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Whether a call with `wanted` would do again what one with `made` did."""
        return canonical(wanted) == canonical(made)


UNRESTRICTED = TurnPolicy()
"""No rules: every tool may be called, every answer may be given."""


@dataclass(frozen=True, slots=True)
class TurnPolicies(TurnPolicy):
    """Several policies as one: each narrows what the one before left, and every answer must pass them all."""

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
