"""The fallback chain: who is asked, in what order, who rests, and what the caller hears. Seed 002, providers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentd.errors import FaultKind, InvalidParams, ProviderFailure, ProviderUnavailable
from agentd.messages import ChatMessage, Fallback, ModelInfo, ModelReply, ModelRequest, ProviderState
from agentd.ports import RESTART, ChatModel, TextChunk, TextSink
from agentd.testing import ManualClock, ScriptedModel
from bridges.fallback import FallbackChain

FINAL = {"action": "final", "response": "ya"}


class Replies:
    """A provider that answers or fails as its list says, and remembers each request."""

    def __init__(self, provider: str, *turns: str | Exception, models: tuple[str, ...] = ()) -> None:
        self.provider = provider
        self.turns = list(turns)
        self.asked: list[ModelRequest] = []
        self.models = tuple(ModelInfo(name=name) for name in models)
        self.closed = False

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.asked.append(request)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        if on_text is not None:
            on_text(TextChunk(turn))
        return ModelReply(text=turn, provider=self.provider, model="m")

    def state(self) -> ProviderState:
        return ProviderState(id=self.provider, type="test", models=self.models, state="ready")

    async def aclose(self) -> None:
        self.closed = True


class Hangs(Replies):
    """A provider that never answers; each request raises `asking` by one."""

    def __init__(self, provider: str) -> None:
        super().__init__(provider, "never")
        self.asking = asyncio.Semaphore(0)

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.asked.append(request)
        self.asking.release()
        if on_text is not None:
            on_text(TextChunk("half an ans"))
        await asyncio.Event().wait()
        raise AssertionError


def ask(**fields: Any) -> ModelRequest:
    return ModelRequest(messages=(ChatMessage(role="user", content="hi"),), **fields)


def failure(kind: FaultKind, retry_after_s: float | None = None) -> ProviderFailure:
    return ProviderFailure(kind, f"because of {kind}", retry_after_s=retry_after_s)


def chain(*models: ChatModel, **options: Any) -> FallbackChain:
    return FallbackChain(models, default=options.pop("default", None), **options)


@pytest.mark.parametrize("kind", ["rate_limit", "unavailable", "timeout", "connect", "auth", "not_found", "bad_output"])
async def test_a_failed_provider_is_passed_over_and_named(kind: FaultKind) -> None:
    heard: list[Fallback] = []
    first, second = Replies("gemini", failure(kind)), Replies("llamacpp", "ok")
    reply = await chain(first, second, on_fallback=heard.append).turn(ask())
    assert (reply.text, reply.provider, reply.attempts) == ("ok", "llamacpp", 2)
    assert reply.fallbacks == (Fallback(provider="gemini", kind=kind, message=f"because of {kind}"),)
    assert heard == list(reply.fallbacks)


@pytest.mark.parametrize("kind", ["bad_request", "blocked"])
async def test_what_any_provider_would_refuse_is_not_tried_elsewhere(kind: FaultKind) -> None:
    second = Replies("llamacpp", "ok")
    with pytest.raises(ProviderFailure, match=kind):
        await chain(Replies("gemini", failure(kind)), second).turn(ask())
    assert second.asked == []


async def test_the_default_goes_first_then_the_order_of_the_file() -> None:
    down = [Replies(name, failure("connect")) for name in ("a", "b", "c")]
    with pytest.raises(ProviderUnavailable) as caught:
        await chain(*down, default="b").turn(ask())
    assert [one["provider"] for one in caught.value.data["fallbacks"]] == ["b", "a", "c"]
    assert "c: connect: because of connect" in caught.value.message


async def test_the_callers_wish_goes_first_and_its_model_to_that_provider_only() -> None:
    a, b = Replies("a", "from a", models=("x",)), Replies("b", failure("timeout"), models=("y", "z"))
    reply = await chain(a, b, default="a").turn(ask(provider="b", model="z"))
    assert reply.provider == "a"
    assert (b.asked[0].model, a.asked[0].model) == ("z", None)


async def test_a_model_alone_finds_its_provider() -> None:
    a, b = Replies("a", "from a", models=("x",)), Replies("b", "from b", models=("y",))
    assert (await chain(a, b, default="a").turn(ask(model="y"))).provider == "b"


@pytest.mark.parametrize(
    ("wish", "known"),
    [
        ({"provider": "q"}, "configured: a"),
        ({"model": "q"}, "known: a/x"),
        ({"provider": "a", "model": "q"}, "it has x"),
    ],
)
async def test_an_unknown_provider_or_model_lists_the_known_ones(wish: dict[str, str], known: str) -> None:
    with pytest.raises(InvalidParams, match=known):
        await chain(Replies("a", "ok", models=("x",))).turn(ask(**wish))


async def test_the_model_that_wrote_can_be_asked_to_repair_whatever_its_provider_lists() -> None:
    models = chain(Replies("a", "ok", models=("listed",)))
    reply = await models.turn(ask())
    assert reply.model == "m"
    assert (await models.turn(ask(provider="a", model=reply.model))).text == "ok"


async def test_a_skipped_provider_is_left_out_silently() -> None:
    a, b = Replies("a", "from a"), Replies("b", "from b")
    reply = await chain(a, b).turn(ask(skip=frozenset({"a"})))
    assert (reply.provider, reply.fallbacks, reply.attempts, a.asked) == ("b", (), 1, [])
    with pytest.raises(ProviderUnavailable):
        await chain(a, b).turn(ask(skip=frozenset({"a", "b"})))


async def test_each_provider_is_told_how_many_attempts_came_before() -> None:
    a, b = Replies("a", failure("connect")), Replies("b", "ok")
    await chain(a, b).turn(ask(attempt=5))
    assert (a.asked[0].attempt, b.asked[0].attempt) == (5, 6)


async def test_partial_text_of_a_failed_provider_is_taken_back() -> None:
    seen: list[TextChunk] = []
    await chain(Hangs("a"), Replies("b", "whole")).turn(ask(timeout_s=0.05), seen.append)
    assert seen == [TextChunk("half an ans"), RESTART, TextChunk("whole")]


async def test_a_silent_failure_takes_nothing_back() -> None:
    seen: list[TextChunk] = []
    await chain(Replies("a", failure("connect")), Replies("b", "whole")).turn(ask(), seen.append)
    assert seen == [TextChunk("whole")]


async def test_a_rate_limit_rests_for_as_long_as_the_provider_said() -> None:
    clock = ManualClock()
    a, b = Replies("a", failure("rate_limit", 7.0), "back"), Replies("b", "ok")
    models = chain(a, b, clock=clock.monotonic)
    await models.turn(ask())
    clock.advance(6.9)
    reply = await models.turn(ask())
    assert (reply.attempts, len(a.asked)) == (1, 1)
    assert reply.fallbacks[0].kind == "rate_limit"
    assert "resting" in reply.fallbacks[0].message
    clock.advance(0.2)
    assert (await models.turn(ask())).text == "back"


async def test_two_failures_in_a_row_rest_and_each_failed_probe_doubles_the_rest() -> None:
    clock = ManualClock()
    a, b = Replies("a", failure("unavailable")), Replies("b", "ok")
    models = chain(a, b, clock=clock.monotonic)
    for _ in range(3):
        await models.turn(ask())
    assert len(a.asked) == 2
    for rest in (30, 60, 120, 240, 480, 600, 600):
        clock.advance(rest - 0.1)
        await models.turn(ask())
        asked = len(a.asked)
        clock.advance(0.2)
        await models.turn(ask())
        assert len(a.asked) == asked + 1


async def test_one_probe_at_a_time_when_the_rest_is_over() -> None:
    clock = ManualClock()
    a, b = Hangs("a"), Replies("b", "ok")
    models = chain(a, b, clock=clock.monotonic)
    for _ in range(2):
        await models.turn(ask(timeout_s=0.02))
    clock.advance(31)
    probe = asyncio.create_task(models.turn(ask()))
    for _ in range(3):
        await a.asking.acquire()
    await models.turn(ask())
    assert len(a.asked) == 3
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    assert models.states()[0].state == "ready"


@pytest.mark.parametrize("kind", ["auth", "not_found"])
async def test_a_wrong_key_rests_until_the_reload(kind: FaultKind) -> None:
    clock = ManualClock()
    a, b = Replies("a", failure(kind), "mended"), Replies("b", "ok")
    models = chain(a, b, clock=clock.monotonic)
    await models.turn(ask())
    clock.advance(1e6)
    assert (await models.turn(ask())).provider == "b"
    assert models.states()[0].state == "cooling"
    models.reset()
    assert (await models.turn(ask())).text == "mended"


async def test_the_last_provider_is_asked_even_while_it_rests() -> None:
    only = Replies("a", failure("auth"), "mended")
    models = chain(only)
    with pytest.raises(ProviderUnavailable):
        await models.turn(ask())
    assert (await models.turn(ask())).text == "mended"


async def test_a_resting_model_does_not_block_the_providers_other_models() -> None:
    a, b = Replies("a", failure("rate_limit"), "other", models=("x", "y")), Replies("b", "ok")
    models = chain(a, b)
    await models.turn(ask(provider="a", model="x"))
    assert (await models.turn(ask(provider="a", model="y"))).text == "other"


async def test_a_hanging_provider_leaves_half_of_the_turn_to_the_next() -> None:
    a, b = Hangs("a"), Replies("b", "ok")
    reply = await chain(a, b).turn(ask(timeout_s=0.1))
    assert reply.fallbacks[0].kind == "timeout"
    assert b.asked[0].timeout_s is not None and 0 < b.asked[0].timeout_s <= 0.06


async def test_a_cancelled_turn_asks_nobody_else() -> None:
    a, b = Hangs("a"), Replies("b", "ok")
    task = asyncio.create_task(chain(a, b).turn(ask()))
    await a.asking.acquire()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert b.asked == []


async def test_a_providers_own_bug_does_not_end_the_turn() -> None:
    reply = await chain(Replies("a", KeyError("candidates")), Replies("b", "ok")).turn(ask())
    assert reply.fallbacks[0].kind == "unavailable"
    assert "KeyError" in reply.fallbacks[0].message


async def test_the_chain_shows_how_each_provider_stands() -> None:
    a, b = Replies("a", failure("rate_limit", 60)), Replies("b", "ok")
    models = chain(a, b)
    await models.turn(ask())
    states = models.states()
    assert [(state.id, state.state) for state in states] == [("a", "cooling"), ("b", "ready")]
    assert "because of rate_limit" in (states[0].error or "")
    assert models.state().state == "ready"


async def test_closing_closes_every_provider() -> None:
    a, b = Replies("a", "ok"), Replies("b", "ok")
    await chain(a, b).aclose()
    assert a.closed and b.closed


async def test_a_scripted_daemon_falls_back_line_by_line() -> None:
    """Each provider plays the line of the attempts made so far in the session."""
    a = ScriptedModel.of({"error": "unavailable"}, "one", provider="a")
    b = ScriptedModel.of("never", "zero", provider="b")
    reply = await chain(a, b).turn(ask())
    assert (reply.text, reply.attempts) == ("zero", 2)


class Able(Replies):
    """A provider in a given state that can hold its answers to one form."""

    def __init__(self, name: str, **fields: Any) -> None:
        super().__init__(name, "never")
        self.fields = fields

    def state(self) -> ProviderState:
        return ProviderState(id=self.provider, type="test", **self.fields)


@pytest.mark.parametrize(
    ("cloud", "ollama", "held"),
    [
        ("no_key", "unknown", "grammar"),
        ("unknown", "unknown", "json_schema"),
        ("no_key", "ready", "json_schema"),
        ("no_key", "down", "grammar"),
    ],
)
def test_a_program_on_this_machine_that_was_never_asked_hides_no_grammar(cloud: Any, ollama: Any, held: str) -> None:
    hosted = Able("gemini", state=cloud, constraint="json_schema")
    local = Able("ollama", state=ollama, constraint="json_schema", local=True)
    embedded = Able("llamacpp", state="ready", constraint="grammar", local=True)
    assert chain(hosted, local, embedded, default="gemini").state().constraint == held
