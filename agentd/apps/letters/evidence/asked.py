"""What the agent asked last, so that a bare answer finds its field. The agent's own words prove nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentd.agent.text import folded, normal
from agentd.apps.letters.evidence.lexicon import Cue, Lexicon, Mark
from agentd.apps.letters.evidence.persons import strong
from agentd.apps.letters.evidence.sentences import split
from agentd.apps.letters.languages import phrases

_REQUEST = re.compile(rf"\?|\b(?:{'|'.join(map(re.escape, phrases().asks_for))})\b", re.IGNORECASE)
_JOINS = phrases().for_whom
_BUSINESS = phrases().business
_WHERE = frozenset(phrases().asking["place"])
_ASIDE = re.compile(r"\([^)]*+\)")
_SENTENCE = re.compile(r"[^.?!\n]*(?:[.?!\n]|\Z)")

Question = tuple[str, str | None]
"""(label, person: None for the applicant)."""


def _of_business(mark: Mark, words: Sequence[str]) -> str:
    """`Usahanya bergerak di bidang apa dan di mana alamatnya?`, `Usahanya di mana?`: the address of the business."""
    where = mark.value == "jenis_usaha" and not _WHERE.isdisjoint(words[mark.end : mark.end + 3])
    address = mark.value == "alamat" and not _BUSINESS.isdisjoint(words[: mark.start])
    return "alamat_usaha" if where or address else mark.value


def asked(text: str, lexicon: Lexicon) -> tuple[Question, ...]:
    """The fields that an agent's message asks for, in its order, each once: from its last request on."""
    text = normal(text)
    closed = text.rfind(")") + 1
    text = _ASIDE.sub(" ", text[:closed]) + text[closed:]
    parts = [part for part in _SENTENCE.findall(text) if part.strip()]
    first = next((index for index, part in enumerate(parts) if _REQUEST.search(part)), None)
    if first is None:
        return ()
    found: list[Question] = []
    for part in parts[first:]:
        words = [folded(raw) or "\n" for raw in split(part, lexicon)]
        label: str | None = None
        for mark in lexicon.marks(words):
            joins = mark.value == "keperluan" and mark.end - mark.start == 1 and words[mark.start] in _JOINS
            if mark.cue is Cue.LABEL and not joins and not mark.value.startswith("x:"):
                label = _of_business(mark, words)
                found.append((label, None))
            elif mark.cue is Cue.RELATION and label and strong(mark, words, opens=True, form=True):
                found[-1] = (label, mark.value)
    return tuple(dict.fromkeys(found))
