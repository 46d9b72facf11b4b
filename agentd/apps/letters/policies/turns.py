"""The turn policy where letters are issued: what a model may call and say. It judges; the loop acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.agent.aside import OverBudget, aside, read
from agentd.agent.language import detect
from agentd.agent.prompts import MESSAGE_CHARS
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Offer, Turn, TurnPolicy, UnsupportedAnswer
from agentd.apps.letters.claims import by_words
from agentd.apps.letters.claims.by_meaning import meant_claim, unread
from agentd.apps.letters.claims.deeds import any_deed
from agentd.apps.letters.claims.unfounded import unfounded
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.fields.field import fields, form
from agentd.apps.letters.evidence.fields.values import equals
from agentd.apps.letters.evidence.reading.readings import Readings, SessionReadings
from agentd.apps.letters.policies.copying import Copied, copied
from agentd.apps.letters.policies.described import Described
from agentd.apps.letters.policies.grounding import case_of, fills, to_ask, ungrounded
from agentd.apps.letters.policies.lookups import askable
from agentd.apps.letters.policies.offer import (
    ABOUT,
    about,
    listing,
    looked_up,
    may_name,
    not_again,
    offered,
    requirements_tool,
    turned_down,
    wished,
)
from agentd.messages import ToolCall, ToolInfo
from agentd.ports import Meaning


class LetterTurns(TurnPolicy):
    """Offers only calls that could succeed now, and rejects answers that claim a deed no tool did."""

    def __init__(
        self,
        readings: SessionReadings | None = None,
        described: Described | None = None,
        meaning: Meaning | None = None,
        server: Callable[[], str] = str,
    ) -> None:
        """`server`: the one that issues letters; until it lists its tools, they may do anything."""
        self._server = server
        self._readings, self._described = readings or SessionReadings(), described or Described()
        self._meaning = meaning

    def offer(self, turn: Turn, offer: Offer) -> Offer:
        """Leave out forms that nobody asked for or that nothing could fill; narrow the rest to what was said."""
        offer = replace(offer, tools=tuple(map(self._described.of, offer.tools)))
        try:
            return self._fitting(turn, offer)
        except OverBudget:
            return replace(offer, tools=tuple(tool for tool in offer.tools if not tool.official))

    def _fitting(self, turn: Turn, offer: Offer) -> Offer:
        """The offer, limited to the tool wanted now with the values copied into it, or to the answer if there is one.

        Raises OverBudget if the conversation takes too long to read.
        """
        readings = self._readings.of(turn.session_id)
        free = [tool for tool in offer.tools if not (tool.official and turn.official_refused)]
        official = [tool for tool in free if tool.official]
        case = case_of(official[0], turn.said, readings) if official else None
        wanted = _wanted(free, turn, readings, case)
        if turn.steps and (turn.official_refused or _is_all(turn, wanted)):
            return Offer(
                may_list=False, answer=_tool_message(turn, looked_up=wanted is not None and not wanted.official)
            )
        tools = not_again(offered(free, turn.said, case), turn.steps)
        first = wanted or _form(tools, turn, readings)
        candidates = tools if first is None else [first]
        copies = [_fitted(tool, turn, readings, asked=tool is wanted) for tool in candidates]
        fitting = [copy for copy in copies if copy is not None]
        known = {copy.tool.name: copy.known for copy in fitting if copy.known}
        may_answer = first is None or not fitting
        return replace(offer, tools=tuple(copy.tool for copy in fitting), known=known, may_answer=may_answer)

    def check_answer(self, turn: Turn, answer: str) -> None:
        """Raise UnsupportedAnswer for a deed that no tool did, or for what no citizen, tool or office named."""
        claim = by_words.false_claim(answer, self._judged(turn), turn.said)
        if claim is not None:
            raise _claimed(claim, turn)
        known = "\n".join((turn.instructions, *(step.message for step in turn.steps)))  # or why a call failed
        strange = unfounded(answer, turn.said, known)
        if strange is not None:
            raise UnsupportedAnswer(
                f'it names "{strange[:200]}", which neither the citizen nor a tool named. Leave it out, look it up or '
                "ask for it",
                by_words.said_instead(turn.language, turn.spoken).unsure,
            )

    def _judged(self, turn: Turn) -> Toolset:
        """The turn's tools; if those of the letters' server are not known yet, one more that stands for all of them."""
        toolset = turn.toolset
        unknown = self._server() in toolset.unlisted
        return replace(toolset, gone=(*toolset.gone, any_deed())) if unknown else toolset

    async def weigh_answer(self, turn: Turn, answer: str) -> None:
        """Raise UnsupportedAnswer if a sentence in a language that no pack reads claims a deed and no tool did any."""
        foreign = await read(len(answer), unread, answer, turn.spoken or turn.language)
        if self._meaning is not None and foreign and await aside(by_words.nothing_done, self._judged(turn), turn.said):
            known: dict[str, bool] = self._readings.of(turn.session_id).remember("meant claims", dict)
            if (claim := await meant_claim(foreign, self._meaning, known)) is not None:
                raise _claimed(claim, turn)

    def supports(self, call: ToolCall) -> bool:
        """Whether the session still supports every argument and the newest message names no other letter instead."""
        judged = call.model_copy(update={"tool": self._described.of(call.tool)})
        readings = self._readings.of(call.session_id)
        turns = case_of(judged.tool, call.said, readings).turns
        if turns and turned_down(judged.tool, turns[-1]):
            return False
        return not to_ask(call, [field for field in ungrounded(judged, readings) if not field.read])

    def repeats(self, tool: ToolInfo, made: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """Whether both calls have the same arguments by value, however written."""
        schema = self._described.of(tool).input_schema
        before, now = ({field.path: field for field in fields(schema, each, form(schema))} for each in (made, wanted))
        return before.keys() == now.keys() and all(equals(before[path], now[path].value) for path in before)


def _claimed(claim: str, turn: Turn) -> UnsupportedAnswer:
    return UnsupportedAnswer(
        f'it says "{claim[:200]}", but no tool has done that in this conversation, and nothing is done after '
        "an answer. Call the tool now, or ask for what is missing",
        turn.toolset.done(turn.steps) or by_words.said_instead(turn.language, turn.spoken).truth,
    )


def _fitted(tool: ToolInfo, turn: Turn, readings: Readings, *, asked: bool) -> Copied | None:
    """The tool with the values copied into it; None if no call of it could succeed now.

    A look-up without a named subject is offered only if it was asked for: its refusal then says what to name.
    """
    if tool.official:
        return copied(tool, case_of(tool, turn.said, readings))
    named = about(tool, turn.toolset.tools, turn.said)
    left = askable(named, turn.said) if named is not tool or ABOUT not in tool.meta else None
    if left is None:
        return None
    whole = len(left.input_schema.get("properties", {})) == len(tool.input_schema.get("properties", {}))
    return Copied(left) if whole or asked else None


def _wanted(tools: Sequence[ToolInfo], turn: Turn, readings: Readings, case: Case | None) -> ToolInfo | None:
    """The tool the citizen's newest words ask for first: a look-up, or an official act by name.

    If they only ask about an act and fill in nothing, it is the requirements tool; if they name no act there, another
    look-up that the request names, or the list of acts.
    """
    asked = looked_up(tools, turn.request)
    official = [tool for tool in tools if tool.official]
    if asked is None and case is not None and may_name(official, turn.request):
        done = frozenset(one.tool or "" for one in turn.said if one.by == "tool")
        act, plain = wished(official, case.turns, done) if case.turns else (None, False)
        if act is not None and plain and act.name not in done:
            return act
        if act is not None and not plain and not fills(act, turn.said, readings):
            asked = requirements_tool(tools)
    about_what = asked is not None and asked.meta.get(ABOUT)
    if asked is not None and about_what and about(asked, turn.toolset.tools, turn.said) is asked:
        others = [tool for tool in tools if tool is not asked]
        return looked_up(others, turn.request) or listing(tools) or asked
    return asked


def _is_all(turn: Turn, wanted: ToolInfo | None) -> bool:
    """Whether the last step answered all that was asked for."""
    last = turn.steps[-1]
    if wanted is not None and not wanted.official:
        return last.tool == wanted.name
    return last.success and last.tool in turn.toolset.official and (wanted is None or wanted.name == last.tool)


def _tool_message(turn: Turn, *, looked_up: bool) -> str | None:
    """The message of the last step's tool or the host, if it is in the citizen's language; else None.

    A look-up's result is shown in the office's own words, because a small model that rewords it adds to it.
    """
    last = turn.steps[-1]
    message = last.message.strip()
    by_host = isinstance(last.output, dict) and "missing" in last.output
    own = looked_up or by_host or detect(message) == turn.language
    return message if 0 < len(message) <= MESSAGE_CHARS and own and turn.spoken in (None, turn.language) else None


def _form(tools: Sequence[ToolInfo], turn: Turn, readings: Readings) -> ToolInfo | None:
    """The only official form, if this message fills some of it and it was not tried in this run; else None.

    A partly filled form shows exactly what is missing; a small model would ask for everything again.
    """
    forms = [tool for tool in tools if tool.official]
    tried = {step.tool for step in turn.steps}
    one = len(forms) == 1 and forms[0].name not in tried
    return forms[0] if one and fills(forms[0], turn.said, readings) else None
