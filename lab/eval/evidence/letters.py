"""The letters' evaluation conversations as one call each, with all that the citizen says without being asked.
Contradictory conversations are left out, because the citizen must be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import plain
from lab.eval.evidence.offices import tool
from lab.eval.evidence.trials import Trial, session
from lab.eval.letters.script import load
from servers.certificate.settings import SHIPPED_LETTERS


def trials() -> Iterator[Trial]:
    """One trial per conversation that ends in a letter, without the values given only when asked (`later`)."""
    for talk in load():
        if talk.letter is not None and talk.category != "contradictory":
            said = f" {plain(' '.join(talk.turns))} "
            known = {name: _as_said(ways, said) for name, ways in talk.truth.items() if name not in talk.later}
            yield Trial(
                talk.id,
                "letters",
                talk.language,
                True,
                tool({"letter": SHIPPED_LETTERS / talk.letter}),
                known,
                session(*talk.turns),
            )


def _as_said(ways: Sequence[str], said: str) -> str:
    """The notation that the citizen used for a value; the first one when none occurs in what was said."""
    return next((way for way in ways if f" {plain(way)} " in said), ways[0])
