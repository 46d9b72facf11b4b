"""What a question's words say about its query: labels, filters, relationships, what is to be returned. Data and rules.

The rules are about Indonesian (and some English) words, never about particular questions. What they can't decide, the
direction of a prerequisite or which of two labels a filter belongs to, they leave open for the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from servers.text2cypher.graph.schema import FLOAT, INTEGER, GraphSchema
from servers.text2cypher.linking.directions import End, end_of_asked, ends_of_values
from servers.text2cypher.linking.lexicon import Lexicon
from servers.text2cypher.linking.values import Mention, Place, ValueIndex


class Ask(Enum):
    """What a question wants done with what it finds."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "avg"
    MINIMUM = "min"
    MAXIMUM = "max"
    COLLECT = "collect"
    GROUP = "group"
    ORDER = "order"
    DESCENDING = "descending"
    MOST = "most"
    FEWEST = "fewest"
    YES_NO = "yes or no"
    NOT = "not"
    INDIRECT = "indirect"
    ONLY_INDIRECT = "only indirect"


_ASKS: dict[Ask, str] = {
    Ask.COUNT: r"berapa (?:banyak|jumlah|mata|topik|buah)|ada berapa|berapa .{0,40}\bada\b"
    r"|hitung(?:lah)? (?:jumlah|banyak)|berapa kali|banyaknya|jumlah (?!sks|kredit|bobot)|how many"
    r"|berapa (?:yang|learning|student)|, berapa",
    Ask.SUM: r"total|jumlahkan|jumlah (?:sks|kredit|bobot)|sum of",
    Ask.AVERAGE: r"rata-rata|rerata|rata rata|average",
    Ask.MINIMUM: r"(?:terkecil|terendah|minimum|paling (?:kecil|rendah|sedikit))",
    Ask.MAXIMUM: r"(?:terbesar|tertinggi|maksimum|paling (?:besar|tinggi))",
    Ask.COLLECT: r"kumpulkan|himpun|gabungkan|daftarkan .* per\b|collect",
    Ask.GROUP: r"\bsetiap|\btiap|masing-masing|\bper (?!tanyaan)|kelompokkan|dikelompokkan|each",
    Ask.ORDER: r"urut|sortir|menurut abjad|order by|sort",
    Ask.DESCENDING: r"dari (?:yang )?(?:ter|paling )?(?:besar|tinggi|banyak|akhir)|menurun|descending|z ke a"
    r"|(?:ter|paling )(?:besar|tinggi|banyak) ke",
    Ask.MOST: r"paling banyak|terbanyak|paling besar|terbesar|tertinggi|paling tinggi|paling panjang|most",
    Ask.FEWEST: r"paling sedikit|tersedikit|paling kecil|terkecil|terendah|paling rendah|fewest",
    Ask.YES_NO: r"^\W*(?:apakah|adakah|benarkah|is|are|does)\b",
    Ask.NOT: r"\btidak (?:memiliki|punya|mempunyai|termasuk|menjadi|ada|membutuhkan|mensyaratkan|memerlukan|mendukung"
    r"|dalam|masuk)|\btanpa\b|\bbelum\b|\bbukan\b|\bselain\b|\bwithout\b",
    Ask.INDIRECT: r"tidak langsung|berantai|rantai|secara langsung (?:atau|maupun|dan)|indirect",
    Ask.ONLY_INDIRECT: r"(?<!maupun )(?<!atau )(?<!dan )(?<!ataupun )tidak langsung",
}
_COMPARISONS = (
    (r"(?:lebih dari|di atas|melebihi|lebih besar dari|more than|>)\s*$", ">"),
    (r"(?:kurang dari|di bawah|lebih kecil dari|less than|<)\s*$", "<"),
    (r"(?:minimal|sedikitnya|paling sedikit|setidaknya|sekurang-kurangnya|at least|>=)\s*$", ">="),
    (r"(?:maksimal|paling banyak|sebanyak-banyaknya|at most|<=)\s*$", "<="),
)


