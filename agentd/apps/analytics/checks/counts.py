"""Counts and means of other things than those asked for: rows of another table, or keys for names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.schema_reading import Asked, Reading
from agentd.apps.analytics.checks.unknown_words import said_in
from agentd.apps.analytics.sql.tree import of_kind, rows_divided_by
from agentd.apps.analytics.vocabulary import finder, words_of


def of_another(reading: Reading, counted: list[exp.Column]) -> bool:
    """Whether the columns are not named after a thing behind "how many", and another key of these tables is."""
    behind = re.findall(rf"{finder('how_many').pattern}\W+((?:\w+\W+)?\w+)", reading.asked.text, re.IGNORECASE)
    figures = finder("totals", "averages", "shares", "amounts")  # `berapa total piutang` counts nothing
    said = Asked(" ".join(each for each in behind if not figures.search(each)))
    keys = [name for table in reading.sources.values() for name in table.of_kind("identifier")]
    return any(map(said.hits, keys)) and not any(said.hits(column.name) for column in counted)


def idly_distinct(reading: Reading, counted: list[exp.Column]) -> bool:
    """Whether keys count each row although different things are asked for, which only a text column is named after:
    degrees of degree_programs by degree_program_id, and not by degree_name."""
    keys = all((found := reading.column(column)) is not None and found[1].is_primary_key for column in counted)
    several, said = finder("several"), reading.asked.text
    if not keys or len(reading.sources) > 1 or not several.search(said):
        return False
    [table], thing = reading.sources.values(), Asked(Asked(several.sub("", said)).counted)
    return not thing.hits(words_of(table.name).split()[-1]) and any(map(thing.hits, table.of_kind("descriptive")))


def of_a_mean(count: exp.Expr) -> bool:
    """Whether a sum is divided by this count of all its rows: `SUM(x) / COUNT(*)`."""
    division = count.find_ancestor(exp.Div)
    return rows_divided_by(count) is count and division is not None and division.this.find(exp.Sum) is not None


def of_lines(reading: Reading) -> Iterator[str]:
    """Counts or means of detail rows when the question names the document: InvoiceLine, for an invoice."""
    said = {name: words_of(table.name).split() for name, table in reading.schema.by_name.items()}
    for each in reading.select.own(exp.Count, exp.Avg) if not reading.select.keys else ():
        asked = reading.asked.counted if isinstance(each, exp.Count) else reading.asked.said
        columns = [found[0] for column in of_kind(each, exp.Column) if (found := reading.column(column))]
        made = isinstance(each.this, exp.Column) and not columns  # computed by a subquery
        for table in () if made or each.find(exp.Distinct) else columns or reading.sources.values():
            own = said[table.name.casefold()]
            heads = [words for words in said.values() if len(words) < len(own) and words[0][:4] == own[0][:4]]
            if heads and said_in(heads[0][0], asked) and not any(said_in(word, asked) for word in own[1:]):
                yield each.sql()


def counts_all(case: exp.Expr | None) -> bool:
    """Whether a COUNT also counts the ELSE branch of its CASE: `COUNT(CASE WHEN … THEN 1 ELSE 0 END)`."""
    other = case.args.get("default") if case is not None else None
    return other is not None and not isinstance(other, exp.Null)


def counts_the_join(reading: Reading) -> Iterator[str]:
    """COUNT(*) of groups outer-joined to what refers to them: a doctor without an appointment counts as one."""
    counts = [each for each in reading.select.own(exp.Count) if isinstance(each.this, exp.Star)]
    for join in (join for join in reading.select.joins if counts and reading.select.keys and join.side == "LEFT"):
        alias = join.this.alias_or_name.casefold()
        for each in of_kind(join, exp.EQ):
            sides = [side for side in (each.this, each.expression) if isinstance(side, exp.Column)]
            keys = {s.table.casefold() == alias for s in sides if (f := reading.column(s)) and f[1].is_primary_key}
            if len(sides) > 1 and keys == {False}:  # only the other side is unique
                yield from (count.sql() for count in counts)
