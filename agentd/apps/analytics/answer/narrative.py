"""Prepares a template and its results for the placeholder server: writes out lists, words statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from agentd.apps.analytics.answer.placeholders import (
    in_points,
    is_period,
    kind_in,
    kind_of,
    looked_up,
    names_in,
    rules_for,
)
from agentd.apps.analytics.answer.rules import number
from agentd.apps.analytics.answer.statements import spoken_of, statements_in, worded
from agentd.apps.analytics.question.comparisons import ends_of
from agentd.apps.analytics.state import TimePeriod
from agentd.apps.analytics.vocabulary import finder, listed
from agentd.apps.analytics.wording import Wording, heading, sentences, words_for

LISTED, BEGINNING = 20, 10
"""A list of at most LISTED rows is shown completely; of a longer one, the first BEGINNING rows."""


@dataclass(slots=True)
class Narrative:
    """A template with one placeholder per figure, the figures, their formats, and the names without a value."""

    template: str
    values: dict[str, Any] = field(default_factory=dict)
    mapping: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    @property
    def rules(self) -> dict[str, dict[str, Any]]:
        """`formatting_rules` for fill_placeholders."""
        return rules_for(self.mapping, self.values)

    def ready(self) -> str:
        """The template for fill_placeholders, with one unit per value."""
        return with_percent(one_unit(self.template, self.rules), in_points(self.mapping, self.values))


def narrative_of(
    template: str,
    calculations: Mapping[str, Any],
    mapping: Mapping[str, str],
    period: TimePeriod | None,
    question: str,
    sources: Mapping[str, Mapping[str, Any]] | None = None,
) -> Narrative:
    """The narrative to fill; a placeholder without a value stays and is listed in `unknown`. `sources`: as in the
    state. A list within a sentence is moved under the `question`."""
    given, words = sources or {}, words_for(question)
    made = Narrative(template, mapping=dict(mapping))

    def value_of(name: str) -> Any:
        source = given.get(name, {})
        try:
            return _taken(name, source, calculations, period)
        except KeyError:
            if source.get("query"):
                raise
            return _rows_with(name, calculations)

    made.template = _named(_period_once(made.template, period), calculations, question)
    _give_lists_lines(made, value_of, question)
    template = made.template
    for name in names_in(template):
        try:
            value = value_of(name)
        except KeyError:
            made.unknown.append(name)
            value = None
        if isinstance(value, list | dict):
            made.template = _put(made.template, rf"\{{\s*{re.escape(name)}\s*\}}", _listed(name, value, made, words))
        else:
            made.values[name] = value
            made.template = with_unit(made.template, name, given.get(name, {}).get("unit"))
    for place, statement in enumerate(statements_in(template), 1):
        said = worded(
            statement,
            place,
            lambda name: _whole(looked_up(name, calculations, None)),
            lambda name: kind_in(mapping, name, 1),
            words,
        )
        if not said.known:
            made.unknown.append(statement.text.strip("{}"))
        made.template = _put(made.template, re.escape(statement.text), said.text)
        made.values |= said.values
        made.mapping |= {
            slot: like if like.startswith("percentage:") else kind_in(mapping, like, said.values[slot])
            for slot, like in said.like.items()
        }
    return made


def _period_once(template: str, period: TimePeriod | None) -> str:
    """The template without words that repeat the start of the period's label: "Januari {PERIOD_LABEL}" for Januari
    2023."""
    label = (period["period_label"] or "").split() if period else []
    for count in range(len(label), 0, -1):
        said = r"\s+".join(map(re.escape, label[:count]))
        template = re.sub(rf"(?i)(?<!\w){said}\s+(\{{\s*PERIOD_LABEL\s*\}})", r"\1", template)
    return template


def _named(template: str, calculations: Mapping[str, Any], question: str) -> str:
    """Prepends the name to the template if the question asks for it, the only figure is of a row with that name, and
    the template omits it."""
    asks = finder("who").search(question) or ends_of(question)
    folded = {key.casefold(): key for key in calculations}
    spoken = [folded[name.casefold()] for name in spoken_of(template) if name.casefold() in folded]
    texts = [key for key, value in calculations.items() if isinstance(value, str) and kind_of(key, value) == "text"]
    silent = [key for key in texts if number(calculations[key]) is None and calculations[key] not in question]
    if not asks or len(spoken) != 1 or number(calculations[spoken[0]]) is None or not silent:
        return template
    return f"{' '.join(f'{{{key}}}' for key in silent)}: {template}"


def _give_lists_lines(made: Narrative, value_of: Callable[[str], Any], question: str) -> None:
    """Changes the template where a sentence holds a list of several rows, which words can't follow ("- 1: India
    customer"): its introduction or the question, the list, then each figure and statement on a line of its own."""
    for sentence in sentences(made.template):
        names, known = names_in(sentence), {}
        for name in names:
            with suppress(KeyError):
                known[name] = value_of(name)
        whole = {id(value): name for name, value in reversed(known.items()) if isinstance(value, list | dict)}
        lists = [name for name in known if name in whole.values() and len(known[name]) > 1]
        stated = [each.text for each in statements_in(sentence)]
        bare = _put(sentence, "|".join(map(re.escape, stated)), "").rstrip() if stated else sentence
        lines = [bare]
        if any(re.search(rf"\{{\s*{re.escape(name)}\s*\}}.*\w", bare) for name in lists):
            lines = [f"{heading(made.template, sentence, question)}{{{lists[0]}}}"]
            figures = [name for name in known if id(known[name]) not in whole and not is_period(name)]
            lines += [f"{name.replace('_', ' ').capitalize()}: {{{name}}}" for name in (*lists[1:], *figures)]
        elif not (lists and stated):
            continue
        made.template = made.template.replace(sentence, "\n".join([*lines, *stated]))
        made.unknown += [name for name in names if name not in known]


