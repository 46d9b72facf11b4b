"""What words for persons change in a sentence: of whom it speaks from there. It names no field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import persons
from agentd.apps.letters.evidence.lexicon import Cue, Mark
from agentd.apps.letters.evidence.persons import CITIZEN, SOMEBODY
from agentd.apps.letters.evidence.segments import SEPARATORS
from agentd.apps.letters.languages import phrases

if TYPE_CHECKING:
    from agentd.apps.letters.evidence.clauses import SentenceReader

_OPENERS = phrases().openers
_JOINS = phrases().joins
_LEADS = phrases().leads
_POSSESSED_BY = phrases().possessed_by
_VERBS = phrases().verbs


def on_relation(reader: SentenceReader, mark: Mark) -> int:
    opens = reader.current.empty
    before = reader.words[max(0, mark.start - 2) : mark.start]
    if not opens and ((before[-1:] and before[-1] in _POSSESSED_BY) or before == ["is", "my"]):
        reader.speak_of(mark.value)
        end = persons.owner_end(mark, reader.words)
        alone = mark.start < 2 or reader.words[mark.start - 2] in SEPARATORS or reader.words[mark.start - 2].isdecimal()
        whole = before[-1:] == ["itu"] and alone and end == len(reader.words)
        for segment in reader.done:
            if segment.clause == reader.clause or (whole and not segment.own):
                segment.person = mark.value
        return end
    if not persons.strong(mark, reader.words, opens=opens, form=reader.current.form):
        return reader.plain(mark)
    if persons.another(mark, reader.marks, reader.words):
        reader.close(None)
        reader.speak_of(f"{SOMEBODY}{reader.words[mark.start]}")
        return persons.owner_end(mark, reader.words)
    label = reader.current.label if opens and reader.current.label != "keperluan" else None
    reader.close(label)
    reader.speak_of(mark.value)
    reader.name_person(mark.value)
    return persons.owner_end(mark, reader.words)


def on_self(reader: SentenceReader, mark: Mark) -> int:
    first = mark.start == 0 or reader.words[mark.start - 1] in SEPARATORS
    after = reader.words[mark.end] if mark.end < len(reader.words) else ""
    if reader.words[mark.start] == "i" and after not in _VERBS:
        return reader.plain(mark)
    if reader.words[mark.start] == "my" and reader.marks.get(mark.end, mark).cue is Cue.RELATION:
        return mark.end
    joined = mark.start > 0 and reader.words[mark.start - 1] in _JOINS
    if reader.speaking.person not in (None, CITIZEN) and not (first or joined):
        return mark.end
    if reader.current.empty or (after and after not in SEPARATORS):  # `Jl. Melati rumah saya` says no more of him
        if not reader.current.empty:
            reader.close(None)
        reader.speak_of(CITIZEN)
        opening = first or reader.spoken_clause != reader.clause  # but for courtesy
        if not opening and not joined and reader.current.label is None:
            _possessed(reader, mark.start - 1)
        reader.current.own = True
    return mark.end


def _possessed(reader: SentenceReader, at: int) -> None:
    """`bayi saya laki-laki`: a thing that is the citizen's is not the citizen."""
    noun = reader.words[at]
    if not noun.isalpha() or noun in FILLERS or noun in _OPENERS or noun in _LEADS:
        return
    reader.current.person = f"?{noun}"
    before = reader.done[-1] if reader.done else None
    if before is not None and before.label is None and before.words[-1:] == [noun] and len(before.words) <= 2:
        before.person = f"?{noun}"


def on_pronoun(reader: SentenceReader, mark: Mark) -> int:
    if reader.words[mark.start] == "nya":
        return mark.end
    if reader.speaking.person == CITIZEN or reader.speaking.person is None:
        reader.close(reader.current.label if reader.current.empty else None)
        reader.speak_of("?dia")
    return mark.end


def on_beside(reader: SentenceReader, mark: Mark) -> int:
    relation = reader.marks.get(mark.end)
    if relation is None or relation.cue is not Cue.RELATION:
        if reader.words[mark.start] == "tinggal":
            reader.close("alamat_domisili")
            return mark.end
        return reader.plain(mark)
    if reader.words[mark.start] == "tinggal":
        reader.close("alamat_domisili")
    return persons.owner_end(relation, reader.words)
