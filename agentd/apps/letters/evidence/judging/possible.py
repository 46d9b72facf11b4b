"""Whether a value is possible for its field: a declared choice, a real date, not just a label."""

from __future__ import annotations

from itertools import chain

from agentd.agent.languages import words
from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS
from agentd.apps.letters.evidence.normalisers import choices, days, hours, numbers
from agentd.apps.letters.evidence.normalisers.address import NUMBERED
from agentd.apps.letters.evidence.normalisers.numbers import SPOKEN
from agentd.apps.letters.evidence.normalisers.patterns import whole
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SELF
from agentd.apps.letters.evidence.reading.segments import STREETS
from agentd.apps.letters.languages import phrases

_NONE = phrases().denials
_NEVER = {"name": phrases().companies, "place": frozenset(chain.from_iterable(words().months))}
"""Words with which no such value begins: a person is no company, a place no month (`lahir 25 Nov 2026`)."""
_QUESTIONS = phrases().interrogatives
_SMALL = words().detection | SPOKEN
"""Words of which a name rarely has two."""
IDLE = FILLERS | SELF | phrases().requests | phrases().date_noise


def possible(field: Field, case: Case) -> bool:
    """Whether a value is valid for the field's kind."""
    if field.kind == "choice" and field.enum.values:
        return choices.canonical(str(field.value), field.enum) is not None
    if field.kind == "date":
        day = days.day(str(field.value), case.today)
        return str(field.value).isdecimal() if day is None else not (field.gone_by and day > case.today)
    if field.kind == "time":
        return str(field.value).isdecimal() or hours.hour(str(field.value)) is not None
    if field.kind in TEXTS and not _text(field):
        return False
    if field.pattern:
        return whole(field.pattern, str(field.value))
    if field.kind == "code":
        return _numbered(field) or str(field.value).isupper()
    return True


def _text(field: Field) -> bool:
    """Whether words may be a text of the field's kind: no question's (`buat apa: …`), and of an address more than its
    number (`nomor 17 bukan 7`) or a kind of place (`pulang kampung`)."""
    if _QUESTIONS.issuperset(field.spoken) or field.spoken[0] in _NEVER.get(field.kind, ()):
        return False
    names = (word for word in field.spoken if word.isalnum() and not word.isdecimal())
    return field.kind != "address" or any(word not in NUMBERED | STREETS for word in names)


def says_something(field: Field, case: Case) -> bool:
    """Whether a text is more than words for the tool or a field, and a number is a number or a word for none. If a
    question asked for the field, any words count."""
    asked = (case.labels_asked(turn.question) for turn in case.turns)
    if field.label in case.cached(says_something, lambda: frozenset().union(*asked)):
        return True
    if field.kind in NUMBERS:
        return _numbered(field) or any(word in _NONE or numbers.value(word) is not None for word in field.spoken)
    return field.kind not in TEXTS or _is_more(field, case)


def _is_more(field: Field, case: Case) -> bool:
    if field.common and "name" in field.senses and _numbered(field):
        return False
    titled = "title" in field.senses and str(field.value)[:1].isupper()  # a book may be called `It`
    small = field.kind == "name" and not titled and sum(map(_SMALL.__contains__, field.spoken)) > 1
    if small and not any(turn.asks_for(field.key) for turn in case.turns):
        return False  # `going to be two`
    idle = IDLE | phrases().quiet | RELATING if field.kind in ("name", "place") else IDLE
    own = {word for phrase in field.named() for word in fold(phrase)}
    own |= {word + end for word in own for end in phrases().clitics}
    return not all((word in idle and not titled) or word in own for word in field.spoken)


def _numbered(field: Field) -> bool:
    return any(map(str.isdigit, str(field.value)))
