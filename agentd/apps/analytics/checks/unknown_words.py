"""Words of a question that the plan, its tables and the language packs don't know. Pure; judges no figure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from sqlglot import exp

from agentd.agent.languages import words
from agentd.agent.text import stem
from agentd.apps.analytics.plan import Plan, text_of
from agentd.apps.analytics.question.names import known_words, names_in
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.vocabulary import asking, listed, topics_of, without_topics, words_of

HEADS = listed("heads")
"""Head words that end a column's name; the words before them say what it is about."""


def unknown_words(question: str, plan: Plan, schema: Schema) -> list[str]:
    """Lower-case words that the plan, its tables and the packs don't know, and topics of the question that only other
    found tables have: whether the plan covers them is uncertain."""
    about = {table.name: table.about for table in schema.tables}
    query = text_of(plan)
    used = [text for name, text in about.items() if name.casefold() in plan.tables]
    written = " ".join([query, words_of(query), *used]).casefold()
    others = topics_of(" ".join(about.values())) - topics_of(written) if used else set()
    values = (str(value) for column in schema.columns for value in column.sample_values)
    known = " ".join([schema.about, *values]).casefold()
    related = len(plan.tables) > 1 or timeless(question) != question or any(plan.all(exp.Group))
    relating = {word for word in listed("relates") if related and not said_in(word, known)}
    there = {column.name.casefold() for column in schema.columns}  # a name that the plan makes explains nothing
    names = {each.name for each in plan.all(exp.Column) if each.name.casefold() in there}
    others_said = (word for word in _others(question) if not (said_in(word, written) or word in relating))
    unsaid = [word for word in others_said if not is_named(word, names)]
    return [*unsaid, *sorted(topics_of(timeless(question)) & others)]


def names_values(talk: str, schema: Schema) -> bool:
    """Whether the text has a possible value: a name, a number, or a word unknown to the packs and these tables."""
    about = schema.about.casefold()
    rest = timeless(talk)
    if re.search(r"[\d'\"]", rest) or any(not said_in(name.casefold(), about) for name in names_in(rest)):
        return True
    return any(not said_in(word, about) for word in _others(talk))


def said_in(word: str, text: str) -> bool:
    """Whether a word of the text has the same stem, ignoring endings of up to three letters; of one with only three,
    a plural `s` alone (`dogs`)."""
    if len(one := word.removesuffix("s")) < 4:
        return re.search(rf"\b{re.escape(one)}s?\b", text) is not None
    roots = {each[: max(4, len(each) - 3)] for each in (word, stem(word))}
    return any(re.search(rf"\b{re.escape(root)}", text) for root in roots)


def is_named(word: str, names: Iterable[str]) -> bool:
    """Whether a word is spelled in one of these column names: joined (`payload` in pay_load, `cited` in numcitedby),
    shortened (`insurance` as ins_type), or with another ending (`enrollment` in num_enrolled, `nation` in nationality).
    """
    for name in names:
        parts = [part for part in words_of(name).split() if len(part) > 2 and part not in HEADS]
        begun = word[:6] if len(word) > 6 else word.removesuffix("s")
        alike = any(word.startswith(part) or (len(begun) > 4 and part.startswith(begun)) for part in parts)
        if alike or word.removesuffix("s") in words_of(name).replace(" ", ""):
            return True
    return False


@cache
def _small() -> frozenset[str]:
    """Function words and number words."""
    of = words()
    return frozenset({*known_words(), *of.fillers, *of.joiners, *of.shorthands, *of.digits, *of.numbers, *of.ordinals})


def _others(question: str) -> list[str]:
    """Its lower-case words without those of the vocabulary, which other checks handle."""
    rest = asking().sub(" ", without_topics(timeless(question)))
    return [word for word in re.findall(r"(?<!\w)[^\W\d_]{4,}", rest) if word.islower() and word not in _small()]
