"""Whom a letter is for, if the citizen gives somebody else's NIK and is asked. The question alone settles nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentd.agent.text import fold
from agentd.apps.letters.evidence.reading.heard import Heard
from agentd.apps.letters.evidence.reading.lexicon import SELF, Cue
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

FOR = "letter_for"
"""Key in a refused call's output: [the person whose NIK the citizen gave, the citizen's word for them]."""
_FOR_WHOM = phrases().for_whom


def asked(entry: Said | None, tool: str) -> str | None:
    """The person for whom an agent's message asks whether the letter is; None if it doesn't ask."""
    known = entry.value.get(FOR) if entry is not None and isinstance(entry.value, Mapping) else None
    if entry is None or entry.tool != tool or "?" not in entry.text:
        return None
    match known:
        case [str(who), str(word)]:
            words = set(fold(entry.text))
            return who if not _FOR_WHOM.isdisjoint(words) and words.issuperset(fold(word)) else None
    return None  # a server's own refusal may have any keys


def agreed(heard: Heard, who: str) -> bool:
    """Whether an answer says that the letter is for that person: `ya`, `untuk bapak saya`; not so `iya, buat saya`."""
    said: Iterable[str | None] = (
        "" if each.words[at + 1] in SELF else marks.get(at + 1)
        for each in heard.sentences
        for marks in [{mark.start: mark.value for mark in each.marks if mark.cue is Cue.RELATION}]
        for at, word in enumerate(each.words[:-1])
        if word in _FOR_WHOM and each.moods[at + 1] is Mood.SAID
    )
    named = [person for person in said if person is not None]
    return not heard.another and (all(person == who for person in named) if named else heard.affirms)
