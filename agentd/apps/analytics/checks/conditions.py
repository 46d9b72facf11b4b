"""Conditions of a SELECT that the question gives no reason for or contradicts, and rows that count no more (`is_void`,
`cancelled`), which are read only if they are asked for. Pure; used by accounting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.agreement import restricted
from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.schema import FIGURES
from agentd.apps.analytics.sql.tree import DAY, of_kind
from agentd.apps.analytics.vocabulary import finder, listed, speaks, topics_of, vocabulary, words_of

BOUNDS = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def unexplained(reading: Reading) -> Iterator[str]:
    """Conditions whose value and column the question doesn't mention; negated ones if the question negates nothing."""
    restricts = restricted(reading.asked.text) is not None
    for leaf in reading.select.comparisons:
        columns = list(of_kind(leaf, exp.Column))
        values = [each.name for each in of_kind(leaf, exp.Literal)]
        negated = isinstance(leaf.parent, exp.Not)
        if not columns or (values and any(reading.kind(column) == "temporal" for column in columns)):
            continue
        years = values and all(re.fullmatch(r"(?:19|20)\d\d", value) for value in values)
        years = years and not (negated or isinstance(leaf, exp.NEQ) or any(map(reading.asked.says, values)))
        if late(reading, leaf) or leaves_out(reading, leaf) or (years and all(map(_of_years, columns))):
            continue  # other_times compares years with the question's
        if values and (negated or isinstance(leaf, exp.NEQ)):
            before = (reading.asked.said.partition(value.casefold().strip("%"))[0] for value in values)
            accounted = any(restricted(finder("above", "below").sub(" ", text)) for text in before)
        elif isinstance(leaf, exp.Is) and ((negated and not restricts) or _beside_another(leaf)):
            accounted = True  # agreement.py checks the negated ones
        else:
            said = any(map(reading.asked.says, values)) or _of_the_schema(reading, leaf, restricts)
            figures = (column for column in columns if reading.kind(column) in FIGURES)
            accounted = said and not any(reading.better([column], columns) for column in figures)
        turned = denied(reading, leaf, columns) or affirmed(reading, leaf, columns) or _of_one_row(reading, leaf)
        if not accounted or turned or years or chosen_although_denied(reading, leaf):
            yield leaf.parent.sql() if negated and leaf.parent is not None else leaf.sql()


