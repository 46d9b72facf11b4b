"""What a question asks for that no part of its plan covers: a topic, a date, an amount, a count, a split. Pure.

Each is a doubt, in the question's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from sqlglot import exp

from agentd.apps.analytics.checks.schema_reading import Asked, Reading
from agentd.apps.analytics.checks.unknown_words import is_named, said_in
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import FIGURES, Schema
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import finder, listed, phrase_finder, topics_of, vocabulary, words_of


def unanswered(question: str, readings: list[Reading], schema: Schema) -> Iterator[str]:
    """Topics of the question that the tables have but the plan doesn't read; a date, amounts or a count if it shows
    none; missing splits."""
    asked = Asked(timeless(question))
    unknown = " ".join(name.casefold() for reading in readings for name in reading.unknown.values())
    named = [word for word in re.findall(r"[^\W\d_]{4,}", asked.said) if word in unknown]
    read = topics_of(" ".join([*named, *(text for reading in readings for text in reading.texts())]))
    if finder("without").search(asked.text):  # "never sold" needs the sales table, but no quantity
        sources = (table.about for reading in readings for table in reading.sources.values())
        read |= topics_of(" ".join(sources)) & listed("measures")
    there = topics_of(schema.about)
    yield from sorted(asked.topics & there - read)
    yield from _not_split(asked, readings, schema)
    for reading in readings:
        yield from (*misranked(reading), *_at_the_other_end(reading), *_not_by_its_property(reading))
        yield from (*_of_one_table(reading), *_unlabelled(reading))
    if unknown:
        return
    kinds = {reading.kind(column) for reading in readings for column in reading.select.shown}
    if (when := finder("when").search(question)) and "temporal" not in kinds:
        yield when[0]
    yield from _not_shown(asked, readings[0])
    keys = {key.sql() for reading in readings for key in reading.select.keys}
    used = [(reading.kind(column), column.sql()) for reading in readings for column in reading.select.columns]
    figures = any(kind in FIGURES and column not in keys for kind, column in used)
    averages = (each for reading in readings for each in reading.select.own(exp.Avg))
    means = (column for each in averages for column in of_kind(each, exp.Column))
    figures |= any(reading.kind(column) == "temporal" for column in means for reading in readings)  # days between dates
    counts = any(True for reading in readings for _ in reading.select.own(exp.AggFunc))
    things = any(asked.hits(table.name) for each in readings for table in each.sources.values())
    if asked.counted or (counts and things and finder("counting").search(asked.text)):
        yield from () if figures or counts else (asked.counted,)
    elif not (figures or asked.amounts & _existing(readings[0].select)) and (
        (counts and asked.amounts) or not finder("totals").search(asked.text)
    ):
        amount = finder("amounts").search(asked.text)
        yield from sorted(asked.amounts) or ([amount[0]] if amount else [])


def _not_shown(asked: Asked, reading: Reading) -> Iterator[str]:
    """The question's word for names or ids if its tables have some, of the thing before that word where they can, and
    the list shows none; amounts behind an "and", or at the start of a sentence, that only sort the list."""
    found = list(filter(None, map(reading.column, reading.select.shown)))
    shown = {column.name for column in reading.select.shown}
    there = [(table, column) for table in reading.sources.values() for column in table.columns]
    valued = (leaf for leaf in reading.select.comparisons if leaf.find(exp.Literal))
    chosen = {column.name for leaf in valued for column in of_kind(leaf, exp.Column)}
    ids = [each for each in there if each[1].kind == "identifier"]
    names = [each for each in there if finder("names", "titles").search(each[1].name)]
    for of, word in pairwise(["", *re.findall(r"\w+", asked.said)]) if shown else ():
        if word in ("id", "ids"):
            before = Asked(of)
            own = [(t, c) for t, c in ids if c.name == t.of_kind("identifier")[0] and before.hits(t.name)]
            meant = own + [(t, c) for t, c in ids if before.hits(c.name)] or ids
        else:
            beside = any(of and said_in(of, words_of(name).split()[-1]) for name in shown)
            meant = names if finder("names").fullmatch(word) and not beside else []
        if meant and not any(each in found or each[1].name in chosen for each in meant):
            yield word
    order = reading.select.order
    begun = re.finditer(rf"{finder('joined').pattern}|[.?!]\s", asked.said) if order else ()
    behind = [Asked(" ".join(asked.said[found.end() :].split()[:4])) for found in begun]
    for column in of_kind(order, exp.Column) if order else ():
        known = reading.column(column)
        unseen = known and known[1].kind in FIGURES and column.name not in shown
        if unseen and any(each.hits(column.name) and not finder("sorts").search(each.text) for each in behind):
            yield column.name


def _existing(select: Select) -> frozenset[str]:
    """The topics of joined tables of which only is asked whether they have a row for what is listed: customers with a
    purchase, or without one."""
    shown = {column.table for column in select.shown}
    joins = [join for join in select.joins if join.this.alias_or_name not in shown]
    once = select.node.args.get("distinct") is not None
    return topics_of(" ".join(words_of(join.this.name) for join in joins if once or join.side))


def _of_one_table(reading: Reading) -> Iterator[str]:
    """Columns of a table that nobody mentioned, if another table has a column of that name: whose contacts?"""
    own = reading.sources.values()
    if any(map(reading.asked.mentions, own)) or reading.select.node.parent is not None:
        return
    names = {name for table in reading.schema.tables if table not in own for name in table.names}
    kinds = ((column.name, reading.kind(column)) for column in reading.labels if reading.said(column))
    yield from (name for name, kind in kinds if name in names and kind == "descriptive")


def _not_split(asked: Asked, readings: list[Reading], schema: Schema) -> Iterator[str]:
    """Phrases such as "per country" if the tables have countries but nothing is grouped, shown or filtered by one."""
    by = [f"{words_of(name)} {name}" for reading in readings for name in reading.unknown.values()]
    for reading in readings:
        for column in reading.select.grouping:
            found = reading.column(column)
            by.append(f"{replace(found[0], columns=()).about} {words_of(found[1].name)}" if found else column.name)
    for said, thing in asked.split_by if by or not finder("averages").search(asked.text) else ():
        there = any(thing.hits(table.about) for table in schema.tables)
        if there and (not (any(map(thing.hits, by)) or is_named(thing.said, by)) or any(map(_picks_of_all, readings))):
            yield said


def _picks_of_all(reading: Reading) -> bool:
    """Whether it compares with the one most of all rows: `= (SELECT MAX(price) FROM products)`."""
    inner = [each.expression.this for each in reading.select.own(exp.EQ) if isinstance(each.expression, exp.Subquery)]
    whole = (each for each in inner if isinstance(each, exp.Select) and not each.args.get("group"))
    outer = {each.alias_or_name.casefold() for each in reading.select.own(exp.Table)}
    extremes = [each for each in whole if each.selects[0].find(exp.Max, exp.Min)]
    return any(outer.isdisjoint(c.table.casefold() for c in of_kind(each, exp.Column)) for each in extremes)


def _unlabelled(reading: Reading) -> Iterator[str]:
    """ "per country" if a list shows figures only, so that nothing tells its rows apart."""
    kinds = {reading.kind(column) for part in reading.select.plain for column in of_kind(part, exp.Column)}
    grouped = reading.select.keys or not any(reading.select.own(exp.AggFunc))
    if reading.select.node.parent is None and grouped and reading.sources and kinds <= {*FIGURES}:
        named = {column.name for part in reading.select.plain for column in of_kind(part, exp.Column)}
        yield from (said for said, thing in reading.asked.split_by if not any(map(thing.hits, named)))


def misranked(reading: Reading) -> Iterator[str]:
    """Keys and dates that pick rows as the most of something else: `ORDER BY OrderID DESC LIMIT 1`."""
    select, asked = reading.select, reading.asked
    if not asked.ends or finder("by_age").search(asked.text):
        return
    for key in select.ranking_keys:
        if isinstance(key, exp.Column) and not reading.said(key) and reading.kind(key) in ("identifier", "temporal"):
            yield f"ORDER BY {key.name}"


def _at_the_other_end(reading: Reading) -> Iterator[str]:
    """The day that picks rows in the wrong direction: the oldest by `birth_date DESC`."""
    order, ends = reading.select.cutting_order, [finder(end).search(reading.asked.text) for end in ("oldest", "newest")]
    first = order.expressions[0] if order and bool(ends[0]) is not bool(ends[1]) else None
    if first is None or not isinstance(first.this, exp.Column) or reading.kind(first.this) != "temporal":
        return
    if bool(first.args.get("desc")) is bool(ends[0]):
        yield f"ORDER BY {first.sql()}"


def _not_by_its_property(reading: Reading) -> Iterator[str]:
    """A superlative of a property ("most expensive") if rows are ranked by a sum, a count or another figure, although
    the things that tell them apart have that property in a column."""
    things = [found for column in reading.select.grouping if (found := reading.column(column))]
    own = [table for table, column in things if column.is_primary_key or column.kind == "descriptive"]
    for phrase, words in vocabulary().properties.items() if own and reading.select.ranking_keys else ():
        if not phrase_finder(phrase).search(reading.asked.text):
            continue
        holds = re.compile(rf"\b(?:{words})\b")
        there = any(holds.search(words_of(c.name)) for table in own for c in table.columns if c.kind != "descriptive")
        ranked = (key for key in reading.select.ranking_keys if not key.find(exp.Sum, exp.Count))
        columns = [column for key in ranked for column in of_kind(key, exp.Column)]
        right = any(holds.search(words_of(column.name)) or reading.said(column) for column in columns)
        if there and not right:
            yield phrase
