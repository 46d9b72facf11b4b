"""A call through the bridge to a server that behaves: what is sent, what comes back, and what becomes of files."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from bridges.mcp import Question, Sample
from bridges.mcp.artifacts import safe_name
from tests.bridges.mcp.conftest import OpenBridge, do, friendly, request, until

LETTER = b"%PDF-1.7 a letter"


async def test_the_catalogue_carries_what_the_server_says_about_its_tools(bridge: OpenBridge) -> None:
    """Seed 002: schema, description and instructions are read from the servers at run time."""
    catalogue = (await bridge(friendly())).catalogue()
    echo = catalogue.tool("ECHO")
    assert echo is not None
    assert (echo.server, echo.description, echo.read_only) == ("friendly", "Say it again.", True)
    assert echo.meta["agentd/official"] is True
    assert echo.input_schema["required"] == ["text"]
    assert catalogue.servers[0].instructions == "Be friendly."
    assert catalogue.servers[0].protocol_version == "2026-07-28"


async def test_each_call_carries_its_idempotency_key_and_session(bridge: OpenBridge) -> None:
    outcome = await do(await bridge(friendly()), "friendly", "meta")
    sent = {key: value for key, value in outcome.output.items() if key.startswith("agentd/")}
    assert sent == {
        "agentd/idempotency_key": "run-1:3",
        "agentd/session_id": "session-1",
        "agentd/language": "id",
    }


async def test_a_renamed_tool_is_called_by_the_name_its_server_knows(bridge: OpenBridge) -> None:
    host = await bridge(friendly())
    call = request(host, "friendly", "echo", text="x")
    renamed = call.tool.model_copy(update={"name": "friendly__echo", "remote_name": "echo"})
    assert (await host.call(call.model_copy(update={"tool": renamed}))).output == {"said": "x"}


async def test_a_server_sees_nothing_of_our_environment_but_harmless_names(
    bridge: OpenBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 000/002: children get a scrubbed environment, no keys."""
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    host = await bridge(friendly(env={"DEFAULT_CITY": "Jakarta"}))
    seen = (await do(host, "friendly", "environment")).output
    assert seen["DEFAULT_CITY"] == "Jakarta"
    harmless = {"DEFAULT_CITY", "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}
    assert {name for name in seen if not name.startswith("LC_")} <= harmless


@pytest.mark.parametrize(
    ("kind", "output", "message"),
    [
        ("json", {"number": 7}, '{"number": 7}'),
        ("two", "  \nsecond", "second"),
        ("nothing", None, ""),
    ],
)
async def test_text_becomes_output_and_message(bridge: OpenBridge, kind: str, output: object, message: str) -> None:
    outcome = await do(await bridge(friendly()), "friendly", "contents", kind=kind)
    assert (outcome.success, outcome.output, outcome.message) == (True, output, message)


async def test_files_in_results_become_artifacts(bridge: OpenBridge, tmp_path: Path) -> None:
    linked = tmp_path / "surat 1.pdf"
    linked.write_bytes(LETTER)
    host = await bridge(friendly(artifacts_dir=str(tmp_path / "kept")))

    (link,) = (await do(host, "friendly", "contents", kind="link", path=linked.as_uri())).artifacts
    assert (link.name, link.uri, link.path) == ("surat 1.pdf", linked.as_uri(), str(linked))
    assert (link.media_type, link.sha256) == ("application/pdf", hashlib.sha256(LETTER).hexdigest())

    (blob,) = (await do(host, "friendly", "contents", kind="blob")).artifacts
    assert (blob.name, blob.uri) == ("surat_domisili.pdf", "letters://office/surat%20domisili.pdf")
    kept = tmp_path / "kept" / "run-1" / "surat_domisili.pdf"
    assert blob.path == str(kept)
    assert kept.read_bytes() == LETTER
    assert kept.stat().st_mode & 0o077 == 0

    picture, sound = (await do(host, "friendly", "contents", kind="media")).artifacts
    assert (picture.name, picture.media_type, sound.media_type) == ("image-1.png", "image/png", "audio/wav")
    assert blob.sha256 == picture.sha256 == sound.sha256


async def test_a_file_keeps_inside_its_folder_and_never_replaces_another(bridge: OpenBridge, tmp_path: Path) -> None:
    folder = tmp_path / "run-1"
    folder.mkdir()
    (folder / "passwd").write_text("another")
    host = await bridge(friendly(artifacts_dir=str(tmp_path)))
    for _ in range(2):
        (note,) = (await do(host, "friendly", "contents", kind="text")).artifacts
        assert note.path == str(folder / "passwd-2")
    assert (folder / "passwd").read_text() == "another"


@pytest.mark.parametrize("name", ["../../x", "..", "", "a/b", "\x00", "." * 300, "ключ"])
def test_every_name_is_a_plain_files_name(name: str) -> None:
    assert safe_name(name) not in ("", ".", "..")
    assert not {"/", "\x00"} & set(safe_name(name))
    assert not safe_name(name).startswith(".")


async def test_without_a_folder_a_files_bytes_are_dropped_and_its_name_kept(bridge: OpenBridge) -> None:
    (blob,) = (await do(await bridge(friendly()), "friendly", "contents", kind="blob")).artifacts
    assert (blob.name, blob.path, blob.sha256) == ("surat_domisili.pdf", None, hashlib.sha256(LETTER).hexdigest())


@pytest.mark.parametrize("what", ["missing", "folder", "pipe"])
async def test_a_link_to_no_file_is_left_out_and_the_call_succeeds(
    bridge: OpenBridge, tmp_path: Path, what: str
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    outcome = await do(await bridge(friendly()), "friendly", "contents", kind="link", path=(tmp_path / what).as_uri())
    assert (outcome.success, outcome.artifacts) == (True, ())


async def test_a_broken_embedded_file_does_not_spoil_the_rest(bridge: OpenBridge) -> None:
    outcome = await do(await bridge(friendly()), "friendly", "contents", kind="broken")
    assert (outcome.success, outcome.output, outcome.artifacts) == (True, "fine", ())


async def test_cancelling_a_call_cancels_it_at_the_server(bridge: OpenBridge) -> None:
    host = await bridge(friendly())
    started = asyncio.Event()
    task = asyncio.create_task(host.call(request(host, "friendly", "hang"), lambda *_: started.set()))
    await asyncio.wait_for(started.wait(), 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(host, lambda catalogue: catalogue.tool("hang_was_cancelled") is not None)


async def test_a_slow_tool_ends_at_its_time_limit_at_the_server_too(bridge: OpenBridge) -> None:
    host = await bridge(friendly())
    outcome = await do(host, "friendly", "hang", timeout_s=0.3)
    assert outcome.error_type == "tool_execution"
    assert outcome.message == "The tool `hang` of the server `friendly` gave no answer within 0.3 s."
    await until(host, lambda catalogue: catalogue.tool("hang_was_cancelled") is not None)
    assert host.catalogue().servers[0].restarts == 0


async def test_wrong_arguments_are_the_servers_own_message(bridge: OpenBridge) -> None:
    outcome = await do(await bridge(friendly()), "friendly", "echo", wrong=1)
    assert (outcome.success, outcome.error_type) == (False, "tool_execution")
    assert "text" in outcome.message


async def test_a_new_tool_is_known_without_asking(bridge: OpenBridge) -> None:
    """Seed 002: a change at the server shows by itself (`tools/list_changed`)."""
    host = await bridge(friendly())
    await do(host, "friendly", "learn", name="sing")
    await until(host, lambda catalogue: catalogue.tool("sing") is not None)


async def test_questions_go_to_the_hooks(bridge: OpenBridge) -> None:
    async def elicit(question: Question) -> dict[str, str] | None:
        assert (question.server, question.message) == ("friendly", "Which colour?")
        return {"colour": "red"}

    async def sample(wanted: Sample) -> str:
        return f"{wanted.messages[0].content}? hello"

    host = await bridge(friendly(), on_elicit=elicit, on_sample=sample)
    assert (await do(host, "friendly", "paint")).message == "painted red"
    assert (await do(host, "friendly", "think")).message == "thought Say hello? hello"


async def test_a_hook_may_decline_and_may_fail(bridge: OpenBridge) -> None:
    async def elicit(_: Question) -> None:
        return None

    async def sample(_: Sample) -> str:
        raise ValueError("citizen 3171")

    host = await bridge(friendly(), on_elicit=elicit, on_sample=sample)
    for tool in ("paint", "think"):
        outcome = await do(host, "friendly", tool)
        assert (outcome.success, outcome.error_type) == (False, "tool_execution")
        assert "3171" not in outcome.message


async def test_without_hooks_a_server_that_asks_is_refused_at_once(bridge: OpenBridge) -> None:
    host = await bridge(friendly())
    for tool in ("paint", "think"):
        assert (await do(host, "friendly", tool)).error_type == "tool_execution"
