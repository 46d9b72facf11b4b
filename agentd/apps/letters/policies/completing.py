"""Completes an official call before anybody is asked about it, so that the summary shows all that is printed. Pure.

It adds what nobody has to say: the schema's published defaults, and the sex that the NIK encodes.
"""

from __future__ import annotations

from agentd.apps.letters.evidence.normalisers import digits
from agentd.messages import Source, ToolCall

SEX = "jenis_kelamin"
_SEXES = {"p": "Perempuan", "l": "Laki-laki"}


def completed(call: ToolCall) -> ToolCall:
    """The call with its defaults and the sex; a call that somebody has agreed to is unchanged."""
    if not call.tool.official or call.consent is not None:
        return call
    rules = {
        name: rule for name, rule in call.tool.input_schema.get("properties", {}).items() if isinstance(rule, dict)
    }
    added = {name: rule["default"] for name, rule in rules.items() if "default" in rule and _open(call, name)}
    sources: dict[str, Source] = dict.fromkeys(added, "default")
    nik = digits.sixteen(str(call.input.get("nik", "")))
    if nik is not None and _open(call, SEX) and (sex := _SEXES[digits.sex(nik)]) in rules.get(SEX, {}).get("enum", ()):
        added[SEX] = sex
        sources[SEX] = "derived"
    if not added:
        return call
    basis = call.basis and call.basis.model_copy(update={"sources": {**call.basis.sources, **sources}})
    return call.model_copy(update={"input": {**call.input, **added}, "basis": basis})


def _open(call: ToolCall, name: str) -> bool:
    return call.input.get(name) in (None, "")
