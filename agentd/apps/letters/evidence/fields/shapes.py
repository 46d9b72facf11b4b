"""What a property of a tool's JSON Schema says: its labels, kind, person and time. Doesn't read the conversation.

A server declares it with `x-agentd-labels`, `x-agentd-kind`, `x-agentd-about` and `x-agentd-time`; the rest is derived
from the property's title, name, format and type. Declared information always wins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from agentd.agent.text import fold, name_words
from agentd.apps.letters.evidence.normalisers import numbers
from agentd.apps.letters.evidence.normalisers.choices import NO_ENUM, SPELLINGS, Enum
from agentd.apps.letters.evidence.normalisers.patterns import plain
from agentd.apps.letters.evidence.reading.lexicon import SELF, Lexicon, person
from agentd.apps.letters.evidence.reading.persons import CITIZEN, DECEASED
from agentd.apps.letters.languages import phrases

Json = Any
ANYBODY = "*"
"""The person of a field about whomever a letter serves (`nama_penerima`): anybody but the applicant."""
_TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))
KINDS = frozenset(_TABLE)
"""The values that `x-agentd-kind` may have."""
TIMES = frozenset({"now", "past", "future"})
_RECIPIENT, _BESIDE = (frozenset(_TABLE["relation"][key]) for key in ("recipients", "beside"))
_ENUMS = {label: tuple(values) for label, values in _TABLE["choice"]["of"].items()}
_BY_LABEL = {label: kind for kind, known in _TABLE.items() for label in known.get("labels", ())}
BY_FORMAT = {form: kind for kind, known in _TABLE.items() for form in known.get("formats", ())}
_FORMAT_LABEL = {form: label for known in _TABLE.values() for form, label in known.get("formats", {}).items() if label}
_ALIASES = {name: label for known in _TABLE.values() for name, label in known.get("aliases", {}).items()}
"""Names of properties that aren't labels in a conversation."""
_KINDS = {kind: frozenset(known["senses"]) for kind, known in _TABLE.items() if "senses" in known}
"""The senses of a name that determine its kind; the first match counts."""
_ADDRESSES = frozenset(_TABLE["address"]["called"])
_SENSES = phrases().senses
_SENSE_OF = {tuple(fold(phrase)): sense for sense, known in _SENSES.items() for phrase in (sense, *known)}


