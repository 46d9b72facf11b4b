"""A kiosk's pairing over real HTTP: six digits once, within two minutes, within five tries, for an HttpOnly cookie."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp

from agentd.access import TokenStore
from agentd.apps.pairing.codes import Pairing
from agentd.apps.pairing.endpoint import PairEndpoint
from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from tests.agentd.twins import Wire, wire

NOW = datetime(2026, 1, 5, tzinfo=UTC)
HEALTH = {"jsonrpc": "2.0", "method": "System.health", "id": 1}


@asynccontextmanager
async def office(state: Path, now: datetime = NOW) -> AsyncIterator[tuple[Wire, Pairing]]:
    """A wire with the pairing's route, where one token exists already."""
    pairing = Pairing(state, TokenStore(state / "access.json"))
    audit = AuditTrail(state, SystemClock())
    endpoint = PairEndpoint(pairing, audit, lambda: now)
    async with wire(state, pages=list(endpoint.routes())) as at:
        at.tokens.add("desk", frozenset({"staff"}), now=NOW)
        yield at, pairing
    audit.close()


async def tried(session: aiohttp.ClientSession, at: Wire, code: str, **headers: str) -> int:
    async with session.post(at.url + "/pair", json={"code": code}, headers=headers) as answer:
        return answer.status


def other(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


async def test_the_code_gives_the_page_a_kiosks_token_that_no_script_reads(tmp_path: Path) -> None:
    jar = aiohttp.CookieJar(unsafe=True)
    async with office(tmp_path) as (at, pairing), aiohttp.ClientSession(cookie_jar=jar) as session:
        code, name = pairing.begin(None, NOW)
        async with session.post(at.url + "/pair", json={"code": code}, headers={"Origin": at.url}) as answer:
            cookie = answer.headers["Set-Cookie"]
            assert (answer.status, name) == (204, "kiosk-1")
        assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
        async with session.post(at.url + "/rpc", json=HEALTH, headers={"Origin": at.url}) as answer:
            assert "result" in await answer.json()
        async with session.post(at.url + "/rpc", json={**HEALTH, "method": "Config.reload"}) as answer:
            assert (await answer.json())["error"]["data"]["type"] == "forbidden"
        async with session.ws_connect(at.url + "/ws", headers={"Origin": at.url}) as socket:
            await socket.send_json(HEALTH)
            assert "result" in await socket.receive_json(timeout=300)
        assert await tried(session, at, code) == 401  # once
        at.tokens.revoke("kiosk-1")
        async with session.post(at.url + "/rpc", json=HEALTH) as answer:
            assert answer.status == 401


async def test_a_code_from_before_the_clock_was_set_back_pairs_nothing(tmp_path: Path) -> None:
    async with office(tmp_path, NOW) as (at, pairing), aiohttp.ClientSession() as session:
        code, _ = pairing.begin(None, NOW + timedelta(hours=1))
        assert await tried(session, at, code) == 401


async def test_five_wrong_codes_void_the_right_one(tmp_path: Path) -> None:
    async with office(tmp_path) as (at, pairing), aiohttp.ClientSession() as session:
        code, _ = pairing.begin("front", NOW)
        assert [await tried(session, at, other(code)) for _ in range(5)] == [401] * 5
        assert await tried(session, at, code) == 401
        code, _ = pairing.begin("front", NOW)
        for _ in range(4):
            await tried(session, at, other(code))
        assert await tried(session, at, code) == 429  # ten wrong tries of this address


async def test_a_code_ends_after_two_minutes_and_with_the_next_one(tmp_path: Path) -> None:
    later = NOW + timedelta(minutes=2)
    async with office(tmp_path, later) as (at, pairing), aiohttp.ClientSession() as session:
        code, _ = pairing.begin("front", NOW)
        assert await tried(session, at, code) == 401
        old, _ = pairing.begin("front", later)
        new, _ = pairing.begin("front", later)
        assert [await tried(session, at, one) for one in (old, new)] == [401, 204]


async def test_a_page_of_somebody_else_pairs_nothing_and_uses_no_cookie(tmp_path: Path) -> None:
    async with office(tmp_path) as (at, pairing), aiohttp.ClientSession() as session:
        code, _ = pairing.begin("front", NOW)
        assert await tried(session, at, code, Origin="http://evil.example") == 403
        async with session.post(at.url + "/pair", data=f'{{"code": "{code}"}}') as answer:
            assert answer.status == 415
        _, token = pairing.end(code, NOW)
        for headers, status in (({"Origin": "http://evil.example"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403)):
            cookie = {"Cookie": f"agentd-token={token}"}
            async with session.get(at.url + "/events?run_id=r", headers={**cookie, **headers}) as answer:
                assert answer.status == status


async def test_a_kiosk_is_paired_again_under_its_name_and_nobody_else_is(tmp_path: Path) -> None:
    book = TokenStore(tmp_path / "access.json")
    pairing = Pairing(tmp_path, book)
    tokens = [pairing.end(pairing.begin("front", NOW)[0], NOW)[1] for _ in range(2)]
    assert [book.holder(token) is not None for token in tokens] == [False, True]
