"""The server `certificate` as a client sees it (seed 002; issue 5, Letters as data).

Where the process itself matters the wire is real stdio; elsewhere it is the SDK's own in one process.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import jsonschema
import pytest
from mcp import Client

from servers.certificate.server import create_server
from tests.servers.certificate.letters import ANSWERS, DOMISILI, NOW, open_service
from tests.servers.process import served

GENERATE = "generate_surat_keterangan_domisili"


def certificate(state: Path, **more: Any) -> Client:
    return served("certificate", **{"AGENTD_STATE": str(state), "AGENTD_CLOCK": NOW} | more)


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
            "check_letter",
            "preview_letter",
            "get_letter_status",
            "get_office_hours",
            "verify_letter",
            "void_letter",
            "list_issued_letters",
            "get_letter_file",
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


async def test_what_would_be_refused_is_refused_by_the_check_too_and_nothing_is_issued(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        odd = DOMISILI | {"nik": "12"}
        refused = await client.call_tool(GENERATE, odd)
        checked = await client.call_tool("check_letter", {"tool": GENERATE, "arguments": odd})
        assert checked.is_error and checked.structured_content == refused.structured_content
        by_register = {"agentd/basis": {"level": "pin", "sources": {"nik": "register"}}}
        stands = await client.call_tool("check_letter", {"tool": GENERATE, "arguments": odd}, meta=by_register)
        assert not stands.is_error
        good = await client.call_tool("check_letter", {"tool": GENERATE, "arguments": DOMISILI})
        assert good.structured_content == {"letter_type": "surat_keterangan_domisili", "warnings": []}
        other = await client.call_tool("check_letter", {"tool": "generate_nonesuch", "arguments": {}})
        assert other.structured_content["error"] == "unknown_letter"
        issued = await client.call_tool(GENERATE, DOMISILI)
    assert issued.structured_content["number"].startswith("001/")


async def test_a_newcomers_letter_is_routed_to_the_kecamatan(tmp_path: Path) -> None:
    async with in_process(tmp_path) as client:
        answer = await client.call_tool("get_letter_requirements", {"letter_type": "SKDS"})
        unknown = await client.call_tool("get_letter_requirements", {"letter_type": "akta lahir"})
    assert answer.structured_content["issued_here"] is False and "kecamatan" in answer.content[0].text
    assert unknown.is_error and "Surat Keterangan Domisili" in unknown.content[0].text


def read(path: str) -> bytes:
    return Path(path).read_bytes()
