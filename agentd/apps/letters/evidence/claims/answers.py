"""Claims from answers to the agent: a yes, a choice among offers, or a whole message in any language.

The agent's words never prove a value. They only show which reading of an ambiguous value was confirmed and in which
order offers stood. A whole message needs no known words, but questions, commands and text of a pack don't count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.agent.approval import assents, refuses
from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, fold, folded_tokens, normal, plain
from agentd.apps.letters.evidence.claims import host_questions, results
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.fields.asked import of_a_thing
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import Span, alone, spans
from agentd.apps.letters.evidence.fields.values import equals, within
from agentd.apps.letters.evidence.normalisers import choices, texts
from agentd.apps.letters.evidence.normalisers.digits import SIXTEEN
from agentd.apps.letters.evidence.normalisers.numbers import SPOKEN
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.evidence.reading.heard import LONGEST
from agentd.apps.letters.evidence.reading.lexicon import RELATIONS, SALUTATIONS, SELF, Cue
from agentd.apps.letters.evidence.reading.pasted import own_words
from agentd.apps.letters.evidence.reading.persons import SOMEBODY
from agentd.apps.letters.evidence.reading.readings import once, remembered
from agentd.apps.letters.evidence.reading.segments import NEIGHBOURHOOD, Claim, Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

_PACK = phrases()
_PLACE_DIGITS = 3
"""The most digits of a position in a list of choices."""


def repeated(field: Field, case: Case, turn: Turn) -> Sequence[Place]:
    """The places in the agent's message before a yes that state the value."""
    return [place for place in case.find(field, agents_turn(case, turn)) if place.span.supports]


def asks_not(turn: Turn) -> bool:
    """Whether a yes to the question could mean a no: `I'd book it without. OK?`."""
    return not _PACK.denials.isdisjoint(fold(turn.question))


def agents_turn(case: Case, turn: Turn) -> Turn:
    """The agent's message before the citizen's, read like a message of the citizen."""
    heard, named = case.read(turn.question)
    return replace(turn, text=turn.question, heard=heard, named=named, asked=())


_PLACES = {tuple(phrase.split()): place for phrase, place in _PACK.places.items()}
_PLACE_BOOK = Phrasebook(_PLACES)
_BESIDE = FILLERS | SPOKEN | _PACK.articles | _PACK.which


def place(turn: Turn) -> int | None:
    """The position of the offer that a message picks: 1-based, 0 for the last; None if it picks none."""
    said = [word for each in turn.heard.sentences for word in each.words if word[0].isalnum()]
    if turn.heard.moods - {Mood.SAID} or len([word for word in said if word not in FILLERS]) > LONGEST:
        return None
    found = {_PLACES[phrase] for _, phrase in _PLACE_BOOK.find(said)}
    return found.pop() if len(found) == 1 else None


def picked(field: Field, case: Case) -> Iterator[Claim]:
    """Claims for the declared choice that a message picks from those that the agent's question offered."""
    for turn in case.turns if field.kind == "choice" and field.enum.values else ():
        picks = place(turn) if turn.question else None
        if picks is None and turn.question and (chosen := _by_its_word(field, case, turn)) is not None:
            yield Claim(turn.order, Mood.SAID, equals(field, chosen))
            continue
        if not turn.question or (picks is None and not turn.heard.affirms):
            continue
        offered = _offered(field, case, turn, asking=picks is None)
        if picks is None and len(offered) == 1:
            picks = 1
        if picks is not None and len(offered) >= max(picks, 1):
            yield Claim(turn.order, Mood.SAID, equals(field, offered[picks - 1]))


def _by_its_word(field: Field, case: Case, turn: Turn) -> str | None:
    """The one offer with every word of a short answer: `the full one`, of a basic service and a full service."""
    said = {word for each in turn.heard.sentences for word in each.words if word[0].isalnum() and word not in _BESIDE}
    if not 0 < len(said) <= 2 or turn.heard.moods != {Mood.SAID}:
        return None
    found = [value for value in _offered(field, case, turn, asking=False) if said <= set(fold(value))]
    return found[0] if len(found) == 1 else None


