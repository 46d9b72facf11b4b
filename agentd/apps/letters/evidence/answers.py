"""A whole message as the answer to the one field that was asked for: what a language without a pack is understood by.

It knows no word of the answer. A number, a day or a choice must be the only one there; any other value stands in it as
the citizen wrote it. What is no answer (a question, an order to the machine, words that a pack reads) gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.approval import assents, refuses
from agentd.agent.languages import words as all_words
from agentd.agent.text import fold, folded_tokens, normal
from agentd.apps.letters.evidence import choices
from agentd.apps.letters.evidence.case import Case, Turn
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.pasted import own_words
from agentd.apps.letters.evidence.segments import Mood
from agentd.apps.letters.evidence.settling import Claim
from agentd.apps.letters.evidence.spans import spans
from agentd.apps.letters.evidence.values import within
from agentd.messages import Said

MOST = 24
"""Words of an answer; who writes more says more than one field."""
_DETECTION = all_words().detection
_NEIGHBOURHOOD = frozenset({"rt", "rw", "rtrw"})


def answers(field: Field, case: Case) -> Iterator[Claim]:
    """What the citizen answered where this field alone was asked for: the value in question, or another."""
    for order, path in case.asked_alone.items():
        turn = case.turn(order)
        if path == field.path and turn is not None and (text := _answer(turn, case.said)) is not None:
            yield Claim(order, Mood.SAID, _says(field, text, turn))


def _answer(turn: Turn, said: Sequence[Said]) -> str | None:
    """The message, None where it is no answer: asked, supposed, quoted, ordered, too long, or a pack's to read."""
    text = next(entry.text for entry in said if entry.order == turn.order)
    written = fold(text)
    if own_words(text) != text or "?" in normal(text) or "\n" in text.strip() or not 0 < len(written) <= MOST:
        return None
    known = sum(word in _DETECTION for word in written)
    if len(written) > 1 and 2 * known >= len(written):
        return None
    meant = (mood for sentence in turn.heard.sentences for mood in sentence.moods)
    return text if all(mood is Mood.SAID for mood in meant) else None


def _says(field: Field, text: str, turn: Turn) -> bool:
    """Whether an answer is the field's value."""
    words = folded_tokens(text)
    if field.kind == "choice" and len(words) == 1 and words[0].isdecimal():
        place = int(words[0]) - 1
        listed = field.enum.values[place : place + 1] if place >= 0 else ()
        return choices.canonical(str(field.value), field.enum) in listed
    if field.kind == "boolean":
        return assents(text) if field.value is True else refuses(text)
    if field.kind in _NEIGHBOURHOOD:
        return within(field, words, turn.day)
    found = list(spans(field, words, turn.day))
    return bool(found) and all(span.supports for span in found)
