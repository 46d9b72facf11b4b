"""The server `certificate` as a client sees it (seed 002; issue 5, Letters as data).

Where the process itself matters the wire is real stdio; elsewhere it is the SDK's own in one process.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlparse

import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from servers.certificate.server import create_server
from servers.certificate.settings import SHIPPED_LETTERS
from tests import warm
from tests.servers.certificate.letters import ANSWERS, DOMISILI, NOW, open_service

GENERATE = "generate_surat_keterangan_domisili"


@asynccontextmanager
async def certificate(
    state: Path, mode: Literal["auto", "legacy"] = "auto", handler: Any = None, **env: str
) -> AsyncIterator[Client]:
    params = StdioServerParameters(
        command=warm.python(),
        args=["-m", "servers.certificate"],
        env={"AGENTD_STATE": str(state), "AGENTD_CLOCK": NOW} | env,
    )
    async with Client(stdio_client(params), mode=mode, message_handler=handler) as client:
        yield client


@asynccontextmanager
async def in_process(state: Path) -> AsyncIterator[Client]:
    service = open_service(state)
    async with Client(create_server(service)) as client:
        yield client
    service.close()


async def test_tools_schemas_and_marks_are_what_the_daemon_relies_on(tmp_path: Path) -> None:
    async with certificate(tmp_path) as client:
        assert client.server_info is not None and client.server_info.name == "certificate"
        assert len((client.instructions or "").split()) <= 120
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {
        *(f"generate_{key}" for key in ANSWERS),
        *(
            "list_letters",
            "get_letter_requirements",
            "preview_letter",
            "get_letter_status",
            "get_office_hours",
            "verify_letter",
            "void_letter",
            "list_issued_letters",
        ),
    }
    for name, tool in tools.items():
        assert tool.annotations is not None and tool.description is not None
        assert len(tool.description) < 80 and tool.output_schema is not None
        writes = name.startswith("generate_") or name == "void_letter"
        assert tool.annotations.read_only_hint is not writes
        assert (tool.meta or {}).get("agentd/official", False) is name.startswith("generate_")
    assert tools["void_letter"].meta == {
        "agentd/scope": "staff",
        "agentd/for": "desk",
        "agentd/audit_subject": "number",
    }
    schema = tools[GENERATE].input_schema
    assert tools[GENERATE].annotations.idempotent_hint is True
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert {"nama", "nik", "alamat_domisili", "rt", "rw", "keperluan"} <= set(schema["required"])
    assert schema["properties"]["nik"]["format"] == "nik" and schema["properties"]["nama"]["format"] == "person-name"
    assert schema["properties"]["kewarganegaraan"]["default"] == "WNI"
    assert "Islam" in schema["properties"]["agama"]["enum"]
    for field in schema["properties"].values():
        assert field["type"] == "string" and field["title"]
        assert "enum" in field or field["examples"]


async def test_a_letter_comes_with_its_number_hash_file_and_link(tmp_path: Path) -> None:
    async with certificate(tmp_path) as client:
        result = await client.call_tool(GENERATE, DOMISILI, meta={"agentd/idempotency_key": "run:1"})
        again = await client.call_tool(GENERATE, DOMISILI, meta={"agentd/idempotency_key": "run:1"})
        refused = await client.call_tool(GENERATE, DOMISILI | {"rt": "8"}, meta={"agentd/idempotency_key": "run:1"})
        first = await client.call_tool(GENERATE, DOMISILI, meta={"agentd/session_id": "s"})
        same = await client.call_tool(GENERATE, DOMISILI, meta={"agentd/session_id": "s"})
    data = result.structured_content
    assert data is not None and not result.is_error
    text, link = result.content
    assert data["number"] == "001/SKD/CONTOH/III/2026" and data["number"] in text.text
    assert read(data["path"]).startswith(b"%PDF-")
    assert Path(unquote(urlparse(str(link.uri)).path)) == Path(data["path"])
    assert (link.name, link.mime_type, link.size) == (data["file_name"], "application/pdf", data["size"])
    assert again.structured_content == data | {"already_issued": True}
    assert refused.is_error and refused.structured_content["error"] == "idempotency_conflict"
    assert first.structured_content["number"] == same.structured_content["number"] == "002/SKD/CONTOH/III/2026"


async def test_wrong_fields_come_back_as_one_error_that_lists_them(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        result = await client.call_tool(GENERATE, DOMISILI | {"nik": "12", "rt": "", "tanggal_lahir": "besok"})
    assert result.is_error
    assert [field["field"] for field in result.structured_content["fields"]] == ["nik", "tanggal_lahir", "rt"]
    for field in result.structured_content["fields"]:
        assert field["message"] in result.content[0].text and field["label"] in field["message"]


@pytest.mark.slow
async def test_every_type_is_issued_previewed_and_explained(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        listed = (await client.call_tool("list_letters", {})).structured_content["letters"]
        assert [letter["letter_type"] for letter in listed] == list(ANSWERS)
        for letter in listed:
            answers = ANSWERS[letter["letter_type"]]
            preview = await client.call_tool(
                "preview_letter", {"letter_type": letter["tool"], "data": answers, "pdf": True}
            )
            assert base64.b64decode(preview.content[1].data).startswith(b"\x89PNG")
            assert base64.b64decode(preview.content[2].resource.blob).startswith(b"%PDF-")
            issued = await client.call_tool(letter["tool"], answers)
            assert issued.structured_content["number"].startswith("001/")
            needs = (
                await client.call_tool("get_letter_requirements", {"letter_type": letter["title"]})
            ).structured_content
            assert needs["documents"] and needs["fee"] == "Gratis" and needs["tool"] == letter["tool"]


async def test_a_preview_spends_nothing_and_checks_the_fields_too(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        await client.call_tool("preview_letter", {"letter_type": "domisili", "data": DOMISILI})
        wrong = await client.call_tool("preview_letter", {"letter_type": "domisili", "data": {}})
        assert wrong.is_error and len(wrong.structured_content["fields"]) == 11
        issued = await client.call_tool(GENERATE, DOMISILI)
    assert issued.structured_content["number"].startswith("001/")


async def test_a_newcomers_letter_is_routed_to_the_kecamatan(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        answer = await client.call_tool("get_letter_requirements", {"letter_type": "SKDS"})
        unknown = await client.call_tool("get_letter_requirements", {"letter_type": "akta lahir"})
    assert answer.structured_content["issued_here"] is False and "kecamatan" in answer.content[0].text
    assert unknown.is_error and "Surat Keterangan Domisili" in unknown.content[0].text


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
        assert status["status"] == "issued" and "name_masked" not in status
        [listed] = (await client.call_tool("list_issued_letters", {})).structured_content["letters"]
        assert (listed["number"], listed["status"]) == (letter["number"], "issued")
        assert listed["name_masked"] == letter["name_masked"]
        earlier = await client.call_tool("list_issued_letters", {"date": "2020-01-01"})
        assert earlier.structured_content["letters"] == []
        assert (await client.call_tool("void_letter", {"number": letter["number"], "reason": ""})).is_error
        await client.call_tool("void_letter", {"number": letter["number"], "reason": "salah alamat"})
        answer = (await client.call_tool("verify_letter", {"code": letter["verify_code"]})).structured_content
        assert (answer["status"], answer["genuine"], answer["void_reason"]) == ("voided", False, "salah alamat")


STAFF = {"agentd/caller": "meja-1", "agentd/caller_scopes": ["staff"]}
KIOSK = {"agentd/caller": "kiosk", "agentd/caller_scopes": ["kiosk"]}


async def test_staff_see_who_approved_a_letter_and_who_voided_it_and_why(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        letter = await client.call_tool(GENERATE, DOMISILI, meta=KIOSK | {"agentd/approved_by": "kiosk"})
        number = letter.structured_content["number"]
        gone = {"number": number, "reason": "salah alamat"}
        voided = (await client.call_tool("void_letter", gone, meta=STAFF)).structured_content
        second = STAFF | {"agentd/caller": "meja-2"}
        await client.call_tool("void_letter", {"number": number, "reason": "lain"}, meta=second)
        asked = {"number": number}
        by_staff = (await client.call_tool("get_letter_status", asked, meta=STAFF)).structured_content
        [listed] = (await client.call_tool("list_issued_letters", {}, meta=STAFF)).structured_content["letters"]
        by_citizen = (await client.call_tool("get_letter_status", asked, meta=KIOSK)).structured_content
        by_nobody = (await client.call_tool("get_letter_status", asked)).structured_content
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
    house = {"agentd/session_id": "house-1"}  # what the daemon asks for its pages names no caller
    async with in_process(tmp_path) as client:
        path = (await client.call_tool(GENERATE, DOMISILI)).structured_content["path"]
        for file in (path, Path(path).as_uri()):
            for meta in (KIOSK, STAFF, house, {"agentd/caller": "x", "agentd/caller_scopes": "admin"}):
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

    async with certificate(tmp_path / "state", mode, handler, LETTERS_DIR=str(mine)) as client:
        assert len((await client.list_tools()).tools) == len(ANSWERS) + 8
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


def read(path: str) -> bytes:
    return Path(path).read_bytes()


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
        *(sys.executable, "-m", "servers.certificate"),
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
