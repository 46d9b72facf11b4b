"""A call through the bridge to a server that behaves: what is sent, what comes back, and what becomes of files."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from agentd.messages import Agreement, Caller, Consent, ToolInfo
from bridges.mcp import McpToolHost
from bridges.mcp.calls import given
from tests.bridges.mcp.conftest import QUICK, do, friendly, request, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

LETTER = b"%PDF-1.7 a letter"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the artifacts of the run that `do` names."""
    folder = tmp_path_factory.mktemp("artifacts") / "run-1"
    folder.mkdir()
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(kept: Path) -> AsyncIterator[McpToolHost]:
    """One host with one server for all tests here: no test changes either."""
    async with McpToolHost([friendly(artifacts_dir=str(kept.parent))], limits=QUICK) as host:
        await host.ready()
        yield host


async def test_the_catalogue_carries_what_the_server_says_about_its_tools(host: McpToolHost) -> None:
    """Seed 002: schema, description and instructions are read from the servers at run time."""
    catalogue = host.catalogue()
    echo = catalogue.tool("ECHO")
    assert echo is not None
    assert (echo.server, echo.description, echo.read_only) == ("friendly", "Say it again.", True)
    assert echo.meta["agentd/official"] is True
    assert echo.input_schema["required"] == ["text"]
    assert catalogue.servers[0].instructions == "Be friendly."
    assert catalogue.servers[0].protocol_version == "2026-07-28"


@pytest.mark.parametrize(
    ("tool", "given", "refusal"),
    [("verify", {"pin": "739105"}, "unknown_tool"), ("echo", {"text": "hello"}, "tool_execution")],
    ids=["proves who somebody is", "official"],
)
async def test_a_special_tool_answers_only_a_call_that_knows_what_it_is(
    host: McpToolHost, tool: str, given: dict[str, str], refusal: str
) -> None:
    known = request(host, "friendly", tool, **given)
    named_before_it_was_up = known.model_copy(update={"tool": ToolInfo(name=tool, server="friendly")})
    refused = await host.call(named_before_it_was_up)
    assert (refused.success, refused.error_type) == (False, refusal)
    assert (await host.call(known)).success


async def test_each_call_carries_its_idempotency_key_and_session(host: McpToolHost) -> None:
    outcome = await do(host, "friendly", "meta")
    sent = {key: value for key, value in outcome.output.items() if key.startswith("agentd/")}
    assert sent == {"agentd/idempotency_key": "run-1:3", "agentd/session_id": "session-1", "agentd/language": "id"}


async def test_a_call_says_who_asks_and_who_said_yes(host: McpToolHost) -> None:
    asked = request(host, "friendly", "meta")
    approvals = (Agreement(by="meja-2", at="2026-01-05T02:00:00.000+00:00"), Agreement(by="meja-1", at="…"))
    consent = Consent(
        approval_id="a", tool="meta", arguments={}, by="meja-1", approvals=approvals, proposed={"nama": "Budi"}
    )
    caller = Caller(id="kiosk", scopes=frozenset({"kiosk"}))
    outcome = await host.call(asked.model_copy(update={"caller": caller, "consent": consent}))
    assert (
        outcome.output.items()
        >= {
            "agentd/caller": "kiosk",
            "agentd/caller_scopes": ["kiosk"],
            "agentd/approved_by": "meja-1",
            "agentd/approvals": [agreement.model_dump() for agreement in approvals],
            "agentd/proposed": {"nama": "Budi"},
        }.items()
    )


async def test_a_renamed_tool_is_called_by_the_name_its_server_knows(host: McpToolHost) -> None:
    call = request(host, "friendly", "echo", text="x")
    renamed = call.tool.model_copy(update={"name": "friendly__echo", "remote_name": "echo"})
    assert (await host.call(call.model_copy(update={"tool": renamed}))).output == {"said": "x"}


@pytest.mark.parametrize(
    ("kind", "output", "message"),
    [("json", {"number": 7}, '{"number": 7}'), ("two", "  \nsecond", "second"), ("nothing", None, "")],
)
async def test_text_becomes_output_and_message(host: McpToolHost, kind: str, output: object, message: str) -> None:
    outcome = await do(host, "friendly", "contents", kind=kind)
    assert (outcome.success, outcome.output, outcome.message) == (True, output, message)


