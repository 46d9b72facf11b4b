"""What a plan leaves out of its question, and what it selects by that nobody said. Pure.

Covers names, numbers, the end of a ranking, means and negations. A plan with such a doubt runs and may be right (a name
may be a code in the data), so the model revises it once, and the answer doesn't count as certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.answer.rules import Finding
from agentd.apps.analytics.answer.rules import number as as_number
from agentd.apps.analytics.checks.agreement import deadline_sides, disagreements, includes, of_both, restricted
from agentd.apps.analytics.checks.asked_columns import misdeducted, not_deducted, unused
from agentd.apps.analytics.checks.limits import number_words
from agentd.apps.analytics.plan import Plan, computed, orders_of, text_of
from agentd.apps.analytics.question.comparisons import SCALES, ends_of, plain
from agentd.apps.analytics.question.names import names_in
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import NO_SCHEMA, Schema
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import finder, listed, topics_of, words_of

_DATE = re.compile(r"(?:19|20)\d\d(?:\.0)?(?:-\d\d?)*-?%?(?:[ T].*)?$")
_OF_FUNCTIONS = (exp.Substring, exp.Anonymous, exp.DateAdd, exp.DateSub, exp.Interval)
"""Functions whose literals are a part or an offset: `substr(d, 1, 7)`, `date(d, '+1 month')`."""
_OF_A_DATE = (exp.Extract, exp.Year, exp.Month, exp.Day, exp.Quarter)
_FORMAT = re.compile(r"(?:%[A-Za-z][-/: ]?)+")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_UNITED = re.compile(r"(?<![\w.,-])(\d+)(?!st|nd|rd|th)[^\W\d_]+")
"""A number with its unit: `1pm`, `12m`, `10jt`."""


def uncovered(question: str, plan: Plan, past: Iterable[str] = (), schema: Schema = NO_SCHEMA) -> list[str]:
    """Words of the question that the plan doesn't cover, and values of the plan that the conversation doesn't name."""
    if plan.empty:
        return []
    chosen, talk = _chosen(plan), " ".join([*past, question])
    measures = (*_other_measures(talk, plan, schema), *_of_other_documents(talk, plan, schema))
    chooses = bool(chosen) or next(plan.all(exp.Except), None) is not None
    unmet = (*_unmet(question, plan, chooses, schema), *_unsaid(talk, chosen), *measures)
    return list(dict.fromkeys(unmet))


def _other_measures(talk: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """Measures such as payments or quantities that are shown or summed although nobody asks for them."""
    asked = topics_of(talk)
    for query in plan.results:
        for shown in query.columns:
            alone = len(shown.over) == 1 and not (shown.counts or shown.quotient or shown.subtracts)
            name = shown.over[0][1] if alone else ""
            measures = topics_of(words_of(name)) & listed("measures")
            if name in schema.figures and measures and not measures & asked:
                yield name


def _of_other_documents(talk: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """Payments and the like summed by another document's dates, although a found table fits better: all payments on the
    invoices of 2022, for the payments made in 2022."""
    about = {table.name: topics_of(table.purpose) for table in schema.tables}
    asked = topics_of(talk)
    for query in plan.results if asked & listed("measures") else ():
        read = [topics for name, topics in about.items() if re.search(rf"\b{re.escape(name)}\b", query.text)]
        here = max((len(topics & asked) for topics in read), default=0)
        for shown in query.columns if re.search(r"'(?:19|20)\d\d-", query.text) else ():
            plain = shown.aggregate == "SUM" and len(shown.over) == 1 and not shown.quotient
            of = topics_of(words_of(shown.over[0][1])) & listed("measures") & asked if plain else set()
            better = [topics for topics in about.values() if of <= topics and len(topics & asked) > here]
            if of and better and not any(of & topics for topics in read):
                yield shown.over[0][1]


def findings(words: Iterable[str], say: Mapping[str, str]) -> list[Finding]:
    """The uncovered words as warnings of an answer; `say` has the texts."""
    return [Finding(f"coverage:{word}", "warning", say["disagree"].format(word=word)) for word in words]


def _unmet(question: str, plan: Plan, chooses: bool, schema: Schema) -> Iterator[str]:
    written = text_of(plan).casefold()
    asked = timeless(question)
    for name in names_in(asked):
        if name.casefold() not in written and (name[-1] != "s" or name[:-1].casefold() not in written):  # "IDs"
            yield name
    numbers, numbers_asked = numbers_in(written), _NUMBER.findall(asked)
    united = ((found[1], found[0]) for found in _UNITED.finditer(asked) if found[0].casefold() not in written)
    for number, said in (*((number, number) for number in numbers_asked), *united):
        if not any(meant * scale in numbers for meant in plain(number) for scale in SCALES):
            yield said
    ends = frozenset(end for found in orders_of(plan).values() for end in found)
    superlatives = ends_of(asked)
    yield from (word for word, end in superlatives.items() if not end & ends)
    yield from _other_figure(asked, computed(plan), bool(ends))
    yield from (*_no_share(asked, plan), *not_deducted(asked, plan, schema))
    yield from _nameless(asked, plan, schema.figures)
    both, split = of_both(asked), list(_split(plan))
    figures = sum(1 + shown.quotient for query in plan.results for shown in query.columns)
    if both and not split and figures <= 1:
        yield both
    chooses |= finder("deadlines", "late").search(asked) is not None and any(map(deadline_sides, plan.selects))
    if (some := restricted(asked)) and not (chooses or (both and split) or includes(asked)):
        yield some[0]
    yield from (*_same_again(plan), *_parts(asked, plan, schema.figures))
    yield from () if both or superlatives or numbers_asked or finder("lists").search(asked) else split
    for query in plan.selects:
        for select in query.selects:
            yield from (*_whole_cut(select), *_unused(asked, select))
        if query.outer:
            yield from (*disagreements(asked, query, schema), *misdeducted(asked, query))
    yield from unused(asked, plan, schema)


def _nameless(asked: str, plan: Plan, numbers: frozenset[str]) -> Iterator[str]:
    """A "who" at an end of the question if the plan shows figures only; elsewhere it may be "customers who bought"."""
    who = finder("who").pattern
    shown = [each for query in plan.results for each in query.columns]
    if shown and all(each.aggregate or {name for _, name in each.over} & numbers for each in shown):
        yield from (found[0].strip() for found in re.finditer(rf"(?i)^\W*{who}|{who}(?=\W*$)", asked))


def _parts(asked: str, plan: Plan, numbers: frozenset[str]) -> Iterator[str]:
    """The last "how many" (or total, or mean) of a question if it asks for more parts than the plan has figures, or if
    it is a part and the plan shows names only; not a total at an end of an order ("the most in total") or what rows are
    sorted by."""
    shown = [each for query in plan.results for each in query.columns]
    figures = len(shown)
    named = all(not each.aggregate and len(each.over) == 1 and each.over[0][1] not in numbers for each in shown)
    joined = rf"(?<!\w){finder('joined').pattern}(?!\w)"
    for apart, keys in ((rf"[,;]|{joined}", ("how_many",)), (joined, ("how_many", "totals", "averages"))):
        parts = re.split(apart, asked, flags=re.IGNORECASE)
        found = [(part, each) for part in parts if (each := finder(*keys).search(part))]
        sorts = finder("sorts")
        found = [(part, each) for part, each in found if finder("how_many").fullmatch(each[0]) or not ends_of(part)]
        found = [(part, each) for part, each in found if not sorts.search(part[: each.start()])]
        things = {tuple(finder("several").sub("", part[each.end() :]).split()[:1]) for part, each in found}
        asking = [each[0] for _, each in found][-len(things) if keys == ("how_many",) else 0 :]
        if asking and (len(asking) > figures > 0 or (figures and numbers and named and len(parts) > 1)):
            yield asking[-1]


def _same_again(plan: Plan) -> Iterator[str]:
    """Results that repeat an earlier query under another name."""
    seen: dict[str, str] = {}
    for key, tree in ((query.key, query.tree) for query in plan.results if query.tree):
        bare = tree.transform(lambda node: node.this if isinstance(node, exp.Alias) else node)
        bare.set("order", None)
        if (same := seen.setdefault(bare.sql(), key)) != key:
            yield f"{key} = {same}"


def _split(plan: Plan) -> Iterator[str]:
    """The group keys of the queries, except columns filtered to several values."""
    for query in plan.results:
        chosen = {each.this.name for each in query.all(exp.In)}
        keys = (key.name for key in (query.outer.keys if query.outer else ()) if isinstance(key, exp.Column))
        yield from (f"GROUP BY {key}" for key in keys if key not in chosen)


def _other_figure(asked: str, computed: set[str], ordered: bool) -> Iterator[str]:
    """A mean or total that the question asks for and no query computes, or an AVG that it doesn't ask for."""
    mean, total = finder("averages").search(asked), finder("totals").search(asked)
    if mean and not computed & {"AVG", "/"}:
        yield mean[0]
    if not mean and "AVG" in computed:
        yield "AVG"
    elif total and not mean and not ordered and not computed & {"SUM", "COUNT"}:
        yield total[0]


