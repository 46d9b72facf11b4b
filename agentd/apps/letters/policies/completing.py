"""Completes an official call before anybody is asked about it, so that the summary shows all that is printed. Pure.

It adds what nobody has to say: the schema's published defaults, and the sex that the NIK encodes. A text that a model
reworded is replaced by the citizen's words that it quotes. Dates such as
`tomorrow` become the date that was meant on the day they were said; choices and numbers are written as the tool's
schema has them. Titles are those of the citizen's language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from agentd.agent.text import FILLERS, fold, folded_tokens
from agentd.apps.letters.asking import terms
from agentd.apps.letters.evidence.claims.quotes import places
from agentd.apps.letters.evidence.fields.field import Field, fields, form, properties
from agentd.apps.letters.evidence.normalisers import choices, days, digits
from agentd.messages import Json, Source, ToolCall, ToolInfo

SEX = "jenis_kelamin"
NOTHING = ("", "null", "undefined", "N/A")
_SEXES = {"p": "Perempuan", "l": "Laki-laki"}
_WHOLE = re.compile(r"0|[1-9]\d{0,14}", re.ASCII)  # a number may not begin with 0, as a code may


def without_nothing(call: ToolCall) -> ToolCall:
    """The call without optional arguments that say nothing, as models write for what nobody gave."""
    needed = call.tool.input_schema.get("required", ())
    given = {name: value for name, value in call.input.items() if name in needed or value not in NOTHING}
    return call if len(given) == len(call.input) else call.model_copy(update={"input": given})


def in_own_words(call: ToolCall, unproven: Iterable[Field]) -> ToolCall:
    """The call with the citizen's words that a model quotes in place of texts that it reworded; both share a word."""
    said = [entry for entry in call.said if entry.by == "citizen"]
    texts = {field.path: str(field.value) for field in unproven if field.kind == "text" and not field.doubtful}
    own: dict[str, str] = {}
    for path, text in texts.items():
        quote = call.quotes.get(path, "")
        alike = not (set(fold(text)) - FILLERS).isdisjoint(fold(quote))
        if alike and places(quote, said) and not places(text, said):
            own[path] = quote
    return call.model_copy(update={"input": {**call.input, **own}}) if own else call


def completed(call: ToolCall) -> ToolCall:
    """The call with its defaults, whole dates, the sex and translated titles; one that has consent only with titles."""
    if not call.tool.official:
        return call
    whole = call if call.consent is not None else _whole(call)
    return whole.model_copy(update={"tool": _in_words(whole)})


def _whole(call: ToolCall) -> ToolCall:
    rules = {
        name: rule for name, rule in call.tool.input_schema.get("properties", {}).items() if isinstance(rule, dict)
    }
    empty = [name for name in rules if call.input.get(name) in (None, "")]
    added = {name: rules[name]["default"] for name in empty if "default" in rules[name]}
    sources: dict[str, Source] = dict.fromkeys(added, "default")
    nik = digits.sixteen(str(call.input.get("nik", "")))
    if nik is not None and SEX in empty and (sex := _SEXES[digits.sex(nik)]) in rules.get(SEX, {}).get("enum", ()):
        added[SEX] = sex
        sources[SEX] = "derived"
    written = dict(_written(call))
    basis = call.basis and call.basis.model_copy(update={"sources": {**call.basis.sources, **sources}})
    return call.model_copy(update={"input": {**call.input, **added, **written}, "basis": basis})


def _in_words(call: ToolCall) -> ToolInfo:
    """The tool with its fields' titles in the citizen's language, each beside its own, as people read them."""
    schema, known = call.tool.input_schema, terms(call.tool, call.language)
    properties = dict(schema.get("properties", {}))
    for one in fields(schema, call.input, form(schema)):
        own = one.labels.get(call.language, ())
        translated = known.get(one.title) or next(iter(own), one.title)
        title = one.title.casefold()
        if one.path in properties and title not in map(str.casefold, own) and translated.casefold() not in title:
            titled = f"{translated[:1].upper()}{translated[1:]} ({one.title})"
            properties[one.path] = {**properties[one.path], "title": titled}
    return call.tool.model_copy(update={"input_schema": {**schema, "properties": properties}})


def _written(call: ToolCall) -> Iterator[tuple[str, Json]]:
    """(field, value) of each text that the tool's schema has in another form: a day relative to the one it was said on
    as an ISO date, a choice in the schema's own spelling (`Zonasi` is `zonasi`), a number as one (`"3"`).

    Choices whose schema lists their spellings stay, since its server accepts them.
    """
    schema = call.tool.input_schema
    rules = properties(schema)
    for field in fields(schema, call.input, form(schema)):
        value, kind = field.value, rules.get(field.key, {}).get("type")
        if field.path not in call.input or not isinstance(value, str):
            continue
        meant: Json = None
        if field.kind == "date" and (day := days.relative(value, _said_on(value, call), past=field.past)) is not None:
            meant = day.isoformat()
        elif kind in ("integer", "number") and _WHOLE.fullmatch(value):
            meant = int(value)
        elif field.enum.spellings is None:
            meant = choices.canonical(value, field.enum)
        if meant is not None:
            yield field.path, meant


def _said_on(value: str, call: ToolCall) -> date:
    """The day of the citizen's last message with all words of the value, else of the last one."""
    words = set(folded_tokens(value))
    dated = [said for said in call.said if said.by == "citizen" and said.day]
    with_it = [said for said in dated if words <= set(folded_tokens(said.text))] or dated
    return date.fromisoformat(max(said.day for said in with_it)) if with_it else date.today()
