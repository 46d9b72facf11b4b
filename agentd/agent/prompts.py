"""Builds the model's texts: system text, first turn, tool results, repair. Byte-identical for the same tools.

The stable part comes first and holds nothing of the run (no time, no id), so that prompt caches hit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agentd.agent.actions import LIST_TOOLS
from agentd.agent.language import NAMES, detect
from agentd.agent.listing import description, one_line
from agentd.agent.picking import PromptTools
from agentd.agent.toolset import Toolset
from agentd.messages import ChatMessage, ToolInfo, ToolOutcome

if TYPE_CHECKING:
    from agentd.config.schema import ExampleSettings

ACTION_RULES = (
    "Reply with exactly one JSON object and nothing else:\n"
    '{"action":"call_tool","tool":"NAME","input":{ARGUMENTS}} to use a tool, or\n'
    '{"action":"final","response":"YOUR ANSWER"} to answer the citizen.\n'
    f'{{"action":"call_tool","tool":"{LIST_TOOLS}","input":{{}}}} lists the tools. '
    "Use only values that the citizen gave; never invent any. If something is missing, ask for it with `final`."
)
QUOTED_NOTE = "Said before, by the page's account. Unproven: ask again for a value before you use it in a call."
REMINDED = 1000
"""Characters of the citizen's request that are repeated after a tool result."""
MESSAGE_CHARS = 4000
"""Characters of a tool's message in the prompt, since a tool may send megabytes."""
DONE_CHARS = 200
"""Characters of a successful official call's output in the prompt; small models read slowly."""
SENTENCE_CHARS = 40
"""A message of at least this many characters counts as a sentence that describes the result."""
BESIDE_CHARS = 400
"""Up to this many characters, a result is kept whole beside its sentence; a longer one is reduced."""
CHOICES_CHARS = 24
"""Longer choices are only in the schema, which binds a constrained model and which every server checks."""
INSTRUCTIONS_CHARS = 4000
"""Characters of a server's instructions in the prompt, since a server may send any number."""
OTHERS = (
    "More tools, by name; still more may exist. Look one up by its name, or by what it should do, before you call it: "
    f'{{"action":"call_tool","tool":"{LIST_TOOLS}","input":{{"query":"NAME OR WORDS","page":1}}}}'
)
SIGNED_IN = "Signed in: the register fills in the citizen's own data. Ask only for what it can't know."
_CONTROL = re.compile(r"<(?=[|｜]|/?[a-z_]+>)|\[(?=/?[A-Z_]+\])")
"""How control tokens of chat models begin (`<|im_start|>`, `</s>`, `[INST]`). A local engine takes one in a citizen's
words or a result for the start of another turn; escaped, the JSON is the same without such a token."""
NO_TOOLS = "There are no tools: answer from what you know with `final`."
LANGUAGE_RULES: dict[str, str] = {
    "auto": "Answer in the language that the request names, which is the citizen's. Never call a tool to translate.",
    "id": "Always answer in Indonesian (Bahasa Indonesia). Never call a tool to translate.",
    "en": "Always answer in English. Never call a tool to translate.",
    "jv": "Always answer in Javanese, in its polite register (krama). Never call a tool to translate.",
}


@dataclass(frozen=True, slots=True)
class Called:
    """A call and its outcome as the model sees them, with at most `limit` characters of output."""

    tool: str
    arguments: dict[str, Any]
    outcome: ToolOutcome
    language: str
    """A code of NAMES."""
    request: str
    """The citizen's words."""
    official: bool = False
    limit: int = 6000
    left: Sequence[str] = ()
    """The tools of the turn's other calls, which were not made."""


def compose_system_instructions(
    template: str, toolset: Toolset, *, custom: str = "", language: str = "auto", tools: PromptTools | None = None
) -> str:
    """Fill the template's slots: the office's words, the language rule, and the guidance on actions and tools."""
    filled = (
        template.replace("{{custom_instruction}}", custom.strip())
        .replace("{{language_guidance}}", LANGUAGE_RULES[language])
        .replace("{{tool_guidance}}", tool_guidance(toolset, tools))
    )
    return "\n".join(line.rstrip() for line in filled.strip().splitlines())