def _no_share(asked: str, plan: Plan) -> Iterator[str]:
    """The word for a share or ratio if the plan adds or counts (or shows a column that is no ratio) without a quotient,
    and its text computes none; quotients upside down: by what the question names first, or all rows by some of them."""
    share, done = finder("shares", "quotients").search(asked), computed(plan)
    ratio = finder("quotients").search(asked)
    stored = not done and (not ratio or finder("quotients").search(words_of(text_of(plan))))
    if share and not stored and "/" not in done and not re.search(r"\{(?:SHARE|COMPARE|TREND)", plan.template):
        yield share[0]
    for each in plan.all(exp.Div) if share else ():
        of, by = each.this, each.expression
        some = _chooses(by, of) and of.find(exp.Count) and not _chooses(of, by)
        first, second = _first_said(asked, of, by), _first_said(asked, by, of)
        if some or (ratio and first > second > 0):
            yield each.sql()


def _chooses(side: exp.Expr, other: exp.Expr) -> bool:
    """Whether this side of a quotient is of chosen rows: by a CASE or FILTER, its subquery's WHERE or, beside another
    side with a subquery of its own, the WHERE of the query that both stand in."""
    around = side.find_ancestor(exp.Select) if other.find(exp.Select) else None
    select = side.find(exp.Select) or around
    return bool(side.find(exp.If, exp.Filter) or (select is not None and select.args.get("where")))


