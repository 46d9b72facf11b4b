"""Compares what a SELECT reads, according to the schema, with a question's words. Pure; it judges nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from sqlglot import exp

from agentd.apps.analytics.checks.agreement import things_counted
from agentd.apps.analytics.checks.unknown_words import HEADS, said_in
from agentd.apps.analytics.question.comparisons import ends_of
from agentd.apps.analytics.schema import Column, Schema, Table
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import column_phrases, finder, numerals, speaks, topics_of, vocabulary, words_of

Found = tuple[Table, Column]
"""A table and one of its columns."""


class Asked:
    """A question with the ones before it, without time words."""

    def __init__(self, text: str) -> None:
        self.text, self.said, self.topics = text, text.casefold().replace("_", " "), topics_of(text)

    @cached_property
    def ends(self) -> dict[str, frozenset[str]]:
        """Its superlatives, each with the orders that answer it."""
        return ends_of(self.text)

    @cached_property
    def money(self) -> bool:
        """Whether it asks for an amount, of whatever column."""
        kinds = vocabulary().figures
        words = {*re.findall(r"[^\W\d_]+", self.said), *self.topics}
        general = finder("amounts", "totals").search(self.text)
        return general is not None or any("money" in kinds.get(word, "") for word in words)

    @cached_property
    def counted(self) -> str:
        """The noun after "how many"; "" if that is an amount."""
        thing = things_counted(self.text)
        behind = self.said.partition(thing)[2].split()[:1] if thing else []
        figure = finder("shares", "averages", "totals", "neutral").fullmatch(thing)
        of = topics_of(" ".join([thing, *behind]))
        return "" if figure or (of and of <= self.amounts) else thing

    @cached_property
    def by_time(self) -> bool:
        """Whether it asks for a figure per month or similar."""
        return finder("units", "by_month", "when", "compares").search(self.text) is not None

    @cached_property
    def split_by(self) -> list[tuple[str, Asked]]:
        """(words, thing) for each thing that figures are split by: `per negara`."""
        said = re.finditer(rf"{finder('each').pattern}\W+([^\W\d_]{{3,}})(\s+[^\W\d_]+)?", self.text, re.IGNORECASE)
        return [_split_by(found) for found in said]

    @cached_property
    def amounts(self) -> frozenset[str]:
        return frozenset(topic for topic in self.topics if "money" in vocabulary().figures.get(topic, ""))

    @cached_property
    def phrases(self) -> list[str]:
        """The phrases for columns."""
        return column_phrases(self.text)

    def hits(self, name: str, about: str = "", but: frozenset[str] = frozenset()) -> frozenset[str]:
        """The words and topics of a name and its description that are also in the question, except `but`."""
        words = [w for w in re.findall(r"[^\W\d_]{3,}", f"{words_of(name)} {about.casefold()}") if w not in but]
        telling = [w for w in words if len(words) == 1 or not (w in numerals() or finder("neutral").fullmatch(w))]
        means = {p for p in self.phrases if re.search(vocabulary().columns[p], name, re.IGNORECASE)}
        topics = topics_of(" ".join(words)) & self.topics - but
        return frozenset(word for word in telling if said_in(word, self.said)) | means | topics

    def mentions(self, table: Table) -> bool:
        """Whether it has a word of the table's name or purpose."""
        return bool(self.hits(table.name, table.purpose))

    def says(self, value: str) -> bool:
        """Whether the question contains a word of the value, in digits or letters."""
        parts = re.findall(r"[^\W_]{3,}", value.casefold()) or [value.casefold()]
        return any(re.search(rf"(?<!\w){re.escape(part)}", self.said) for part in parts)


def _split_by(found: re.Match[str]) -> tuple[str, Asked]:
    """Both words if they mean something together only: `per mata uang`."""
    one, two = found[1], found[2] or ""
    together = topics_of(one + two) - topics_of(one) - topics_of(two)
    words = one + two if together else one
    return found[0][: found[0].index(one)] + words, Asked(words)


