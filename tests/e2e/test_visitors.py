"""Two visitors behind one token, at a real daemon: what is one's is not there for the other, whatever they ask."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest

from tests.daemon import Daemon, approval_of, final, one_daemon, running
from tests.e2e.register import Person, one_person, token
from tests.e2e.test_main_job import LETTER

WORDS = json.dumps(LETTER["input"], ensure_ascii=False)
MINE, YOURS = "m" * 32, "y" * 32


office = one_daemon(LETTER, final("Surat Anda selesai."))
desk = one_person("desk", "staff")


@pytest.fixture(scope="module", params=["kiosk", "chat"])
def shared(office: Daemon, request: pytest.FixtureRequest) -> str:
    """One token for all visitors of a screen."""
    return token(office, f"screen-{request.param}", request.param)


def test_a_neighbour_with_the_same_token_reaches_nothing_of_anothers_visit(
    office: Daemon, desk: Person, shared: str
) -> None:
    one, other = Person(office, shared), Person(office, shared, YOURS)
    waiting = one.call("Agent.run", prompt=WORDS)
    run_id, session_id = waiting["run_id"], waiting["session_id"]
    approval = {**approval_of(waiting), "approved": True}
    for who in (other, Person(office, shared)):  # with another's key, and with none
        for method in ("Agent.get", "Agent.cancel"):
            assert who.refused(method, run_id=run_id) == "not_found"
        assert who.refused("Agent.approve", **approval) == "not_found"
        for method in ("Session.get", "Session.fork", "Session.export", "Session.delete"):
            assert who.refused(method, session_id=session_id) == "not_found"
        assert who.refused("Agent.run", prompt="Halo", session_id=session_id) == "not_found"
        assert who.refused("Agent.start", prompt=WORDS, run_id=run_id) == "not_found"
        assert who.status(f"/events?run_id={run_id}") == 404
    one.key = waiting["session_key"]
    done = one.approve(waiting)
    [letter] = [file for file in done["artifacts"] if file["name"].endswith(".pdf")]
    picture = letter["uri"].replace("/artifacts/", "/pictures/") + "/1.png"
    for path in (letter["uri"], picture, f"/events?run_id={run_id}"):
        assert (one.status(path), other.status(path)) == (200, 404)
    assert desk.status(letter["uri"]) == 200
    assert office.call("Session.get", session_id=session_id)["history"][0]["run_id"] == run_id
    assert one.call("Session.delete", session_id=session_id)["deleted"]


async def test_a_socket_asks_for_the_key_too(office: Daemon, shared: str) -> None:
    one = Person(office, shared, MINE)
    run_id = one.call("Agent.run", prompt=WORDS)["run_id"]
    async with aiohttp.ClientSession() as session:
        for key, sent, told in (("", {}, "error"), (YOURS, {}, "error"), (MINE, {}, "result"),
                                ("", {"session_key": MINE}, "result")):  # fmt: skip
            headers = Person(office, shared, key).headers()
            async with session.ws_connect(f"{office.url}/ws", headers=headers) as socket:
                params = {"run_id": run_id, **sent}
                await socket.send_json({"jsonrpc": "2.0", "id": 1, "method": "Events.subscribe", "params": params})
                assert told in await socket.receive_json(timeout=300)


async def test_a_cookie_of_one_run_stands_in_for_the_key_where_a_page_can_send_no_header(
    office: Daemon, shared: str
) -> None:
    one = Person(office, shared, MINE)
    waiting = one.call("Agent.run", prompt=WORDS)
    run_id, letter = waiting["run_id"], one.approve(waiting)["artifacts"][0]["uri"]
    second = one.call("Agent.run", prompt="Halo", session_id=waiting["session_id"])["run_id"]

    jar = aiohttp.CookieJar(unsafe=True)  # of an address without a name
    headers = {"Authorization": f"Bearer {shared}"}
    async with aiohttp.ClientSession(office.url, cookie_jar=jar, headers=headers) as page:

        async def status(method: str, path: str, **more: str) -> int:
            async with page.request(method, path, headers=more) as answer:
                return answer.status

        assert await status("POST", f"/visit/{run_id}") == 400
        assert await status("POST", f"/visit/{run_id}", **{"Agentd-Session-Key": YOURS}) == 404
        assert (await status("GET", f"/events/{run_id}"), len(jar)) == (404, 0)
        async with page.post(f"/visit/{run_id}", headers={"Agentd-Session-Key": MINE}) as answer:
            assert answer.status == 204
            for cookie in answer.headers.getall("Set-Cookie"):
                assert {"HttpOnly", "SameSite=Strict", "Max-Age=900"} <= set(cookie.split("; "))
        assert [await status("GET", path) for path in (f"/events/{run_id}", letter)] == [200, 200]
        for path in (f"/events?run_id={run_id}", f"/events/{second}"):
            assert await status("GET", path) == 404, "the cookie is that run's alone"
        elsewhere = await status("GET", f"/events/{run_id}", Origin="https://evil.example")
        assert (elsewhere, await status("GET", letter, **{"Sec-Fetch-Site": "cross-site"})) == (403, 403)
        key = {"Cookie": f"agentd-session-key={MINE}", "Content-Type": "application/json"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "Agent.get", "params": {"run_id": run_id}}
        async with page.post("/rpc", json=body, headers=key) as answer:
            assert (await answer.json())["error"]["data"]["type"] == "not_found", "a method takes no key of a cookie"


def test_visitors_have_no_lists(office: Daemon, shared: str) -> None:
    one = Person(office, shared, MINE)
    one.call("Session.create")
    assert one.call("Session.list") == {"sessions": [], "next": None}
    assert one.call("Agent.list") == {"runs": []}
    assert office.call("Session.list")["sessions"]


def test_a_lost_answer_is_asked_for_again_with_the_key_that_was_brought(office: Daemon, shared: str) -> None:
    one = Person(office, shared, MINE)
    first = one.call("Agent.run", prompt=WORDS, run_id=f"again-{shared[-8:]}")
    again = one.call("Agent.run", prompt=WORDS, run_id=first["run_id"])
    assert (again["run_id"], again["session_id"], again["session_key"]) == (first["run_id"], first["session_id"], MINE)
    assert Person(office, shared).refused("Agent.run", prompt=WORDS, run_id=first["run_id"]) == "not_found"
    assert Person(office, shared, "short").refused("Agent.run", prompt=WORDS) == "invalid_params"


def test_a_fork_has_a_key_of_its_own_and_the_past_of_both(office: Daemon, shared: str) -> None:
    one = Person(office, shared, MINE)
    first = one.call("Agent.run", prompt=WORDS)
    forked = one.call("Session.fork", session_id=first["session_id"])
    other = Person(office, shared, forked["session_key"])
    assert one.refused("Session.get", session_id=forked["session_id"]) == "not_found"
    assert other.refused("Session.get", session_id=first["session_id"]) == "not_found"
    assert other.call("Session.get", session_id=forked["session_id"])["history"][0]["run_id"] == first["run_id"]
    assert other.call("Agent.get", run_id=first["run_id"])["run_id"] == first["run_id"]


def test_the_keys_digest_removes_a_session_and_opens_none(office: Daemon, shared: str) -> None:
    session_id = Person(office, shared).call("Session.create", session_key=MINE)["session_id"]
    left = Person(office, shared, hashlib.sha256(MINE.encode()).hexdigest())
    assert left.refused("Session.get", session_id=session_id) == "not_found"
    assert left.refused("Agent.run", prompt="Halo", session_id=session_id) == "not_found"
    assert left.call("Session.delete", session_id=session_id)["deleted"]


@pytest.mark.parametrize(
    "option",
    [{"system_prompt": "x"}, {"max_steps": 2}, {"deadline_s": 5}, {"provider": "scripted"}, {"model": "scripted"}],
    ids=lambda option: next(iter(option)),
)
def test_what_steers_the_agent_is_not_a_visitors_to_set(office: Daemon, shared: str, option: dict[str, Any]) -> None:
    for method in ("Agent.run", "Agent.start"):
        assert Person(office, shared).refused(method, prompt="Halo", options=option) == "forbidden"
    assert Person(office, shared).call("Agent.start", prompt="Halo", options={"language": "en"})["run_id"]


def test_no_key_is_kept_or_logged(office: Daemon, shared: str) -> None:
    key = "n0t-t0-be-f0und-anywhere-" + shared[-8:]
    Person(office, shared, key).call("Agent.run", prompt=WORDS)
    assert Person(office, shared, key).refused("Agent.get", run_id="none") == "not_found"
    places = [path for path in office.folder.rglob("*") if path.is_file()]
    assert not [path for path in places if key.encode() in path.read_bytes()]


async def test_a_chat_client_of_v1_is_recognised_and_crosses_no_other(tmp_path: Path) -> None:
    """OpenAI's clients send the whole conversation; two of one token may begin with the same words."""
    with running(tmp_path, final("Selamat siang."), final("Baik.")) as daemon:
        chat = token(daemon, "web", "chat")
        client = openai.AsyncOpenAI(api_key=chat, base_url=f"{daemon.url}/v1", max_retries=0)

        async def says(past: list[dict[str, str]], words: str) -> Any:
            asked: Any = [*past, {"role": "user", "content": words}]
            answer = await client.chat.completions.create(model="agent", messages=asked)
            past[:] = [*asked, {"role": "assistant", "content": answer.choices[0].message.content}]
            return answer.model_extra["agentd"]["session_id"]

        one: list[dict[str, str]] = []
        other: list[dict[str, str]] = []
        begun = {await says(one, "Halo"), await says(other, "Halo")}
        assert one == other
        assert len(begun) == 2
        went_on = [await says(one, "Nama saya Budi"), await says(other, "Nama saya Siti")]
        assert set(went_on) == begun
        for session_id, name in zip(went_on, ("Budi", "Siti"), strict=True):
            prompts = [turn["prompt"] for turn in daemon.call("Session.get", session_id=session_id)["history"]]
            assert prompts == ["Halo", f"Nama saya {name}"]
            assert Person(daemon, chat).refused("Session.get", session_id=session_id) == "not_found"
        await client.close()


def test_sessions_from_before_the_keys_are_staffs_and_admins_only(tmp_path: Path) -> None:
    with running(tmp_path, final("Halo.")) as daemon:
        screen = token(daemon, "screen", "kiosk")
        old = Person(daemon, screen, MINE).call("Agent.run", prompt="Halo")
        daemon.kill(15)
        with sqlite3.connect(daemon.state / "agentd.db") as db:  # as it was before
            db.execute("ALTER TABLE agentd_sessions DROP COLUMN key_hash")
            db.execute("UPDATE agentd_schema SET version = 1")
        db.close()
        daemon.start()
        assert Person(daemon, screen, MINE).refused("Session.get", session_id=old["session_id"]) == "not_found"
        assert daemon.call("Session.get", session_id=old["session_id"])["history"][0]["prompt"] == "Halo"
        new = Person(daemon, screen, MINE).call("Agent.run", prompt="Halo lagi")
        assert Person(daemon, screen, MINE).call("Session.get", session_id=new["session_id"])["history"]