_OPENERS = "sebutkan|tampilkan|daftar|tunjukkan|berikan|cari|carilah|berapa|jumlah|banyak"
_SMALL = "yang|bernama|adalah|pada|dari|di|dengan|nya|mata|kuliah|termasuk"
_BEFORE_NUMBER = "yang|ke|nya|lebih|dari|di|atas|bawah|besar|kecil|kurang|minimal|maksimal|adalah|sama|dengan|=|>|<"
_WAYS = {"diawali": "STARTS WITH", "dimulai": "STARTS WITH", "diakhiri": "ENDS WITH", "berakhir": "ENDS WITH"}
_PART_OF_TEXT = re.compile(
    r"(?:mengandung|berisi|(?P<way>diawali|dimulai|diakhiri|berakhir))(?: dengan)?(?: kata| huruf| teks)? "
    r"(?P<what>['\"“](?P<quoted>[^'\"”]+)['\"”]|(?P<word>[A-Z]\w*))"
)
_RANGE = re.compile(r"\W*(?:sampai|hingga|s/d|s\.d\.|–|-|to)(?: dengan)?(?:\s+semester)?\W*")
_SAME_PHRASE = 12  # characters between two words for one thing, as in `bobot 2 SKS`


@dataclass(frozen=True)
class Filter:
    """A condition the question states. `values` has several for IN; operator `null`/`not null` has none."""

    label: str
    property: str
    operator: str
    values: tuple[str | int, ...]
    start: int = 0


@dataclass(frozen=True)
class Hints:
    """Everything found. `labels` and `properties` in the order of the question; `relations` name → how often."""

    question: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    relations: dict[str, int]
    asks: frozenset[Ask]
    filters: tuple[Filter, ...]
    having: tuple[str, int] | None
    mentions: tuple[Mention, ...]
    focus: str | None = None  # the label asked for, where the wording is plain
    each: str | None = None  # the label or property after "setiap"
    masked: str = ""  # the question with every stored value covered
    unknown: tuple[tuple[str, str], ...] = ()  # (label, name) of things named that the graph doesn't hold
    value_ends: tuple[tuple[str, End], ...] = ()  # stored values that the wording puts at one end of a relationship
    asked_end: End | None = None  # the end at which the thing asked about stands
    of_label: tuple[tuple[str, str], ...] = ()  # (property, label) said in one breath, as in "nama mata kuliahnya"