def _first_said(asked: str, side: exp.Expr, other: exp.Expr) -> int:
    """Where the question first has a word, number or bound of this side that the other side lacks; 0 without one."""
    texts = (" ".join(each.name for each in of_kind(part, exp.Column, exp.Literal)) for part in (side, other))
    own, others = ({*re.findall(r"[^\W\d_]{4,}|\d+", words_of(text))} for text in texts)
    said = [rf"\b{word}\b" if word[0].isdigit() else rf"\b{word[: max(4, len(word) - 3)]}" for word in own - others]
    bounds = {exp.GT: "above", exp.GTE: "at_least", exp.LT: "below", exp.LTE: "at_most"}
    said += [finder(key).pattern for kind, key in bounds.items() if side.find(kind) and not other.find(kind)]
    return min((found.start() for each in said if (found := re.search(each, asked, re.IGNORECASE))), default=0)


def _whole_cut(select: Select) -> Iterator[str]:
    """A value counted by a CASE although the rows are already filtered to it: a share of itself."""
    kept = {each.this for condition in select.conditions for each in of_kind(condition, exp.Literal)}
    cases = [literal for case in select.all(exp.Case) for literal in of_kind(case, exp.Literal)]
    yield from (each.this for each in cases if each.is_string and each.this in kept and not _DATE.match(each.this))


