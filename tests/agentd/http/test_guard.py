"""Who gets in, from where, with what: over real HTTP. "Access on a fresh machine" is design.md's settled point."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import aiohttp.web
import pytest

from agentd.http.guard import CALLER
from agentd.messages import Scope
from tests.agentd.memory_runs import MemoryRun
from tests.agentd.twins import Wire, wire

HEALTH = {"jsonrpc": "2.0", "method": "System.health", "id": 1}


RELOAD = {"jsonrpc": "2.0", "method": "Config.reload", "id": 1}


NOW = datetime(2026, 1, 5, tzinfo=UTC)


async def post(at: Wire, message: Any = HEALTH, **headers: str) -> tuple[int, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with aiohttp.ClientSession() as session, session.post(at.url + "/rpc", json=message, headers=named) as answer:
        body = await answer.read()
        return answer.status, json.loads(body) if body else None


async def get(at: Wire, path: str, **headers: str) -> tuple[int, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with aiohttp.ClientSession() as session, session.get(at.url + path, headers=named) as answer:
        return answer.status, await answer.text()


def kind(answer: tuple[int, Any]) -> tuple[int, str]:
    status, body = answer
    body = json.loads(body) if isinstance(body, str) else body
    return status, body["error"]["data"]["type"]


def token(at: Wire, name: str, *scopes: Scope, **more: Any) -> str:
    return "Bearer " + at.tokens.add(name, frozenset(scopes), now=NOW, **more)


async def test_on_a_fresh_machine_a_local_program_is_admin(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        status, body = await post(at, RELOAD)
        assert (status, body["result"]["servers"]) == (200, {"added": [], "removed": [], "changed": []})


async def test_on_a_fresh_machine_the_own_page_is_a_kiosk(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        assert (await post(at, Origin=at.url))[1]["result"]["status"] == "ok"
        assert kind(await post(at, RELOAD, Origin=at.url)) == (200, "forbidden")


async def test_a_browsers_own_get_without_an_origin_is_a_kiosk_too(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        assert kind(await get(at, "/metrics", Sec_Fetch_Site="same-origin")) == (403, "forbidden")
        assert (await get(at, "/metrics"))[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"])
async def test_a_page_of_another_origin_can_do_nothing(tmp_path: Path, origin: str) -> None:
    async with wire(tmp_path, admin_token="secret") as at:
        for headers in ({}, {"Authorization": "Bearer secret"}):
            assert kind(await post(at, Origin=origin, **headers)) == (403, "forbidden")
            for path in ("/events?run_id=r", "/artifacts/r/a.pdf", "/metrics", "/ws"):
                assert kind(await get(at, path, Origin=origin, **headers)) == (403, "forbidden")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_what_another_sites_page_embeds_is_refused(tmp_path: Path, site: str) -> None:
    async with wire(tmp_path) as at:
        assert kind(await get(at, "/events?run_id=r", Sec_Fetch_Site=site)) == (403, "forbidden")


async def test_a_form_or_plain_text_cannot_call(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, aiohttp.ClientSession() as session:
        for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            headers = {"Content-Type": content_type}
            async with session.post(at.url + "/rpc", data=json.dumps(RELOAD), headers=headers) as answer:
                body = await answer.json()
                assert (answer.status, body["error"]["code"], body["id"]) == (415, -32600, None)


async def test_json_with_a_charset_is_json(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        assert (await post(at, Content_Type="Application/JSON; charset=utf-8"))[0] == 200


async def test_a_preflight_is_refused(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, aiohttp.ClientSession() as session:
        headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
        async with session.options(at.url + "/rpc", headers=headers) as answer:
            assert answer.status == 403
            assert not [name for name in answer.headers if name.startswith("Access-Control")]


async def test_a_listed_origin_with_a_token_may_call(tmp_path: Path) -> None:
    office = "https://kantor.example"
    async with wire(tmp_path, origins=frozenset({office})) as at, aiohttp.ClientSession() as session:
        assert kind(await post(at, Origin=office)) == (401, "unauthorized")
        bearer = token(at, "desk", "staff")
        async with session.options(at.url + "/rpc", headers={"Origin": office}) as preflight:
            assert (preflight.status, preflight.headers["Access-Control-Allow-Origin"]) == (204, office)
        headers = {"Origin": office, "Authorization": bearer}
        async with session.post(at.url + "/rpc", json=HEALTH, headers=headers) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == office
            assert (await answer.json())["result"]["status"] == "ok"
        for path, status in (("/events?run_id=none", 404), ("/healthz", 200), ("/nowhere", 404)):
            async with session.get(at.url + path, headers=headers) as answer:
                assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (status, office)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "", "[::1"])
async def test_a_strange_host_name_is_refused(tmp_path: Path, host: str) -> None:
    async with wire(tmp_path) as at:
        assert kind(await post(at, Host=host)) == (403, "forbidden")
        assert kind(await get(at, "/healthz", Host=host)) == (403, "forbidden")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]", "[::1]:8765", "kantor.example"]
)
async def test_loopback_names_and_listed_names_are_known(tmp_path: Path, host: str) -> None:
    async with wire(tmp_path, hosts=frozenset({"kantor.example"})) as at:
        assert (await get(at, "/healthz", Host=host))[0] == 200
        assert (await post(at, Host=host))[0] == (401 if host == "kantor.example" else 200)  # there is a proxy, then


async def test_once_a_token_exists_everybody_needs_one(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        assert (await post(at))[0] == 200
        bearer = token(at, "front", "kiosk")
        assert kind(await post(at)) == (401, "unauthorized")
        assert kind(await post(at, Origin=at.url)) == (401, "unauthorized")
        assert kind(await post(at, Authorization="Bearer wrong")) == (401, "unauthorized")
        assert kind(await post(at, Authorization="Basic YTpi")) == (401, "unauthorized")
        assert (await post(at, Authorization=bearer))[0] == 200
        assert kind(await post(at, RELOAD, Authorization=bearer)) == (200, "forbidden")


async def test_a_revoked_token_is_refused_from_the_next_request_on(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        kept, gone = token(at, "desk", "staff"), token(at, "front", "kiosk")
        assert (await post(at, Authorization=gone))[0] == 200
        at.tokens.revoke("front")
        assert kind(await post(at, Authorization=gone)) == (401, "unauthorized")
        assert (await post(at, Authorization=kept))[0] == 200


@pytest.mark.parametrize("first_token", [False, True])
async def test_who_waits_for_a_run_when_their_rights_end_is_sent_away_and_the_run_goes_on(
    tmp_path: Path, first_token: bool
) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def slow(_run: MemoryRun) -> str:
        asked.set()
        await answered.wait()
        return "Selesai"

    async with wire(tmp_path, work=slow) as at:
        headers = {} if first_token else {"Authorization": token(at, "boss", "admin")}
        params = {"prompt": "Halo", "run_id": "r-1"}
        message = {"jsonrpc": "2.0", "method": "Agent.run", "params": params, "id": 1}
        waiting = asyncio.create_task(post(at, message, **headers))
        await asyncio.wait_for(asked.wait(), 300)
        if first_token:
            boss = token(at, "boss", "admin")
        else:
            at.tokens.revoke("boss")
            boss = token(at, "other", "admin")
        assert kind(await asyncio.wait_for(waiting, 300)) == (401, "unauthorized")
        answered.set()
        joined = await post(at, message, Authorization=boss)
        assert joined[1]["result"]["response"] == "Selesai"


async def test_on_a_fresh_machine_a_token_that_nobody_made_counts_as_none(tmp_path: Path) -> None:
    """Clients of /v1 can't be told to send no key."""
    async with wire(tmp_path) as at:
        assert "result" in (await post(at, RELOAD, Authorization="Bearer sk-dummy"))[1]
        assert kind(await post(at, RELOAD, Authorization="Bearer sk-dummy", Origin=at.url)) == (200, "forbidden")
        assert kind(await post(at, Authorization="Bearer x", X_Forwarded_For="203.0.113.9")) == (401, "unauthorized")