def tool_guidance(toolset: Toolset, tools: PromptTools | None = None) -> str:
    """The action rules, then each server's current instructions and its tools: those that `tools` selects (None: all),
    and one line for each that it names."""
    parts = [ACTION_RULES]
    shown = at_start(toolset, tools)
    if not shown:
        parts.append(NO_TOOLS)
    for server in toolset.servers:
        described = [tool for tool in shown if tool.server == server.name]
        if not described:
            continue
        head = f"[{server.name}] {server.instructions.strip()[:INSTRUCTIONS_CHARS]}".rstrip()
        parts.append("\n".join([head, *(f"- {signature(tool)}" for tool in described)]))
    by_name = {tool.name: tool for tool in toolset.tools}
    others = [f"- {one_line(by_name[name])}" for name in (tools.named if tools else ()) if name in by_name]
    if others:
        parts.append("\n".join([OTHERS, *others]))
    return "\n\n".join(parts)


def signature(tool: ToolInfo) -> str:
    """A tool on one line: `name(field, choice: A|B, optional?): description`."""
    properties: dict[str, Any] = tool.input_schema.get("properties", {})
    required = set(tool.input_schema.get("required", []))
    fields = [_field(name, rule, name in required) for name, rule in properties.items()]
    text = description(tool)
    return f"{tool.name}({', '.join(fields)})" + (f": {text}" if text else "")


def _field(name: str, rule: dict[str, Any], required: bool) -> str:
    shown = name if required else f"{name}?"
    choices = "|".join(str(choice) for choice in rule.get("enum", ()))
    if choices and len(choices) <= CHOICES_CHARS:
        return f"{shown}: {choices}"
    kind = rule.get("type")
    return shown if kind in (None, "string") else f"{shown}: {kind if isinstance(kind, str) else '|'.join(kind)}"


def request(
    prompt: str, language: str, more: Sequence[ToolInfo] = (), *, signed_in: bool = False, quoted: str | None = None
) -> ChatMessage:
    """The citizen's request as a user turn. It may add the tools `more`, a note that the citizen is signed in, and the
    earlier conversation as a page gives it (`quoted`)."""
    content: dict[str, Any] = {"request": prompt, "language": NAMES[language]}
    if quoted:
        content["quoted"] = {"note": QUOTED_NOTE, "conversation": quoted}
    if signed_in:
        content["note"] = SIGNED_IN
    if more:
        content["more_tools"] = [signature(tool) for tool in more]
    return ChatMessage(role="user", content=_compact(content))


def in_prompt(toolset: Toolset, described: frozenset[str] | None = None) -> list[ToolInfo]:
    """The tools that a prompt describes: those in `described` (None: all)."""
    return [tool for tool in toolset.tools if described is None or tool.name in described]


def at_start(toolset: Toolset, tools: PromptTools | None) -> list[ToolInfo]:
    """The tools that the start of a session's prompt describes."""
    return in_prompt(toolset, None if tools is None else frozenset(tools.start))


def examples(shown: Sequence[ExampleSettings], toolset: Toolset, tools: PromptTools | None = None) -> list[ChatMessage]:
    """The examples whose tools the prompt's start describes, as turns of a conversation."""
    names = {LIST_TOOLS, *(tool.name for tool in at_start(toolset, tools))}
    turns: list[ChatMessage] = []
    for example in shown:
        if {example.action.get("tool"), (example.result or {}).get("tool")} - {None} <= names:
            turns += [_given(example), answered(example.action)]
    return turns


def _given(example: ExampleSettings) -> ChatMessage:
    """The turn before the example's action, in the form of a real run."""
    if example.result is None:
        words = example.user or ""
        return request(words, detect(words))
    shown = {key: example.result[key] for key in ("success", "output", "message") if key in example.result}
    outcome = ToolOutcome.model_validate({"success": True, **shown})
    arguments, words = example.result.get("input", {}), example.user or ""
    return tool_result(Called(example.result["tool"], arguments, outcome, detect(words or outcome.message), words))


def answered(action: dict[str, Any]) -> ChatMessage:
    """The model's action as an assistant turn."""
    return ChatMessage(role="assistant", content=_compact(action))


def exchange(called: Called) -> tuple[ChatMessage, ChatMessage]:
    """A call and its result as two turns, without the values that grounding refused, which the model would copy.

    A successful official call shows little of its output, since its message is enough.
    """
    shown = replace(called, arguments=_proven(called.arguments, called.outcome))
    if shown.official and shown.outcome.success:
        shown = replace(shown, limit=min(shown.limit, DONE_CHARS), request="")
    call = answered({"action": "call_tool", "tool": shown.tool, "input": shown.arguments})
    return call, tool_result(shown)


