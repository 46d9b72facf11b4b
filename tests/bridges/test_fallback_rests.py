"""The fallback chain: which provider rests, for how long, and how it is tried again."""

from __future__ import annotations

import asyncio

import pytest

from agentd.errors import FaultKind, ProviderUnavailable
from agentd.testing import ManualClock
from tests.bridges.chains import Hangs, Replies, ask, chain, failure


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
    assert (await chain(a, b).turn(ask())).text == "mended"  # a reload makes another chain


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