def _offered(field: Field, case: Case, turn: Turn, *, asking: bool) -> Sequence[str]:
    """The field's choices named in the agent's message, in order, without denied ones; `asking`: only in questions."""
    heard, _ = case.read(turn.question)
    found: list[tuple[int, int, str]] = []
    for number, sentence in enumerate(heard.sentences):
        denied = bool(_PACK.denials.intersection(sentence.words)) or any(
            mark.cue is Cue.NEGATION for mark in sentence.marks
        )
        for value in field.enum.values if not denied and (sentence.asks or not asking) else ():
            held = (
                span.start for span in spans(replace(field, value=value), sentence.words, turn.day) if span.supports
            )
            found += [(number, at, value) for at in held]
    return list(dict.fromkeys(value for _, _, value in sorted(found)))


def passed_over(field: Field, case: Case, order: int) -> bool:
    """Whether the citizen picked another of the offers in a result than the one that holds the value."""
    entry = next(entry for entry in case.said if entry.order == order)
    rows = _rows(entry.value)
    if len(rows) < 2:
        return False
    picks = ((turn, at) for turn in case.turns if turn.order > order and (at := place(turn)) is not None)
    if (pick := next(picks, None)) is None:
        return False
    rows, at = _as_named(rows, pick[0].question), pick[1]
    chosen = rows[at - 1 : at or None] if at <= len(rows) else []
    return not any(_holds(field, case, entry, row) for row in chosen)


def _rows(value: Any) -> list[Mapping[str, Any]]:
    """The records of a result that is a list or contains exactly one list."""
    lists = [value] if isinstance(value, list) else [one for one in value.values() if isinstance(one, list)]
    return [row for row in lists[0] if isinstance(row, Mapping)] if len(lists) == 1 else []


def _as_named(rows: list[Mapping[str, Any]], question: str) -> list[Mapping[str, Any]]:
    """The records in the order in which the agent named them; unchanged if it named fewer than two."""
    named = f" {plain(question)} "
    texts = [{f" {plain(str(leaf))} " for leaf in results.leaves(row)} - {"  "} for row in rows]
    own = [each - set().union(*(other for other in texts if other is not each)) for each in texts]
    places = [min((named.find(text) for text in each if text in named), default=-1) for each in own]
    ordered = sorted((at, number) for number, at in enumerate(places) if at >= 0)
    return [rows[number] for _, number in ordered] if len(ordered) > 1 else rows


def _holds(field: Field, case: Case, entry: Said, row: Mapping[str, Any]) -> bool:
    alone = entry.model_copy(update={"value": row})
    return any(equals(field, value) for _, value in results.values([alone], field, case.nik, case.lexicon))


MOST = 24
"""The most words of an answer; a longer message is about more than one field."""
_PEOPLE = SELF.union(word for known in RELATIONS.values() for phrase in known for word in phrase.split())
_DETECTION = all_words().detection


def answers(field: Field, case: Case) -> Iterator[Claim]:
    """Claims from answers to a question for this field alone, whether they state the value or another one, and from
    answers with as many parts as the question named fields, where a part states exactly the value."""
    for turn, question, repeated_back in _questions(case):
        alone = isinstance(question.value, Mapping) and question.value.get(host_questions.ASKED) == field.path
        if alone and (text := _answer(turn, case.said)) is not None:
            yield Claim(turn.order, Mood.SAID, _says(field, text, turn))
        if field.path in repeated_back and turn.heard.affirms:  # before what the message itself says (`ya, tapi RT 6`)
            yield Claim(question.order, Mood.SAID, equals(field, repeated_back[field.path]))
    for each, part in _parts(case).get(field.key, ()) if field.kind not in SIXTEEN else ():
        whole = field.kind == "boolean" and _says(field, " ".join(part), each)
        whole = whole or (field.kind == "text" and _PEOPLE.isdisjoint(part) and texts.saying(str(field.value))(part))
        if whole or any(_only(part, span) for span in spans(field, part, each.day)):
            yield Claim(each.order, Mood.SAID, True)


@once
def _questions(case: Case) -> Sequence[tuple[Turn, Said, Mapping[str, Any]]]:
    """(a message, this tool's question directly before it, the values that the question repeats by path) of each."""
    found: list[tuple[Turn, Said, Mapping[str, Any]]] = []
    question: Said | None = None
    for entry in sorted(case.said, key=lambda entry: entry.order):
        if entry.by == "agent":
            question = entry if entry.tool == case.tool else None
        elif entry.by == "citizen":
            if question is not None and (turn := case.by_order.get(entry.order)) is not None:
                found.append((turn, question, host_questions.offered(question)))
            question = None
    return found


