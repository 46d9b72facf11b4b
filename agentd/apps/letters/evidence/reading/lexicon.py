"""Finds the phrases that control how a sentence is read (labels, persons, negations …). Draws no conclusions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases


class Cue(Enum):
    """What a phrase does to the words around it."""

    LABEL = "names a field"
    RELATION = "names somebody else"
    SELF = "the citizen"
    PRONOUN = "the person spoken of last"
    BESIDE = "puts the next person beside the citizen"
    NEGATION = "denies what follows"
    TURN = "ends a denial"
    CORRECTION = "announces another value"
    WRONG = "takes back what was said before it"
    UNSURE = "leaves open what stands around it"
    QUESTION = "asks"
    EXAMPLE = "makes an example of what follows"
    CONDITION = "makes a condition of what follows"
    REPORT = "makes a report of what follows"
    LOOKUP = "asks to look something up"
    OTHER_TIME = "says of the clause that it was so once or may be so one day"
    FIXED = "a phrase that only looks like one of the others"


SUPPOSING = frozenset({Cue.EXAMPLE, Cue.CONDITION, Cue.REPORT})
"""Cues after which words don't count as said."""


class Mark(NamedTuple):
    """One cue in a sentence: first token, token after the last, its effect and its value (a label or a person)."""

    start: int
    end: int
    cue: Cue
    value: str


LABELS: Mapping[str, tuple[str, ...]] = phrases().labels
"""Phrases by label. Labels that begin with `x:` are not fields of an applicant."""
LIVES = frozenset(LABELS["alamat_domisili"])
"""Phrases for living somewhere."""

RELATIONS: Mapping[str, tuple[str, ...]] = phrases().relations
RELATING = frozenset(word for known in RELATIONS.values() for word in known)
"""Words for a relation (`ibu`)."""
SALUTATIONS = phrases().salutations
"""Words that may also address the office: they mean another person only with `saya` or after a label."""

SELF = phrases().self_words
ITS = phrases().endings["its"]
"""Endings of a word that make it somebody's (`alamatnya`)."""
_OWNED = (*ITS, *phrases().endings["my"])
_OTHER_TIME = [phrase for phrase in phrases().past | phrases().ended | phrases().future if " " in phrase]
"""Only phrases: a single word (`dulu`, `once`) is often mere politeness, and is listed as negation where it is one."""

Entry = tuple[Cue, str]


@cache
def _common() -> Mapping[tuple[str, ...], Entry]:
    """The packs' phrases, folded and cached; if a phrase occurs twice, the later entry wins."""
    known = phrases().cues
    places = [
        (Cue.OTHER_TIME, "", _OTHER_TIME),
        *((cue, "", known[cue.name.lower()]) for cue in Cue if cue.name.lower() in known and cue is not Cue.FIXED),
        *((Cue.RELATION, person, known) for person, known in RELATIONS.items()),
        *((Cue.LABEL, label, known) for label, known in LABELS.items()),
        (Cue.FIXED, "", known["fixed"]),
    ]
    return {folded_tokens(phrase): (cue, value) for cue, value, known in places for phrase in known}


class Lexicon:
    """Finds phrases, preferring the longest. A schema's own labels are added to the common ones."""

    __slots__ = ("_book", "_entries", "_stems")

    def __init__(self, labels: Iterable[tuple[str, str]], people: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """`labels`: (phrase, label) for fields missing in the common table; `people`: the tool's roles.

        A tool's own labels and roles win over the common ones.
        """
        entries = dict(_common())
        for person, known in (people or {}).items():
            own = (words for words in map(folded_tokens, known) if words and words[0] not in SELF)
            entries |= dict.fromkeys(own, (Cue.RELATION, person))
        for phrase, label in labels:
            words = folded_tokens(phrase)
            for end in (end for end in ITS if words and words[-1].endswith(end)):  # split as in sentences
                entries.setdefault((*words[:-1], words[-1].removesuffix(end), end), (Cue.LABEL, label))
            if words and (words not in entries or entries[words][0] in (Cue.LABEL, Cue.RELATION, Cue.EXAMPLE)):
                entries[words] = (Cue.LABEL, label)
        self._entries = entries
        self._book = Phrasebook(entries)
        self._stems = {
            word for words, (cue, _) in entries.items() if cue in (Cue.LABEL, Cue.RELATION) for word in words
        }

    def suffix(self, word: str) -> int:
        """The length of a folded word's `nya` or `ku` suffix: 3 for `alamatnya`, 0 for `hanya`."""
        size = next((len(end) for end in _OWNED if word.endswith(end)), 0)
        return size if size and word[:-size] in self._stems else 0

    def marks(self, words: Sequence[str], raws: Sequence[str] = ()) -> list[Mark]:
        """The cues in folded tokens, in order, without overlaps. `raws`: the tokens as written (for capitals)."""
        found = (Mark(at, at + len(phrase), *self._entries[phrase]) for at, phrase in self._book.find(words))
        return [mark for mark in found if mark.cue not in SUPPOSING or not self._named(words, raws, mark)]

    def _named(self, words: Sequence[str], raws: Sequence[str], mark: Mark) -> bool:
        """Whether a cue word ends a person's name (`Budi Contoh`): both words capitalised, no colon after them."""
        at = mark.start
        if not 0 < at < len(raws) or mark.end > at + 1 or self._book.begins(words[at - 1]):
            return False
        titled = raws[at - 1].istitle() and raws[at].istitle() and words[mark.end : mark.end + 1] != [":"]
        return titled or words[at - 1] in ("@", ".")  # `nadia@example.org`, `nadia@mail.example`

    def label(self, phrase: str) -> str | None:
        """The label that a whole phrase stands for, or None."""
        cue, value = self._entries.get(folded_tokens(phrase), (None, ""))
        return value if cue is Cue.LABEL else None


def person(words: Sequence[str]) -> str | None:
    """The relation in a field's own name (`nama ibu` → ibu), if any."""
    joined = f" {' '.join(words)} "
    named = [
        (len(phrase), relation) for relation, known in RELATIONS.items() for phrase in known if f" {phrase} " in joined
    ]
    return max(named)[1] if named else None