async def test_the_daemons_own_servers_reach_the_models_and_nothing_else(tmp_path: Path) -> None:
    async def whoami(request: aiohttp.web.Request) -> aiohttp.web.Response:
        return aiohttp.web.Response(text=request[CALLER].id)

    async with wire(tmp_path, mounted=[aiohttp.web.get("/v1/models", whoami)]) as at:
        bearer = f"Bearer {at.access.model_token}"
        assert await get(at, "/v1/models", Authorization=bearer) == (200, "own-server")
        assert kind(await post(at, RELOAD, Authorization=bearer)) == (200, "forbidden")
        token(at, "first", "staff")
        assert await get(at, "/v1/models", Authorization=bearer) == (200, "own-server")
        assert kind(await get(at, "/v1/models")) == (401, "unauthorized")


async def test_the_environments_token_is_admin_and_closes_the_door(tmp_path: Path) -> None:
    async with wire(tmp_path, admin_token="secret") as at:
        assert kind(await post(at)) == (401, "unauthorized")
        assert "result" in (await post(at, RELOAD, Authorization="Bearer secret"))[1]


@pytest.mark.parametrize(
    "header",
    """X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Client-Cert Forwarded Via X-Real-IP
    CF-Connecting-IP CF-Ray True-Client-IP X-Client-IP X-Envoy-External-Address Fastly-Client-IP
    CDN-Loop X-Amzn-Trace-Id""".split(),
)
async def test_behind_a_proxy_nobody_is_local(tmp_path: Path, header: str) -> None:
    async with wire(tmp_path) as at:
        assert kind(await post(at, **{header: "203.0.113.9"})) == (401, "unauthorized")
        assert kind(await get(at, "/metrics", **{header.lower(): ""})) == (401, "unauthorized")