def _proven(arguments: dict[str, Any], outcome: ToolOutcome) -> dict[str, Any]:
    refused = outcome.output.get("missing") if not outcome.success and isinstance(outcome.output, dict) else None
    return _without(arguments, refused) if isinstance(refused, list) else arguments


def _without(value: Any, paths: Sequence[str], at: str = "") -> Any:
    """The arguments without the values at the dotted paths (`orang_tua.nama`, `anak.0.nik`)."""
    if isinstance(value, dict):
        inner = {name: f"{at}.{name}" if at else name for name in value}
        return {name: _without(value[name], paths, path) for name, path in inner.items() if path not in paths}
    if isinstance(value, list):
        return [_without(one, paths, f"{at}.{index}") for index, one in enumerate(value)]
    return value


def tool_result(called: Called) -> ChatMessage:
    """A tool's outcome as the next user turn: `tool_result`, then the `request` again, then an `instruction`.

    The request is repeated because a small model answers what it read last.
    """
    outcome = called.outcome.model_copy(update={"message": cut(called.outcome.message)})
    output = _beside(outcome.message, outcome.output)
    shown = _compact(output)
    repeated = min(len(shown), len(outcome.message)) <= called.limit and _repeats(called.outcome.message, output)
    if len(shown) > called.limit:
        output = {"shortened": shown[: called.limit], "note": f"{len(shown) - called.limit} more characters"}
    left_out = [name for name in called.arguments if outcome.input is not None and name not in outcome.input]
    result: dict[str, Any] = {
        "tool_result": {
            "tool": called.tool,
            "input": {name: value for name, value in called.arguments.items() if name not in left_out},
            "success": outcome.success,
            "output": output,
            "message": "" if repeated else outcome.message,
        }
    }
    if called.request:
        result["request"] = called.request[:REMINDED]
    unsaid = f"The result is not limited by {', '.join(left_out)}: nobody said it. " if left_out else ""
    left = f" Only this call was made, one at a time. Not called: {', '.join(called.left)}." if called.left else ""
    result["instruction"] = unsaid + _instruction(outcome, called.language, called.official) + left
    return ChatMessage(role="user", content=_compact(result))


def cut(message: str, most: int = MESSAGE_CHARS) -> str:
    """The message, or its start and how many characters are left out."""
    return f"{message[:most]}… ({len(message) - most} more characters)" if len(message) > most else message


def _repeats(message: str, output: Any) -> bool:
    """Whether the message is the output once more: its text, or its JSON, which MCP servers send as a text too."""
    inner = output.get("result", output) if isinstance(output, dict) else output
    try:
        return message == inner or json.loads(message) in (inner, output)
    except (ValueError, RecursionError):
        return isinstance(inner, str) and inner.lstrip().startswith(message)


def _beside(message: str, output: Any) -> Any:
    """Reduce a long result with a sentence to the short values that the sentence lacks; return others unchanged."""
    is_sentence = len(message) >= SENTENCE_CHARS and message.lstrip()[0] not in "{["
    if not is_sentence or not isinstance(output, dict) or len(_compact(output)) <= BESIDE_CHARS:
        return output
    brief = {key: value for key, value in output.items() if not isinstance(value, (dict, list)) and value is not None}
    return {
        key: value for key, value in brief.items() if len(str(value)) <= SENTENCE_CHARS and str(value) not in message
    }


def _instruction(outcome: ToolOutcome, language: str, official: bool) -> str:
    name = NAMES[language]
    if outcome.success and official and outcome.message:
        return f"It is done. Tell the citizen with `final` in {name}, and promise nothing more: {outcome.message}"
    if outcome.success:
        return f"Reply with one JSON action: `final` in {name}, or the next tool that the citizen's request needs."
    if outcome.error_type == "grounding":
        return f"Nothing was done. Do not guess. Ask the citizen with `final` in {name}: {outcome.message}"
    if official and outcome.refused:
        return f"Nothing was done. Say so with `final` in {name}, and ask the citizen to correct it: {outcome.message}"
    return f"The call failed. Correct it and call again, or tell the citizen with `final` in {name}. One JSON action."


def repair(reason: str) -> ChatMessage:
    """The user turn that asks the model to correct an invalid action."""
    text = f"Your last reply was not a valid action: {reason}. Reply again with exactly one JSON object, nothing else."
    return ChatMessage(role="user", content=_compact({"error": text}))


def _compact(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _CONTROL.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)
