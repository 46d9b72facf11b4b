"""The evidence of one tool call, and how a statement in it becomes a claim. Judges no values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from typing import Any, TypeVar

from agentd.agent.aside import spend
from agentd.apps.letters.evidence.claims.host_questions import agrees, person_asked, unquoted
from agentd.apps.letters.evidence.fields import asked
from agentd.apps.letters.evidence.fields.field import NO_TOOL, Field, Form, Tool
from agentd.apps.letters.evidence.fields.named import Named, among, bounded, narrow
from agentd.apps.letters.evidence.fields.spans import TEXTS, Span, spans
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.evidence.reading.heard import Heard, heard
from agentd.apps.letters.evidence.reading.lexicon import Cue
from agentd.apps.letters.evidence.reading.pasted import typed
from agentd.apps.letters.evidence.reading.persons import CITIZEN, FAMILY, SOMEBODY
from agentd.apps.letters.evidence.reading.readings import Caching, Readings, once, remembered
from agentd.apps.letters.evidence.reading.segments import Claim
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.messages import Said

Json = Any
CLAUSE = 24
"""How many words around a value may say which field it belongs to."""
_BEHIND = 6
"""How many words after a value may contain a field's name."""
_RECENT = 5
"""How many earlier field names may resolve an ambiguous question."""


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A message of the citizen, its reading, the question before it, and the fields that each sentence names.

    Built once per session; later calls get the same object.
    """

    order: int
    text: str
    heard: Heard
    asked: tuple[frozenset[str], ...]
    question: str
    named: tuple[tuple[Named, ...], ...]
    day: date
    """The date of the message, from which `besok` counts."""
    of: str | None = None
    """The person whom the conversation was about before it, if this message continues."""
    before: tuple[frozenset[str], ...] = ()
    """Field names in the last messages before it, newest first."""
    spoken: tuple[frozenset[str], ...] = field(init=False)
    """The same, including this message."""
    wanted: frozenset[str] = field(init=False)
    """The fields that the question asks for, by all its names together."""
    owners: tuple[str | None, ...] = field(init=False)
    """The persons it mentions, with None for the citizen."""

    def __post_init__(self) -> None:
        named = (one.keys for sentence in reversed(self.named) for one in reversed(sentence))
        object.__setattr__(self, "spoken", (*named, *self.asked, *self.before)[:_RECENT])
        object.__setattr__(self, "wanted", narrow(self.asked, frozenset().union(*self.asked)))
        object.__setattr__(self, "owners", tuple(who for each in self.heard.sentences for _, who, _ in each.people))

    def asks_for(self, key: str) -> bool:
        """Whether the question before it may ask for a field."""
        return any(key in keys for keys in self.asked)

    def sentences(self) -> Iterator[tuple[Sentence, tuple[Named, ...], tuple[Named, ...]]]:
        """Yields (sentence, the fields it names, those that the last naming sentence before it names)."""
        before: tuple[Named, ...] = ()
        for sentence, named in zip(self.heard.sentences, self.named, strict=True):
            yield sentence, named, before
            before = named or before


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A span of a sentence that may be a value, with the fields named in it, near it and in the sentence before."""

    case: Case
    turn: Turn
    sentence: Sentence
    named: Sequence[Named]
    near: Sequence[Named]
    before: Sequence[Named]
    span: Span

    @property
    def clause(self) -> int:
        return self.sentence.clauses[self.span.start]

    def around(self) -> Iterator[int]:
        """The indices of the words of its clause, within reach."""
        return (at for at in self.reach() if self.sentence.clauses[at] == self.clause)

    def reach(self) -> range:
        """The indices of the words near it."""
        return range(max(0, self.span.start - CLAUSE), min(len(self.sentence.words), self.span.end + CLAUSE))


State = TypeVar("State", bound=Hashable)
Reader = Callable[[Field, "Case", Turn, State], tuple[Sequence[Claim], State]]