async def test_files_in_results_become_artifacts(host: McpToolHost, kept: Path, tmp_path: Path) -> None:
    linked = tmp_path / "surat 1.pdf"
    linked.write_bytes(LETTER)
    (link,) = (await do(host, "friendly", "contents", kind="link", path=linked.as_uri())).artifacts
    assert (link.name, link.uri, link.path) == ("surat 1.pdf", linked.as_uri(), str(linked))
    assert (link.media_type, link.sha256) == ("application/pdf", hashlib.sha256(LETTER).hexdigest())

    (blob,) = (await do(host, "friendly", "contents", kind="blob")).artifacts
    assert (blob.name, blob.uri) == ("surat_domisili.pdf", "letters://office/surat%20domisili.pdf")
    file = kept / "surat_domisili.pdf"
    assert blob.path == str(file)
    assert file.read_bytes() == LETTER
    assert file.stat().st_mode & 0o077 == 0

    picture, sound = (await do(host, "friendly", "contents", kind="media")).artifacts
    assert (picture.name, picture.media_type, sound.media_type) == ("image-1.png", "image/png", "audio/wav")
    assert blob.sha256 == picture.sha256 == sound.sha256


async def test_a_file_keeps_inside_its_folder_and_never_replaces_another(host: McpToolHost, kept: Path) -> None:
    (kept / "passwd").write_text("another")
    for _ in range(2):
        (note,) = (await do(host, "friendly", "contents", kind="text")).artifacts
        assert note.path == str(kept / "passwd-2")
    assert (kept / "passwd").read_text() == "another"


@pytest.mark.parametrize("what", ["missing", "folder", "pipe"])
async def test_a_link_to_no_file_is_left_out_and_the_call_succeeds(
    host: McpToolHost, tmp_path: Path, what: str
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    outcome = await do(host, "friendly", "contents", kind="link", path=(tmp_path / what).as_uri())
    assert (outcome.success, outcome.artifacts) == (True, ())


async def test_a_broken_embedded_file_does_not_spoil_the_rest(host: McpToolHost) -> None:
    outcome = await do(host, "friendly", "contents", kind="broken")
    assert (outcome.success, outcome.output, outcome.artifacts) == (True, "fine", ())


async def test_cancelling_a_call_cancels_it_at_the_server(host: McpToolHost) -> None:
    started = asyncio.Event()
    task = asyncio.create_task(host.call(request(host, "friendly", "hang"), lambda *_: started.set()))
    await asyncio.wait_for(started.wait(), 300)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(host, lambda catalogue: catalogue.tool("hang_was_cancelled") is not None)


async def test_wrong_arguments_are_the_servers_own_message(host: McpToolHost) -> None:
    outcome = await do(host, "friendly", "echo", wrong=1)
    assert (outcome.success, outcome.error_type) == (False, "tool_execution")
    assert "text" in outcome.message


async def test_arguments_of_a_wrong_type_are_refused_without_being_quoted(host: McpToolHost) -> None:
    """The SDK's own servers quote what they were given, with an address to read on: a citizen's data, and long."""
    outcome = await do(host, "friendly", "echo", text=["Budi Santoso"])
    assert outcome.error_type == "tool_execution"
    assert outcome.message.endswith("\ntext\n  Input should be a valid string")
    assert "Budi" not in f"{outcome.message} {outcome.output}"


async def test_a_null_that_an_optional_argument_cannot_be_is_not_sent() -> None:
    kept = {"type": ["string", "null"]}
    inner = {"type": "object", "properties": {"postcode": {"type": "string"}, "note": kept}}
    schema = {
        "properties": {"insured": {"type": "boolean"}, "to": inner, "must": {"type": "string"}},
        "required": ["must"],
    }
    sent = given(schema, {"insured": None, "to": {"postcode": None, "note": None}, "must": None, "other": None})
    assert sent == {"to": {"note": None}, "must": None, "other": None}
