"""Checks that a plan joins as the schema does and counts no amount twice (plausible but wrong figures). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from sqlglot import exp

from agentd.apps.analytics.checks.unknown_words import HEADS
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import FIGURES, Pair, Schema, Side, Table
from agentd.apps.analytics.sql import edits
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind, quoted, tree
from agentd.apps.analytics.vocabulary import finder, speaks, words_of


def spelled(pair: Pair) -> str:
    """The pair as SQL: `arbook.CustomerCode = mastercustomer.Code`."""
    return " = ".join(".".join(map(quoted, side)) for side in pair)


def misjoined(plan: Plan, schema: Schema) -> list[str]:
    """All errors of a plan's joins, one sentence each."""
    checks = (made_up_joins, counted_twice, picked_at_random, side_by_side)
    selects = [(query.key, select) for query in plan.selects for select in query.selects]
    return list(
        dict.fromkeys(f"{k}: {fault}" for check in checks for k, each in selects for fault in check(each, schema))
    )


def made_up_joins(select: Select, schema: Schema) -> Iterator[str]:
    """Joins that no relationship allows, one sentence each, with the allowed ones. Columns of the same name may be
    joined (a document's number); tables that weren't consulted are left to the database."""
    there = {table.name for table in schema.tables}
    allowed = {frozenset(pair) for pair in schema.joins}
    for left, right in (*select.equal, *select.within) if schema.joins else ():
        consulted = {left[0], right[0]} <= there and left[0] != right[0]
        if consulted and left[1] != right[1] and frozenset((left, right)) not in allowed:
            ways = ", ".join(spelled(pair) for pair in schema.joins if {left[0], right[0]} & {*dict(pair)}) or "none"
            yield f"{spelled((left, right))} joins what has nothing in common; joins are {ways}"


def unexplained_joins(query: Query, schema: Schema) -> Iterator[str]:
    """Joins and memberships, as SQL, of two bare ids, and of columns without a word in common where the schema knows no
    join at all or the search did not find one of the tables; those of two columns of one table."""
    shared = {table.name: _shared(table) for table in schema.tables}
    for left, right in (pair for select in query.selects for pair in (*select.equal, *select.within)):
        known = {left[0], right[0]} <= shared.keys() and left[0] != right[0]
        ids = {words_of(side[1]) for side in (left, right)} == {"id"}
        made_up = {(left, right), (right, left)}.isdisjoint(schema.joins)
        explained = (known and schema.joins) or alike(left, right, shared)
        if left[0] and right[0] and left != right and made_up and (ids or not explained):
            yield spelled((left, right))


def _shared(table: Table) -> frozenset[str]:
    """The words that all its columns have: `sb` and `tx` of sbTxId, sbTxType."""
    words = [frozenset(words_of(name).split()) for name in table.names]
    return words[0].intersection(*words) if len(words) > 1 else frozenset()


def alike(left: Side, right: Side, shared: Mapping[str, frozenset[str]]) -> bool:
    """Whether two columns have one name, or a word of it in common: `ShipVia` and `ShipperID`, and no other head, as
    `CustName` and `CustId` have. Heads and the words that all columns of its table have (`shared`) aside; a name
    without others has its table's words: `customer_id` and the `id` of customers."""
    if left[1].casefold() == right[1].casefold():
        return True
    said = [({*words_of(name).split()}, shared.get(table, frozenset()), table) for table, name in (left, right)]
    heads = [words & HEADS for words, _, _ in said]
    if all(heads) and not heads[0] & heads[1]:
        return False
    of_both = said[0][1] & said[1][1]
    one, other = (words - HEADS - but or {*words_of(table).split()} - of_both for words, but, table in said)
    stems = (
        (word[: max(4, len(word) - 3)], others) for words, others in ((one, other), (other, one)) for word in words
    )
    return bool(one & other) or any(len(stem) > 3 and stem in " ".join(others) for stem, others in stems)


def counted_twice(select: Select, schema: Schema) -> Iterator[str]:
    """Sums of a document's amounts over its detail rows, one sentence each: every detail row adds the amount again."""
    columns = {table.name: table.names for table in schema.tables}
    details = [(detail, document) for (detail, _), (document, _) in schema.joins if detail in select.tables]
    for table, column in select.added:
        owners = [table] if table else [name for name in select.tables if column in columns.get(name, ())]
        for detail, document in details:
            again = owners == [document] and detail != document
            if again and not _price_of_each(detail, document, column, schema):
                yield (
                    f"{document}.{column} would be added once for each row of {detail}; "
                    f"add a column of {detail}, or leave {detail} out"
                )


def _price_of_each(detail: str, document: str, column: str, schema: Schema) -> bool:
    """Whether every row of the detail table costs the other's price: nothing else has an amount, and its rows have no
    figures (what a procedure costs, for each time that it was performed)."""
    kinds = {table.name: {each.kind for each in table.columns} for table in schema.tables}
    amounts = {name for name, of in kinds.items() if "financial_amount" in of}
    return speaks(column, "unit_values") and amounts == {document} and kinds[detail].isdisjoint(FIGURES)


def without_details(plan: Plan, schema: Schema) -> Plan:
    """The plan without joins to detail tables that add a document's amounts several times although no column of them is
    read and no row is counted."""
    columns = {table.name: frozenset(table.names) for table in schema.tables}
    queries, notes = [], list(plan.derived)
    for query in plan.queries:
        for detail in dict.fromkeys(detail for (detail, _), _ in schema.joins):
            left = edits.without_join(query["query"], detail)
            idle = left != query["query"] and not _reads(left, detail, columns.get(detail, frozenset()))
            if idle and any(next(counted_twice(each, schema), "") for each in Query.of(query).selects):
                query = {**query, "query": left}
                notes.append(f"{query['result_key']}: {detail} left out, of which nothing is read")
        queries.append(query)
    return replace(plan, queries=queries, derived=notes)


