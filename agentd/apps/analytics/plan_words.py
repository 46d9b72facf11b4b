"""The narrative of a plan: without comparisons of its own, with every result said, or derived as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.apps.analytics import comparisons, placeholders, wording
from agentd.apps.analytics.agreement import words_of
from agentd.apps.analytics.plan_figures import orders_of
from agentd.apps.analytics.plan_reads import text_of
from agentd.apps.analytics.planned import Plan
from agentd.apps.analytics.projections import projections
from agentd.apps.analytics.sql import DAY
from agentd.apps.analytics.state import SqlQueryPlan
from agentd.apps.analytics.statements import Statement, spoken_of, statements_in
from agentd.apps.analytics.unknown_words import said_in, unknown_words
from agentd.apps.analytics.vocabulary import alternatives, finder, topics_of, vocabulary


def worded_once(plan: Plan, said: Sequence[str]) -> Plan:
    """The plan with a narrative that repeats nothing and goes forward in time. Where the model wrote none, its one
    result stands under the question, with its period unless the question writes that; several under what they are.
    `said` is the question and what its period is called."""
    template, notes = wording.unrepeated(plan.template), list(plan.derived)
    if wording.repeats(plan.template):
        notes.append("response_template repeated itself")
    for backwards in _backwards(plan):
        turned = f"{{COMPARE {' '.join(reversed(backwards.args))}}}"
        template = template.replace(backwards.text, turned)
        notes.append(f"{backwards.text} turned: its second figure is the later one")
    if not template.strip() and not plan.empty:
        template = derived_template(plan)
        if len(plan.results) == 1 and said and not plan.results[0].get("purpose"):
            period = " ({PERIOD_LABEL})" if said[1:] and not any(each in said[0] for each in said[1:]) else ""
            template = _under_the_question(plan, said[0], period)
        notes.append("response_template (derived)")
    return replace(plan, template=template, derived=notes)


def without_period(plan: Plan) -> Plan:
    """The narrative of a question that names no time: it names none either."""
    before = alternatives(vocabulary().before_period)
    period = re.compile(rf"(?:\s+{before})*\s*\{{\s*PERIOD(?:E|_LABEL)?\s*\}}", re.IGNORECASE)
    return replace(plan, template=re.sub(r"(?<=:)\s*\.|\s*\(\s*\)", "", period.sub("", plan.template)))


def headed(plan: Plan, question: str) -> Plan:
    """A whole list under the question itself, where the model calls it the most of something and nobody asked for that:
    "Genre dengan track terbanyak" of all genres."""
    if comparisons.superlatives(question):
        return plan
    orders, template, notes = orders_of(plan, cut=True), plan.template, list(plan.derived)
    for sentence in wording.sentences(plan.template):
        faults = [set(comparisons.uncovered(sentence, each, question)) for each in (orders, plan.orders)]
        names = {name.casefold() for name in placeholders.names_in(sentence)}
        whole = [query["result_key"] for query in plan.results if names and names <= _names_of(query)]
        if (most := faults[0] - faults[1]) and whole:
            head = wording.heading(plan.template, sentence, question)
            template = template.replace(sentence, f"{head}{{{whole[0]}}}")
            notes.append(f"response_template called {whole[0]} {', '.join(most)}")
    return replace(plan, template=template, derived=notes)


def _names_of(query: SqlQueryPlan) -> set[str]:
    return {name.casefold() for name in (query["result_key"], *(each.name for each in projections(query["query"])))}


def _backwards(plan: Plan) -> Iterator[Statement]:
    """Comparisons of a period with a later one, which would read as a rise for a fall."""
    days: dict[str, set[str]] = {}
    for query in plan.results:
        for name in _names_of(query):
            days.setdefault(name, set()).add(max(DAY.findall(query["query"]), default=""))
    for each in statements_in(plan.template):
        ends = [days.get(name.casefold(), {""}) for name in each.args]
        if each.kind == "COMPARE" and [len(found) for found in ends] == [1, 1] and "" < min(ends[0]) < min(ends[1]):
            yield each


def worded_truly(plan: Plan, question: str, period: str, tables: Sequence[Mapping[str, Any]]) -> Plan:
    """The plan without words of comparison that nothing computed covers, or words that nobody knows (their sentences
    go, and with the last of them the narrative), and with every result said. `period`: what the question's is called;
    `tables`: the `relevant_tables`."""
    notes, asked = list(plan.derived), f"{question} {period}".rstrip()
    if comparisons.uncovered(plan.template, plan.orders, asked):
        template = comparisons.without(plan.template, plan.orders, asked) or _under_the_question(plan, question)
        plan = replace(plan, template=template)
        notes.append("response_template compared without computing")
    telling = filter(placeholders.names_in, wording.sentences(plan.template))
    strange = {sentence: words for sentence in telling if (words := _strange(sentence, plan, asked, tables))}
    if strange:
        template = wording.without(plan.template, strange.__contains__) or _under_the_question(plan, question)
        plan = replace(plan, template=template)
        notes += [f"response_template spoke of {', '.join(words)}" for words in strange.values()]
    if silent := unsaid(plan):
        plan = replace(plan, template=f"{plan.template}\n{derived_template(plan, silent)}")
        notes.append(f"response_template left out {', '.join(silent)} (derived)")
    return replace(plan, derived=notes)


def _under_the_question(plan: Plan, question: str, period: str = "") -> str:
    """The narrative of a plan that has none: its one result under the question, several under what they are."""
    if len(plan.results) != 1:
        return derived_template(plan)
    asked = wording.heading("", "", question).removesuffix(": ")
    return f"{asked}{period}: {{{plan.results[0]['result_key']}}}"


def _strange(sentence: str, plan: Plan, asked: str, tables: Iterable[Mapping[str, Any]]) -> list[str]:
    """Words of a sentence that neither the question, nor the plan and its tables, nor a pack says; and what it is about
    that neither the question nor the plan is: sales, for what the freight was."""
    bare = finder("narrating").sub(" ", wording.BRACED.sub(" ", sentence)).lower()
    written = text_of(plan)
    words = [word for word in unknown_words(bare, plan, tables) if not said_in(word, asked.casefold())]
    about = topics_of(f"{asked} {written} {words_of(written)}")
    return list(dict.fromkeys([*words, *sorted(topics_of(bare) - about)]))


def unsaid(plan: Plan) -> list[str]:
    """The results that the narrative does not mention by any of their names, those for the table alone aside."""
    said = {name.casefold() for name in spoken_of(plan.template)}
    said |= {str(source.get("query") or "").casefold() for source in plan.sources.values()}
    tables = {each["result_key"] for each in plan.operations if each["expected_result_format"] != "single_value"}
    silent = [
        query["result_key"]
        for query in plan.results
        if query["result_key"] not in tables and not _names_of(query) & said
    ]
    return silent if said else []


def derived_template(plan: Plan, keys: Iterable[str] | None = None) -> str:
    """Each result (or those of `keys`) under its purpose, a line each; under its key where the purpose claims
    something."""
    lines = []
    wanted = None if keys is None else set(keys)
    for step in plan.results or plan.selects:
        if wanted is not None and step["result_key"] not in wanted:
            continue
        purpose, key = str(step.get("purpose") or "").strip(), str(step["result_key"])
        plain = purpose and not placeholders.own_numbers(purpose, []) and not comparisons.uncovered(purpose, {}, "")
        lines.append(f"{purpose if plain else key.replace('_', ' ').capitalize()}: {{{key}}}")
    return "\n".join(lines)
