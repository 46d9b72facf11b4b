"""What a question's words say about its query: labels, filters, relationships, what to return. Data and rules.

The rules use words of languages (languages/*.toml) and of the graph (lexicon), never specific questions. What they
can't decide, e.g. the direction of a prerequisite or which of two labels a filter belongs to, is left to the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from servers.text2cypher.graph.schema import FLOAT, INTEGER, GraphSchema
from servers.text2cypher.linking.amounts import number_of
from servers.text2cypher.linking.asks import Ask, Wording, is_cued
from servers.text2cypher.linking.directions import End, end_of_asked, ends_of_values
from servers.text2cypher.linking.filters import Conditions, Filter, Span, Words, blanked
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import Lexicon
from servers.text2cypher.linking.meaning import Meanings
from servers.text2cypher.linking.names import function_words, parts, root, roots, spaced, spans_of
from servers.text2cypher.linking.naming import Naming
from servers.text2cypher.linking.order import each, ends_of_loops, focus, is_said_once, without_asides
from servers.text2cypher.linking.values import Mention, ValueIndex, folded


@dataclass(frozen=True)
class Hints:
    """Everything found. `labels` and `properties` in question order; `relations`: name → how often."""

    question: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    relations: dict[str, int]
    asks: frozenset[Ask]
    filters: tuple[Filter, ...]
    having: tuple[str, int] | None
    mentions: tuple[Mention, ...]
    focus: str | None = None  # the label asked for, if the wording is clear
    each: str | None = None  # the label or property after "setiap"
    masked: str = ""  # the question with stored values masked
    unknown: tuple[tuple[str, str], ...] = ()  # (label, name) of named things not in the graph
    value_ends: tuple[tuple[str, End], ...] = ()  # (stored value, its end of a relationship)
    asked_end: End | None = None  # the relationship's end that is asked about
    limit: int | None = None  # the number asked for: "the first three"
    related: tuple[str, ...] = ()  # names with a root in the question: "directors" for DIRECTED
    of_label: tuple[tuple[str, str], ...] = ()  # adjacent (property, label): "nama mata kuliahnya"
    likened: tuple[tuple[str, str, float], ...] = ()  # (unknown word, nearest name by embedding, similarity)
    repeated: tuple[str, ...] = ()  # labels that the question repeats
    first: str = ""  # the first label or property in it
    sequence: tuple[str, ...] = ()  # labels (also of values) and relationships, in question order
    aside: tuple[str, ...] = ()  # content words of dropped remarks about the asker
    within: tuple[str, ...] = ()  # relationships named only within a property's name

    @property
    def names_something(self) -> bool:
        """False if no word of the question is known to belong to this graph."""
        return bool(self.labels or self.mentions or self.properties or self.relations or self.related)

    @property
    def indirect(self) -> bool:
        """True if steps of any number are asked for."""
        return bool(self.asks & {Ask.INDIRECT, Ask.ONLY_INDIRECT})


class Linker:
    """Links questions to one graph; pure after construction."""

    def __init__(self, schema: GraphSchema, lexicon: Lexicon, values: ValueIndex) -> None:
        self.schema, self.lexicon, self.values = schema, lexicon, values
        self.naming = Naming(schema, values)
        self.wording = Wording(schema, lexicon)
        self._conditions = Conditions(schema, lexicon, values, self.naming, self.wording)
        self._named = {**lexicon.properties, **lexicon.labels}
        self.label_roots = roots(*schema.labels)
        """The roots of the words in labels."""
        self.function = function_words(schema.relationships)
        """The languages' function words that name no relationship of this graph."""
        self.kind_roots = roots(*schema.relationships) - roots(*self.function)
        """The roots of the words in relationships, without function words (`PART_OF`)."""
        self._roots = [(self.telling(name), name) for name in (*schema.labels, *schema.relationships)]
        named = {held for roots, _ in self._roots for held in roots}
        self._taken_roots = named | {root(word) for phrase in languages().cues for word in phrase.split()}
        told = ((self._roots_of_property(name, named), name) for name in schema.properties)
        self._property_roots = [(held, name) for held, name in told if held]
        self._as = self.wording.compiled(r"\b‹such_as›\s+$")  # `needs … as a prerequisite` says it once
        self._counting = self.wording.compiled(r"\b‹count_said›(?=(?:\W+\w+){0,2}?\W+‹label›)")
        self._count_of = self.wording.compiled(r"\b(\w+)\s+‹count_of›\b")
        numbers = {name for types in schema.nodes.values() for name, kind in types.items() if kind in (INTEGER, FLOAT)}
        self._numbers: dict[str, list[str]] = {}
        for name in sorted(numbers):
            self._numbers.setdefault(root(parts(name)[-1]), []).append(name)
        self._known = {**self._named, **lexicon.relationships}
        self.measured = [
            (word, name)
            for word, called in languages().measures
            for name in schema.properties
            if root(called) in roots(name)
        ]
        self._words = {*self._known, *(phrase for phrase, _ in lexicon.also)}
        self._meanings = Meanings(self._known, lexicon.words)

    def link(self, question: str, likened: tuple[tuple[str, str, float], ...] | None = None) -> Hints:
        """The hints for one question; their `question` has spoken forms replaced by written ones.

        `likened`: the unknown words that are near a name, if they are known (each takes an embedding).
        """
        question = self._counts_by_name(languages().written(question))
        mentions = self._mentions(question)
        known = self._meanings.written(question, [(held.start, held.end) for held in mentions])
        if known != question:
            question, mentions = known, self._mentions(known)
        masked, aside = blanked(question, mentions, "¤"), list[str]()
        led = without_asides(self.wording, question, masked, mentions, self._words)
        if led != question:
            said = (word for word in re.findall(r"\w+", question) if word.lower() not in languages().function)
            aside = [word for word in said if word.lower() not in led.lower()]
            question, mentions = led, self._mentions(led)
            masked = blanked(question, mentions, "¤")
        counting = [held.span() for held in self._counting.finditer(masked)]
        properties = [held for held in spans_of(masked, self.lexicon.properties) if not _is_in(held, counting)]
        labels = [
            held
            for held in spans_of(masked, self.lexicon.labels)
            if not _is_in(held, [(s, e) for s, e, name in properties if name not in self.schema.nodes[held[2]]])
        ]
        kinds = spans_of(masked, self.lexicon.relationships)
        free = [held for held in kinds if not _is_in(held, [(start, end) for start, end, _ in properties])]
        again = [kind for start, _, kind in free if self._as.search(masked[:start])]
        pairs = is_cued(masked, {"pairs"})  # pairs are named by both ends
        again += [one[2] for one, other in pairwise(free) if pairs or is_said_once(masked, one, other)]
        times = Counter(kind for _, _, kind in free)
        relations = {kind: max(number - again.count(kind), 1) for kind, number in times.items()}
        asks = self.wording.asks(blanked(masked, [held for held in properties if _is_long_name(held, masked)]))
        stated = self._conditions.stated(Words(question, masked, mentions, labels, properties, asks))
        things = {(*span, name) for *span, label in labels for name in self.naming.others_of(label)}
        asked = tuple(dict.fromkeys(one[2] for one in properties if one[0] not in stated.used and one not in things))
        of_filters = [(held.start, held.label) for held in stated.filters]
        likened = self._meanings.likened(masked) if likened is None else likened
        found_labels = tuple(dict.fromkeys([*(name for _, _, name in labels), *(name for _, name in of_filters)]))
        directions = [*self.lexicon.directions.values()] if relations else []
        value_ends, asked_end = ends_of_values(masked, mentions, directions), end_of_asked(masked, directions)
        if Ask.YES_NO in asks and asked_end and len(mentions) == 1 and not value_ends:
            value_ends, asked_end = {mentions[0].value: asked_end}, None  # `has … a prerequisite?` asks about it
        return Hints(
            question,
            found_labels or self._owners(asked, relations),
            asked,
            relations,
            asks,
            stated.filters,
            stated.having,
            tuple(mentions),
            focus(self.wording, masked, labels),
            each(self.wording, masked, [*labels, *properties, *ends_of_loops(free, self.schema)]),
            masked,
            self._unknown(masked, labels),
            tuple(value_ends.items()),
            asked_end,
            self._limit(masked),
            tuple(dict.fromkeys([*self._related(masked), *(name for _, name, _ in likened)])),
            self._pairs(masked, [held for held in properties if held[0] not in stated.used], labels),
            likened,
            self._repeated(labels, properties),
            next((name for _, _, name in sorted([*labels, *properties])), ""),
            tuple(name for _, name in sorted([*of_filters, *((start, name) for start, _, name in [*labels, *free])])),
            tuple(aside),
            tuple({kind for _, _, kind in kinds} - relations.keys()),
        )

    def _mentions(self, question: str) -> list[Mention]:
        after = [_next_word(question, end) for _, end, _ in spans_of(question, self._named)]
        return self.values.find(question, after, self._known)

    def _counts_by_name(self, question: str) -> str:
        """Replaces `follower count` by the stored number's name (`followers`), so that nothing is counted."""

        def called(found: re.Match[str]) -> str:
            names = self._numbers.get(root(found[1]), [])
            return spaced(names[0]) if len(names) == 1 and found[0].lower() not in self.lexicon.properties else found[0]

        return self._count_of.sub(called, question)

    def is_to_write(self, hints: Hints) -> bool:
        """True for `delete all products`, but not for `set of products`, where the word is a noun."""
        thing = r"(?:¤|(?:‹label›|‹property›|‹relation›)(?!\w))"
        passed = r"(?:\s+(?!(?:‹preposition›|‹joins›)\b)[\w'’-]+)"
        pattern = rf"^\W*‹writes›\b(?:{passed}{{0,3}}?\s+{thing}|{passed}{{1,4}}\W*$)"
        return bool(self.wording.compiled(pattern).search(hints.masked))

    def supposing(self, hints: Hints) -> Iterator[Hints]:
        """Hints, most likely first: without unknown words, then with relationships implied by a verb.

        `What is covered in …` implies a relationship that way.
        """
        spans = [(held.start, held.end) for held in hints.mentions]
        bare = self._meanings.bare(hints.question, spans, {word for word, _, _ in hints.likened})
        read = self.link(bare, hints.likened) if bare != hints.question else replace(hints, aside=())
        yield read
        said = f" {folded(hints.masked)} "
        for kind in dict.fromkeys(name for phrase, name in self.lexicon.also if f" {phrase} " in said):
            if kind in self.schema.relationships and kind not in read.relations:
                yield replace(read, relations={**read.relations, kind: 1})

    def _limit(self, masked: str) -> int | None:
        found = self.wording.compiled(r"\b‹limit_before›\W+(\w+)|\b(\w+)\W+(?:\w+\W+)??‹limit_after›\b").search(masked)
        number = number_of((found[1] or found[2]).lower(), self.lexicon) if found else None
        return int(number) if number else None

    def _related(self, masked: str) -> tuple[str, ...]:
        """Labels and relationships with a root in the question, and properties with all roots in it."""
        words = re.findall(r"\w+", masked.lower())
        roots = {root(word) for word in words if word not in self.function}
        own = {root(word): self.lexicon.properties.get(word) for word in words}  # `followers` are no `following`
        shared = [(held & roots, held <= roots, name) for held, name in self._roots if held & roots]
        kinds = {*self.schema.relationships}
        # `the primary suspect` names IS_PRIMARY_SUSPECT, not IS_SECONDARY_SUSPECT; `mentions` no RT_MENTIONS
        found = [name for said, whole, name in shared if whole or not any(said < o for o, all_, _ in shared if all_)]
        alike = [(said, name) for said, _, name in shared if name in kinds]
        found = [n for n in found if not any(other in n and other != n and (s, n) in alike for s, other in alike)]
        whole = [
            name
            for held, name in self._property_roots
            if held <= roots and any(own[one] in (None, name) for one in held)
        ]
        # `the price` of the only number that ends so: unitPrice
        heads = [
            names[0] for head, names in self._numbers.items() if head in roots - self._taken_roots and len(names) == 1
        ]
        return tuple(dict.fromkeys([*found, *whole, *heads]))

    def telling(self, name: str) -> set[str]:
        """The roots of a name's words without function words."""
        return {root(part) for part in parts(name) if part not in self.function and len(part) > 2}

    def _roots_of_property(self, name: str, others: set[str]) -> set[str]:
        """The roots that mean a property: `views` for `view count`, but not `answers` for `answer count` if a label."""
        counting = {root(part) for part in parts(name) if languages().cues.get(part, frozenset()) & {"count", "sum"}}
        bare = self.telling(name) - counting
        return bare if bare and not bare & others else self.telling(name)

    def _pairs(self, masked: str, properties: list[Span], labels: list[Span]) -> tuple[tuple[str, str], ...]:
        """(property, label) if the property's word directly precedes the label's."""
        joined = self.wording.compiled(r"\s+(?:‹of› )?")
        return tuple(
            (name, label)
            for _, end, name in properties
            for start, _, label in labels
            if end < start and joined.fullmatch(masked[end:start])
        )

    def _repeated(self, labels: list[Span], properties: list[Span]) -> tuple[str, ...]:
        """Labels that occur twice; `product names of products` and `product categories by products` have only one."""
        inside = [(start, end) for start, end, _ in properties]
        inside += [(start, end + 1) for start, end, _ in labels if any(end + 1 == other for other, _, _ in labels)]
        times = Counter(held[2] for held in labels if not _is_in(held, inside))
        return tuple(name for name, number in times.items() if number > 1)

    def _unknown(self, masked: str, labels: list[Span]) -> tuple[tuple[str, str], ...]:
        """(label, name) for an unstored capitalised name directly after a label: `mata kuliah Fisika Kuantum`.

        Names with a known word are skipped: `Which Suppliers Supply More …` is only title case.
        """
        pattern = self.wording.compiled(
            r"\s+(?:‹named›\s+)?((?:(?-i:[A-Z])\w+)(?:\s+(?:‹joins›\s+)?(?-i:[A-Z])\w+){0,5})"
        )
        named = ((label, pattern.match(masked[end:])) for _, end, label in labels)
        return tuple((label, held[1]) for label, held in named if held and not self._meanings.knows(held[1]))

    def _owners(self, properties: tuple[str, ...], relations: dict[str, int]) -> tuple[str, ...]:
        """For a question that names no label, the label that has what it asks for."""
        for kind in relations:
            return self.schema.ends(kind)[0][:1]
        owners = [label for label, types in self.schema.nodes.items() if properties and set(properties) <= set(types)]
        return tuple(owners[:1])


def _is_in(span: Span, longer: Sequence[tuple[int, int]]) -> bool:
    """True if a longer span contains it: `country` in `bank country`."""
    start, end, _ = span
    return any(low <= start and end <= high and end - start < high - low for low, high in longer)


def _is_long_name(span: Span, text: str) -> bool:
    """True for a name of several words as in the graph, so that the `count` in `view count` asks for nothing."""
    words = text[span[0] : span[1]].lower().replace("_", " ").split()
    return len(words) > 1 and {root(word) for word in words} == roots(span[2])


def _next_word(question: str, end: int) -> int:
    match = re.compile(r"\W*").match(question, end)
    return match.end() if match else end
