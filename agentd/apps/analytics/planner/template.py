"""The narrative of a plan: without its own comparisons, with every result mentioned, or derived completely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentd.apps.analytics import wording
from agentd.apps.analytics.answer import placeholders
from agentd.apps.analytics.answer.statements import Statement, spoken_of, statements_in
from agentd.apps.analytics.checks.unknown_words import said_in, unknown_words
from agentd.apps.analytics.plan import Plan, orders_of, text_of
from agentd.apps.analytics.question import comparisons
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.tree import DAY
from agentd.apps.analytics.vocabulary import any_of, finder, topics_of, words_of


def worded_once(plan: Plan, said: Sequence[str]) -> Plan:
    """The plan with a narrative without repetitions and with comparisons in time order. If the model wrote none, its
    one result is put under the question, with the period unless the question has it; several under their purposes.
    `said`: the question and its period's label."""
    template, notes = wording.unrepeated(plan.template), list(plan.derived)
    if wording.repeats(plan.template):
        notes.append("response_template repeated itself")
    for backwards in _backwards(plan):
        turned = f"{{COMPARE {' '.join(reversed(backwards.args))}}}"
        template = template.replace(backwards.text, turned)
        notes.append(f"{backwards.text} turned: its second figure is the later one")
    if not template.strip() and not plan.empty:
        template = derived_template(plan)
        if len(plan.results) == 1 and said and not plan.results[0].purpose:
            period = " ({PERIOD_LABEL})" if said[1:] and not any(each in said[0] for each in said[1:]) else ""
            template = _under_the_question(plan, said[0], period)
        notes.append("response_template (derived)")
    return replace(plan, template=template, derived=notes)


def without_period(plan: Plan) -> Plan:
    """The plan without the period in its narrative, for a question that names no time."""
    before = any_of("before_period")
    period = re.compile(rf"(?:\s+{before})*\s*\{{\s*PERIOD(?:E|_LABEL)?\s*\}}", re.IGNORECASE)
    return replace(plan, template=re.sub(r"(?<=:)\s*\.|\s*\(\s*\)", "", period.sub("", plan.template)))


def headed(plan: Plan, question: str) -> Plan:
    """Puts a whole list under the question if the model's sentence calls it the most of something and nobody asked for
    that: "Genre dengan track terbanyak" for all genres."""
    if comparisons.superlatives(question):
        return plan
    orders, template, notes = orders_of(plan, cut=True), plan.template, list(plan.derived)
    for sentence in wording.sentences(plan.template):
        faults = [set(comparisons.uncovered(sentence, each, question)) for each in (orders, plan.orders)]
        names = {name.casefold() for name in placeholders.names_in(sentence)}
        whole = [query.key for query in plan.results if names and names <= query.names]
        if (most := faults[0] - faults[1]) and whole:
            head = wording.heading(plan.template, sentence, question)
            template = template.replace(sentence, f"{head}{{{whole[0]}}}")
            notes.append(f"response_template called {whole[0]} {', '.join(most)}")
    return replace(plan, template=template, derived=notes)


def _backwards(plan: Plan) -> Iterator[Statement]:
    """Comparisons of a period with a later one, which would report a rise as a fall."""
    days: dict[str, set[str]] = {}
    for query in plan.results:
        for name in query.names:
            days.setdefault(name, set()).add(max(DAY.findall(query.text), default=""))
    for each in statements_in(plan.template):
        ends = [days.get(name.casefold(), {""}) for name in each.args]
        if each.kind == "COMPARE" and [len(found) for found in ends] == [1, 1] and "" < min(ends[0]) < min(ends[1]):
            yield each


def worded_truly(plan: Plan, question: str, period: str, schema: Schema) -> Plan:
    """The plan without comparisons that nothing computed supports and without unknown words (their sentences are
    removed, and the narrative if none is left), and with every result mentioned. `period`: the label of the
    question's."""
    notes, asked, written = list(plan.derived), f"{question} {period}".rstrip(), statements_in(plan.template)
    if comparisons.uncovered(plan.template, plan.orders, asked):
        template = comparisons.without(plan.template, plan.orders, asked) or _under_the_question(plan, question)
        plan = replace(plan, template=template)
        notes.append("response_template compared without computing")
    telling = filter(placeholders.names_in, wording.sentences(plan.template))
    strange = {sentence: words for sentence in telling if (words := _strange(sentence, plan, asked, schema))}
    if strange:
        template = wording.without(plan.template, strange.__contains__) or _under_the_question(plan, question)
        plan = replace(plan, template=template)
        notes += [f"response_template spoke of {', '.join(words)}" for words in strange.values()]
    kept = {each.text for each in statements_in(plan.template)}
    if lost := [each.text for each in written if each.text not in kept]:
        plan = replace(plan, template="\n".join([plan.template, *lost]))
    if silent := unsaid(plan):
        plan = replace(plan, template=f"{plan.template}\n{derived_template(plan, silent)}")
        notes.append(f"response_template left out {', '.join(silent)} (derived)")
    return replace(plan, derived=notes)


def _under_the_question(plan: Plan, question: str, period: str = "") -> str:
    """The derived narrative: the one result under the question, several under their purposes."""
    if len(plan.results) != 1:
        return derived_template(plan)
    asked = wording.heading("", "", question).removesuffix(": ")
    return f"{asked}{period}: {{{plan.results[0].key}}}"


def _strange(sentence: str, plan: Plan, asked: str, schema: Schema) -> list[str]:
    """Words of a sentence that occur in neither the question, the plan, its tables nor a pack; and topics that neither
    the question nor the plan has: sales, for the freight."""
    bare = finder("narrating").sub(" ", wording.BRACED.sub(" ", sentence)).lower()
    written = text_of(plan)
    words = [word for word in unknown_words(bare, plan, schema) if not said_in(word, asked.casefold())]
    about = topics_of(f"{asked} {written} {words_of(written)}")
    return list(dict.fromkeys([*words, *sorted(topics_of(bare) - about)]))


def unsaid(plan: Plan) -> list[str]:
    """The results that the narrative doesn't mention by any of their names, except those for the table only."""
    said = {name.casefold() for name in spoken_of(plan.template)}
    said |= {str(source.get("query") or "").casefold() for source in plan.sources.values()}
    tables = {each["result_key"] for each in plan.operations if each["expected_result_format"] != "single_value"}
    silent = [query.key for query in plan.results if query.key not in tables and not query.names & said]
    return silent if said else []


def derived_template(plan: Plan, keys: Sequence[str] | None = None) -> str:
    """Each result (or those in `keys`) on a line under its purpose, or under its key if the purpose states numbers or
    comparisons."""
    lines = []
    for step in plan.results or plan.selects:
        if keys is not None and step.key not in keys:
            continue
        purpose = step.purpose.strip()
        plain = purpose and not placeholders.own_numbers(purpose, []) and not comparisons.uncovered(purpose, {}, "")
        lines.append(f"{purpose if plain else step.key.replace('_', ' ').capitalize()}: {{{step.key}}}")
    return "\n".join(lines)