@dataclass(frozen=True, slots=True)
class Shape:
    """One property. `label`: a common label or `field:PATH`; `person`: whom it is about, None for the applicant;
    `came_from`: the source of label, kind and person."""

    label: str
    kind: str
    person: str | None
    title: str
    enum: Enum = NO_ENUM
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Its own labels by language; the first of each is used in questions. `""`: the labels for every language."""
    time: str = ""
    sensitive: bool = False
    senses: frozenset[str] = frozenset()
    """The meanings of its name, from the packs' senses (`origin_city`: origin, city)."""
    words: tuple[str, ...] = ()
    pattern: str = ""
    """For a code: the regular expression that it must match, if that is a simple one."""
    unit: str = ""
    """For a number: the unit of time that it counts, from its name, title or description."""
    came_from: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def common(self) -> bool:
        """Whether it has a common label, rather than being the tool's own."""
        return not self.label.startswith("field:")

    @property
    def person_declared(self) -> bool:
        """Whether the tool says whom the field is about, or its name says it is about the applicant (`pelapor`)."""
        whence = self.came_from.get("about")
        return whence in ("x-agentd-about", "x-agentd-roles") or (
            whence == "name" and self.person == CITIZEN and self.kind != "relation"
        )

    @property
    def addresses(self) -> bool:
        """Whether it is an address, by its kind or name."""
        return self.kind == "address" or not _ADDRESSES.isdisjoint(self.words)

    @property
    def gone_by(self) -> bool:
        """Whether its date is in the past: a birth, or the last time of something."""
        return self.kind == "date" and ("birth" in self.senses or (self.time == "past" and "since" not in self.senses))

    def declared(self) -> Iterator[str]:
        """The tool's own labels, in every language."""
        return chain.from_iterable(self.labels.values())

    def named(self) -> Iterator[str]:
        """Every phrase that may name it."""
        yield from self.declared()
        yield bare(self.title)
        yield " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Roles:
    """The persons that a tool declares (`x-agentd-roles`: the words for each by language)."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def person(self, role: str) -> str:
        """Who a role is in a conversation: the citizen, a known relation, or the role itself."""
        if not SELF.isdisjoint(self.words.get(role, ())) or role in phrases().applicants:
            return CITIZEN
        return person([role]) or role


class _Called(NamedTuple):
    """The names of a property: the words of its name, those of the surrounding objects, and its title."""

    words: Sequence[str]
    around: Sequence[str]
    title: str


def roles(schema: Mapping[str, Json]) -> Roles:
    """The roles that a schema declares."""
    declared = schema.get("x-agentd-roles")
    found: dict[str, tuple[str, ...]] = {}
    for role, words in declared.items() if isinstance(declared, Mapping) else ():
        found[str(role)] = tuple(" ".join(fold(word)) for known in labels(words).values() for word in known)
    return Roles(found)


def labels(declared: Json) -> dict[str, tuple[str, ...]]:
    """The phrases of `x-agentd-labels`, by language: it may be a phrase, a list, or either by language."""
    if isinstance(declared, Mapping):
        return {str(language): found for language, each in declared.items() if (found := labels(each).get("", ()))}
    listed = [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
    found = tuple(each for each in listed if isinstance(each, str) and each.strip())
    return {"": found} if found else {}


def shape(
    path: str, prop: Mapping[str, Json], lexicon: Lexicon, known: Roles, about: str = "", sense: str = ""
) -> Shape:
    """The shape of a property. `about`: the role declared by a surrounding object; `sense`: its inferred meaning."""
    *above, name = path.replace("[]", "").split(".")
    words = name_words(name)
    own = labels(prop.get("x-agentd-labels"))
    title = str(prop.get("title") or next((own[one][0] for one in ("", "id", "en") if one in own), " ".join(words)))
    called = _Called(words, [word for part in above for word in name_words(part)], title)
    role = prop.get("x-agentd-about") or about
    who, whence = _person(called, str(role), known)
    label = _label(called, own, who, prop, lexicon) or f"field:{path}"
    enum = _enum(prop, label)
    senses = frozenset(_senses(words)) or frozenset({sense} - {""})
    if who is None and "death" in senses:
        who, whence = DECEASED, "name"
    kind = _kind(prop, enum, label, senses if label.startswith("field:") else frozenset())
    if kind == "number" and prop.get("type") == "string" and "name" in _senses(fold(title)):
        kind = "name"  # `penumpang`, titled `Nama penumpang`, counts nobody
    if kind == "date" and label == "lahir":
        label = "tanggal_lahir"
    if label.startswith("field:") and kind == "name" and who and not own:
        label = "nama"
    time = str(prop.get("x-agentd-time") or _tense(senses, kind))
    derived = "x-agentd-kind" if str(prop.get("x-agentd-kind")) in KINDS else "derived"
    came_from = {
        "labels": "x-agentd-labels" if own else "title" if prop.get("title") else "name",
        "kind": str(prop.get("x-agentd-declared") or (f"embeddings: {sense}" if sense else derived)),
        "about": whence,
        "time": "x-agentd-time" if prop.get("x-agentd-time") else "derived" if time else "",
    }
    sensitive = prop.get("x-agentd-sensitive") is True
    pattern = plain(str(prop.get("pattern", ""))) if kind == "code" else ""
    described = ((*words, *fold(title)), fold(str(prop.get("description", ""))))
    unit = next(filter(None, map(numbers.unit, described)), "") if kind == "number" else ""
    return Shape(label, kind, who, title, enum, own, time, sensitive, senses, tuple(words), pattern, unit, came_from)


def _person(called: _Called, role: str, known: Roles) -> tuple[str | None, str]:
    """(the person a property is about, the source). A name that is only a relation asks for that relation itself."""
    if role:
        return known.person(role), "x-agentd-about"
    if _RECIPIENT.intersection(called.words):
        return ANYBODY, "name"
    for phrase in ([*called.around, *called.words], list(fold(called.title))):
        for size in range(min(3, len(phrase) - 1), 0, -1):
            declared = next((one for one in known.words if tuple(name_words(one)) == tuple(phrase[-size:])), None)
            if declared:
                return known.person(declared), "x-agentd-roles"
        found = person(phrase) if len(phrase) > 1 else None
        if found is not None:
            return CITIZEN if found in phrases().applicants else found, "name"
    return None, ""


def _kind(prop: Mapping[str, Json], enum: Enum, label: str, senses: frozenset[str]) -> str:
    kinds = prop.get("type")
    types = set(map(str, kinds if isinstance(kinds, list) else [kinds]))
    declared = str(prop.get("x-agentd-kind"))
    if enum.values:
        return "choice"
    if "boolean" in types:
        return "boolean"
    if declared in KINDS:
        return declared
    if (form := str(prop.get("format"))) in BY_FORMAT:
        return BY_FORMAT[form]
    if label in _BY_LABEL:
        return _BY_LABEL[label]
    if types & {"integer", "number"}:
        counts = senses & {"count", "age"}
        return "money" if senses & _KINDS["money"] else "year" if "year" in senses and not counts else "number"
    if "name" in senses:
        return "name"
    derived = next((kind for kind, known in _KINDS.items() if senses & known), "text")
    return "code" if "pattern" in prop and derived in ("text", "number", "year") else derived


def _senses(words: Sequence[str]) -> Iterator[str]:
    """The senses of a name's words, preferring longer phrases (`number of` is a count, `number` an identifier)."""
    at = 0
    while at < len(words):
        found = next((size for size in (2, 1) if tuple(words[at : at + size]) in _SENSE_OF), 0)
        if found:
            yield _SENSE_OF[tuple(words[at : at + found])]
        at += max(found, 1)


