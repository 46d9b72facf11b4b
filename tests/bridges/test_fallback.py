"""The fallback chain: who is asked, in what order, who rests, and what the caller hears. Seed 002, providers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentd.errors import FaultKind, InvalidParams, ProviderFailure, ProviderUnavailable
from agentd.messages import Fallback, ProviderState
from agentd.ports import RESTART, TextChunk
from agentd.testing import ScriptedModel
from tests.bridges.chains import Hangs, Replies, ask, chain, failure


@pytest.mark.parametrize("kind", ["rate_limit", "unavailable", "timeout", "connect", "auth", "not_found", "bad_output"])
async def test_a_failed_provider_is_passed_over_and_named(kind: FaultKind) -> None:
    first, second = Replies("gemini", failure(kind)), Replies("llamacpp", "ok")
    reply = await chain(first, second).turn(ask())
    assert (reply.text, reply.provider, reply.attempts) == ("ok", "llamacpp", 2)
    assert reply.fallbacks == (Fallback(provider="gemini", kind=kind, message=f"because of {kind}"),)


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
    await chain(Hangs("a"), Replies("b", "whole")).turn(ask(timeout_s=2.0), seen.append)
    assert seen == [TextChunk("half an ans"), RESTART, TextChunk("whole")]


async def test_a_silent_failure_takes_nothing_back() -> None:
    seen: list[TextChunk] = []
    await chain(Replies("a", failure("connect")), Replies("b", "whole")).turn(ask(), seen.append)
    assert seen == [TextChunk("whole")]


async def test_a_hanging_provider_leaves_half_of_the_turn_to_the_next() -> None:
    a, b = Hangs("a"), Replies("b", "ok")
    reply = await chain(a, b).turn(ask(timeout_s=2.0))
    assert reply.fallbacks[0].kind == "timeout"
    assert b.asked[0].timeout_s is not None and 0 < b.asked[0].timeout_s <= 1.0


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


async def test_providers_are_listed_in_the_order_they_are_asked() -> None:
    models = chain(Replies("a", "ok"), Replies("b", "ok"), default="b")
    assert [state.id for state in models.states()] == ["b", "a"]


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
