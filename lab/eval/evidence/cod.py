"""Converts the public COD dialogues (natural dialogues by other authors) to trials. It judges nothing.

A service is a tool whose properties are its slots. A call is honest with the slots that the user informed: for a
transaction, when the user affirms its summary; for a look-up, before the first offer it leads to, judged once as an
official call and once as what it is: a call that only reads. Values of other dialogues count as invented, and an offer
or summary that the user rejects is no evidence. Reads development files only.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from agentd.agent.text import fold
from agentd.apps.letters.evidence.normalisers import days, hours
from agentd.apps.letters.evidence.normalisers.numbers import DIGIT_WORDS
from agentd.messages import Said, ToolInfo
from lab.eval.evidence.trials import Trial, half

Dialogue = Mapping[str, Any]
Slots = dict[str, str]
SWAPS = 3
"""Number of values from other dialogues tried for each argument."""
CALLS = ("look-up", "look-up as an official call", "transaction")
"""Rows with whole calls; the others have one argument each."""
_ANY = "dontcare"
_TODAY = date(2019, 3, 1)
"""The date of all these dialogues: their agents take `the 12th of this month` as 12 March."""
_TURNED_DOWN = frozenset({"NEGATE", "REQUEST_ALTS"})


def half_of(trial: Trial) -> str:
    """The trial's half, by its dialogue's id: a dialogue is in the same half in every language."""
    return half(trial.id.split(":")[0])


def load(file: Path) -> tuple[str, list[Dialogue]]:
    """Read a development file `id_dev.json`: (language, dialogues). Raises ValueError for any other file."""
    language, _, rest = file.name.partition("_")
    if rest != "dev.json":
        raise ValueError(f"{file}: only …_dev.json files may be tuned on")
    dialogues: list[Dialogue] = json.loads(file.read_text(encoding="utf-8"))
    return language, dialogues


def trials(language: str, dialogues: Sequence[Dialogue]) -> Iterator[Trial]:
    """All trials of one language's dialogues; a trial's id starts with its dialogue's id."""
    corpus = _Corpus(language, dialogues)
    for dialogue in dialogues:
        yield from _Reading(corpus, dialogue).trials()


class _Corpus:
    """Facts from all dialogues of a language: each service's slots, and the values that users informed."""

    def __init__(self, language: str, dialogues: Sequence[Dialogue]) -> None:
        self.language = language
        slots: dict[str, dict[str, Any]] = defaultdict(dict)
        self.values: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for by, service, act in (each for dialogue in dialogues for turn in dialogue["turns"] for each in _acts(turn)):
            name, values = act["slot"], act["values"]
            if not name or name in ("intent", "count") or not values:
                continue
            kind = "boolean" if values[0] in ("True", "False") else "string"
            slots[service].setdefault(name, {"type": kind})
            if by == "USER" and act["act"] == "INFORM" and values[0] != _ANY:
                self.values[service, name][values[0]] = None
        self.tools = {
            service: ToolInfo(
                name=service.lower(),
                server="services",
                official=True,
                input_schema={"type": "object", "properties": dict(sorted(properties.items()))},
            )
            for service, properties in slots.items()
        }

    def others(self, service: str, slot: str, own: Sequence[str], salt: str) -> list[str]:
        """Up to SWAPS values that other dialogues have for this slot and this one lacks, in an order set by `salt`."""
        strange = [value for value in self.values[service, slot] if not any(_same(value, each) for each in own)]
        return sorted(strange, key=lambda value: hashlib.sha256(f"{salt}:{value}".encode()).digest())[:SWAPS]


@dataclass
class _State:
    """The state of one service in one dialogue."""

    informed: Slots = field(default_factory=dict)
    offered: Slots = field(default_factory=dict)
    summed_up: Slots = field(default_factory=dict)
    looked_up: Slots | None = None


