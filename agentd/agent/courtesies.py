"""A turn policy that answers messages of mere courtesy (a greeting, thanks) with the office's own text.

A grammar-constrained model need not be asked then; a hosted one answers freely. The packs of replies hold the words
and the answers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from agentd.agent.languages import replies
from agentd.agent.text import fold
from agentd.agent.turn_policy import Offer, Turn, TurnPolicy
from agentd.errors import Language

LONGEST = 200
"""Characters. A longer message is no mere courtesy."""


class Courtesies(TurnPolicy):
    """Answers messages of mere courtesy and leaves all others unchanged."""

    def offer(self, turn: Turn, offer: Offer) -> Offer:
        if turn.steps or not offer.may_answer or turn.spoken not in (None, turn.language):
            return offer
        answer = answer_to(turn.request, turn.language)
        return offer if answer is None else replace(offer, answer=answer)


def answer_to(text: str, language: Language) -> str | None:
    """The answer if every word belongs to a courtesy, else None. Of several courtesies the pack's first decides."""
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
    """The phrases (as word tuples) with the number of their answer, and the words that may accompany a phrase."""
    pack = replies()[language]
    beside = frozenset(pack.beside_courtesies)
    phrases = [(number, fold(phrase)) for number, said in enumerate(pack.courtesies.values()) for phrase in said]
    known = {tuple(word for word in phrase if word not in beside): number for number, phrase in reversed(phrases)}
    return known, beside
