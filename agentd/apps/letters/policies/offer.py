"""Which tools a constrained model is offered in a turn: those whose call could succeed now. It calls none.

A small model fills any form it is given, with an example's values or for another letter than was asked for. So it
gets no form that nobody asked for or that nothing said so far could fill; it asks instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache

from agentd.agent import languages
from agentd.agent.text import plain
from agentd.apps.letters.by_object import by_object
from agentd.apps.letters.claims.deeds import asked_by, deed_words, things
from agentd.apps.letters.evidence.claims.case import Case, Turn
from agentd.apps.letters.evidence.reading.lexicon import Cue
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.messages import AgentStep, Said, ToolInfo

ABOUT = "agentd/about"
"""Key in a tool's `_meta`: its parameter that names an official act, and the other values it accepts
(`{"letter_type": ["skds"]}`)."""

LISTS = "agentd/lists"
"""Key in a tool's `_meta`: true for the tool that lists the official acts."""

PURPOSE = "keperluan"
"""The label of a letter's purpose."""

_NUMBERS = {"nik": 8, "kk": 8, "date": 1}
"""Least digits, or words for digits, of such a value: `tujuh belas` says two digits in one word."""
_WORD = re.compile(r"\w+")
_ENDINGS = deed_words().clitics
"""Endings that don't change what a word names (`suratnya`)."""
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(sorted(languages.words().digits))})\b", re.I)


def offered(tools: Iterable[ToolInfo], said: Sequence[Said], case: Case | None = None) -> list[ToolInfo]:
    """Every tool that is not official, and the official ones within reach; if some were asked for, only those.

    If none was asked for by name, `nomor 3` offers no form that requires a NIK.
    """
    words = [one.text for one in said if one.by == "citizen"]
    numbers = max((len(_NUMBER.findall(text)) for text in words), default=0)
    shown = [tool for tool in tools if not tool.official or numbers >= min(_numbers_needed(tool), 1)]
    official = [tool for tool in shown if tool.official]
    named = _wanted(official, words)
    purposes = _purposes(official, case.turns) if case is not None and len(named) > 1 else set()
    wanted = named - purposes or named
    return [
        tool
        for tool in shown
        if not (tool.official and asked_by(tool))
        or (tool.name in wanted if wanted else numbers >= _numbers_needed(tool))
    ]


def looked_up(tools: Iterable[ToolInfo], request: str) -> ToolInfo | None:
    """The look-up whose words this request uses, by the longest match: it is answered before anything else.

    If two match the same words, the one about official acts wins.
    """
    text = _Text(request)
    found = [(len(name), tool) for tool in tools if not tool.official for name in text.names_of(tool)]
    return max(found, key=lambda one: (one[0], ABOUT in one[1].meta), default=(0, None))[1]


def wished(tools: Iterable[ToolInfo], turns: Sequence[Turn], done: Container[str] = ()) -> tuple[ToolInfo | None, bool]:
    """(the one official tool that the newest message names, whether it is plainly wanted and not only asked about).

    A tool named only as a purpose (`keperluan SKCK`) gives way to one wished for before that is not yet `done`.
    """
    official = [tool for tool in tools if tool.official]
    newest, *before = reversed(turns)
    wish = _wish(official, newest)
    if wish[0] is None and (as_purpose := _wish(official, newest, purposes=True))[0] is not None:
        earlier = next((tool for turn in before if (tool := _wish(official, turn)[0]) is not None), None)
        return as_purpose if earlier is None or earlier.name in done else (earlier, as_purpose[1])
    return wish


