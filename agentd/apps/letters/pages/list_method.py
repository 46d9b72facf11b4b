"""Letters.list: the letters that can be issued, for a page to draw its cards and forms. It issues none."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentd.agent.approval import DECLARES, least_of
from agentd.apps.letters.asking import TERMS
from agentd.messages import Caller, Message, ToolInfo
from agentd.rpc.method import ANYONE, Services, method
from agentd.rpc.params import Params, SessionKey


class LettersParams(Params):
    session_key: SessionKey | None = None


class LetterFieldShown(Message):
    """One field of a letter's form."""

    name: str
    title: str
    source: str | None = Field(description="Where a verified session takes it from (`resident.nama`, `family`).")
    kind: str = Field(description="nik, kk, date, rt, rw, phone, person-name, address, choice, text, …")
    required: bool
    choices: list[str] | None = None


class LetterShown(Message):
    """One letter."""

    tool: str
    title: str
    titles: dict[str, str] = Field(description="By language.")
    terms: dict[str, dict[str, str]] = Field({}, description="Its labels, choices and documents by language.")
    fields: list[LetterFieldShown]
    assurance: str = Field(description="The least level at which it is issued: declared, officer, pin or card+pin.")
    declares: bool = Field(False, description="It states what no register knows: an officer looks at it, PIN or not.")
    valid_days: int
    requirements: list[str]


class LetterList(Message):
    """The letters that the office's server offers."""

    letters: list[LetterShown]


@method("Letters.list", result=LetterList, scopes=ANYONE)
def list_letters(services: Services, caller: Caller, _params: LettersParams) -> dict[str, Any]:
    """The letters that this caller's agent can issue, with their fields."""
    catalogue = services.tools.catalogue(caller)
    return {"letters": [letter(tool) for tool in catalogue.tools if tool.official and tool.meta.get("agentd/letter")]}


def letter(tool: ToolInfo) -> dict[str, Any]:
    """A letter's tool in the form that a page reads."""
    title = str(tool.annotations.get("title") or tool.name)
    required = tool.input_schema.get("required", ())
    return {
        "tool": tool.name,
        "title": title,
        "titles": dict(tool.meta.get("agentd/titles") or {"id": title}),
        "terms": dict(tool.meta.get(TERMS) or {}),
        "fields": [
            _field(name, rule, name in required) for name, rule in tool.input_schema.get("properties", {}).items()
        ],
        "assurance": least_of(tool),
        "declares": bool(tool.meta.get(DECLARES)),
        "valid_days": int(tool.meta.get("agentd/valid_days") or 0),
        "requirements": [str(one) for one in tool.meta.get("agentd/requirements") or ()],
    }


def _field(name: str, rule: dict[str, Any], required: bool) -> dict[str, Any]:
    choices = rule.get("enum")
    kind = rule.get("x-agentd-kind") or rule.get("format") or "text"
    shown = {
        "name": name,
        "title": str(rule.get("title") or name),
        "source": rule.get("x-agentd-source"),
        "kind": "choice" if choices else kind,
        "required": required,
    }
    return {**shown, "choices": list(choices)} if choices else shown
