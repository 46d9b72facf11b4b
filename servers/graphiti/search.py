"""Finds the tables of a question: words and concepts select, embeddings order, joins complete. No I/O; embeds nothing.

A table's score is the sum of what it shares with the question, each weighted by its rarity among the tables: glossary
concepts and plain words, in its name, comment or columns. Embeddings only give ranks (their cosines are all close),
which order tables with similar scores. Without any shared word or concept nothing is found.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from servers.common.catalogue import Catalogue, Table
from servers.graphiti import glossary

IN_NAME, IN_COMMENT, IN_COLUMN, EXACT_COLUMN, EXACT_TABLE = 1.0, 0.7, 0.3, 1.5, 4.0
UNASKED_NAME = 0.12
"""The penalty for each concept in a table's name that the question doesn't contain."""
DETAIL = 0.1
"""The penalty of a detail table relative to its header if nothing asks for details."""
MEANING = 0.5
KEEP = 0.7
"""Tables with less than this share of the best score are not shown."""
MAX_TABLES = 5
MAX_ANSWERED = 8
MAX_PATH = 3
_NAME = re.compile(r"\w[_.]\w|[a-z][A-Z]")
DETAIL_CONCEPTS = frozenset({"detail", "material", "raw material", "quantity", "price", "cost"})


@dataclass(frozen=True)
class Relation:
    from_table: str
    from_column: str
    to_table: str
    to_column: str


@dataclass(frozen=True)
class Question:
    """A question, analysed once: words with their weights."""

    entities: tuple[str, ...]
    concepts: Mapping[str, float]
    words: Mapping[str, float]
    exact: Mapping[str, bool]
    """Entities as written, in lower case; True if only a name is written so, with an underscore, dot or camel case."""


@dataclass(frozen=True)
class Found:
    """The result: tables by score, then those that complete them; the question selects their columns."""

    tables: tuple[Table, ...]
    relations: tuple[Relation, ...]
    question: Question
    schema: Catalogue  # an office's own includes keys, values and dialect
    said: Mapping[str, list[str]] = field(default_factory=dict)
    """The question's words for names in another language: `{"patient": ["pasien"]}`."""


@dataclass(frozen=True)
class _Profile:
    """A table's concepts and words, with the weights of where they occur."""

    concepts: Mapping[str, float]
    words: Mapping[str, float]
    named: frozenset[str]
    columns: frozenset[str]