def _tense(senses: frozenset[str], kind: str) -> str:
    """The time of a date by its name: past for a death, future for a departure. A past event's hour counts as now."""
    if kind not in ("date", "time"):
        return ""
    time = next((time for time in ("past", "future") if senses & frozenset(phrases().tenses.get(time, ()))), "")
    return "now" if (kind, time) == ("time", "past") else time


def _label(
    called: _Called,
    own: Mapping[str, Sequence[str]],
    about: str | None,
    prop: Mapping[str, Json],
    lexicon: Lexicon,
) -> str | None:
    """The common label of a property. If it declares labels, aliases don't count."""
    words, parents, title = called
    rest = [word for word in words if person([word]) != about or about is None]
    rest = [word for word in rest if word not in _BESIDE | _RECIPIENT] if about else rest
    declared = [bare(phrase) for known in own.values() for phrase in known]
    which = next((one for one in _TABLE["address"]["which"] if one in {*words, *parents, *fold(title)}), "")
    for phrase in (*declared, bare(title), " ".join(words), " ".join(rest), " ".join([*parents, *words])):
        alias = None if declared else _ALIASES.get(phrase)
        found = alias or lexicon.label(phrase)
        if found is not None and not found.startswith("x:"):
            return f"alamat_{which}" if found == "alamat" and which in {*parents, *words} else found
    if which and _ADDRESSES & {*words, *parents} and not about:
        return f"alamat_{which}"
    if (len(words) == 1 or about) and not declared:
        return _FORMAT_LABEL.get(str(prop.get("format")))
    return "nik" if "nik" in words else None


def _enum(prop: Mapping[str, Json], label: str) -> Enum:
    values = tuple(str(value) for value in prop.get("enum", ()) if value is not None)
    spellings = prop.get(SPELLINGS)
    if not values or not isinstance(spellings, Mapping):
        return Enum(values or _ENUMS.get(label, ()))
    return Enum(values, tuple(tuple(map(str, spellings.get(value, ()))) for value in values))


def bare(title: str) -> str:
    """A title's folded words, without text in brackets."""
    return " ".join(fold(re.sub(r"\([^)]*\)", " ", title)))
