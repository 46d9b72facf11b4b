"""Which reading of an ambiguous value the citizen confirmed (`Berangkat tanggal 5?`, `Betul`). It proves no value.

A value that the citizen said and that may be meant of several fields is meant of the one under which the agent repeated
it, where the citizen answers with a yes.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence.case import Case, Turn
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.heard import Sentence
from agentd.apps.letters.evidence.lexicon import Cue
from agentd.apps.letters.evidence.named import Named
from agentd.apps.letters.evidence.spans import Span, spans

_ASSENTS = frozenset(fold(each) for each in all_words().assents)
_AGAINST = frozenset({Cue.NEGATION, Cue.WRONG, Cue.UNSURE, Cue.EXAMPLE, Cue.CORRECTION, Cue.QUESTION})
_LONGEST = 6
"""Words of a yes, courtesy aside."""

Place = tuple[Sentence, tuple[Named, ...], Span]


def affirms(turn: Turn) -> bool:
    """Whether a message begins with a yes and turns nothing down."""
    first = next((each for each in turn.heard.sentences if any(word[0].isalnum() for word in each.words)), None)
    if first is None or turn.heard.another:
        return False
    alone = first.clauses[-1] > first.clauses[0]  # `Yes, how many days …?` asks in its second clause
    clause = [at for at, number in enumerate(first.clauses) if number == first.clauses[0]]
    if (first.asks and not alone) or any(mark.cue in _AGAINST and mark.start in clause for mark in first.marks):
        return False
    said = [first.words[at] for at in clause if first.words[at][0].isalnum()]
    content = [word for word in said if word not in FILLERS]
    return len(content) <= _LONGEST and any(
        tuple(said[at : at + len(each)]) == each for each in _ASSENTS for at in range(min(2, len(said)))
    )


def repeated(field: Field, case: Case, turn: Turn) -> Sequence[Place]:
    """Where the agent's message before a yes names the value."""
    heard, named = case.read(turn.question)
    read = zip(heard.sentences, named, strict=True)
    return [(each, names, span) for each, names in read for span in spans(field, each.words, turn.day) if span.supports]