class Case(Caching):
    """One call's evidence: the conversation, the tool results and the form to fill."""

    def __init__(
        self,
        said: Sequence[Said],
        form: Form,
        readings: Readings,
        quotes: Mapping[str, str] | None = None,
        tool: Tool = NO_TOOL,
    ) -> None:
        super().__init__(readings, form.names)
        self.said, self.form, self.tool, self.vocabulary = said, form, tool.name, tool.vocabulary
        self._asking, self._titles = tool.asking, Phrasebook(tool.asking)
        self._quotes = quotes or {}
        day = max((entry.day for entry in said), default="")
        self.today = date.fromisoformat(day) if day else date.today()
        self.lexicon, self.labels = form.lexicon, form.labels
        self.nik: str | None = None
        """The NIK of this call, once proven."""

    def quote(self, field: Field) -> str | None:
        """The model's quotation for a field; an object's quotation applies to each of its fields."""
        return self._quotes.get(field.path) or self._quotes.get(field.path.partition(".")[0])

    @cached_property
    def forms(self) -> Sequence[tuple[int, Mapping[str, Json]]]:
        """Answers given as a JSON object, each with its message's order: values that an officer typed into a form."""
        read = ((entry.order, typed(entry.text)) for entry in self.said if entry.by == "citizen")
        return [(order, values) for order, values in read if values is not None]

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Each message of the citizen, with the fields that the agent had asked for."""
        found: list[Turn] = []
        question = ""
        spoken: tuple[frozenset[str], ...] = ()
        of: str | None = None
        for entry in sorted(self.said, key=lambda entry: entry.order):
            if entry.by == "agent":
                question = unquoted(entry) if person_asked(entry, self.tool) is None else ""
            elif entry.by == "citizen" and not entry.text.lstrip().startswith("{"):
                key = (entry.order, entry.text, entry.day, question, spoken, of)
                found.append(turn := self.remember((Turn, self.today, *key), partial(self._turn, *key)))
                spoken, question = turn.spoken, ""
                of = turn.heard.subject or (turn.owners[-1] if turn.owners else turn.of)
        return tuple(found)

    def claims(self, reader: Reader[State], field: Field, state: State) -> Iterator[Claim]:
        """The claims of all messages about a field, in order; each message is read once per session.

        `reader` returns a message's claims and the state for reading the next one.
        """
        known: dict[Any, tuple[Sequence[Claim], State]] = self.kept(reader, field)
        for turn in self.turns:
            if (turn, state) not in known:
                known[turn, state] = reader(field, self, turn, state)
            claims, state = known[turn, state]
            yield from claims

    def kept(self, reader: object, field: Field) -> dict[Any, Any]:
        """The session's cache of what a message reader found for a field."""
        around = self.subject, self.aliases, self.tool, self.vocabulary, self.turns[:1]
        return self.remember((reader, field.path, str(field.value), field.person, around), dict[Any, Any])

    def places(self, field: Field, turn: Turn) -> list[Place]:
        """Where a message holds values of the field's kind; looked for once."""
        key = (self.find, field.path, str(field.value), field.past, turn)
        return self.cached(key, lambda: list(self.find(field, turn)))

    def stated(self, field: Field, turn: Turn) -> list[Place]:
        """The places where a message states exactly this value."""
        return [place for place in self.places(field, turn) if place.span.supports]

    def stated_anywhere(self, field: Field) -> list[Place]:
        """The places where any message states exactly this value; cached for this call."""
        known = self._spans(field)
        turns = (turn for turn in self.turns if known.get((turn.text, turn.day)) != [])
        key = (self.stated_anywhere, field.path, str(field.value), field.past)
        return self.cached(key, lambda: [place for turn in turns for place in self.stated(field, turn)])

    def find(self, field: Field, turn: Turn) -> Iterator[Place]:
        """The places of values in any turn, including the agent's words read as a turn."""
        known = self._spans(field)
        key = (turn.text, turn.day)
        if key not in known:
            spend()
            found = (self._held(field, sentence.words, turn.day) for sentence in turn.heard.sentences)
            known[key] = [(number, span) for number, each in enumerate(found) for span in each]
        sentences = list(turn.sentences()) if known[key] else []
        return (self.place(turn, *sentences[number], span) for number, span in known[key])

    def _held(self, field: Field, words: Sequence[str], day: date) -> list[Span]:
        """The spans of a value in a sentence, without texts that only ask for the tool (`surat hewan peliharaan`)."""
        found = spans(field, words, day)
        if not found or field.kind not in TEXTS:
            return found
        asking = {place for at, title in self._titles.find(words) for place in range(at, at + len(title))}
        return [span for span in found if not asking.issuperset(range(span.start, span.end))]

    def _spans(self, field: Field) -> dict[tuple[str, date], list[tuple[int, Span]]]:
        """{(text, day): (sentence number, span)} for a value, cached for the session."""
        key = (spans, field.kind, str(field.value), field.enum, field.common, field.past, field.unit, self._asking)
        return self.remember(key, dict[Any, Any])

    def place(
        self, turn: Turn, sentence: Sentence, named: Sequence[Named], before: Sequence[Named], span: Span
    ) -> Place:
        near = among(named, range(span.start - CLAUSE, span.end + _BEHIND))  # `work address: …` names nothing before it
        behind, words = span.end, sentence.words  # `jam 7 sampai 10` says when another thing ends
        near = [one for one in near if one.start < behind or words[one.end : one.end + 1] != [":"]]
        near = [one for one in near if one.start < behind or not bounded(words[behind : one.end])]
        return Place(self, turn, sentence, named, near, before, span)

    @cached_property
    def by_order(self) -> Mapping[int, Turn]:
        """The citizen's messages by order; forms, tool results and rules are not included."""
        return {turn.order: turn for turn in self.turns}

    def _turn(
        self, order: int, said: str, day: str, question: str, before: tuple[frozenset[str], ...], of: str | None
    ) -> Turn:
        wanted, people = self._asks(asked.unlisted(question))
        text = asked.completed(said, wanted, self.form)
        read, named = self.read(text)
        when = date.fromisoformat(day) if day else self.today
        if read.another and question and not wanted:
            wanted = asked.repeated(question, when, before, self.form)
        someones = any(whose == SOMEBODY for each in read.sentences for _, whose, _ in each.people)
        of = of if someones or not (wanted or all(not each.labels for each in read.sentences)) else None
        if len(people) == 1 and wanted and people <= FAMILY:
            (of,) = people
        return Turn(order, text, read, wanted, question, named, when, of, before)

    @remembered
    def _asks(self, question: str) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
        about, named = self.read(question)
        return asked.asked(question, about, named, self.form), asked.asked_of(about)

    @remembered
    def asks(self, question: str) -> tuple[asked.Question, ...]:
        """The (label, person) pairs that a question names."""
        return asked.labels(question, self.read(question)[0], self.form)

    @once
    def labels_asked(self, question: str) -> frozenset[str]:
        """The labels that a question names, without persons."""
        return frozenset(label for label, _ in self.asks(question))

    @remembered
    def read(self, text: str) -> tuple[Heard, tuple[tuple[Named, ...], ...]]:
        """A message's reading, with the fields that each sentence names."""
        spend()
        read = heard(text, self.lexicon)
        return read, tuple(tuple(self._named(sentence)) for sentence in read.sentences)

    def _named(self, sentence: Sentence) -> Iterator[Named]:
        """The fields that a sentence names, except inside fixed phrases (`guru agama`)."""
        fixed = {at for mark in sentence.marks if mark.cue is Cue.FIXED for at in range(mark.start, mark.end)}
        return (one for one in self.form.names.find(sentence.words) if one.start not in fixed)

    @cached_property
    def subject(self) -> tuple[str | None, int]:
        """(the person the letter is for, None for the citizen; the order of the last message that says so)."""
        who, order = CITIZEN, 0
        asked: str | None = None
        for entry in () if self.form.for_others else sorted(self.said, key=lambda entry: entry.order):
            if entry.by == "agent":
                asked = person_asked(entry, self.tool)
            elif (turn := self.by_order.get(entry.order)) is not None:
                agreed = asked if asked is not None and agrees(turn.heard, asked) else None
                if (said := turn.heard.subject or agreed) is not None:
                    who, order = said, turn.order
                asked = None
        return (None if who == CITIZEN else who), order

    @cached_property
    def aliases(self) -> frozenset[tuple[str, str]]:
        """(relation, role) for everybody to whom the citizen gave a role."""
        return frozenset().union(*(turn.heard.aliases for turn in self.turns))