def _unused(asked: str, select: Select) -> Iterator[str]:
    """Joined tables that nothing reads. In a subquery or behind EXCEPT, existence may be what is asked; so in a list of
    distinct things, or the rows that COUNT(*) counts, if the question names the table."""
    around = select.node.parent
    excluded = isinstance(around, exp.Except) and around.expression is select.node
    if excluded or select.node.find_ancestor(exp.Select) is not None:
        return
    inner = [join.args["on"] for join in select.joins if join.args.get("on") is not None]
    tied = [column.table.casefold() for condition in inner for column in of_kind(condition, exp.Column)]
    within = {id(column) for condition in inner for column in of_kind(condition, exp.Column)}
    counts = any(isinstance(each.this, exp.Star) for each in select.all(exp.Count))
    if not counts:  # an alias reads no table
        made = {each.alias.casefold() for each in select.node.expressions}
        sorted_by = of_kind(select.order or exp.Order(), exp.Column)
        within |= {id(column) for column in sorted_by if not column.table and column.name.casefold() in made}
    used = {column.table.casefold() for column in select.all(exp.Column) if id(column) not in within}
    if "" in used or any(len(list(of_kind(condition, exp.Predicate))) > 1 for condition in inner):
        return
    once = counts or (select.node.args.get("distinct") and not select.node.find(exp.AggFunc))
    words = ((join, re.findall(r"[^\W\d_]{3,}", words_of(join.this.name))) for join in select.joins if once)
    said = [join for join, each in words if any(word[:4] in asked.casefold() for word in each)]
    names = {join.this.alias_or_name: join.this.name for join in select.joins if join.side or join not in said}
    idle = [name for name in names if tied.count(name.casefold()) < 2]
    yield from (names[name] for name in idle if name.casefold() not in used and (used or name == idle[-1]))


def _unsaid(said: str, chosen: Iterable[list[str | float]]) -> Iterator[str]:
    """Unmentioned names and numbers that rows are selected by. Short or upper-case texts are codes of the schema. Time
    words are no names: `Terms = 'Last Month'`."""
    known = timeless(said).casefold()
    for text in _texts(chosen):
        parts = re.findall(r"[^\W_]{3,}", text)
        if parts and not text.isupper() and not any(part.casefold() in known for part in parts):
            yield text
    numbers = numbers_in(said) | {float(len(values)) for values in chosen if len(values) == len(_texts([values]))}
    for number in dict.fromkeys(value for values in chosen for value in values if isinstance(value, float)):
        in_words = any(word in said.casefold().split() for word in number_words(number))
        if number > 1 and not in_words and not numbers & {number / scale for scale in SCALES}:
            yield f"{number:g}"


def _chosen(plan: Plan) -> list[list[str | float]]:
    """The texts and numbers of each condition, without dates; empty for one without a literal (NOT EXISTS)."""
    conditions = [values for query in plan.selects for values in _compared(query)]
    kept = [[value for value in values if not _DATE.match(str(value))] for values in conditions]
    return [values for values, all_ in zip(kept, conditions, strict=True) if values or not all_]


def _texts(chosen: Iterable[list[str | float]]) -> list[str]:
    texts = (value.strip("% ") for values in chosen for value in values if isinstance(value, str))
    return list(dict.fromkeys(filter(None, texts)))


def not_found(plan: Plan, values: Iterable[Any], schema: Schema) -> Iterator[str]:
    """Filter texts of a plan whose figure is zero or empty, because another column may contain them; without the
    schema's sample values."""
    known = {str(value) for column in schema.columns for value in column.sample_values}
    if any(value is None or as_number(value) == 0 for value in values):
        yield from sorted({*_texts(_chosen(plan))} - known)


def _compared(query: Query) -> Iterator[list[str | float]]:
    """The literals of each comparison, except those that join two columns, and IS NULL, NOT EXISTS and the like."""
    for each in query.all(exp.Predicate):
        if isinstance(each, exp.Exists) and isinstance(each.parent, exp.Not):
            yield []
        if isinstance(each, exp.EQ) and isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Column):
            continue
        inside = isinstance(each, exp.In) and each.args.get("query") and not isinstance(each.parent, exp.Not)
        if inside or isinstance(each, exp.SubqueryPredicate) or each.find(*_OF_A_DATE):
            continue
        said = [literal for literal in of_kind(each, exp.Literal) if not isinstance(literal.parent, _OF_FUNCTIONS)]
        kept = (literal for literal in said if not _FORMAT.fullmatch(literal.this))
        yield [str(literal.this) if literal.is_string else float(literal.this) for literal in kept]


def numbers_in(text: str) -> set[float]:
    """The possible values of the numbers in a text."""
    return {meant for number in re.findall(r"\d+(?:[.,]\d+)*", text) for meant in plain(number)}
