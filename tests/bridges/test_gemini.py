"""Gemini at the real wire: every shape of its answers, what it refuses of a request, and the caching of the start."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from agentd.agent.actions import CallTool, Final, parse, schema
from agentd.agent.turn_policy import Offer
from agentd.errors import FaultKind, ProviderFailure
from agentd.messages import ChatMessage, ModelRequest, ToolInfo
from agentd.ports import ChatModel, TextChunk
from tests.bridges.wires import Answer, GeminiWire

TOOLS = [
    ToolInfo(name="get_current_time", server="time", input_schema={"type": "object", "properties": {}}),
    ToolInfo(
        name="generate_surat",
        server="certificate",
        meta={"agentd/official": True},
        input_schema={"type": "object", "properties": {"nama": {"type": "string"}}, "required": ["nama"]},
    ),
]
SCHEMA = schema(Offer(TOOLS))
ASKED = {"name": "generate_surat", "args": {"input": {"nama": "Budi"}, "quotes": {"nama": "saya Budi"}}}
SURAT = CallTool("generate_surat", {"nama": "Budi"}, {"nama": "saya Budi"})
UNASKED = {"name": "get_current_time", "args": {}}
FINAL = '{"action":"final","response":"Baik"}'
MESSAGES = (
    ChatMessage(role="system", content="Layani warga."),
    ChatMessage(role="user", content="contoh"),
    ChatMessage(role="assistant", content=FINAL),
    ChatMessage(role="user", content="Selamat pagi"),
)
BOTH = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "at once"])


def said(*parts: Any, finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    """One response: texts, and dicts as they are."""
    listed = [{"text": part} if isinstance(part, str) else part for part in parts]
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": listed}} if listed else {}
    return {"candidates": [{**candidate, **({"finishReason": finish} if finish else {})}], **more}


def called(call: dict[str, Any]) -> dict[str, Any]:
    return {"functionCall": call}


def refusal(message: str, code: int = 400) -> Answer:
    return Answer(status=code, body={"error": {"code": code, "message": message, "status": "INVALID_ARGUMENT"}})


def camel(value: Any) -> Any:
    """The keys as the API documents them: its client writes some with underscores, which it takes too."""
    if isinstance(value, list):
        return [camel(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {re.sub(r"_(\w)", lambda found: found[1].upper(), key): camel(one) for key, one in value.items()}


class Gemini:
    """A provider and its wire."""

    def __init__(self, wire: GeminiWire, model: ChatModel) -> None:
        self.wire, self.model = wire, model

    async def asks(self, streaming: bool = False, **more: Any) -> Any:
        request = ModelRequest(messages=MESSAGES, stable=3, json_schema=SCHEMA, **more)
        seen: list[TextChunk] = []
        return await self.model.turn(request, seen.append if streaming else None)

    def configs(self) -> list[dict[str, Any]]:
        return [sent.get("generationConfig", {}) for sent in self.wire.requests if "contents" in sent]


@pytest.fixture
async def gemini() -> AsyncIterator[Any]:
    running: list[Gemini] = []

    async def start(*answers: Answer, **own: Any) -> Gemini:
        wire = GeminiWire(*answers)
        await wire.__aenter__()
        running.append(Gemini(wire, wire.model(model="gemini-2.5-flash", settings=own)))
        return running[-1]

    yield start
    for one in running:
        await one.model.aclose()
        await one.wire.__aexit__()


ACTIONS = {
    "text": (said(FINAL), Final("Baik")),
    "text in several parts": (said(FINAL[:9], FINAL[9:]), Final("Baik")),
    "a thought before it": (said({"text": "Let me think {", "thought": True}, FINAL), Final("Baik")),
    "a function call": (said(called(ASKED)), SURAT),
    "text and a function call": (said("Saya terbitkan.", called(ASKED)), SURAT),
    "several function calls": (
        said(called(ASKED), called(UNASKED)),
        replace(SURAT, more=(CallTool("get_current_time"),)),
    ),
    "the answer as a function": (said(called({"name": "final", "args": {"response": "Baik"}})), Final("Baik")),
    "a function that nobody offered": (
        said(called({"name": "generate_surat", "args": {"nama": "Budi"}})),
        CallTool("generate_surat", {"nama": "Budi"}),
    ),
    "a function call without arguments": (said(called({"name": "get_current_time"})), CallTool("get_current_time")),
}
FAULTS: dict[str, tuple[dict[str, Any], FaultKind]] = {
    "no candidates": ({"candidates": []}, "unavailable"),
    "nothing at all": ({}, "unavailable"),
    "a candidate without content": (said(), "bad_output"),
    "cut by MAX_TOKENS": (said(FINAL[:12], finish="MAX_TOKENS"), "bad_output"),
    "only thoughts, then MAX_TOKENS": (said({"text": "…", "thought": True}, finish="MAX_TOKENS"), "bad_output"),
    "MALFORMED_FUNCTION_CALL": (said(finish="MALFORMED_FUNCTION_CALL"), "bad_output"),
    "MALFORMED_FUNCTION_CALL after text": (said("print(", finish="MALFORMED_FUNCTION_CALL"), "bad_output"),
    "UNEXPECTED_TOOL_CALL": (said(finish="UNEXPECTED_TOOL_CALL"), "bad_output"),
    "RECITATION, which another model may not do": (said("Pasal 1", finish="RECITATION"), "bad_output"),
    "LANGUAGE, which another model may speak": (said(finish="LANGUAGE"), "bad_output"),
    "SPII: a NIK is personal, and the counter's business": (said(finish="SPII"), "bad_output"),
    "OTHER": (said(finish="OTHER"), "bad_output"),
    "SAFETY": (said(finish="SAFETY"), "blocked"),
    "PROHIBITED_CONTENT": (said(finish="PROHIBITED_CONTENT"), "blocked"),
    "promptFeedback": ({"promptFeedback": {"blockReason": "SAFETY"}}, "blocked"),
    "promptFeedback beside a candidate": (said(FINAL, promptFeedback={"blockReason": "OTHER"}), "blocked"),
}


@BOTH
@pytest.mark.parametrize("form", ["schema", "functions"])
async def test_each_shape_of_an_answer_is_one_action(gemini: Any, form: str, streaming: bool) -> None:
    bodies = [body for body, _ in ACTIONS.values()]
    answers = [Answer(body=[body] if streaming else body) for body in bodies]
    one = await gemini(*answers, functions=form == "functions")
    for shape, (_, action) in ACTIONS.items():
        read = parse((await one.asks(streaming)).text)
        if form == "schema" and isinstance(action, CallTool) and action.quotes:
            # of a function that nobody offered, all it was given are arguments
            action = replace(action, input=ASKED["args"], quotes={})
        assert read == action, shape


@BOTH
async def test_what_is_no_answer_is_a_failure_of_its_kind(gemini: Any, streaming: bool) -> None:
    one = await gemini(*(Answer(body=[body] if streaming else body) for body, _ in FAULTS.values()))
    for shape, (_, kind) in FAULTS.items():
        with pytest.raises(ProviderFailure) as failed:
            await one.asks(streaming)
        assert failed.value.kind == kind, shape


async def test_as_functions_one_of_the_actions_must_be_called(gemini: Any) -> None:
    one = await gemini(Answer(body=said(called(ASKED))), functions=True)
    assert (await one.asks()).constraint == "json_schema"
    (sent,) = one.wire.requests
    listed = camel(sent["tools"])[0]["functionDeclarations"]
    declared = {each["name"]: each["parametersJsonSchema"] for each in listed}
    assert declared.keys() == {"get_current_time", "generate_surat", "list_tools", "final"}
    assert declared["generate_surat"]["required"] == ["input"]
    calling = camel(sent["toolConfig"])["functionCallingConfig"]
    assert (calling["mode"], set(calling["allowedFunctionNames"])) == ("ANY", set(declared))
    assert "responseJsonSchema" not in sent["generationConfig"]


async def test_a_schema_that_is_refused_gives_way_to_functions_and_these_to_words(gemini: Any) -> None:
    states = refusal("The specified schema produces a constraint that has too many states for serving.")
    no_functions = refusal("Function calling with config.mode ANY is not supported by this model")
    one = await gemini(states, no_functions, Answer(body=said(FINAL)))
    assert (await one.asks()).constraint == "none" and (await one.asks()).constraint == "none"
    forms = [
        ("responseJsonSchema" in config, "tools" in sent)
        for config, sent in zip(one.configs(), one.wire.requests, strict=True)
    ]
    assert forms == [(True, False), (False, True), (False, False), (False, False)]
    assert one.model.state().constraint == "none"


async def test_a_thinking_budget_that_is_refused_is_left_out_from_then_on(gemini: Any) -> None:
    one = await gemini(
        refusal("Budget 0 is invalid. This model only works in thinking mode."), Answer(body=said(FINAL))
    )
    await one.asks()
    await one.asks()
    assert ["thinkingConfig" in config for config in one.configs()] == [True, False, False]


async def test_another_refusal_is_asked_once(gemini: Any) -> None:
    one = await gemini(refusal("contents is not specified"))
    with pytest.raises(ProviderFailure) as failed:
        await one.asks()
    assert (failed.value.kind, len(one.wire.requests)) == ("bad_request", 1)


# ── context caching ──────────────────────────────────────────────────────────────────────────────────────────────────

KEPT = Answer(body={"name": "cachedContents/abc", "usageMetadata": {"totalTokenCount": 1650}})
SAID = Answer(body=said(FINAL))


async def test_the_stable_start_is_kept_once_and_named_after(gemini: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bridges.gemini_cache")
    one = await gemini(KEPT, SAID, cache_s=600)
    await one.asks()
    await one.asks()
    kept, *turns = one.wire.requests
    assert kept["path"] == "/v1beta/cachedContents" and kept["ttl"] == "600s"
    assert kept["systemInstruction"]["parts"] == [{"text": "Layani warga."}] and len(kept["contents"]) == 2
    for turn in turns:
        assert turn["cachedContent"] == "cachedContents/abc" and "systemInstruction" not in turn
        assert [part["text"] for content in turn["contents"] for part in content["parts"]] == ["Selamat pagi"]
    assert "keeps 1650 tokens" in caplog.text


@pytest.mark.parametrize(
    ("code", "why"),
    [(400, "Cached content is too small. total_token_count=312, min_total_token_count=1024"), (429, "limit is 0")],
    ids=["below the minimum", "a free key"],
)
async def test_what_google_does_not_keep_is_told_once_and_sent(
    gemini: Any, caplog: pytest.LogCaptureFixture, code: int, why: str
) -> None:
    caplog.set_level(logging.INFO, "bridges.gemini_cache")
    one = await gemini(refusal(why, code), SAID, cache_s=600)
    await one.asks()
    await one.asks()
    assert [sent["path"].endswith("cachedContents") for sent in one.wire.requests] == [True, False, False]
    assert all("systemInstruction" in sent for sent in one.wire.requests[1:])
    assert caplog.text.count(why) == 1


async def test_a_cache_that_is_gone_is_sent_whole_and_made_again(gemini: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bridges.gemini_cache")
    gone = refusal("CachedContent not found (or permission denied)", 403)
    again = Answer(body={"name": "cachedContents/def"})
    one = await gemini(KEPT, gone, SAID, again, SAID, cache_s=600)
    await one.asks()
    await one.asks()
    named = [sent.get("cachedContent") for sent in one.wire.requests]
    assert named == [None, "cachedContents/abc", None, None, "cachedContents/def"]
    assert "dropped" in caplog.text


async def test_another_start_of_the_prompt_has_a_cache_of_its_own(gemini: Any) -> None:
    one = await gemini(KEPT, SAID, Answer(body={"name": "cachedContents/def"}), SAID, cache_s=600)
    await one.asks()
    other = (ChatMessage(role="system", content="Layani petugas."), *MESSAGES[1:])
    await one.model.turn(ModelRequest(messages=other, stable=3, json_schema=SCHEMA))
    assert [sent.get("cachedContent") for sent in one.wire.requests] == [
        None,
        "cachedContents/abc",
        None,
        "cachedContents/def",
    ]


async def test_an_expired_cache_is_made_again() -> None:
    from bridges.gemini_cache import PrefixCache

    now = [0.0]
    async with GeminiWire(KEPT) as wire:
        model: Any = wire.model()
        cache, start = PrefixCache(600, lambda: now[0]), MESSAGES[:3]
        client = await model._connected()
        for at in (0.0, 569.0, 571.0):
            now[0] = at
            assert await cache.name(client, start, "gemini-2.5-flash") == "cachedContents/abc"
        await model.aclose()
        assert len(wire.requests) == 2


def test_an_action_that_is_no_function_is_told_by_the_schema() -> None:
    from bridges.gemini_shapes import functions

    odd = ToolInfo(name="surat/öffnen", server="x", input_schema={"type": "object"})
    assert functions(schema(Offer((*TOOLS, odd)))) is None and functions(schema(Offer(TOOLS))) is not None
    assert json.dumps(functions(schema(Offer(TOOLS)))).count("x-agentd") == 0
