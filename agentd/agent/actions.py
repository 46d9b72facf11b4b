"""Parses a model's raw turn into one action, and builds the JSON Schema for a constrained provider. Calls no tool.

The form is seed 002's: `{"action":"call_tool","tool":"…","input":{…}}` or `{"action":"final","response":"…"}`.
The short form `{"action":"list_tools","query":"…","page":2}` is accepted too.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from agentd.agent.text import encodable
from agentd.messages import ToolInfo, json_int

if TYPE_CHECKING:
    from agentd.agent.turn_policy import Offer

LIST_TOOLS = "list_tools"
CITING = "For each argument the citizen's own words that say it, copied letter for letter from one message."
HOSTED = "x-agentd-hosted"
"""Marks a schema part that grammar-constrained models are not offered: they are slow and would only copy text."""
HELD = "x-agentd-held"
"""At a schema's root: the only right action. A grammar-constrained model need not be asked for it."""
SEARCH: dict[str, Any] = {"query": {"type": "string", "maxLength": 80}, "page": {"type": "integer", "minimum": 1}}
"""The arguments of `list_tools` when the prompt does not describe all tools."""
STARTS_TRIED = 200
"""The parser tries at most this many opening braces of a turn as the start of an action."""


@dataclass(frozen=True, slots=True)
class CallTool:
    """The model wants a tool called."""

    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    quotes: dict[str, str] = field(default_factory=dict)
    """The citizen's own words for each argument, by name. The call's check reads them; the tool never gets them."""
    more: tuple[CallTool, ...] = ()
    """The other calls that directly follow it in the same turn."""


@dataclass(frozen=True, slots=True)
class Final:
    """The model has its answer."""

    response: str


class InvalidAction(Exception):
    """The turn holds no action; the message says why, for the model's repair turn."""


def parse(text: str) -> CallTool | Final:
    """Extract the action from a turn: plain JSON, fenced, as a JSON string, or with text around it.

    Raises InvalidAction with the precise reason.
    """
    reason: InvalidAction | None = None
    found = iter(list(objects(text)))
    for candidate in found:
        try:
            action = _action(candidate)
        except InvalidAction as error:
            reason = reason or error
        else:
            return action if isinstance(action, Final) else _with_following(action, found)
    raise reason or InvalidAction(_why_nothing(text))


def _with_following(first: CallTool, values: Iterator[dict[str, Any]]) -> CallTool:
    """The call with the others that follow it, each once; what stands behind them may rest on invented results."""
    calls = [first]
    with suppress(InvalidAction):
        while isinstance(call := _action(next(values, {})), CallTool):
            calls += [call] if call not in calls else []
    return replace(first, more=tuple(calls[1:])) if calls[1:] else first


def _action(value: dict[str, Any]) -> CallTool | Final:
    action = value.get("action")
    if action == LIST_TOOLS:
        return CallTool(LIST_TOOLS, {key: value[key] for key in SEARCH if key in value})
    if action == "call_tool":
        return _called(value)
    if action == "final":
        response = value.get("response")
        if not isinstance(response, str):
            raise InvalidAction(f'`final` needs `"response"`: the answer as text, not {_kind(response)}')
        if all(unicodedata.category(char)[0] in "CZ" for char in response):  # nothing to see
            raise InvalidAction('`"response"` is empty: write the answer')
        if response.lstrip().startswith("{") and any("action" in inner for inner in objects(response)):
            raise InvalidAction('`"response"` holds an action: write that action itself, or an answer in words')
        return Final(response.strip())
    if action is None:
        raise InvalidAction('the object has no `"action"`; it must be "call_tool" or "final"')
    raise InvalidAction(f'`"action"` is {json.dumps(action)[:60]}; it must be "call_tool" or "final"')


def _called(value: dict[str, Any]) -> CallTool:
    tool = value.get("tool")
    if not isinstance(tool, str) or not tool.strip():
        raise InvalidAction('`call_tool` needs `"tool"`: the name of a tool')
    given = value.get("input")
    arguments = {} if given is None else given
    if not isinstance(arguments, dict):
        raise InvalidAction(f'`"input"` must be an object of arguments, not {_kind(arguments)}')
    if too_deep(arguments):
        raise InvalidAction('`"input"` is nested too deeply')
    return CallTool(tool.strip(), arguments, _quotes(value.get("quotes")))