def _reads(query: str, table: str, columns: frozenset[str]) -> bool:
    """Whether the query reads a column of the table, counts rows, or can't be parsed."""
    found = tree(query)
    if found is None or found.find(exp.Star) is not None:
        return True
    read = of_kind(found, exp.Column)
    return any((column.table or table) == table and column.name in columns for column in read)


def picked_at_random(select: Select, schema: Schema) -> Iterator[str]:
    """Ungrouped columns of tables with several rows per group, one sentence each: a lenient database would pick an
    arbitrary row."""
    referring, by = {left for left, _ in schema.joins}, {table for table, _ in select.grouped}
    for table, column in select.picked:
        keys = [side for side in select.grouped if side[0] == table]
        of_others = any(left[0] == table and right[0] in by for left, right in schema.joins)
        if referring.issuperset(keys) if keys else of_others:
            fault = f"a group has several {table}.{column}, and one of them would be shown"
            yield f"{fault}; add them up (SUM), or group by it"


def side_by_side(select: Select, schema: Schema) -> Iterator[str]:
    """Tables joined only by a common parent, one sentence each: every row of one meets every row of the other of the
    same customer. Tables that weren't consulted are assumed to reference the same parents."""
    relations = {*schema.joins}
    referred = {right for _, right in relations}
    consulted = {table for pair in relations for table, _ in pair}
    tied = {frozenset((left[0], right[0])) for left, right in select.equal}
    of: dict[str, set[str]] = {}
    for left, right in (side for pair in select.equal for side in (pair, pair[::-1])):
        if (left, right) in relations or (right in referred and left[0] not in consulted):
            of.setdefault(right[0], set()).add(left[0])
    for parent, children in of.items() if next(select.own(exp.Distinct), None) is None else ():
        for one, other in combinations(sorted(children), 2):
            if frozenset((one, other)) not in tied:
                both = f"each row of {one} stands beside each row of {other} of the same {parent}"
                yield f"{both}; read them in two queries"


def united_twice(query: Query) -> Iterator[str]:
    """Tables that both branches of a UNION ALL under an aggregate read, so that a row may count twice."""
    for union in query.all(exp.Union):
        outer = union.find_ancestor(exp.Select)
        sides = [{table.name for table in of_kind(side, exp.Table)} for side in (union.left, union.right)]
        if not union.args.get("distinct") and outer is not None and outer.find(exp.Sum, exp.Avg, exp.Count):
            yield from (f"UNION ALL {name}" for name in sorted(sides[0] & sides[1]))


def only_some(query: Query, schema: Schema) -> Iterator[str]:
    """Detail tables whose inner join drops documents without details, although what is read of them is in the document
    too or is subtracted from its amount: "customers that owe", read from the payments."""
    relations, joins = dict(schema.joins), query.outer.joins if query.outer else []
    if any(join.side for join in joins) or query.has(exp.Star, exp.Subquery):
        return
    named = {table.alias_or_name: table.name for table in query.all(exp.Table)}
    tied = {id(column) for join in joins for column in of_kind(join, exp.Column)}
    sides = {(named.get(each.table, ""), each.name) for each in query.all(exp.Column) if id(each) not in tied}
    less = [{named.get(each.table, "") for each in of_kind(sub, exp.Column)} for sub in query.all(exp.Sub)]
    for table in {name for name, _ in sides} if all(name for name, _ in sides) else ():
        documents = {right[0] for left, right in relations.items() if left[0] == table} & {*named.values()} - {table}
        said = {right for left, right in relations.items() if left[0] in documents}
        own = {side for side in sides if side[0] == table and relations.get(side) not in said}
        taken = any({table, document} <= names for names in less for document in documents)
        if documents and (taken or not own):
            yield table


def codes_for_names(question: str, query: Query, schema: Schema) -> Iterator[str]:
    """Results that identify their rows only by references, although the referenced thing may have a name (one that
    wasn't consulted may, too): "the media type with the most tracks is 1". Not if the question asks for the codes."""
    referring, read = set(_referring(schema)), {table for select in query.selects for table in select.tables}
    shown = {side for each in query.columns if not each.aggregate for side in each.over}
    codes = {(of, name) for table, name in shown for of in ([table] if table else read) if (of, name) in referring}
    if shown and {name for _, name in codes} == {name for _, name in shown}:
        yield from sorted(name for _, name in codes if not _asked_for(question, name))


def _asked_for(question: str, column: str) -> bool:
    """Whether the question has all words of a code's column: `the ids of documents` for `Document_ID`."""
    words = words_of(column).split()
    return words[-1] in HEADS and all(re.search(rf"(?i)\b{re.escape(word)}s?\b", question) for word in words)


def _referring(schema: Schema) -> Iterator[Side]:
    """References to things that may have a name, and, in tables with known primary keys, other unexplained keys."""
    named = finder("names", "titles")
    nameless = {table.name for table in schema.tables if not any(map(named.search, table.names))}
    yield from (left for left, right in schema.joins if right[0] not in nameless and right[0] != left[0])
    known = {left for left, _ in schema.joins}
    for table in schema.tables:
        others = {*table.of_kind("identifier")} - {*table.primary_key} if table.primary_key else ()
        yield from {(table.name, name) for name in others} - known
