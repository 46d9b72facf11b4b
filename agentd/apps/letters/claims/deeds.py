"""Deeds of tools: which deeds a tool does, by its name and description, and the words for them.

The words are in deeds/*.toml, one file per language. Verb forms are built from stems by the language's patterns, so a
tool's own verb that is in no file is understood as well.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from agentd.agent.languages import merged, packs, words
from agentd.agent.text import name_words
from agentd.apps.letters.by_object import by_object
from agentd.messages import ToolInfo

ASKED_BY = "agentd/asked_by"
"""Key in a tool's `_meta`: the words by which people ask for what it does (`["domisili", "surat domisili"]`).

On an official tool they say which act is meant; on any other, what must be looked up rather than remembered.
"""
UNNAMED = "any"
"""The deed of words that say that something was done, but not what."""
ANYWHERE = frozenset({"send", "block", "cancel", "approve", "sign", "pay", "extend", "remove"})
"""Deeds that are claims in every office, also where no tool does them."""
_WORD = re.compile(r"[^\W\d_]+")

Forms = Mapping[str, frozenset[str]]
"""{word: keys of the deeds that it names}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeedWords:
    """The words for deeds of one language, or of all together; deeds/en.toml explains each key."""

    done: tuple[str, ...]
    doing: tuple[str, ...]
    going: tuple[str, ...]
    nouns: tuple[str, ...]
    clitics: tuple[str, ...]
    names: frozenset[str]
    claims: tuple[str, ...]
    promises: tuple[str, ...]
    denials: frozenset[str]
    hedges: frozenset[str]
    conditions: frozenset[str]
    waits_for: frozenset[str]
    relatives: frozenset[str]
    harmless: frozenset[str]
    endings: tuple[str, ...]
    truth: str
    unsure: str
    classes: Mapping[str, tuple[str, ...]]
    deeds: Mapping[str, tuple[str, ...]]
    irregular: Mapping[str, tuple[str, ...]]
    things: Mapping[str, tuple[str, ...]]


@cache
def languages() -> Mapping[str, DeedWords]:
    """The words of each language. Raises IncompletePack."""
    return packs(Path(__file__).with_suffix(""), DeedWords)


@cache
def deed_words() -> DeedWords:
    """The words of all languages together; the `truth` of this union is not used."""
    return merged(languages())


@cache
def stems() -> frozenset[str]:
    """The verbs and nouns of deeds as the files list them; in some languages a stem is also a form."""
    return frozenset().union(*deed_words().deeds.values())


@cache
def deed_keys() -> frozenset[str]:
    """The keys of all deeds in the files."""
    return frozenset(deed_words().deeds) - {UNNAMED}


@cache
def things() -> frozenset[str]:
    """What official tools of any office make or act on."""
    return frozenset(thing for names in deed_words().things.values() for thing in names)


@cache
def any_deed() -> ToolInfo:
    """A tool that could do every deed in the files, to everything there: in place of those that nobody knows yet."""
    every = deed_words()
    deeds = [stem for key in sorted(deed_keys()) for stem in every.deeds[key]]
    return ToolInfo(name=deeds[0], server="", official=True, description=" ".join((*deeds, *things())))


class Deeds(NamedTuple):
    """The words that say a deed of some tools is done, promised or in progress, and the nouns for it."""

    done: Forms
    doing: Forms
    going: Forms
    nouns: Forms


class Scope(NamedTuple):
    """For one tool or several: the keys of their deeds, the words for what they or others make or act on, their titles.

    A title begins with such a word; none of its words denies or claims anything (`Surat Keterangan Tidak Mampu`).
    """

    named: frozenset[str]
    """Deeds in names and titles."""
    described: frozenset[str]
    """Deeds in the first sentences of descriptions."""
    things: frozenset[str]
    titles: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        """The deeds."""
        return self.named | self.described


def scope_of(tools: Iterable[ToolInfo]) -> Scope:
    """What these tools do, with the things of every office."""
    offices = Scope(frozenset(), frozenset(), things(), frozenset())
    return Scope(*(frozenset().union(*each) for each in zip(offices, *map(_own, tools), strict=True)))


