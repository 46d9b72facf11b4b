"""What the agent's message asks for: which fields, and about whom. The agent's words never prove a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from agentd.agent.text import FILLERS, fold, folded_tokens, plain
from agentd.apps.letters.evidence.fields.field import Form
from agentd.apps.letters.evidence.fields.named import Named
from agentd.apps.letters.evidence.fields.spans import TEXTS, values_of
from agentd.apps.letters.evidence.reading.heard import Heard
from agentd.apps.letters.evidence.reading.lexicon import SALUTATIONS, SELF, Cue
from agentd.apps.letters.evidence.reading.persons import APPLICANTS, CITIZEN, strong
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_YET = phrases().yet
_CLITICS = tuple(phrases().clitics)
_POSSESSED = SELF | phrases().possessives
_BESIDE = FILLERS | phrases().neutral | phrases().copulas | phrases().interrogatives
_ASKING = phrases().requests | phrases().polite | phrases().interrogatives
_WAYS = phrases().toward | frozenset(phrases().senses["origin"])
_SHORT = 4
"""The most words of a message that asks by a mere name: `Nama lengkap.`"""
LISTED = re.compile(r"^- ([^\n:]+): (.+)$", re.M)
"""A line of a list with a field's title and its value."""
Question = tuple[str, str | None]
"""(label, person); the person is None for the applicant."""


def unlisted(question: str) -> str:
    """A question without the lines that list a value (`- Alamat: Jl Mawar No 5`): they don't ask for it."""
    return LISTED.sub("", question)


def asked(question: str, heard: Heard, spoken_of: Sequence[Sequence[Named]], form: Form) -> tuple[frozenset[str], ...]:
    """The fields that a question asks for, by their names and by its question word, unless it names other fields."""
    people, mentioned = asked_of(heard), _only_spoken_of(heard, spoken_of, form)
    asking = (one._replace(keys=one.keys - mentioned) for one in form.names.asked(question))
    named = [one._replace(keys=_theirs(one.keys, people, form)) for one in asking if one.keys]
    own = [one.keys for one in named if one.plain]
    spoken = frozenset().union(*own)
    by_its_word = (keys for keys in _wanted(question, form) if _besides(keys, spoken, form))
    return (*(one.keys for one in named), *by_its_word)


def _only_spoken_of(heard: Heard, named: Sequence[Sequence[Named]], form: Form) -> frozenset[str]:
    """The fields of free words that a message only speaks of, in a statement (`You have an alarm named Wake up.`) or by
    a word for a place without a question word (`Would you like to see it in 3D?`)."""
    asked, mentioned = set[str](), set[str]()
    for sentence, own in zip(heard.sentences, named, strict=True):
        short = len(sentence.words) <= _SHORT
        asks = sentence.asks or short or not _ASKING.isdisjoint(sentence.words)
        which = short or not phrases().interrogatives.isdisjoint(sentence.words)
        for one in own:
            word = sentence.words[one.start]
            by_name = which or one.plain or word in _WAYS or form.names.has(word)
            (asked if asks and by_name else mentioned).update(one.keys)
    return frozenset(key for key in mentioned - asked if form.shapes[key].kind in TEXTS)


def labels(question: str, heard: Heard, form: Form) -> tuple[Question, ...]:
    """The (label, person) pairs that a question names, including fields that the form lacks."""
    words, people = folded_tokens(question), asked_of(heard)
    found: list[Question] = []
    for one in form.names.asked(question):
        common = form.lexicon.label(" ".join(words[one.start : one.end]))
        keys = _theirs(one.keys, people, form) if one.plain else ()
        known = {form.shapes[key].label for key in keys} if one.plain else {common}
        found += [(label, next(iter(people), None)) for label in known if label is not None]
    others = (mark.value for sentence in heard.sentences for mark in sentence.labels)
    found += [(label, None) for label in others if label not in form.labels and not label.startswith(("x:", "alamat"))]
    return tuple(dict.fromkeys(found))


