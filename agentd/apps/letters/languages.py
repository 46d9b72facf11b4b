"""The words by which letters are asked for: one TOML file a language, read once, complete or refused. No logic.

Readers understand every language at once, so `phrases()` gives all of them together. docs/languages.md says how a pack
is made; what each key is for stands beside it in the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import merged, packs


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """One language's words, or all languages' together."""

    self_words: frozenset[str]
    subjects: frozenset[str]
    before_kin: frozenset[str]
    called: frozenset[str]
    salutations: frozenset[str]
    jobs: frozenset[str]
    wishes: frozenset[str]
    polite: frozenset[str]
    make: frozenset[str]
    asks_only_first: frozenset[str]
    tags: frozenset[str]
    doubts: frozenset[str]
    confirming: frozenset[str]
    openings: frozenset[str]
    acts: frozenset[str]
    letters: frozenset[str]
    for_whom: frozenset[str]
    name_ends: frozenset[str]
    before_name: frozenset[str]
    honorifics: frozenset[str]
    no_name: frozenset[str]
    copulas: frozenset[str]
    neutral: frozenset[str]
    business: frozenset[str]
    companies: frozenset[str]
    openers: frozenset[str]
    joins: frozenset[str]
    leads: frozenset[str]
    courtesies: frozenset[str]
    denials: frozenset[str]
    still: frozenset[str]
    verbs: frozenset[str]
    doers: frozenset[str]
    not_mine: frozenset[str]
    lies: frozenset[str]
    sites: frozenset[str]
    premises: frozenset[str]
    paragraph: frozenset[str]
    beside_label: frozenset[str]
    beside_neighbourhood: frozenset[str]
    articles: frozenset[str]
    streets: frozenset[str]
    homes: frozenset[str]
    silent_in_address: frozenset[str]
    abbreviations: frozenset[str]
    greetings: frozenset[str]
    not_a_person: frozenset[str]
    documents: frozenset[str]
    introductions: tuple[str, ...]
    label_heads: frozenset[str]
    overriding: frozenset[str]
    instructed: frozenset[str]
    impersonating: frozenset[str]
    invoking: frozenset[str]
    tool_words: frozenset[str]
    attributed_before: frozenset[str]
    attributed_after: frozenset[str]
    weak_purpose: frozenset[str]
    purposes: frozenset[str]
    household: frozenset[str]
    same_as: frozenset[str]
    beside_same: frozenset[str]
    events: frozenset[str]
    date_noise: frozenset[str]
    between_date_parts: frozenset[str]
    past: frozenset[str]
    future: frozenset[str]
    soon: frozenset[str]
    requests: frozenset[str]
    interrogatives: frozenset[str]
    unknowns: frozenset[str]
    proposals: frozenset[str]
    asks_whether: frozenset[str]
    no_names: frozenset[str]
    never: frozenset[str]
    kin: frozenset[str]
    outsiders: frozenset[str]
    possessives: frozenset[str]
    clitics: frozenset[str]
    costs: frozenset[str]
    toward: frozenset[str]
    which: frozenset[str]
    titles: frozenset[str]
    disowns: frozenset[str]
    bounds: frozenset[str]
    quiet: frozenset[str]
    applicants: frozenset[str]
    another: frozenset[str]
    fates: frozenset[str]
    deaths: frozenset[str]
    asking: Mapping[str, tuple[str, ...]]
    clock: Mapping[str, tuple[str, ...]]
    days: Mapping[str, int]
    yet: Mapping[str, str]
    places: Mapping[str, int]
    weekdays: tuple[tuple[str, ...], ...]
    tenses: Mapping[str, tuple[str, ...]]
    senses: Mapping[str, tuple[str, ...]]
    plurals: Mapping[str, tuple[str, ...]]
    address_words: Mapping[str, str]
    same_content: Mapping[str, str]
    labels: Mapping[str, tuple[str, ...]]
    relations: Mapping[str, tuple[str, ...]]
    covers: Mapping[str, tuple[str, ...]]
    cues: Mapping[str, tuple[str, ...]]
    choices: Mapping[str, tuple[str, ...]]
    occupations: Mapping[str, tuple[str, ...]]
    education: Mapping[str, tuple[str, ...]]


@cache
def phrases() -> Phrases:
    """The words of all languages together. Raises IncompletePack."""
    return merged(packs(Path(__file__).with_suffix(""), Phrases))