def _taken(name: str, source: Mapping[str, Any], calculations: Mapping[str, Any], period: TimePeriod | None) -> Any:
    """The value from its declared source, else by its name. Raises KeyError."""
    query, column, row = source.get("query"), source.get("column"), source.get("row")
    if not query:
        return looked_up(name, calculations, period)
    result = next((each for key, each in calculations.items() if key.casefold() == query.casefold()), None)
    if isinstance(result, dict):
        result = result["first"]
    if not isinstance(result, list):
        spread = (f"{query}_{column}", column, query) if column else (query, name)
        return looked_up(next((key for key in spread if key in calculations), name), calculations, period)
    if row is None and column is None:
        return result
    picked = result[(row or 1) - 1 : row or 1]
    if not picked:
        raise KeyError(name)
    wanted = str(column or next(reversed(picked[0]))).casefold()
    return next((value for key, value in picked[0].items() if key.casefold() == wanted), None)


def _rows_with(column: str, calculations: Mapping[str, Any]) -> Any:
    """The whole of the only result of several rows with that column. Raises KeyError."""
    found = []
    for result in calculations.values():
        rows = result.get("first") if isinstance(result, dict) else result
        if isinstance(rows, list) and len(rows) > 1 and isinstance(rows[0], dict):
            found += [result] if column.casefold() in map(str.casefold, rows[0]) else []
    if len(found) != 1:
        raise KeyError(column)
    return found[0]


def with_unit(template: str, name: str, unit: Any) -> str:
    """The template with a unit after the placeholder, unless it is there already or part of the format."""
    if not isinstance(unit, str) or unit.casefold() in {"", "%", *listed("own_units")}:
        return template
    return re.sub(
        rf"(\{{\s*{re.escape(name)}\s*\}})(?!\s*{re.escape(unit)})", lambda slot: f"{slot[1]} {unit}", template
    )


def _put(template: str, pattern: str, text: str) -> str:
    return re.sub(pattern, lambda _: text, template)


def _whole(value: Any) -> Any:
    """A complete result for statements to compute from. Raises KeyError if only the first rows are kept."""
    if isinstance(value, dict):
        raise KeyError
    return value


def _listed(name: str, result: Any, made: Narrative, words: Wording) -> str:
    """A result of several rows, one line per row, with a placeholder per cell (`RANKING.1.Name`)."""
    count = result["row_count"] if isinstance(result, dict) else len(result)
    rows = result["first"] if isinstance(result, dict) else result
    if not rows:
        return words.say["nothing"]
    lines = []
    for place, row in enumerate(rows if count <= LISTED else rows[:BEGINNING], 1):
        cells = []
        for column, value in _label_first(row):
            cell = f"{name}.{place}.{''.join(c if c.isalnum() or c == '_' else '_' for c in str(column))}"
            made.values[cell] = value
            figure = len(row) > 2 and number(value) is not None
            cells.append(f"{str(column).replace('_', ' ').casefold()} {{{cell}}}" if figure else f"{{{cell}}}")
        lines.append("\n- " + (": ".join(cells) if len(cells) <= 2 else ", ".join(cells)))
    if isinstance(result, dict) and result["cut"]:
        lines.append("\n- " + words.say["cut"])
    elif count > len(lines):
        lines.append("\n- " + words.say["more"].format(count=count - len(lines)))
    return "".join(lines)


def _label_first(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The cells of a row; of two cells, the text comes before the number."""
    cells = list(row.items())
    turned = len(cells) == 2 and number(cells[0][1]) is not None and number(cells[1][1]) is None and cells[1][1]
    return cells[::-1] if turned else cells


def one_unit(template: str, rules: Mapping[str, Mapping[str, Any]]) -> str:
    """The template without `Rp` and `%` beside placeholders whose value has its own."""
    for name, rule in rules.items():
        slot = rf"(\{{\s*{re.escape(name)}\s*\}})"
        if rule["type"] == "percentage":
            template = re.sub(rf"{slot}\s*%", r"\1", template)
        if rule["type"] == "currency_IDR":
            template = re.sub(rf"\bRp\.?\s*{slot}", r"\1", template)
    return template


def with_percent(template: str, names: list[str]) -> str:
    """The template with exactly one `%` after each of these placeholders."""
    for name in names:
        template = re.sub(rf"(\{{\s*{re.escape(name)}\s*\}})(?:\s*%)?", r"\1%", template)
    return template


def in_currency(
    template: str, rules: dict[str, dict[str, Any]], currency: str
) -> tuple[str, dict[str, dict[str, Any]]]:
    """Template and rules with amounts in the office's currency, because the server formats money only as rupiah."""
    if currency == "IDR":
        return template, rules
    made = dict(rules)
    for name, rule in rules.items():
        if rule["type"] == "currency_IDR":
            made[name] = {"type": "number_with_separator", "precision": rule.get("precision", 2)}
            slot = rf"(?:\b{currency}\s*|\$\s*)?(\{{\s*{re.escape(name)}\s*\}})"
            template = re.sub(slot, lambda found: f"{currency} {found[1]}", template)
    return template, made