async def test_a_bare_proxy_of_http_1_0_is_no_program_of_this_machine(tmp_path: Path) -> None:
    """What nginx's `proxy_pass` alone sends: HTTP/1.0, a loopback Host, and no trace of where it came from."""
    async with wire(tmp_path) as at:
        host = at.url.removeprefix("http://")
        answers = []
        for version in ("1.0", "1.1"):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(host.rpartition(":")[2]))
            writer.write(f"GET /metrics HTTP/{version}\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answers.append((await reader.read()).split(b" ")[1])
            writer.close()
        assert answers == [b"401", b"200"]


async def test_ten_wrong_tokens_a_minute_are_answered_and_a_good_one_still_passes(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        good = token(at, "front", "kiosk")
        for _ in range(10):
            assert kind(await post(at, Authorization="Bearer guess")) == (401, "unauthorized")
        refused = await post(at, Authorization="Bearer guess")
        assert kind(refused) == (429, "rate_limited")
        assert 0 < refused[1]["error"]["data"]["retry_after_s"] <= 60
        assert (await post(at, Authorization=good))[0] == 200  # nobody locks the others of an address out
        evading = await post(at, Authorization="Bearer guess", X_Forwarded_For="198.51.100.7")
        assert kind(evading) == (429, "rate_limited")  # who isn't a trusted proxy names nobody else


@pytest.mark.parametrize("by", ["127.0.0.1", "unix"])
async def test_behind_a_trusted_proxy_each_address_that_it_saw_counts_for_itself(tmp_path: Path, by: str) -> None:
    """And what the caller wrote before it counts for nothing."""
    async with wire(tmp_path, proxies=frozenset({by}), unix_path=tmp_path / "s") as at:
        token(at, "front", "kiosk")
        connector = aiohttp.UnixConnector(str(tmp_path / "s")) if by == "unix" else aiohttp.TCPConnector()
        async with aiohttp.ClientSession(connector=connector) as session:

            async def guess(seen: str) -> int:
                headers = {"Authorization": "Bearer guess", "X-Forwarded-For": seen}
                async with session.post(f"{at.url}/rpc", json=RELOAD, headers=headers) as answer:
                    return answer.status

            tried = [await guess(f"203.0.113.{number}, 198.51.100.7") for number in range(11)]
            assert tried == [401] * 10 + [429]
            assert await guess("198.51.100.7, 203.0.113.9") == 401


async def test_an_unreadable_access_file_lets_nobody_in(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        (tmp_path / "access.json").write_text("{")
        assert kind(await post(at)) == (401, "unauthorized")


@pytest.mark.parametrize("path", ["/events?run_id=r", "/ws?a=b", "/artifacts/r/a.pdf?a=b", "/metrics?a=b"])
async def test_a_token_in_the_address_counts_for_nothing(tmp_path: Path, path: str) -> None:
    async with wire(tmp_path) as at:
        bare = token(at, "front", "admin").removeprefix("Bearer ")
        assert kind(await get(at, f"{path}&access_token={bare}")) == (401, "unauthorized")


async def test_a_models_token_reads_no_events_and_calls_no_method(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        bearer = token(at, "server", "model")
        assert kind(await get(at, "/events?run_id=r", Authorization=bearer)) == (403, "forbidden")
        assert kind(await post(at, HEALTH, Authorization=bearer)) == (200, "forbidden")
