"""serve(): Streamable HTTP beside stdio, and a log that never quotes a citizen."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

import pytest
from mcp import Client

from servers.common.discreet import DiscreetFormatter


async def test_the_same_server_answers_over_streamable_http() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "servers.time", "--http", "127.0.0.1:0"), stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), 30)).decode()
        assert line.startswith("time listens at http://127.0.0.1:")
        async with Client(line.split()[-1]) as client:
            result = await client.call_tool("get_current_time", {"timezone": "UTC"})
        assert result.structured_content is not None
        assert result.structured_content["timezone"] == "UTC"
    finally:
        process.terminate()
        await asyncio.wait_for(process.communicate(), 10)


def test_an_address_that_is_none_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "servers.time", "--http", "9001"], capture_output=True, text=True, timeout=30
    )
    assert run.returncode == 2
    assert "HOST:PORT" in run.stderr


@pytest.mark.parametrize("logger", ["mcp.server.mcpserver.server", "anyio", "root"])
def test_foreign_log_lines_lose_their_values_and_exceptions_their_text(logger: str) -> None:
    try:
        int("3175064508900001x")
    except ValueError:
        record = logging.LogRecord(logger, 40, __file__, 1, "Tool %r failed: %r", ("t", "3175064508900001"), None)
        record.exc_info = sys.exc_info()
    text = DiscreetFormatter().format(record)
    assert "3175064508900001" not in text
    assert "Tool %r failed" in text and "ValueError at" in text


def test_our_own_lines_are_printed_as_written() -> None:
    record = logging.LogRecord("servers.certificate", 30, __file__, 1, "%d letters\nfinished", (3,), None)
    assert DiscreetFormatter().format(record) == "WARNING servers.certificate: 3 letters finished"