def asked_of(heard: Heard) -> frozenset[str]:
    """The relations that a question is about; a form of address doesn't count."""
    marks = ((mark, each.words) for each in heard.sentences for mark in each.marks if mark.cue is Cue.RELATION)
    people = {mark.value for mark, words in marks if strong(mark, words, opens=True, form=True)}
    return frozenset(CITIZEN if person in APPLICANTS else person for person in people)


def of_a_thing(heard: Heard, named: Sequence[Sequence[Named]], form: Form) -> bool:
    """Whether a question asks for the name of a thing that somebody owns: `Siapa nama kucing Anda?`."""
    read = zip(heard.sentences, named, strict=True)
    return any(_of_a_thing(sentence, one, form) for sentence, own in read for one in own)


def _of_a_thing(sentence: Sentence, one: Named, form: Form) -> bool:
    at, words = one.end, sentence.words
    names = one.plain and any(form.shapes[key].kind == "name" for key in one.keys)
    marked = any(mark.start == at for mark in sentence.marks)
    if not names or marked or at >= len(words) or not sentence.raws[at][0].islower():
        return False
    owned = words[at].endswith(_CLITICS) or not _POSSESSED.isdisjoint(words[at + 1 : at + 2])
    return owned and words[at] not in _BESIDE and not form.names.knows(words[at])


def _theirs(keys: frozenset[str], people: frozenset[str], form: Form) -> frozenset[str]:
    """Narrows several fields to those of the persons in a question; `nama Ibu` may also mean the person addressed."""
    spoken_to = {form.shapes[key].label for key in keys if not people and form.shapes[key].person in SALUTATIONS}
    theirs = frozenset(key for key in keys if form.shapes[key].person in people) or keys
    return theirs.union(key for key, shape in form.shapes.items() if shape.person is None and shape.label in spoken_to)


def _besides(keys: frozenset[str], spoken: frozenset[str], form: Form) -> bool:
    """Whether a question word may ask for fields besides the named ones: `Which department and when?`."""
    kinds = {form.shapes[key].kind for key in spoken}
    kinds |= TEXTS if kinds & TEXTS else frozenset()
    return not spoken or bool(keys & spoken) or kinds.isdisjoint(form.shapes[key].kind for key in keys)


def _wanted(question: str, form: Form) -> Iterator[frozenset[str]]:
    """The fields of the kind that a question word asks for: `ke mana?` a place, `who?` a name."""
    words = f" {' '.join(fold(question))} "
    for kind, asking in phrases().asking.items():
        if any(f" {each} " in words for each in asking):
            keys = frozenset(key for key, shape in form.shapes.items() if shape.kind == kind)
            yield from [keys] if keys else ()


def repeated(question: str, day: date, before: Sequence[frozenset[str]], form: Form) -> tuple[frozenset[str], ...]:
    """The last mentioned field whose kind of value the agent repeated: `5 December, right?` `No, 8 December`."""
    words, known = fold(question), form.shapes.items()
    held = {shape.kind for _, shape in known if shape.kind != "choice" and any(values_of(shape, words, day))}
    keys = frozenset(key for key, shape in known if shape.kind in held)
    return next(((spoken & keys,) for spoken in before if spoken & keys), ())


def completed(text: str, wanted: Sequence[frozenset[str]], form: Form) -> str:
    """Adds the word for the marital status if an answer leaves it out (`guru, belum`)."""
    if not any(form.shapes[key].label == "status_perkawinan" for keys in wanted for key in keys):
        return text
    said = text.split(",") if len(wanted) > 1 else [text]
    for at, keys in enumerate(wanted if len(said) == len(wanted) else ()):
        if any(form.shapes[key].label == "status_perkawinan" for key in keys):
            words = plain(said[at])
            bare = " ".join(word for word in words.split() if word not in FILLERS or word in _YET)
            said[at] = _YET.get(words, _YET.get(bare, said[at]))
    return ",".join(said)