class _Reading:
    """Reads one dialogue turn by turn."""

    def __init__(self, corpus: _Corpus, dialogue: Dialogue) -> None:
        self._corpus, self._dialogue = corpus, dialogue
        self._said: list[Said] = []
        self._states: dict[str, _State] = defaultdict(_State)
        self._own: dict[tuple[str, str], list[str]] = defaultdict(list)
        for turn in dialogue["turns"]:
            for _, service, act in _acts(turn):
                self._own[service, act["slot"]] += act["values"]

    def trials(self) -> Iterator[Trial]:
        for at, turn in enumerate(self._dialogue["turns"]):
            acts: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
            for _, service, act in _acts(turn):
                acts[service].append(act)
            if turn["speaker"] == "USER":
                self._hear("citizen", turn["utterance"])
            for service, done in acts.items():
                read = self._user if turn["speaker"] == "USER" else self._system
                yield from read(f"{self._dialogue['dialogue_id']}:{at}:{service}", service, done)
            if turn["speaker"] != "USER":
                for service, done in acts.items():
                    self._find(service, _valued(done, "OFFER"))
                self._hear("agent", turn["utterance"])

    def _user(self, key: str, service: str, acts: Sequence[Mapping[str, Any]]) -> Iterator[Trial]:
        state, kinds = self._states[service], {act["act"] for act in acts}
        now = _valued(acts, "INFORM")
        if kinds & _TURNED_DOWN:
            shown = state.offered | state.summed_up
            wrong = {slot: value for slot, value in shown.items() if not _same(value, (state.informed | now).get(slot))}
            if "NEGATE" in kinds:  # only values that this turn contradicts are known to be wrong
                wrong = {slot: value for slot, value in wrong.items() if slot in now}
            yield from self._each(key, "rejected offer", service, wrong, honest=False)
        state.informed |= now
        if "AFFIRM" in kinds and state.summed_up:
            informed = {slot: state.informed[slot] for slot in state.summed_up if slot in state.informed}
            yield from self._call(key, "transaction", service, informed)
        if "SELECT" in kinds and state.offered:
            chosen = {slot: value for slot, value in state.offered.items() if slot not in state.informed}
            yield from self._each(key, "accepted offer", service, chosen, honest=True)
        if kinds & (_TURNED_DOWN | {"AFFIRM", "SELECT"}):
            state.offered, state.summed_up = {}, {}

    def _system(self, key: str, service: str, acts: Sequence[Mapping[str, Any]]) -> Iterator[Trial]:
        state = self._states[service]
        offered = _valued(acts, "OFFER")
        state.offered = offered or state.offered
        state.summed_up = _valued(acts, "CONFIRM") or state.summed_up
        if offered and state.looked_up != state.informed:
            state.looked_up = dict(state.informed)
            yield from self._call(key, "look-up as an official call", service, state.informed)

    def _call(self, key: str, row: str, service: str, arguments: Slots) -> Iterator[Trial]:
        """The honest call, and one call for each argument with a value from another dialogue instead."""
        arguments = {slot: value for slot, value in arguments.items() if value != _ANY}
        if not arguments:
            return
        made = [self._trial(key, row, service, arguments, honest=True)]
        made += [
            self._trial(f"{key}:{slot}", "invented", service, {slot: value}, honest=False)
            for slot in arguments
            for value in self._corpus.others(service, slot, self._own[service, slot], f"{key}:{slot}")
        ]
        yield from made
        if row != "transaction":
            yield from (_reading_only(trial) for trial in made)

    def _each(self, key: str, row: str, service: str, slots: Slots, *, honest: bool) -> Iterator[Trial]:
        """For each slot, one trial with the agent's words only and one where a tool also found the value."""
        for slot, value in slots.items():
            yield self._trial(f"{key}:{slot}", row, service, {slot: value}, honest=honest)
            yield self._trial(f"{key}:{slot}", f"{row}, found", service, {slot: value}, honest=honest, found=True)

    def _trial(self, key: str, row: str, service: str, slots: Slots, *, honest: bool, found: bool = False) -> Trial:
        tool = self._corpus.tools[service]
        kinds = tool.input_schema["properties"]
        arguments = {
            slot: value == "True" if kinds[slot]["type"] == "boolean" else value for slot, value in slots.items()
        }
        said = tuple(one for one in self._said if found or one.by != "tool")
        return Trial(key, row, self._corpus.language, honest, tool, arguments, said)

    def _hear(self, by: Any, text: str) -> None:
        self._said.append(Said(by=by, order=len(self._said) + 1, text=text, day=_TODAY.isoformat()))

    def _find(self, service: str, found: Slots) -> None:
        """Record the agent's offer as the result of a tool."""
        if found:
            name = f"find_{service.lower()}"
            self._said.append(Said(by="tool", order=len(self._said) + 1, tool=name, text="{}", value=found))


def _reading_only(trial: Trial) -> Trial:
    tool = trial.tool.model_copy(update={"official": False, "annotations": {"readOnlyHint": True}})
    return replace(trial, tool=tool, row="look-up" if trial.honest else "invented in a look-up")


def _acts(turn: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(speaker, service, act) of a turn."""
    for frame in turn["frames"]:
        for act in frame["actions"]:
            yield turn["speaker"], frame["service"], act


def _valued(acts: Sequence[Mapping[str, Any]], kind: str) -> Slots:
    return {act["slot"]: act["values"][0] for act in acts if act["act"] == kind and act["slot"] and act["values"]}


def _words(value: str) -> set[str]:
    return {str(DIGIT_WORDS.get(word, word)).removeprefix("ال") for word in fold(value)}


def _same(value: str, other: str | None) -> bool:
    """Whether one value contains the other, or both are the same hour or day: `Sore jam 4.15` and `16.15`.

    Arabic words match with or without the article; numbers match in digits or words.
    """
    if other is None:
        return False
    words, others = _words(value), _words(other)
    hour, day = hours.hour(value), days.day(value, _TODAY)
    if (hour is not None and hour == hours.hour(other)) or (day is not None and day == days.day(other, _TODAY)):
        return True
    return words <= others or others <= words