class Reading:
    """One SELECT of a plan beside the schema and the question."""

    def __init__(self, query: Query, select: Select, schema: Schema, asked: Asked) -> None:
        self.query, self.select, self.schema, self.asked, tables = query, select, schema, asked, schema.by_name
        made = {each.alias.casefold() for each in query.all(exp.CTE)}
        read = [each for each in select.all(exp.Table) if each.name.casefold() in tables]
        asked_of = {name for name, table in tables.items() if not table.unasked}
        others = [each for each in select.all(exp.Table) if each.name.casefold() not in asked_of | made]
        self.unknown = {each.alias_or_name.casefold(): each.name for each in others}
        self.sources = {each.alias_or_name.casefold(): tables[each.name.casefold()] for each in read}

    @property
    def text(self) -> str:
        """The whole query as written."""
        return self.query.text

    @cached_property
    def labels(self) -> list[exp.Column]:
        """The text and key columns of what it selects without an aggregate."""
        columns = [column for each in self.select.plain for column in self.select.valued(each)]
        return [column for column in columns if self.kind(column) in ("descriptive", "identifier")]

    def column(self, column: exp.Column) -> Found | None:
        """The column in the schema; None if a subquery makes it."""
        named = self.sources.get(column.table.casefold())
        for table in [named] if named else [] if column.table else self.sources.values():
            for each in table.columns:
                if each.name.casefold() == column.name.casefold():
                    return table, each
        return None

    def kind(self, column: exp.Column) -> str:
        found = self.column(column)
        return found[1].kind if found else ""

    def is_own_date(self, column: exp.Column) -> bool:
        """Whether it is its table's main date: the first one if the schema names none."""
        found = self.column(column)
        if found is None:
            return True
        return column.name.casefold() == (found[0].date or found[0].of_kind("temporal")[0]).casefold()

    def about(self, columns: Iterable[exp.Column]) -> str:
        """The schema's descriptions of the columns."""
        return " ".join(found[1].description for each in columns if (found := self.column(each)))

    def hits(self, table: Table, column: Column) -> frozenset[str]:
        """What the question says about a column, without what applies to its whole table."""
        but = frozenset([*re.findall(r"[^\W\d_]+", table.subject), *topics_of(table.subject)])
        return self.asked.hits(column.name, column.description, but)

    def said(self, column: exp.Column) -> bool:
        """Whether the question has a word that distinguishes the column within its table."""
        found = self.column(column)
        return found is None or bool(self.hits(*found))

    def better(self, columns: Sequence[exp.Column], beside: Iterable[exp.Column]) -> bool:
        """Whether another column of the same class matches the question better than these columns together, by words
        that those `beside` them don't match. The end that a MAX or MIN takes says nothing of its column."""
        ends = {end[:4] for end in self.asked.ends} if any(c.find_ancestor(exp.Max, exp.Min) for c in columns) else ()
        own, around = {hit for hit in self.hits_of(columns) if hit[:4] not in ends}, self.hits_of(beside)
        used = {each.name.casefold() for each in beside}
        others = (
            self.hits(found[0], each)
            for column in columns
            if (found := self.column(column))
            for each in found[0].columns
            if each.kind == found[1].kind and each.name.casefold() not in used
        )
        return any(each - around and len(each - own) > len(own - each) for each in others)

    def hits_of(self, columns: Iterable[exp.Column]) -> frozenset[str]:
        """The words that match several columns together."""
        return frozenset().union(*(self.hits(*found) for each in columns if (found := self.column(each))))

    def meant(self, column: exp.Column) -> bool:
        """The same as `said`; a text or key also needs its head word: "country" of `ship_country`."""
        return self.column(column) is None or (
            self.said(column) and (self.kind(column) not in ("descriptive", "identifier") or self._head(column))
        )

    def _head(self, column: exp.Column) -> bool:
        found = self.column(column)
        assert found is not None
        name, about = found[1].name, found[1].description
        words = [word for word in words_of(name).split() if word not in HEADS and len(word) > 2]
        if about or not words:
            return bool(self.asked.hits(name, about))
        others = " ".join(words_of(each) for each in found[0].names if each != name)
        alone = [word for word in words[:-1] if word not in others]
        said = re.findall(r"\w+", self.asked.said)
        begun = any(len(word) > 4 and words[-1].startswith(word.removesuffix("s")) for word in said)  # `nationality`
        initial = any(f"{one[0]}{two.removesuffix('s')}" == words[-1] for one, two in pairwise(said))  # `fname`
        return begun or initial or any(map(self.asked.hits, [words[-1], *alone]))

    def called(self, column: exp.Column) -> bool:
        """Whether the question asks for or by the column: it has its head word or one of its values, or the column is
        the name or key of a table that it mentions."""
        found = self.column(column)
        if found is None or self._head(column) or self._chosen(column):
            return True
        name = found[1].name
        names = [each for each in found[0].names if finder("names").search(each)]
        further = [each for each in names if not speaks(each, "name_parts")][1:]
        called = name in {*names} - {*further} or (not names and finder("titles").search(name))
        of_others = topics_of(words_of(name)) - topics_of(replace(found[0], columns=()).about)
        own_key = not found[0].primary_key and self.kind(column) == "identifier" and not of_others
        key = found[1].is_primary_key or own_key
        return bool((called or key) and self.is_about(found[0]))

    def for_a_name(self, column: exp.Column) -> bool:
        """Whether it is a key of things that have a `name`, and the question has no word for a code."""
        found, heads = self.column(column), HEADS.intersection(words_of(column.name).split())
        return (
            found is not None
            and self.kind(column) == "identifier"
            and any(
                {*words_of(name).split()} - {*words_of(found[0].name).split()} <= {"name"} for name in found[0].names
            )
            and not any(re.search(rf"\b{head}s?\b", self.asked.said) for head in heads)
            and "label" not in self.asked.topics
        )

    def of_others(self, column: exp.Column) -> bool:
        """Whether it refers to things that the question doesn't mention: `doctor_id` of appointments."""
        found, things = self.column(column), words_of(column.name).split()
        if found is None or found[1].is_primary_key or "id" not in things or things == ["id"]:
            return False
        named = any(said_in(word, f"{found[0].subject} {self.asked.said}") for word in things if word != "id")
        return not named and not self._head(column)

    def _chosen(self, column: exp.Column) -> bool:
        """Whether a condition selects rows by a value of the column that is in the question."""
        return any(
            column.sql() in {each.sql() for each in of_kind(leaf, exp.Column)}
            and any(self.asked.says(value.name) for value in of_kind(leaf, exp.Literal))
            for leaf in self.select.comparisons
        )

    def is_about(self, table: Table) -> bool:
        """Whether the question mentions the table, a value that its rows are selected by, or a column that refers to
        them: the head of a department is a physician."""
        read = (column for leaf in self.select.comparisons for column in of_kind(leaf, exp.Column))
        chosen = filter(self._chosen, read)
        tied = (tie for tie in self.select.ties if all(map(self.column, tie)))
        pairs = (pair for tie in tied for pair in (tie, tie[::-1]))
        roles = (thing for thing, role in pairs if self.said(role) and self._head(role))
        return self.asked.mentions(table) or any(
            (found := self.column(column)) is not None and found[0] is table for column in (*chosen, *roles)
        )

    def texts(self) -> Iterator[str]:
        """The names and descriptions of the tables, columns and values that it reads."""
        for table in self.sources.values():
            yield from (table.name, words_of(table.name), table.purpose)
        yield from (text for name in self.unknown.values() for text in (name, words_of(name)))
        for column in self.select.columns:
            if self.column(column) is not None or self.unknown:
                yield from (column.name, words_of(column.name), self.about([column]))
        yield from (each.name for each in self.select.own(exp.Literal))