def _quotes(value: Any) -> dict[str, str]:
    """The quotes that a model gives for its arguments; values that are not text are dropped."""
    return {name: text for name, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every top-level JSON object in the text, or in the JSON string if the whole text is one."""
    decoder = json.JSONDecoder(strict=False, parse_int=json_int)
    if text.lstrip().startswith('"'):
        try:
            whole = decoder.decode(text.strip())
        except ValueError:
            whole = None
        if isinstance(whole, str):
            yield from objects(whole)
            return
    position = text.find("{")
    for _ in range(STARTS_TRIED):
        if position < 0:
            return
        try:
            value, end = decoder.raw_decode(text, position)
            value = _clean(value)
        except RecursionError:
            return
        except ValueError:
            position = text.find("{", position + 1)
            continue
        if isinstance(value, dict):
            yield value
        position = text.find("{", end)


def _clean(value: Any) -> Any:
    """Return the value with all its strings encodable. Raises InvalidAction for NaN and infinity."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(name): _clean(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        raise InvalidAction(f"{value} is no number of JSON")
    return value


def _why_nothing(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        return "the turn is empty"
    if "{" not in stripped:
        return "the turn is prose, not a JSON object"
    try:
        json.loads(stripped[stripped.index("{") :], strict=False)
    except RecursionError:
        return "the JSON is nested too deeply"
    except ValueError as error:
        return f"the JSON is broken or cut off: {error}"
    return "the turn holds no JSON object"


def _kind(value: Any) -> str:
    names = {type(None): "nothing", str: "text", list: "a list", dict: "an object", bool: "true or false"}
    return names.get(type(value), "a number")


def schema(offer: Offer, *, may_call: bool = True, may_search: bool = False) -> dict[str, Any]:
    """Build the JSON Schema of one turn: a branch for each tool with its input, one for list_tools, one for final.

    `may_search`: a listing may have a query, since the prompt does not describe all tools.
    """
    branches = [_call(tool) for tool in offer.tools] if may_call else []
    if branches and not offer.may_answer:
        return {"anyOf": branches}
    if offer.may_list:
        asked = SEARCH if may_search else {}
        branches.append(_branch(LIST_TOOLS, {"type": "object", "properties": asked, "additionalProperties": False}))
    branches.append(_object(action={"const": "final"}, response={"type": "string", "minLength": 1}))
    held = {} if offer.answer is None else {HELD: {"action": "final", "response": offer.answer}}
    return {"anyOf": branches, **held}


def _call(tool: ToolInfo) -> dict[str, Any]:
    """The branch for a call of the tool. An official tool's also takes `quotes`, which only hosted models get."""
    branch = _branch(tool.name, _closed(tool.input_schema))
    names = {name: {"type": "string"} for name in tool.input_schema.get("properties", {})}
    if tool.official and names:
        branch["properties"]["quotes"] = {"type": "object", "description": CITING, "properties": names, HOSTED: True}
    return branch


def _branch(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return _object(action={"const": "call_tool"}, tool={"const": name}, input=arguments)


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _closed(arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool's input schema, closed to extra properties (unless it allows them) and without its texts."""
    kept: dict[str, Any] = without(arguments, _WORDS)
    kept.setdefault("type", "object")
    kept.setdefault("properties", {})
    kept["additionalProperties"] = kept.get("additionalProperties", False)
    return kept


def without(rule: Any, keys: Collection[str]) -> Any:
    """A schema's rule without these keys, and without the host's own, at any depth; fields of the same name stay."""
    if isinstance(rule, list):
        return [without(inner, keys) for inner in rule]
    if not isinstance(rule, dict):
        return rule
    left = (key for key in rule if key not in keys and key != "properties" and not key.startswith(_OURS))
    kept = {key: without(rule[key], keys) for key in left}
    if isinstance(rule.get("properties"), dict):
        kept["properties"] = {name: without(inner, keys) for name, inner in rule["properties"].items()}
    return kept


_OURS = "x-agentd-"
"""How the keys of a schema begin that only the check of a call reads: no model is sent them."""
_WORDS = frozenset({"title", "description", "$schema", "examples", "format"})
"""A schema's texts, and `format`: a model held to one invents digits, but the citizen's notation must be passed on."""


MAX_DEPTH = 64


def too_deep(value: Any) -> bool:
    """Whether lists and objects are nested more than MAX_DEPTH times; linear in the value's size."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for one in level
            for child in (one.values() if type(one) is dict else one if type(one) is list else ())
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True
