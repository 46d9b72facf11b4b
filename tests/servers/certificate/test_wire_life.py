"""A letter's later life over the wire: verified, followed, voided, and what staff see of it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
from pathlib import Path
from typing import Any, Literal

import pytest

from servers.certificate.settings import SHIPPED_LETTERS
from tests import warm
from tests.servers.certificate.letters import ANSWERS, DOMISILI, NOW, open_service
from tests.servers.certificate.test_wire import GENERATE, certificate, in_process, read


async def test_a_letter_can_be_verified_followed_and_voided(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        letter = (await client.call_tool(GENERATE, DOMISILI)).structured_content
        encoded = base64.b64encode(read(letter["path"])).decode()
        for asked in (
            {"code": letter["verify_code"]},
            {"code": letter["verify_url"]},
            {"file": letter["path"]},
            {"file": encoded},
            {"file": f"data:application/pdf;base64,{encoded}"},
        ):
            answer = (await client.call_tool("verify_letter", asked)).structured_content
            assert (answer["status"], answer["number"], answer["name_masked"]) == (
                "genuine",
                letter["number"],
                "S*** R***",
            )
        status = (await client.call_tool("get_letter_status", {"number": letter["number"]})).structured_content
        lower = {"number": f" {letter['number'].lower()} "}
        assert (await client.call_tool("get_letter_status", lower)).structured_content == status, "as citizens type it"
        assert status["status"] == "issued" and "name_masked" not in status
        [listed] = (await client.call_tool("list_issued_letters", {})).structured_content["letters"]
        assert (listed["number"], listed["status"]) == (letter["number"], "issued")
        assert listed["name_masked"] == letter["name_masked"]
        earlier = await client.call_tool("list_issued_letters", {"date": "2020-01-01"})
        assert earlier.structured_content["letters"] == []
        assert (await client.call_tool("void_letter", {"number": letter["number"], "reason": ""})).is_error
        await client.call_tool("void_letter", {"number": letter["number"], "reason": "  salah\u0000\n ala\u202emat"})
        answer = (await client.call_tool("verify_letter", {"code": letter["verify_code"]})).structured_content
        assert (answer["status"], answer["genuine"], answer["void_reason"]) == ("voided", False, "salah alamat")


STAFF = {"agentd/caller": "meja-1", "agentd/caller_scopes": ["staff"]}


KIOSK = {"agentd/caller": "kiosk", "agentd/caller_scopes": ["kiosk"]}


async def test_staff_see_who_approved_a_letter_and_who_voided_it_and_why(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        letter = await client.call_tool(GENERATE, DOMISILI, meta=KIOSK | {"agentd/approved_by": "kiosk"})
        number = letter.structured_content["number"]
        file = (await client.call_tool("get_letter_file", {"number": number}, meta=STAFF)).structured_content
        gone = {"number": number, "reason": "salah alamat"}
        voided = (await client.call_tool("void_letter", gone, meta=STAFF)).structured_content
        second = STAFF | {"agentd/caller": "meja-2"}
        await client.call_tool("void_letter", {"number": number, "reason": "lain"}, meta=second)
        no_file = await client.call_tool("get_letter_file", {"number": number}, meta=STAFF)
        asked = {"number": number}
        by_staff = (await client.call_tool("get_letter_status", asked, meta=STAFF)).structured_content
        [listed] = (await client.call_tool("list_issued_letters", {}, meta=STAFF)).structured_content["letters"]
        by_citizen = (await client.call_tool("get_letter_status", asked, meta=KIOSK)).structured_content
        by_nobody = (await client.call_tool("get_letter_status", asked)).structured_content
    assert base64.b64decode(file["pdf"]) == read(letter.structured_content["path"])
    assert no_file.is_error and no_file.structured_content["error"] == "not_found"  # a void letter is not handed out
    assert (voided["status"], voided["voided_by"]) == ("void", "meja-1")
    for seen in (by_staff, listed):
        assert (seen["approved_by"], seen["voided_by"], seen["void_reason"]) == ("kiosk", "meja-1", "salah alamat")
    for seen in (by_citizen, by_nobody):
        assert (seen["status"], seen["approved_by"], seen["voided_by"]) == ("void", None, None)


async def test_staff_see_what_was_proposed_and_by_whom_and_who_said_yes(tmp_path: Path) -> None:
    approvals = [{"by": "meja-1", "at": "2026-03-05T09:14:00+07:00"}, {"by": "meja-2"}, {"at": "?"}, "odd"]
    meta = KIOSK | {"agentd/approved_by": "meja-2", "agentd/approvals": approvals}
    meta |= {"agentd/proposed": DOMISILI | {"nama": "Siti Rahayuu"}}
    async with in_process(tmp_path) as client:
        letter = (await client.call_tool(GENERATE, DOMISILI, meta=meta)).structured_content
        odd = {"agentd/approvals": "odd", "agentd/proposed": ["odd"], "agentd/caller": 7}
        await client.call_tool(GENERATE, DOMISILI | {"rt": "9"}, meta=odd)
        asked = {"number": letter["number"]}
        seen = (await client.call_tool("get_letter_status", asked, meta=STAFF)).structured_content
        by_citizen = (await client.call_tool("get_letter_status", asked, meta=KIOSK)).structured_content
    assert (seen["proposed_by"], seen["approved_by"], seen["changed"]) == ("kiosk", "meja-2", ["nama"])
    assert seen["approvals"] == [approvals[0], {"by": "meja-2", "at": None}]
    assert (by_citizen["proposed_by"], by_citizen["approvals"], by_citizen["changed"]) == (None, [], [])


async def test_only_an_admin_and_a_program_of_ones_own_verify_by_path(tmp_path: Path) -> None:
    admin = STAFF | {"agentd/caller_scopes": ["admin"]}
    internal = {"agentd/session_id": "internal-1"}  # what the daemon asks for its pages names no caller
    async with in_process(tmp_path / "kantor kita") as client:
        path = (await client.call_tool(GENERATE, DOMISILI)).structured_content["path"]
        for file in (path, Path(path).as_uri()):
            for meta in (KIOSK, STAFF, internal, {"agentd/caller": "x", "agentd/caller_scopes": "admin"}):
                answer = await client.call_tool("verify_letter", {"file": file}, meta=meta)
                assert answer.is_error and answer.structured_content["error"] == "invalid_file"
            for meta in (admin, {}):
                answer = await client.call_tool("verify_letter", {"file": file}, meta=meta)
                assert answer.structured_content["status"] == "genuine"
        encoded = base64.b64encode(read(path)).decode()
        answer = await client.call_tool("verify_letter", {"file": encoded}, meta=KIOSK)
        assert answer.structured_content["status"] == "genuine"


async def test_a_file_that_is_no_letter_is_refused_alike_whether_it_exists_or_not(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        for file in ("/etc/passwd", "/no/such/file", "/proc", "not base64!", "\x00"):
            answer = await client.call_tool("verify_letter", {"file": file})
            assert answer.is_error and answer.structured_content["error"] == "invalid_file"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_new_letter_folder_becomes_a_tool_without_a_restart(
    mode: Literal["auto", "legacy"], tmp_path: Path
) -> None:
    mine = tmp_path / "letters"
    mine.mkdir()
    heard = asyncio.Event()

    async def handler(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    async with certificate(tmp_path / "state", mode=mode, handler=handler, LETTERS_DIR=str(mine)) as client:
        assert len((await client.list_tools()).tools) == len(ANSWERS) + 10
        if mode == "auto":
            async with client.listen(tools_list_changed=True) as events:
                _add_letter(mine)
                await asyncio.wait_for(anext(aiter(events)), 300)
        else:
            _add_letter(mine)
            await asyncio.wait_for(heard.wait(), 300)
        names = [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]
        assert "generate_surat_keterangan_baru" in names
        issued = await client.call_tool("generate_surat_keterangan_baru", ANSWERS["surat_pengantar"])
        assert issued.structured_content["number"] == "001/SKB/CONTOH/III/2026"


def _add_letter(folder: Path) -> None:
    making = folder.with_name("making")
    shutil.copytree(SHIPPED_LETTERS / "surat_pengantar", making)
    text = (making / "letter.toml").read_text()
    text = text.replace('"SP"', '"SKB"').replace('title = "Surat Pengantar"', 'title = "Surat Keterangan Baru"')
    (making / "letter.toml").write_text(text)
    making.rename(folder / "surat_keterangan_baru")


async def test_the_log_never_quotes_a_citizen(tmp_path: Path) -> None:
    """Not even when everything is logged and everything goes wrong: bad calls, lines that are no JSON, a full disk."""
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "2026").write_text("a file where a folder should be")
    process = await asyncio.create_subprocess_exec(
        *(warm.python(), "-m", "servers.certificate"),
        env=os.environ | {"AGENTD_STATE": str(tmp_path), "AGENTD_CLOCK": NOW, "LOG_LEVEL": "DEBUG"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    messages: list[Any] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call | {"id": 2, "params": {"name": GENERATE, "arguments": DOMISILI}},
        call | {"id": 3, "params": {"name": GENERATE, "arguments": DOMISILI | {"agama": "Siti Rahayu"}}},
        call
        | {
            "id": 4,
            "params": {"name": "preview_letter", "arguments": {"letter_type": DOMISILI, "data": "Siti Rahayu"}},
        },
        call | {"id": 5, "params": {"name": "Siti Rahayu", "arguments": DOMISILI}},
    ]
    lines = [json.dumps(message) for message in messages]
    lines.insert(2, "this is no JSON: Siti Rahayu 3175064508900001")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(("\n".join(lines) + "\n").encode())
    answers = [json.loads(await asyncio.wait_for(process.stdout.readline(), 300)) for _ in range(5)]
    process.stdin.close()
    assert process.stderr is not None
    log = (await asyncio.wait_for(process.stderr.read(), 300)).decode()
    await asyncio.wait_for(process.wait(), 300)
    assert {answer["id"] for answer in answers} == {1, 2, 3, 4, 5}
    assert log and "could not be issued" in log
    for told in ("Siti", "Rahayu", DOMISILI["nik"], "Jl. Contoh"):
        assert told not in log


async def test_the_registers_head_is_signed_when_the_server_stops(tmp_path: Path) -> None:
    async with certificate(tmp_path) as client:
        await client.call_tool(GENERATE, DOMISILI)
    service = open_service(tmp_path)
    events = [one.event for one in service.ledger.entries()]  # the day's first signature may come in between
    assert "issued" in events and events[-1] == "signed"
    assert [one.hash for one in service.journal.entries()] == [one.hash for one in service.ledger.entries()]
    service.ledger.close()
