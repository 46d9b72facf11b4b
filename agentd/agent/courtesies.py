"""A message that is only polite (a greeting, thanks), and the office's own answer to it: a turn policy. No other words.

A model held to a grammar need not be asked then; a hosted one answers as it likes. Which words these are and what is
answered stand in the packs of replies.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from agentd.agent.languages import replies
from agentd.agent.text import fold
from agentd.agent.turn_policy import Offer, Turn, TurnPolicy
from agentd.errors import Language

LONGEST = 200
"""Characters; a longer message says more."""


class Courtesies(TurnPolicy):
    """Answers what needs no model; all else is left as it is."""

    def offer(self, turn: Turn, offer: Offer) -> Offer:
        """The same offer, with the answer to a message of courtesies alone."""
        if turn.steps or not offer.may_answer or turn.spoken not in (None, turn.language):
            return offer
        answer = answer_to(turn.request, turn.language)
        return offer if answer is None else replace(offer, answer=answer)


def answer_to(text: str, language: Language) -> str | None:
    """The answer if every word of the text belongs to a courtesy; of several, the answer to the first in the pack."""
    courtesies, beside = _read(language)
    words = [word for word in fold(text) if word not in beside] if len(text) <= LONGEST else []
    found: list[int] = []
    while words:
        size = next((size for size in range(len(words), 0, -1) if tuple(words[:size]) in courtesies), 0)
        if not size:
            return None
        found.append(courtesies[tuple(words[:size])])
        del words[:size]
    return list(replies()[language].courtesies)[min(found)] if found else None


@cache
def _read(language: Language) -> tuple[dict[tuple[str, ...], int], frozenset[str]]:
    """Each phrase with the number of its answer; and the words that may accompany a phrase."""
    pack = replies()[language]
    beside = frozenset(pack.beside_courtesies)
    phrases = [(number, fold(phrase)) for number, said in enumerate(pack.courtesies.values()) for phrase in said]
    return {
        tuple(word for word in phrase if word not in beside): number for number, phrase in reversed(phrases)
    }, beside
