"""`residents` on the wire, over stdio: names and shapes as promised, and nothing that repeats a PIN (issue 18)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from agentd.messages import ToolInfo
from servers.residents.resident import Resident
from tests.mariadb import PASSWORD, MariaDB, mariadb
from tests.servers.process import call, refused, served
from tests.servers.residents import opensid

BUDI, SITI = "3175061708859001", "3175064806849002"


@asynccontextmanager
async def residents(state: Path, **environ: str) -> AsyncIterator[Client]:
    """The server as clients start it; its log is the file `log` of `state`."""
    with (state / "log").open("a") as log:
        async with served("residents", log=log, AGENTD_STATE=str(state), LOG_LEVEL="DEBUG", **environ) as client:
            yield client


async def test_the_tools_are_for_the_host_and_no_model_is_offered_one(tmp_path: Path) -> None:
    async with residents(tmp_path) as client:
        tools = (await client.list_tools()).tools
        assert client.server_info is not None and client.server_info.name == "residents"
    assert {tool.name for tool in tools} == {"verify_resident", "get_resident", "list_family"}
    for tool in tools:
        assert tool.meta is not None and tool.meta["agentd/identity"] is True
        assert tool.meta["agentd/scope"] == "staff"
        assert not ToolInfo(name=tool.name, server="residents", meta=tool.meta).for_model
    assert not ToolInfo(name="t", server="s", meta={"agentd/identity": True}).for_model


async def test_answers_have_the_promised_shapes(tmp_path: Path) -> None:
    async with residents(tmp_path) as client:
        verified = await call(client, "verify_resident", nik=BUDI, pin="123456")
        assert {name: value for name, value in verified.items() if name != "resident"} == {
            "verified": True,
            "reason": None,
        }
        assert (
            list(verified["resident"])
            == (
                "nik no_kk nama jenis_kelamin tempat_lahir tanggal_lahir agama status_perkawinan pekerjaan "
                "kewarganegaraan pendidikan golongan_darah alamat rt rw dusun hubungan nama_ayah nik_ayah nama_ibu "
                "nik_ibu telepon"
            ).split()
        )
        assert await call(client, "get_resident", nik=BUDI) == {"resident": verified["resident"]}
        assert await call(client, "get_resident", nik="3175061708850000") == {"resident": None}
        family = (await call(client, "list_family", nik=BUDI))["members"]
        assert [(one["nama"], one["hubungan"]) for one in family] == [
            ("Budi Contoh", "Kepala Keluarga"),
            ("Siti Contoh", "Istri"),
            ("Rizky Contoh", "Anak"),
        ]
        assert await call(client, "list_family", nik="3175061708850000") == {"members": []}
        wrong = {"verified": False, "resident": None, "reason": "not_verified"}
        for _ in range(3):
            assert await call(client, "verify_resident", nik=SITI, pin="111111") == wrong
        locked = await client.call_tool("verify_resident", {"nik": SITI, "pin": "366129"})
        assert locked.structured_content == {"verified": False, "resident": None, "reason": "locked"}
        assert locked.meta is not None and 0 < locked.meta["agentd/retry_after_s"] <= 900
        assert "CONTOH" in locked.meta["agentd/sample"]
    async with residents(tmp_path) as client:  # the lock is the machine's, not the process's
        assert (await call(client, "verify_resident", nik=SITI, pin="366129"))["reason"] == "locked"


BAD: tuple[dict[str, Any], ...] = (
    {"nik": BUDI, "pin": 918273},
    {"nik": 3175061708859001, "pin": "918273"},
    {"nik": BUDI, "card": "C0NT0H0001", "pin": "918273"},
    {"pin": "918273"},
    {"nik": BUDI},
    {"nik": [BUDI], "pin": {"a": "918273"}},
)


async def test_no_error_and_no_log_line_repeats_a_nik_or_a_pin(tmp_path: Path) -> None:
    said = ""
    async with residents(tmp_path) as client:
        for arguments in BAD:
            result = await client.call_tool("verify_resident", arguments)
            assert result.is_error, arguments
            said += result.model_dump_json()
        for pin in ("918273", "91827", "9182 73"):
            said += (await client.call_tool("verify_resident", {"nik": BUDI, "pin": pin})).model_dump_json()
        for tool in ("get_resident", "list_family"):
            said += (await client.call_tool(tool, {"nik": int(BUDI)})).model_dump_json()
    said += (tmp_path / "log").read_text()
    assert "made-up sample" in said
    assert "918273" not in said and "91827" not in said and BUDI not in said


async def test_opensid_verifies_by_card_and_pin_as_a_reading_account(tmp_path: Path, maria: MariaDB) -> None:
    async with residents(tmp_path, RESIDENTS_URL=maria.url("reader")) as client:
        verified = await call(client, "verify_resident", card="KARTU0002", pin="120000")
        assert Resident(**verified["resident"]).nama == "WARGA CONTOH 2"
        assert not (await call(client, "verify_resident", nik=opensid.nik(3), pin="120000"))["verified"]


async def test_a_register_that_is_down_is_one_sentence_for_the_citizen_and_comes_back(tmp_path: Path) -> None:
    with mariadb("opensid") as server:
        async with residents(tmp_path, RESIDENTS_URL=server.url("reader")) as client:
            empty = await client.call_tool("verify_resident", {"nik": BUDI, "pin": "123456"})
            assert empty.is_error and "neither OpenSID's tables" in empty.content[0].text
            opensid.make(server)
            assert (await call(client, "verify_resident", nik=opensid.nik(1), pin="123456"))["verified"]
            server.kill()
            down = await client.call_tool("verify_resident", {"nik": opensid.nik(1), "pin": "123456"})
            assert down.is_error
            assert down.meta is not None
            assert down.meta["agentd/user_message"].startswith("Data kependudukan sedang tidak dapat dibaca.")
            text = down.content[0].text
            assert "check RESIDENTS_URL" in text
            assert PASSWORD not in text and str(server.port) not in text and opensid.nik(1) not in text


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("RESIDENTS_URL", "", "empty"),
        ("RESIDENTS_URL", "mysql://geheim", "names no database"),
        ("RESIDENTS_URL", "oracle://geheim/x", "is none of"),
        ("OFFICE_CONFIG_ID", "satu", "no number"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_is_named(tmp_path: Path, name: str, value: str, said: str) -> None:
    told = refused("residents", AGENTD_STATE=str(tmp_path), **{name: value})
    assert name in told and said in told and "geheim" not in told