class Linker:
    """Over one graph; pure after construction."""

    def __init__(self, schema: GraphSchema, lexicon: Lexicon, values: ValueIndex) -> None:
        self.schema, self.lexicon, self.values = schema, lexicon, values

    def link(self, question: str) -> Hints:
        """The hints for one question."""
        named = self._words(question, {**self.lexicon.properties, **self.lexicon.labels})
        known = {**self.lexicon.properties, **self.lexicon.labels, **self.lexicon.relationships}
        mentions = self.values.find(question, [_next_word(question, end) for _, end, _ in named], known)
        masked = _mask(question, mentions)
        labels = self._words(masked, self.lexicon.labels)
        properties = self._words(masked, self.lexicon.properties)
        relations: dict[str, int] = {}
        for _, _, kind in self._words(masked, self.lexicon.relationships):
            relations[kind] = relations.get(kind, 0) + 1
        asks = frozenset(ask for ask, pattern in _ASKS.items() if re.search(pattern, masked.lower()))
        filters, used = self._value_filters(question, mentions, labels, properties, asks)
        numbers, having, used_numbers = self._number_filters(masked, labels, properties)
        filters += numbers
        used |= used_numbers
        filters += self._null_filters(masked, properties, asks, used)
        filters += self._text_filters(question, mentions, labels, properties, used)
        in_order = [name for _, _, name in sorted(labels)]
        asked = tuple(dict.fromkeys(name for start, _, name in sorted(properties) if start not in used))
        found_labels = tuple(dict.fromkeys([*in_order, *(f.label for f in filters)]))
        found_labels = found_labels or self._owners(asked, relations)
        focus = _focus(masked, labels)
        each = _each(masked, labels, properties)
        pairs = tuple(
            (name, label)
            for at, end, name in properties
            for start, _, label in labels
            if at not in used and _joined(masked, end, start)
        )
        unknown = self._unknown(masked, labels)
        ends = tuple(ends_of_values(masked, mentions, self.lexicon.directions).items()) if relations else ()
        asked_end = end_of_asked(masked, self.lexicon.directions) if relations else None
        return Hints(
            question,
            found_labels,
            asked,
            relations,
            asks,
            tuple(filters),
            having,
            tuple(mentions),
            focus,
            each,
            masked,
            unknown,
            ends,
            asked_end,
            pairs,
        )

    def _unknown(self, masked: str, labels: list[tuple[int, int, str]]) -> tuple[tuple[str, str], ...]:
        """`mata kuliah Fisika Kuantum`: a capitalised name right after a label that no stored value matches."""
        found = []
        for _, end, label in labels:
            match = re.match(r"\s+(?:bernama\s+)?((?:[A-Z]\w+)(?:\s+(?:dan\s+)?[A-Z]\w+){0,5})", masked[end:])
            if match and not self._words(match.group(1), {**self.lexicon.labels, **self.lexicon.properties}):
                found.append((label, match.group(1)))
        return tuple(found)

    def _owners(self, properties: tuple[str, ...], relations: dict[str, int]) -> tuple[str, ...]:
        """For a question that names no label: the one that has what it asks for."""
        for kind in relations:
            return self.schema.ends(kind)[0][:1]
        owners = [label for label, types in self.schema.nodes.items() if properties and set(properties) <= set(types)]
        return tuple(owners[:1])

    def display(self, label: str) -> list[str]:
        """The properties a node of this label is shown by, best first."""
        types = self.schema.nodes.get(label, {})
        usual: tuple[str, ...] = ("nama", "name", "kode", "code", "deskripsi")
        telling = [name for name in usual if name in types]
        best = [name for name in telling if self.values.identifies(Place(label, name))]
        return best or telling or list(types)[:1]

    def _words(self, text: str, phrases: dict[str, str]) -> list[tuple[int, int, str]]:
        """(start, end, name) of each phrase, longest first where they overlap."""
        found: list[tuple[int, int, str]] = []
        lower = text.lower()
        for phrase in sorted(phrases, key=len, reverse=True):
            for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?:nya|-nya)?(?!\w)", lower):
                if not any(match.start() < end and start < match.end() for start, end, _ in found):
                    found.append((match.start(), match.end(), phrases[phrase]))
        return sorted(found)

    def _value_filters(
        self,
        question: str,
        mentions: list[Mention],
        labels: list[tuple[int, int, str]],
        properties: list[tuple[int, int, str]],
        asks: frozenset[Ask],
    ) -> tuple[list[Filter], set[int]]:
        """One filter a property, with all its values; and the offsets of the property words that announce them."""
        found: dict[Place, list[Mention]] = {}
        used: set[int] = set()
        for place_number, mention in enumerate(mentions):
            before = mentions[place_number - 1] if place_number else None
            place, announced = self._choose(question, mention, labels, properties, before, found)
            found.setdefault(place, []).append(mention)
            used |= announced
        operator = "<>" if re.search(r"\b(?:bukan|selain|kecuali)\b", question.lower()) and Ask.NOT in asks else "="
        filters = []
        for place, held in found.items():
            values = tuple(dict.fromkeys(m.value for m in held))
            negated = operator == "<>" and self.values.is_choice(place)
            filters.append(Filter(place.label, place.property, "<>" if negated else "=", values, held[0].start))
        return filters, used

    def _choose(
        self,
        question: str,
        mention: Mention,
        labels: list[tuple[int, int, str]],
        properties: list[tuple[int, int, str]],
        before: Mention | None,
        found: dict[Place, list[Mention]],
    ) -> tuple[Place, set[int]]:
        """The likeliest place of a value: what the words before it say, then what usually names a node."""
        announced: set[int] = set()
        if before is not None and re.fullmatch(
            r"\W*(?:dan|atau|serta|,|and|or|dengan)?\W*", question[before.end : mention.start]
        ):
            for place in mention.places:
                if any(before in held for where, held in found.items() if where == place):
                    return place, announced
        scores: dict[Place, float] = {}
        for place in mention.places:
            score = 1.0 if place.property in self.display(place.label)[:1] else 0.0
            score += 0.5 if place.property in ("nama", "kode") else 0.0
            score += 0.3 if self.values.is_choice(place) else 0.0
            score -= 2.0 if place.property in self.schema.nodes else 0.0  # LO.MK repeats a course's name
            for start, end, name in properties:
                if name == place.property and _adjoins(question, end, mention.start):
                    score += 4.0
                    announced.add(start)
            for start, end, name in labels:
                if name == place.label and _adjoins(question, end, mention.start):
                    score += 3.0
                if name == place.label and start > mention.end and _adjoins(question, mention.end, start):
                    score += 0.5
            scores[place] = score
        best = max(scores, key=lambda place: scores[place])
        return best, {start for start in announced if any(s == start and n == best.property for s, _, n in properties)}

    def _number_filters(
        self, masked: str, labels: list[tuple[int, int, str]], properties: list[tuple[int, int, str]]
    ) -> tuple[list[Filter], tuple[str, int] | None, set[int]]:
        """`semester 5`, `3 SKS`, `lebih dari empat topik`; the last is a condition on a count."""
        words = "|".join(self.lexicon.numbers)
        numbers = [
            (m.start(), m.end(), self.lexicon.numbers.get(m.group().lower()) or int(m.group()))
            for m in re.finditer(rf"(?<![\w.])(?:\d{{1,9}}|{words})(?![\w.]*\w)", masked, re.IGNORECASE)
        ]
        numeric = {
            name: label
            for label, types in self.schema.nodes.items()
            for name, kind in types.items()
            if kind in (INTEGER, FLOAT)
        }
        found: dict[tuple[str, str], list[int]] = {}
        having: tuple[str, int] | None = None
        used: set[int] = set()
        last: tuple[str, str] | None = None
        last_end = 0
        for start, end, number in numbers:
            comparison = _comparison(masked[:start])
            near = self._numeric_word(masked, start, end, properties, numeric)
            if near is not None:
                used |= {at for at, _, name in properties if name == near[1] and abs(at - start) < _SAME_PHRASE}
                used.add(near[0])
                last = (near[1], comparison or "=")
                found.setdefault(last, []).append(number)
            elif (comparison and any(_adjoins(masked, end, label_start) for label_start, _, _ in labels)) or (
                comparison and re.match(r"\s*(?:prasyarat|syarat|prerequisite)", masked[end:].lower())
            ):
                having = (comparison, number)
            elif last is not None and last[1] == "=" and _RANGE.fullmatch(masked[last_end:start].lower()):
                low = found[last].pop()
                found.setdefault((last[0], ">="), []).append(low)
                found.setdefault((last[0], "<="), []).append(number)
            elif last is not None and last[1] == "=":
                found[last].append(number)
            last_end = end
        filters = [
            Filter(numeric[name], name, operator, tuple(dict.fromkeys(values)))
            for (name, operator), values in found.items()
            if values
        ]
        return filters, having, used

    def _numeric_word(
        self, masked: str, start: int, end: int, properties: list[tuple[int, int, str]], numeric: dict[str, str]
    ) -> tuple[int, str] | None:
        between = rf"\W*(?:{_BEFORE_NUMBER}|\s)*\W*"
        for word_start, word_end, name in properties:
            if name not in numeric:
                continue
            if word_end <= start and re.fullmatch(between, masked[word_end:start].lower()):
                return word_start, name
        for word_start, _, name in properties:
            if name in numeric and word_start >= end and not masked[end:word_start].strip():
                return word_start, name
        return None

    def _null_filters(
        self, masked: str, properties: list[tuple[int, int, str]], asks: frozenset[Ask], used: set[int]
    ) -> list[Filter]:
        """`tidak punya jalur`, `jalur yang ada`: a property that some nodes lack."""
        filters = []
        for start, end, name in properties:
            if start in used:
                continue
            label = next((label for label, types in self.schema.nodes.items() if name in types), "")
            place = Place(label, name)
            if self.values.counts.get(place, 0) == 0 or place not in self.values.distinct or not self._optional(place):
                continue
            if Ask.NOT in asks and re.search(
                r"(?:tidak \w+|tanpa|belum \w+)(?: ke| dalam)?\s*$", masked[:start].lower()
            ):
                filters.append(Filter(label, name, "null", ()))
                used.add(start)
            elif re.search(r"\b(?:setiap|tiap|masing-masing|per)\s*$", masked[:start].lower()) or re.match(
                r"\s*yang (?:ada|terisi)", masked[end:].lower()
            ):
                filters.append(Filter(label, name, "not null", ()))
        return filters

    def _text_filters(
        self,
        question: str,
        mentions: list[Mention],
        labels: list[tuple[int, int, str]],
        properties: list[tuple[int, int, str]],
        used: set[int],
    ) -> list[Filter]:
        """`namanya mengandung kata Jaringan`: a part of a text, not a stored value."""
        filters = []
        for match in _PART_OF_TEXT.finditer(question):
            text = (match.group("quoted") or match.group("word") or "").strip()
            if not text or any(m.start < match.end() and match.start("what") < m.end for m in mentions):
                continue
            before = [(start, name) for start, end, name in properties if end <= match.start()]
            label = next((name for start, _, name in labels if start < match.start()), self.schema.labels[0])
            start, name = before[-1] if before else (-1, self.display(label)[0])
            owner = (
                label
                if name in self.schema.nodes[label]
                else next((held for held, types in self.schema.nodes.items() if name in types), label)
            )
            used.add(start)
            operator = "CONTAINS" if match.group("way") is None else match.group("way")
            filters.append(Filter(owner, name, _WAYS.get(operator.lower(), "CONTAINS"), (text,)))
        return filters

    def _optional(self, place: Place) -> bool:
        """True when some node of the label lacks the property."""
        most = max((count for held, count in self.values.counts.items() if held.label == place.label), default=0)
        return self.values.counts[place] < most