def _wish(official: Sequence[ToolInfo], turn: Turn, *, purposes: bool = False) -> tuple[ToolInfo | None, bool]:
    for sentence in reversed(turn.heard.sentences):
        asks = sentence.asks or any(mark.cue is Cue.QUESTION for mark in sentence.marks)
        meant: Sequence[int] = range(len(sentence.raws))
        named = _named(official, turn, sentence, meant, purposes=purposes or asks)
        if len(named) > 1:  # as in `surat usaha, bukan surat domisili`
            meant = [at for at in meant if sentence.moods[at] is Mood.SAID]
            named = _named(official, turn, sentence, meant, purposes=purposes or asks)
        if len(named) == 1:
            plain = not asks and all(sentence.moods[at] is Mood.SAID for at in meant)
            return next(tool for tool in official if tool.name in named), plain
    return None, False


def turned_down(tool: ToolInfo, newest: Turn) -> bool:
    """Whether the newest message denies this tool and names another instead (`surat usaha, bukan surat domisili`).

    False for `Saya belum punya surat domisili`, which names no other.
    """
    for sentence in newest.heard.sentences:
        affirmed = [at for at, mood in enumerate(sentence.moods) if mood is Mood.SAID]
        denied = [at for at, mood in enumerate(sentence.moods) if mood is Mood.DENIED]
        instead = things().intersection(sentence.words[at] for at in affirmed)
        if instead and not sentence.asks and _named([tool], newest, sentence, denied, purposes=True):
            return not _named([tool], newest, sentence, affirmed, purposes=True)
    return False


def _purposes(official: Sequence[ToolInfo], turns: Sequence[Turn]) -> set[str]:
    """Names of the tools that are named only as purposes."""
    sentences = [(turn, each, range(len(each.raws))) for turn in turns for each in turn.heard.sentences]
    named, wished = (
        set[str]().union(*(_named(official, *each, purposes=purposes) for each in sentences))
        for purposes in (True, False)
    )
    return named - wished


def _named(
    tools: Sequence[ToolInfo], turn: Turn, sentence: Sentence, positions: Iterable[int], *, purposes: bool
) -> set[str]:
    """Names of the tools that these words ask for; words of a purpose ask only for a letter named as such.

    `for a domicile letter` asks for that letter, `for a police record` names a purpose.
    """
    of_purpose = frozenset[int]()
    if not purposes:
        asked = turn.asks_for(PURPOSE)
        starts = (mark.start for mark in sentence.labels if mark.value == PURPOSE)
        of_purpose = frozenset(at for start in ([0] if asked else starts) for at in range(start, len(sentence.raws)))
    kept = frozenset(positions)

    def text(wanted: Container[int]) -> _Text:
        return _Text(" ".join(raw if at in kept and at in wanted else ";" for at, raw in enumerate(sentence.raws)))

    return _asked_for(tools, text(kept - of_purpose)) | _asked_for(tools, text(of_purpose), _as_things)


def may_name(tools: Iterable[ToolInfo], text: str) -> bool:
    """Whether a text could name one of these tools: it contains the first word of a name."""
    words = _Text(text).words
    return any(not _heads(asked_by(tool)).isdisjoint(words) for tool in tools)


def requirements_tool(tools: Iterable[ToolInfo]) -> ToolInfo | None:
    """The tool that states the requirements of an official act."""
    return next((tool for tool in tools if isinstance(tool.meta.get(ABOUT), dict)), None)


def listing(tools: Iterable[ToolInfo]) -> ToolInfo | None:
    """The tool that lists the official acts."""
    return next((tool for tool in tools if tool.meta.get(LISTS)), None)


def about(tool: ToolInfo, tools: Iterable[ToolInfo], said: Sequence[Said]) -> ToolInfo:
    """The tool, limited to the acts the citizen spoke of last, because a small model may write another act's name."""
    asked, schema = tool.meta.get(ABOUT), tool.input_schema
    if not isinstance(asked, dict):
        return tool
    official = [each for each in tools if each.official]
    known = [name for each in official for name in asked_by(each)] + [
        act for further in asked.values() for act in further
    ]
    for text in (_Text(one.text) for one in reversed(said) if one.by == "citizen"):
        if not text.speaks_of(known):
            continue
        wanted = _asked_for(official, text)
        acts = [max(text.names_of(each), key=len) for each in official if each.name in wanted]
        named = {
            name: {**schema["properties"][name], "enum": spoken}
            for name, further in asked.items()
            if (spoken := [*(act for act in further if text.speaks_of([act])), *acts])
        }
        if named:
            return tool.model_copy(update={"input_schema": {**schema, "properties": schema["properties"] | named}})
    return tool


