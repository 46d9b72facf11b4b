"""A message read into segments: which words stand under which label, of whom, and whether they were asserted.

It gives words their place; what value they hold, and whether it proves anything, is decided in `proof`.
"""

from __future__ import annotations

from agentd.agent.text import folded
from agentd.apps.letters.evidence import persons
from agentd.apps.letters.evidence.clauses import SentenceReader
from agentd.apps.letters.evidence.lexicon import Lexicon
from agentd.apps.letters.evidence.persons import CITIZEN, Speaking
from agentd.apps.letters.evidence.segments import Message, Mood, Segment
from agentd.apps.letters.evidence.sentences import sentences, split


def read(text: str, lexicon: Lexicon, *, person: str | None = None) -> Message:
    """Read one message (already without what isn't the speaker's own). `person`: of whom it starts to speak."""
    raws = split(text, lexicon)
    words = [folded(raw) or "\n" for raw in raws]
    speaking = Speaking(person)
    segments: list[Segment] = []
    subject: str | None = None
    paragraph_open = False
    clause = 0
    for number, (start, end, mark, blank) in enumerate(sentences(words, raws)):
        part = words[start:end]
        cues = lexicon.marks(part, raws[start:end])
        declared = persons.subject(cues, part)
        subject = declared or subject
        reader = SentenceReader(part, raws[start:end], cues, speaking, number, clause, mark == "?", paragraph_open)
        segments.extend(reader.run())
        clause = reader.clause + 1
        paragraph_open = reader.paragraph_open and not blank
        if blank:
            speaking.section = None
            speaking.person = None if speaking.person != CITIZEN else speaking.person
    other = speaking.person if speaking.person not in (None, CITIZEN) else None
    kept = [segment for segment in segments if not segment.empty or segment.mood is Mood.TAKEN_BACK]
    return Message(kept, subject, other, frozenset(speaking.people))