@dataclass
class Index:
    """A schema prepared for searching."""

    schema: Catalogue
    tables: dict[str, Table] = field(init=False)
    headers: dict[str, str] = field(init=False)
    """{detail table: its header}."""

    def __post_init__(self) -> None:
        self.tables = self.schema.by_name
        self._profiles = {table.name: _profile(table) for table in self.schema.tables}
        self.headers = {
            table.name: key.referred_table
            for table in self.schema.tables
            for key in table.foreign_keys
            if key.referred_table in self.tables and _is_detail_of(table, self.tables[key.referred_table])
        }
        self._masters = _masters(self._profiles)
        self._neighbours = _neighbours(self.schema)
        spread: dict[str, int] = defaultdict(int)
        for profile in self._profiles.values():
            for term in {*profile.concepts, *profile.words}:
                spread[term] += 1
        count = len(self.schema.tables)
        self.rarity = {term: math.log(1 + count / number) for term, number in spread.items()}

    def search(self, intent: str, entities: Sequence[str], meaning: Sequence[str]) -> Found | None:
        """Search; `meaning` lists the tables' names by embedding, nearest first. Returns None if nothing is found."""
        question = self._in_its_words(ask(intent, entities))
        if not any(self._hits(profile, question) for profile in self._profiles.values()):
            return None
        scores = {name: self._score(profile, question) for name, profile in self._profiles.items()}
        best = max(scores.values())
        for rank, name in enumerate(meaning):
            if scores[name] > 0:
                scores[name] += MEANING * best / (2 + rank)
        for name in self.headers:
            if not DETAIL_CONCEPTS & question.concepts.keys():
                scores[name] -= DETAIL * best
        named = [name for name in self.tables if self._is_asked_by_name(name, question)]
        pool = named or [name for name, score in scores.items() if score > 0]
        ranked = sorted(pool, key=lambda name: (-scores[name], name))[:MAX_TABLES]
        kept = [n for n in ranked if scores[n] >= KEEP * scores[ranked[0]] or n.lower() in question.exact]
        if not named:
            kept = self._covering(kept, question, scores)
        chosen = [self.tables[name] for name in self._completed(kept, question)]
        return Found(tuple(chosen), tuple(relations(chosen)), question, self.schema)

    def _in_its_words(self, question: Question) -> Question:
        """Add stand-ins for the question's concepts that are in no table's name."""
        there = {concept for profile in self._profiles.values() for concept in profile.named}
        lacking = {concept: weight for concept, weight in question.concepts.items() if concept not in there}
        found = {each: weight for concept, weight in lacking.items() if (each := glossary.stand_in(concept, there))}
        return replace(question, concepts={**found, **question.concepts})

    def _covering(self, kept: list[str], question: Question, scores: Mapping[str, float]) -> list[str]:
        """Add a table for each concept that the kept ones lack: revenue by city needs more than the city.

        It adds the best table named for the concept, preferring joinable ones.
        """
        covering = list(kept)
        for concept, weight in question.concepts.items():
            covered = any(concept in self._profiles[name].concepts for name in covering)
            about = [name for name, profile in self._profiles.items() if concept in profile.named]
            if weight >= 1 and about and not covered and len(covering) < MAX_TABLES:
                joins = {name: self._path(kept[0], name) is not None for name in about}
                covering.append(max(about, key=lambda name: (joins[name], scores[name], name)))
        return covering

    def _is_asked_by_name(self, table: str, question: Question) -> bool:
        """Return whether an entity is the table's name, or a column's name written as only an insider would."""
        columns = self._profiles[table].columns & question.exact.keys()
        return table.lower() in question.exact or any(question.exact[column] for column in columns)

    def _score(self, profile: _Profile, question: Question) -> float:
        score = sum(
            weight * held[term] * self.rarity[term]
            for asked, held in ((question.concepts, profile.concepts), (question.words, profile.words))
            for term, weight in asked.items()
            if term in held
        )
        score += EXACT_COLUMN * len(profile.columns & question.exact.keys())
        if not score:
            return 0.0
        return max(0.01, score - UNASKED_NAME * len(profile.named - question.concepts.keys() - {"master"}))

    def _hits(self, profile: _Profile, question: Question) -> bool:
        """Return whether an entity (not just the intent) names something in the table."""
        asked = {term for term, weight in (*question.concepts.items(), *question.words.items()) if weight >= 1}
        return bool(asked & (profile.concepts.keys() | profile.words.keys()) or profile.columns & question.exact.keys())

    def _completed(self, kept: list[str], question: Question) -> list[str]:
        """Return the kept tables plus the masters that the question names, missing headers and details, and the tables
        on the joins between them."""
        most = min(MAX_ANSWERED, max(3, len(self.tables) // 2))
        names = list(kept)
        masters = [name for concept in question.concepts for name in self._masters.get(concept, ())]
        reached = []
        for name in masters:
            path = self._path(kept[0], name, upwards=True)
            path = self._path(kept[0], name) if path is None else path
            reached += [[*path, name]] if path is not None else []
        halves = [self.headers[name] for name in kept if name in self.headers]
        halves += [detail for detail, header in self.headers.items() if header == kept[0]]
        between = [self._path(kept[0], name) or [] for name in kept[1:]]
        for name in (
            *(name for path in reached for name in path),
            *halves,
            *(name for path in between for name in path),
        ):
            if name not in names and len(names) < most:
                names.append(name)
        return names[:most]

    def _path(self, start: str, goal: str, *, upwards: bool = False) -> list[str] | None:
        """Return the tables on the shortest join between two, or None.

        It never passes through a table that both sides only refer to, such as a currency's: rows sharing one are
        otherwise unrelated. `upwards`: follow only references, so that no row of `start` is multiplied.
        """
        queue: deque[tuple[list[str], bool]] = deque([([start], False)])
        seen = {(start, False)}
        while queue:
            path, climbed = queue.popleft()
            if path[-1] == goal:
                return path[1:-1]
            if len(path) > MAX_PATH:
                continue
            for name, up in self._neighbours.get(path[-1], ()):
                if not up and (climbed or upwards):
                    continue
                if (name, up) not in seen:
                    seen.add((name, up))
                    queue.append(([*path, name], up))
        return None


def _masters(profiles: Mapping[str, _Profile]) -> dict[str, list[str]]:
    """Return {concept: tables about only this concept}: `mastercustomer`, `customers`."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, profile in profiles.items():
        concepts = profile.named - {"master"}
        if len(concepts) == 1 and not profile.words.keys() & {"line", "detail"}:
            found[next(iter(concepts))].append(name)
    return found


def _neighbours(schema: Catalogue) -> dict[str, list[tuple[str, bool]]]:
    """Return the tables one foreign key away; True for the one referred to."""
    names = {table.name for table in schema.tables}
    found: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for table in schema.tables:
        for key in table.foreign_keys:
            if key.referred_table in names:
                found[table.name].add((key.referred_table, True))
                found[key.referred_table].add((table.name, False))
    return {name: sorted(pairs) for name, pairs in found.items()}


def ask(intent: str, entities: Sequence[str]) -> Question:
    """Analyse a question. Entities weigh 1, the intent less; without entities the intent counts as one."""
    spoken = [entity.strip() for entity in entities if entity.strip()] or [intent]
    concepts: dict[str, float] = {}
    plain: dict[str, float] = {}
    for weight, texts in ((0.25, [intent]), (1.0, spoken)):
        for text in texts:
            concepts |= {concept: weight for concept, _ in glossary.concepts_in(text)}
            plain |= {glossary.stem(word): weight for word in glossary.unclaimed(text)}
    for deed in glossary.deeds_in(" ".join(spoken), [concept for concept, weight in concepts.items() if weight == 1]):
        concepts.pop(deed.get("not", ""), None)
        concepts |= {deed["by"]: 1.0, deed["is"]: 1.0}
    exact = {part.lower(): bool(_NAME.search(entity)) for entity in spoken for part in (entity, *entity.split("."))}
    return Question(tuple(spoken), concepts, plain, exact)


def relations(tables: Iterable[Table]) -> list[Relation]:
    """Return the foreign keys among the tables."""
    listed = list(tables)
    names = {table.name for table in listed}
    return [
        Relation(table.name, column, key.referred_table, referred)
        for table in listed
        for key in table.foreign_keys
        if key.referred_table in names
        for column, referred in zip(key.columns, key.referred_columns, strict=False)
    ]


def _profile(table: Table) -> _Profile:
    """Return the table's concepts and words, each with the highest weight of its occurrences."""
    concepts: dict[str, float] = {}
    words: dict[str, float] = {}

    def add(weight: float, named: Iterable[str], text: str) -> None:
        for concept in named:
            concepts[concept] = max(weight, concepts.get(concept, 0))
        for word in map(glossary.stem, glossary.unclaimed(text)):
            words[word] = max(weight, words.get(word, 0))

    def add_comment(weight: float, comment: str) -> None:
        add(weight, (concept for concept, _ in glossary.concepts_in(comment)), comment)

    for column in table.columns:
        add(IN_COLUMN, glossary.name_concepts(column.name), column.name)
        add_comment(IN_COLUMN, column.comment or "")
    add_comment(IN_COMMENT, table.comment or "")
    named = glossary.name_concepts(table.name)
    add(IN_NAME, named, table.name)
    words |= dict.fromkeys((table.name, table.name.lower()), EXACT_TABLE)
    return _Profile(concepts, words, named, frozenset(column.name.lower() for column in table.columns))


def _is_detail_of(table: Table, header: Table) -> bool:
    """Detect details: `salesorderd` of `salesorderh`, `order_lines` of `sales_orders`."""
    if table.name == header.name:
        return False
    if header.name.endswith("h") and table.name == header.name[:-1] + "d":
        return True
    named = glossary.name_concepts(table.name)
    return "detail" in named and bool(named & glossary.name_concepts(header.name))