def not_again(tools: Iterable[ToolInfo], steps: Sequence[AgentStep]) -> list[ToolInfo]:
    """The tools without those that would repeat an answer: called twice with one input, or once with none required."""
    asked = Counter((step.tool, repr(sorted(step.input.items()))) for step in steps if step.success)
    alike = {tool for (tool, _), times in asked.items() if times > 1}
    once = {tool for tool, _ in asked}
    return [
        tool
        for tool in tools
        if tool.official or not (tool.name in alike or (tool.name in once and not tool.input_schema.get("required")))
    ]


@by_object
def _numbers_needed(tool: ToolInfo) -> int:
    """How many digits a number in a message needs before a call of this tool could be grounded."""
    properties, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required", ())
    return max((_NUMBERS.get(str(properties.get(name, {}).get("format")), 0) for name in required), default=0)


class _Text:
    """A text to search for tools' names, as written and with abbreviations expanded (`blm jadi2`: `belum jadi`)."""

    __slots__ = ("heard", "words")

    def __init__(self, text: str) -> None:
        self.heard = f"{text}\n{plain(text)}"
        words = set(_WORD.findall(self.heard.casefold()))
        self.words = words | {word.removesuffix(end) for word in words for end in _ENDINGS}

    def speaks_of(self, names: Sequence[str]) -> bool:
        """Whether the text contains one of these names."""
        known = tuple(names)
        return (
            bool(known) and not _heads(known).isdisjoint(self.words) and _spoken(known).search(self.heard) is not None
        )

    def names_of(self, tool: ToolInfo) -> list[str]:
        """The tool's names that the text uses."""
        names = asked_by(tool)
        return [name for name in names if self.speaks_of([name])] if self.speaks_of(names) else []


def _wanted(tools: Sequence[ToolInfo], texts: Iterable[str]) -> set[str]:
    """Names of the tools that any of the texts asks for."""
    return set().union(*(_asked_for(tools, _Text(text)) for text in texts)) if tools else set()


def _asked_for(
    tools: Sequence[ToolInfo], text: _Text, names_of: Callable[[ToolInfo], tuple[str, ...]] | None = None
) -> set[str]:
    """Names of the tools asked for; overlapping words count for the tool with the longer name (`domisili usaha`)."""
    spoken = [
        (match.start(), match.end(), tool.name)
        for tool in tools
        if (names := (names_of or _longest_first)(tool)) and not _heads(names).isdisjoint(text.words)
        for match in _spoken(names).finditer(text.heard)
    ]
    longest: dict[int, tuple[int, int]] = {}
    for start, end, _ in spoken:
        for at in range(start, end):
            longest[at] = max(longest.get(at, (0, 0)), (end - start, end))
    return {name for start, end, name in spoken if all(longest[at] <= (end - start, end) for at in range(start, end))}


@lru_cache(maxsize=256)
def _heads(names: tuple[str, ...]) -> frozenset[str]:
    """The first words of the names; a text without any of them is not searched."""
    return frozenset(found[0] for name in names for found in [_WORD.findall(name.casefold())] if found)


@lru_cache(maxsize=256)
def _spoken(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?:{'|'.join(_ENDINGS)})?\b", re.I)


@by_object
def _longest_first(tool: ToolInfo) -> tuple[str, ...]:
    return tuple(sorted(asked_by(tool), key=len, reverse=True))


@by_object
def _as_things(tool: ToolInfo) -> tuple[str, ...]:
    """The tool's names that say what it makes (`surat domisili`)."""
    return tuple(name for name in _longest_first(tool) if things().intersection(name.casefold().split()))
