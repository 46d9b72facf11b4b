"""One trial of the evidence judge, and the judge as the daemon calls it: as a policy for calls. No verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentd.agent.languages import LANGUAGES
from agentd.apps.letters.policies.grounding import Grounded
from agentd.apps.letters.policies.lookups import LookUps
from agentd.messages import Said, ToolCall, ToolInfo, ToolOutcome
from bridges.meaning import BundledMeaning

MEANING = BundledMeaning()


@dataclass(frozen=True, slots=True)
class Trial:
    """A call after a conversation. `row` is the report line it counts for; `honest` says whether it should pass."""

    id: str
    row: str
    language: str
    honest: bool
    tool: ToolInfo
    arguments: Mapping[str, Any]
    said: tuple[Said, ...]
    wrong: frozenset[str] = frozenset()
    """Arguments of a dishonest call that must be refused; empty means all of them."""
    quotes: Mapping[str, str] = field(default_factory=dict)
    """{argument: the citizen's words that the model quotes for it}."""


async def refused(trial: Trial) -> frozenset[str]:
    """The names of the arguments without evidence, according to the judge. Trials share no state."""
    policy = Grounded(meaning=MEANING) if trial.tool.official else LookUps(MEANING)
    judged = await policy.before(call(trial, trial.arguments))
    if isinstance(judged, ToolOutcome):
        return frozenset(path.split(".")[0] for path in judged.missing)
    return frozenset(trial.arguments.keys() - judged.input.keys())


async def shown(trial: Trial) -> Trial:
    """The trial with the citizen's approval required before the call, where doubtful values are marked."""
    return replace(trial, tool=trial.tool.model_copy(update={"approval": "citizen"}))


async def answered(trial: Trial) -> Trial:
    """The same after the citizen said yes to the question about missing values; unchanged if none were missing."""
    trial = await shown(trial)
    judged = await Grounded(meaning=MEANING).before(call(trial, trial.arguments))
    if not isinstance(judged, ToolOutcome):
        return trial
    last = max(one.order for one in trial.said)
    question = Said(by="agent", order=last + 1, text=judged.message, tool=trial.tool.name, value=judged.output)
    yes = Said(by="citizen", order=last + 2, text="ya", day=trial.said[-1].day)
    return replace(trial, said=(*trial.said, question, yes))


def call(trial: Trial, arguments: Mapping[str, Any]) -> ToolCall:
    """A call of the trial's tool after its conversation."""
    return ToolCall(
        tool=trial.tool,
        input=dict(arguments),
        run_id=trial.id,
        session_id="",
        step=1,
        said=trial.said,
        quotes=trial.quotes,
        spoken=None if trial.tool.official else trial.language,
        language=next((known for known in LANGUAGES if known == trial.language), "en"),
    )


def half(text: str) -> str:
    """`tuning` or `reporting`, by hash of a text or an id."""
    return ("tuning", "reporting")[hashlib.sha256(text.encode()).digest()[0] % 2]


def session(*lines: str, day: str = "") -> tuple[Said, ...]:
    """A conversation from lines: `A: …` is the agent's, others are the citizen's. `day`: YYYY-MM-DD; empty: today."""
    return tuple(
        Said(by="agent" if line.startswith("A: ") else "citizen", order=order, text=line.removeprefix("A: "), day=day)
        for order, line in enumerate(lines, 1)
    )