def _of_one_row(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a bound of single rows may be meant of their sums, which are shown: "who have spent more than 5"; or of
    their means, if the question speaks of a mean twice."""
    means = len(finder("averages").findall(reading.asked.text)) > 1
    figures = reading.select.own(exp.Sum, *([exp.Avg] if means else []))
    summed = [column for each in figures for column in reading.select.valued(each)]
    bound = isinstance(leaf, BOUNDS) and isinstance(leaf.expression, exp.Literal) and leaf.this in summed
    return bound and bool(reading.select.keys)


def _of_years(column: exp.Column) -> bool:
    return any(vocabulary().units.get(word) == "year" for word in words_of(column.name).split())


def _beside_another(leaf: exp.Expr) -> bool:
    """Whether a NULL test is an alternative to an exclusion on its column: `city <> 'Bogor' OR city IS NULL`."""
    either = leaf.parent
    return isinstance(either, exp.Or) and any(
        each.this == leaf.this for each in (either.this, either.expression) if isinstance(each, exp.NEQ)
    )


def late(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a condition says that one date is after a deadline column, and the question asks for what is late."""
    if not isinstance(leaf, BOUNDS) or not finder("late").search(reading.asked.text):
        return False
    sides = (leaf.this, leaf.expression)
    after, due = sides if isinstance(leaf, exp.GT | exp.GTE) else sides[::-1]
    days = all(isinstance(side, exp.Column) and reading.kind(side) == "temporal" for side in sides)
    return days and after != due and speaks(due.name, "deadlines")


def _of_the_schema(reading: Reading, leaf: exp.Expr, restricts: bool) -> bool:
    """Whether the condition is justified by the schema: its columns are mentioned, it compares amounts that are shown
    or (if the question asks for a subset) any amounts, it has codes that the schema explains, or it keeps every row."""
    columns, values = list(of_kind(leaf, exp.Column)), [each.name for each in of_kind(leaf, exp.Literal)]
    negated = isinstance(leaf.parent, exp.Not)
    if isinstance(leaf, exp.Is) and not negated and not restricts:
        return False
    if isinstance(leaf, exp.LT) and values == ["0"]:
        return False
    if all(map(reading.meant, columns)):
        return True
    if isinstance(leaf, exp.Is):
        outer = {join.this.alias_or_name.casefold() for join in reading.select.joins if join.side}
        filled = negated and not _alone(reading, columns)
        return filled or any(
            column.table.casefold() in outer and not _may_be_empty(reading, column) for column in columns
        )
    if len(columns) > 1 and all(reading.kind(column) in FIGURES for column in columns):
        measures = topics_of(" ".join(words_of(column.name) for column in columns)) & listed("measures")
        return {column.sql() for column in columns} <= {column.sql() for column in reading.select.shown} or bool(
            restricts and measures
        )
    return restricts and bool(values) and all(value in reading.about(columns) for value in values)


def _may_be_empty(reading: Reading, column: exp.Column) -> bool:
    return (found := reading.column(column)) is not None and found[1].is_nullable


def _alone(reading: Reading, columns: list[exp.Column]) -> bool:
    """Whether the columns are nullable and nothing else in the query reads them."""
    read = [column.name for column in reading.select.columns]
    found = [reading.column(column) for column in columns]
    return all(read.count(column.name) == 1 for column in columns) and all(f and f[1].is_nullable for f in found)


def denied(reading: Reading, leaf: exp.Expr, columns: list[exp.Column]) -> bool:
    """Whether a condition tests a flag for "no" (`Discontinued = 0`) although the question doesn't negate it."""
    no = {"EQ": "0", "NEQ": "1"}.get(type(leaf).__name__)
    said = [each for each in columns if no and leaf.expression.name == no]
    flags = [each for each in said if reading.kind(each) not in FIGURES or speaks(each.name, "voided")]
    return not all(_negated(reading, flags))


def affirmed(reading: Reading, leaf: exp.Expr, columns: list[exp.Column]) -> bool:
    """Whether a condition tests for "yes" what the question negates: `Registered = 1` for "not registered", or
    `return_date IS NOT NULL` for "not returned"."""
    filled = isinstance(leaf, exp.Is) and isinstance(leaf.parent, exp.Not) and isinstance(leaf.expression, exp.Null)
    yes = {"EQ": "1", "NEQ": "0"}.get(type(leaf).__name__)
    flagged = yes and leaf.expression.name == yes and all(reading.kind(each) not in FIGURES for each in columns)
    true = (
        isinstance(leaf, exp.EQ | exp.Is) and leaf.expression.sql() == "TRUE" and not isinstance(leaf.parent, exp.Not)
    )
    return bool(filled or flagged or true) and any(_negated(reading, columns))


def chosen_although_denied(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a condition selects the text that the question excludes: `status = 'cancelled'` for "not cancelled"."""
    chooses = isinstance(leaf, exp.EQ | exp.In | exp.Like) and leaf.find_ancestor(exp.Not, exp.Case) is None
    texts = (
        [each.name.strip("%").casefold() for each in of_kind(leaf, exp.Literal) if each.is_string] if chooses else []
    )
    said = (_before(reading, text) for text in texts if len(text) > 3 and text in reading.asked.said)
    return any(finder("denies").search(each) for each in said)


def _negated(reading: Reading, columns: Iterable[exp.Column]) -> Iterator[bool]:
    """For each word of the columns' names in the question (or, without one, of their descriptions): whether one of the
    two words before it negates it."""
    columns = list(columns)
    for about in (" ".join(words_of(each.name) for each in columns), reading.about(columns).casefold()):
        words = [word for word in re.findall(r"[^\W\d_]{4,}", about) if word in reading.asked.said]
        yield from (restricted(_before(reading, word)) is not None for word in words)
        if words:
            return


def _before(reading: Reading, text: str) -> str:
    """The two words before a text in the question."""
    return " ".join(reading.asked.said.partition(text)[0].split()[-2:])


def leaves_out(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a condition leaves out such rows, which needs no word: `is_void = 0`, `cancelled_at IS NULL`."""
    no = isinstance(leaf, exp.EQ) and leaf.expression.sql().upper() in ("0", "FALSE")
    nothing = isinstance(leaf, exp.Is) and not isinstance(leaf.parent, exp.Not)
    voids = isinstance(leaf.this, exp.Column) and speaks(leaf.this.name, "voided")
    return (no or nothing) and voids and not finder("voided").search(reading.asked.text)


def unread(reading: Reading) -> Iterator[str]:
    """The question's word for such rows if nothing in the whole query could select by it: no text, no such column."""
    literals, columns = reading.query.all(exp.Literal), reading.query.all(exp.Column)
    texts = (each.name for each in literals if each.is_string and not DAY.search(each.name))
    read = any(speaks(column.name, "voided") for column in columns) or any(texts)
    if not read and (found := finder("voided").search(reading.asked.text)):
        yield found[0]


def kept(reading: Reading) -> Iterator[str]:
    """Columns that mark such rows in the tables of a figure, if nothing in the whole query reads them."""
    if not any(True for _ in reading.select.own(exp.AggFunc)) and not reading.select.node.args.get("limit"):
        return
    read = {column.name.casefold() for column in reading.query.all(exp.Column)}
    for table in reading.sources.values():
        yield from (name for name in table.names if speaks(name, "voided") and name.casefold() not in read)
