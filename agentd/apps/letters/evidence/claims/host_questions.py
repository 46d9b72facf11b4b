"""What a question that the host asks for a refused call means: a yes to what was said, or whom a letter is for.

The call's output says it. The question alone proves nothing and settles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from agentd.agent.approval import AS_WRITTEN, as_written, shown
from agentd.agent.text import fold
from agentd.apps.letters.evidence.reading.heard import Heard
from agentd.apps.letters.evidence.reading.lexicon import SELF, Cue
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.languages import phrases
from agentd.errors import Language
from agentd.messages import Said

ASKED = "asked"
"""Key in a refused call's output: the one field that the citizen was asked for."""
OFFERED = "offered"
"""Key there: {field: value} of what the citizen said and the agent asks back."""
FOR = "letter_for"
"""Key there: [the person whose NIK the citizen gave, the citizen's word for them]."""
_FOR_WHOM = phrases().for_whom


def unquoted(entry: Said) -> str:
    """What the agent said, without the citizen's own values that it asked back."""
    text = entry.text
    for value in offered(entry).values():
        text = _forms(value).sub("", text)
    return text


def offered(entry: Said) -> Mapping[str, Any]:
    """{field: value} of what a question of the agent asked back and displayed."""
    said = entry.value.get(OFFERED) if isinstance(entry.value, Mapping) else None
    return {path: value for path, value in (said or {}).items() if _forms(value).search(entry.text)}


def _forms(value: Any) -> re.Pattern[str]:
    """Finds a value in a question: as it is, or as people write it in any language."""
    known: tuple[Language, ...] = get_args(Language)
    if isinstance(value, bool):  # a mere `ya` is no value shown
        return re.compile(rf"(?<=: )(?:{'|'.join(shown(value, language) for language in known)})(?!\w)", re.IGNORECASE)
    written = {as_written(str(value), kind, language) for language in known for kind in AS_WRITTEN}
    forms = "|".join(map(re.escape, sorted({str(value), *written}, key=len, reverse=True)))
    return re.compile(rf"(?:(?<!\w)|(?<=[^\W\d_])(?=\d))(?:{forms})(?!\w)", re.IGNORECASE)


def person_asked(entry: Said, tool: str) -> str | None:
    """The person for whom an agent's message asks whether the letter is; None if it doesn't ask."""
    known = entry.value.get(FOR) if isinstance(entry.value, Mapping) else None
    if entry.tool != tool or "?" not in entry.text:
        return None
    match known:
        case [str(who), str(word)]:
            words = set(fold(entry.text))
            return who if not _FOR_WHOM.isdisjoint(words) and words.issuperset(fold(word)) else None
    return None  # a server's own refusal may have any keys


def agrees(heard: Heard, who: str) -> bool:
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
