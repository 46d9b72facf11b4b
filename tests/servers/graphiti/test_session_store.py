"""Session data: each session's own, bounded, and there again after a crash."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import Client

from servers.graphiti import graph
from servers.graphiti.graph import GraphError, close_graph, open_graph
from servers.graphiti.server import create_server
from servers.graphiti.session_store import SessionStore, StoreError, StoreLimits, group_of
from tests.servers.graphiti.conftest import Connection, connect

SESSIONS = ["a", "A", "a ", "", "a-b", "a_b", "../a", "sesi 1", "ses\u00ed", "*", "' OR 1=1", "x" * 400]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SessionStore]:
    driver = await open_graph("", tmp_path / "sessions.lbug")
    store = SessionStore(driver, StoreLimits(session_sets=3, session_bytes=4000, total_sets=40, total_bytes=40_000))
    await store.load()
    yield store
    await close_graph(driver)


async def put(store: SessionStore, session: str, *rows: dict[str, object]) -> str:
    return (await store.store(session, rows, {}))["data_handle_id"]


async def test_no_session_sees_anothers_data(store: SessionStore) -> None:
    handles = {session: await put(store, session, {"of": session}) for session in SESSIONS}
    for asking in SESSIONS:
        for owner, handle in handles.items():
            expected = [{"of": owner}] if asking == owner else None
            assert await store.retrieve(asking, handle) == expected
    assert len({group_of(session) for session in SESSIONS}) == len(SESSIONS)


async def test_deleting_a_session_leaves_the_others(store: SessionStore) -> None:
    mine, theirs = await put(store, "mine", {"a": 1}), await put(store, "theirs", {"a": 2})
    assert await store.delete_session("mine") == 1
    assert await store.delete_session("mine") == 0
    assert await store.retrieve("mine", mine) is None
    assert await store.retrieve("theirs", theirs) == [{"a": 2}]


@pytest.mark.parametrize("handle", ["", "*", "ep-raw-' OR 1=1", "ep-raw-" + "0" * 36, "x" * 100])
async def test_a_handle_that_was_never_given_finds_nothing(store: SessionStore, handle: str) -> None:
    await put(store, "s", {"a": 1})
    assert await store.retrieve("s", handle) is None


async def test_values_come_back_as_they_were(store: SessionStore) -> None:
    row = {
        "i": 2**80,
        "f": 0.1,
        "n": None,
        "b": True,
        "t": "Rp 1.000 \u2014 \x00 \ud800 'x' \\ 🙂",
        "l": [1, {"a": []}],
    }
    assert await store.retrieve("s", await put(store, "s", row)) == [row]
    assert await store.retrieve("s", await put(store, "s")) == []


async def test_the_oldest_go_when_a_session_is_full(store: SessionStore) -> None:
    other = await put(store, "other", {"a": 0})
    handles = [await put(store, "s", {"a": number}) for number in range(4)]
    kept = [await store.retrieve("s", handle) is not None for handle in handles]
    assert kept == [False, True, True, True]
    large = await put(store, "s", {"a": "x" * 3000})
    assert await store.retrieve("s", handles[1]) is None
    assert await store.retrieve("s", large) is not None
    assert await store.retrieve("other", other) == [{"a": 0}]


async def test_the_oldest_of_all_go_when_the_store_is_full(store: SessionStore) -> None:
    handles = {f"s{number}": await put(store, f"s{number}", {"a": number}) for number in range(45)}
    kept = [await store.retrieve(session, handle) is not None for session, handle in handles.items()]
    assert kept == [False] * 5 + [True] * 40


async def test_what_is_too_large_is_refused_with_the_limit(store: SessionStore) -> None:
    with pytest.raises(StoreError, match="paling banyak 10000"):
        await store.store("s", [{}] * 10_001, {})
    with pytest.raises(StoreError, match="melebihi 4 MiB"):
        await store.store("s", [{"a": "x" * 5_000_000}], {})


async def test_columns_are_described_when_the_caller_does_not(store: SessionStore) -> None:
    handle = await store.store("s", [{"a": None, "b": 1}, {"a": "x", "b": 1.5, "c": True, "d": []}], {})
    assert handle["column_schema"] == [
        {"name": "a", "type": "string"},
        {"name": "b", "type": "integer"},
        {"name": "c", "type": "boolean"},
        {"name": "d", "type": "json"},
    ]


async def test_stored_data_survive_the_kill_of_the_server(tmp_path: Path) -> None:
    code = """
import asyncio, json, os, signal, sys
from pathlib import Path
from servers.graphiti.graph import open_graph
from servers.graphiti.session_store import SessionStore
async def main():
    store = SessionStore(await open_graph("", Path(sys.argv[1])))
    await store.load()
    handles = [(await store.store("s", [{"a": n}], {}))["data_handle_id"] for n in range(20)]
    print(json.dumps(handles), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    path = tmp_path / "sessions.lbug"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(path), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(process.communicate(), 300)
    assert process.returncode == -signal.SIGKILL
    driver = await open_graph("", path)
    store = SessionStore(driver, StoreLimits(session_sets=20))
    await store.load()
    handles = json.loads(output)
    assert [await store.retrieve("s", handle) for handle in handles] == [[{"a": number}] for number in range(20)]
    await put(store, "s", {"a": 20})  # what was there counts towards the limit
    assert await store.retrieve("s", handles[0]) is None
    await close_graph(driver)


async def test_a_second_server_on_one_folder_searches_and_says_who_holds_the_data(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "LOCKED_SECONDS", 0.5)
    asked = {"intent": "x", "entities": ["piutang"]}
    async with connect(state) as first:
        await first.call("store_session_data", session_id="s", data_to_store=[])
        found = await first.call("get_relevant_schema", **asked)
        async with Client(create_server({"AGENTD_STATE": str(state)})) as client:
            second = Connection(client)
            assert await second.call("get_relevant_schema", **asked) == found
            refused = await second.call("store_session_data", session_id="s", data_to_store=[])
    assert refused["success"] is False
    assert "in use by another process" in refused["error"]


async def test_what_the_engine_before_left_is_removed(tmp_path: Path) -> None:
    former = [tmp_path / "sessions.kuzu", tmp_path / "sessions.kuzu.wal"]
    for file in former:
        file.write_text("NIK")
    await close_graph(await open_graph("", tmp_path / "sessions.lbug"))
    assert [file.exists() for file in former] == [False, False]


async def test_a_graph_that_cant_be_opened_says_so_without_its_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.lbug"
    broken.write_bytes(b"not a graph" * 1000)
    with pytest.raises(GraphError, match=r"broken\.lbug can't be opened"):
        await open_graph("", broken)
    with pytest.raises(GraphError, match="GRAPH_URL can't be reached") as raised:
        await open_graph("bolt://neo4j:rahasia@127.0.0.1:1/db", tmp_path)
    assert "rahasia" not in str(raised.value)
    with pytest.raises(GraphError, match="write neo4j://USER:PASSWORD@HOST"):
        await open_graph("http://neo4j:rahasia@host/db", tmp_path)
    assert capsys.readouterr().out == ""  # standard output is the protocol's
