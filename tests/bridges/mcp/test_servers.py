"""What passes between the bridge and a server that behaves, beside calls: environment, time limits, news, questions."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys

import pytest

from agentd.ports import ServerSettings
from bridges.mcp import ServerLimits
from tests.bridges.mcp.conftest import PATIENCE, OpenBridge, do, friendly, until

LETTER = b"%PDF-1.7 a letter"


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


async def test_a_slow_tool_ends_at_its_time_limit_at_the_server_too(bridge: OpenBridge) -> None:
    host = await bridge(friendly(), limits=ServerLimits(probe_s=3600))
    outcome = await do(host, "friendly", "hang", timeout_s=0.3)
    assert outcome.error_type == "tool_execution"
    assert outcome.message == "The tool `hang` of the server `friendly` gave no answer within 0.3 s."
    await until(host, lambda catalogue: catalogue.tool("hang_was_cancelled") is not None)
    assert host.catalogue().servers[0].restarts == 0


async def test_without_a_folder_a_files_bytes_are_dropped_and_its_name_kept(bridge: OpenBridge) -> None:
    (blob,) = (await do(await bridge(friendly()), "friendly", "contents", kind="blob")).artifacts
    assert (blob.name, blob.path, blob.sha256) == ("surat_domisili.pdf", None, hashlib.sha256(LETTER).hexdigest())


async def test_a_new_tool_is_known_without_asking(bridge: OpenBridge) -> None:
    """Seed 002: a change at the server shows by itself (`tools/list_changed`)."""
    host = await bridge(friendly())
    await do(host, "friendly", "learn", name="sing")
    await until(host, lambda catalogue: catalogue.tool("sing") is not None)


async def test_a_server_that_asks_the_user_or_a_model_is_refused_at_once(bridge: OpenBridge) -> None:
    host = await bridge(friendly())
    for tool in ("paint", "think"):
        assert (await do(host, "friendly", tool)).error_type == "tool_execution"


async def test_a_server_that_never_starts_is_told_once_and_tried_on(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "bridges.mcp.server")
    lacking = ServerSettings(name="lacking", command=sys.executable, args=("-c", "raise SystemExit('no driver')"))
    host = await bridge(lacking)
    for _ in range(6):
        await asyncio.wait_for(host.changed(host.catalogue().version), PATIENCE)
    lost = [one for one in caplog.records if "is lost" in one.message]
    assert len(lost) >= 3
    assert [one.levelname for one in lost] == ["WARNING"] + ["DEBUG"] * (len(lost) - 1)