def done_by(called: Iterable[ToolInfo], tools: Iterable[ToolInfo]) -> frozenset[str]:
    """The deeds of the called tools; a deed in a description only does not count if another tool is named after it."""
    own = scope_of(called)
    return own.named | (own.described - scope_of(tools).named)


@lru_cache(maxsize=32)
def words_of(keys: frozenset[str]) -> Deeds:
    """Every word for these deeds, and for unnamed deeds, which may be any of them."""
    return Deeds(*(_united(_forms(key, form) for key in (UNNAMED, *keys)) for form in Deeds._fields))


def _united(each: Iterable[Forms]) -> Forms:
    united: dict[str, frozenset[str]] = defaultdict(frozenset)
    for forms in each:
        for word, keys in forms.items():
            united[word] |= keys
    return united


@cache
def _forms(key: str, form: str) -> Forms:
    """The forms of one deed in all languages; an unknown deed is a tool's own verb, inflected in each."""
    made: set[str] = set()
    for pack in languages().values():
        patterns = getattr(pack, form)
        for stem in pack.deeds.get(key, () if key in deed_words().deeds else (key.removeprefix("="),)):
            parts = {"stem": stem, "head": stem[:-1], "tail": stem[1:], "last": stem[-1]}
            made |= {pattern.format(**parts) for pattern in patterns}
            made |= {*pack.irregular.get(stem, ())} if form == "done" else set()
    return dict.fromkeys(made, frozenset({key} - {UNNAMED}))


@cache
def _known() -> Forms:
    """Every word in the files, with its deeds, for matching names and descriptions of tools."""
    forms = (_forms(key, form) for key in deed_keys() for form in Deeds._fields)
    stems = ({stem: frozenset({key}) for stem in deed_words().deeds[key]} for key in deed_keys())
    return _united((*forms, *stems))


@by_object
def asked_by(tool: ToolInfo) -> tuple[str, ...]:
    """The words by which people ask for a tool."""
    names = tool.meta.get(ASKED_BY)
    return tuple(map(str, names)) if isinstance(names, list) else ()


@by_object
def looks_up(tool: ToolInfo) -> bool:
    """Whether its name says that it only reads (`find_flights`); many servers leave the hint out.

    A description that begins with an act's verb outweighs the name (`daftar_siswa`: `Mendaftarkan calon siswa`).
    """
    first, *more = name_words(tool.bare_name)[:2] or [""]
    classes, described = deed_words().classes, _WORD.search(tool.description.casefold())
    acts = described is not None and described[0] in _known().keys() - stems()
    return not acts and first in classes["reads"] and " ".join((first, *more)) not in classes["acts"]


@by_object
def titles_of(tool: ToolInfo) -> tuple[str, ...]:
    """The tool's title in each language, lower-cased."""
    named = tool.meta.get("agentd/titles")
    titles = named.values() if isinstance(named, dict) else [tool.annotations.get("title", "")]
    return tuple(str(title).casefold() for title in titles if title)


@by_object
def _own(tool: ToolInfo) -> Scope:
    title, phrases = str(tool.annotations.get("title", "")), asked_by(tool)
    known, parts = _known(), [name_words(part) for part in (tool.bare_name, title, *phrases)]
    named = [word for part in parts for word in part]
    first = [word.casefold() for word in _WORD.findall(re.split(r"[.\n]", tool.description, maxsplit=1)[0])]
    keys = frozenset(key for word in named for key in known.get(word, ()))
    own = frozenset() if keys or not named else frozenset({f"={named[0]}"})  # a verb in no file: laminate_card
    said_first = frozenset(key for word in first for key in known.get(word, ()))
    titled = {word for word in parts[1] if word not in known} - words().detection
    called = {*parts[0][1:]} | titled | things().intersection((*named, *first))
    titles = (each for each in (title, *phrases) if things().intersection(each.casefold().split()[:1]))
    return Scope(keys | own, said_first, frozenset(called), frozenset(titles))