@once
def _parts(case: Case) -> Mapping[str, Sequence[tuple[Turn, Sequence[str]]]]:
    """{field key: [(turn, the words of the answer that correspond to the field in the question)]}."""
    found: dict[str, list[tuple[Turn, Sequence[str]]]] = {}
    for turn in case.turns:
        for key, words in _parted(case, turn) if turn.asked else ():
            found.setdefault(key, []).append((turn, words))
    return found


@remembered
def _parted(case: Case, turn: Turn) -> Sequence[tuple[str, Sequence[str]]]:
    """(field key, words) for each part of an answer; empty if the parts don't match the fields asked for by name."""
    wanted = _asked_by_name(case, turn.question)
    if not wanted or turn.heard.moods != {Mood.SAID}:
        return ()
    parts: dict[tuple[int, int, int], list[str]] = {}
    for number, each in enumerate(turn.heard.sentences):
        joined = 0
        for word, clause in zip(each.words, each.clauses, strict=True):
            joined += word in _PACK.joins
            parts.setdefault((number, clause, joined) if len(wanted) > 1 else (0, 0, 0), []).append(word)
    said = list(parts.values())
    if len(said) > len(wanted) > 1 and case.form.shapes[wanted[-1]].addresses:  # an address may contain commas
        said = [*said[: len(wanted) - 1], [word for part in said[len(wanted) - 1 :] for word in part]]
    return tuple(zip(wanted, said, strict=True)) if len(said) == len(wanted) else ()


@remembered
def _asked_by_name(case: Case, question: str) -> Sequence[str]:
    """The keys of the fields that a question names, in order; empty if one is ambiguous or another person is mentioned.

    `Siapa nama Ibu?` gives nothing: it may ask for the name of the person addressed.
    """
    named = case.form.names.asked(question)
    keys = [key for one in named for key in one.keys]
    own = {word for key in keys for word in case.form.shapes[key].words}
    people = {word for each in case.read(question)[0].sentences for word in _people(each)}
    alone = all(one.plain and len(one.keys) == 1 for one in named)
    spoken_to = len({case.form.shapes[key].person for key in keys}) < 2 and not SALUTATIONS.isdisjoint(own)
    else_ = of_a_thing(*case.read(question), case.form)
    return keys if alone and people <= own and not (spoken_to or else_) else ()


def _people(sentence: Sentence) -> Iterator[str]:
    """The words for a person: a relation, or the owner of something (`the doctor's name`)."""
    for mark in sentence.marks:
        if mark.cue is Cue.RELATION:
            yield from sentence.words[mark.start : mark.end]
    owners = (whose for _, whose, _ in sentence.people if whose is not None and whose.startswith(SOMEBODY))
    yield from (whose.removeprefix(SOMEBODY) for whose in owners)


def _only(words: Sequence[str], span: Span) -> bool:
    """Whether the words state only the value and mention no person beside it (`… itu ibu saya`)."""
    return span.supports and alone(words, span) and _PEOPLE.isdisjoint((*words[: span.start], *words[span.end :]))


def _answer(turn: Turn, said: Sequence[Said]) -> str | None:
    """The message's text; None if it is a question, supposed, quoted, too long or in a language of a pack."""
    text = next(entry.text for entry in said if entry.order == turn.order)
    written = fold(text)
    if own_words(text) != text or "?" in normal(text) or "\n" in text.strip() or not 0 < len(written) <= MOST:
        return None
    known = sum(word in _DETECTION for word in written)
    understood = len(written) > 1 and 2 * known >= len(written)
    return None if understood or turn.heard.moods - {Mood.SAID} else text


def _says(field: Field, text: str, turn: Turn) -> bool:
    """Whether an answer states the field's value."""
    words = folded_tokens(text)
    if field.kind == "choice" and len(words) == 1 and words[0].isdecimal() and len(words[0]) <= _PLACE_DIGITS:
        place = int(words[0]) - 1
        listed = field.enum.values[place : place + 1] if place >= 0 else ()
        return choices.canonical(str(field.value), field.enum) in listed
    if field.kind == "boolean":
        return not asks_not(turn) and (assents(text) if field.value is True else refuses(text))
    if field.kind in NEIGHBOURHOOD:
        return within(field, words, turn.day)
    found = list(spans(field, words, turn.day))
    return bool(found) and all(span.supports for span in found)