def _focus(masked: str, labels: list[tuple[int, int, str]]) -> str | None:
    """`topik apa saja`, `sebutkan topik …`, `berapa jumlah topik`: the label the wording puts first."""
    lower = masked.lower()
    for _, end, name in labels:
        if re.match(r"(?:\W+[\w¤]+){0,3}?\W+(?:apa|mana)\b", lower[end:]) and not re.match(r"\W+yang\b", lower[end:]):
            return name
    for start, _, name in labels:
        if re.search(rf"(?:{_OPENERS})(?:\W+\w+){{0,3}}\W*$", lower[:start]):
            return name
    return None


def _each(masked: str, labels: list[tuple[int, int, str]], properties: list[tuple[int, int, str]]) -> str | None:
    """What stands right after `setiap`, `tiap`, `per`."""
    for start, _, name in sorted([*labels, *properties]):
        if re.search(r"\b(?:setiap|tiap|tiap-tiap|masing-masing|per|each)\s+$", masked[:start].lower()):
            return name
    return None


def _mask(question: str, mentions: list[Mention]) -> str:
    for mention in mentions:
        question = question[: mention.start] + "¤" * (mention.end - mention.start) + question[mention.end :]
    return question


def _next_word(question: str, end: int) -> int:
    match = re.compile(r"\W*").match(question, end)
    return match.end() if match else end


def _adjoins(text: str, end: int, start: int) -> bool:
    """True when only small words stand between two places."""
    between = text[end:start].lower()
    return end <= start and bool(re.fullmatch(rf"\W*(?:(?:{_SMALL})\b\W*)?", between))


def _joined(text: str, end: int, start: int) -> bool:
    """True when a property's word stands right before a label's."""
    return end < start and bool(re.fullmatch(r"\s+(?:dari )?", text[end:start].lower()))


def _comparison(before: str) -> str | None:
    return next((sign for pattern, sign in _COMPARISONS if re.search(pattern, before.lower())), None)
