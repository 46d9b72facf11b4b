"""Clients that others wrote call the daemon unchanged: jayson, httpie, curl, @open-rpc/client-js (issue: shows)."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agentd.rpc.openrpc import document
from tests.agentd.twins import METHODS, wire

TESTS = Path(__file__).parents[2]
CLIENTS = Path(__file__).parent / "clients"


@pytest.fixture(scope="module")
def node() -> str:
    """The Node of tests/package.json."""
    found = next((str(path) for path in (TESTS / "node_modules").glob("node-linux-*/bin/node")), None)
    assert found is not None, "the tests' npm programs are missing; run: python -m tests.prepare"
    return found


async def output(*command: str, stdin: str = "") -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await asyncio.wait_for(process.communicate(stdin.encode()), 300)
    assert process.returncode is not None
    return process.returncode, out.decode()


async def test_jayson_calls_by_name_and_by_position(tmp_path: Path, node: str) -> None:
    jayson = str(TESTS / "node_modules" / "jayson" / "bin" / "jayson.js")
    async with wire(tmp_path) as at:
        for params in ('{"prompt": "halo"}', '["halo"]'):
            code, out = await output(node, jayson, "-u", at.url + "/rpc", "-m", "Agent.run", "-p", params, "-j")
            assert code == 0, out
            assert '"response":"halo"' in out.replace(" ", "")
        _, out = await output(node, jayson, "-u", at.url + "/rpc", "-m", "Nothing.here", "-p", "[]", "-j")
        assert "-32601" in out


async def test_httpie_calls(tmp_path: Path) -> None:
    http = str(Path(sys.executable).parent / "http")
    async with wire(tmp_path) as at:
        words = ["jsonrpc=2.0", "id:=1", "method=Agent.run", 'params:={"prompt": "halo"}']
        code, out = await output(http, "--ignore-stdin", "-b", "POST", at.url + "/rpc", *words)
        assert (code, json.loads(out)["result"]["response"]) == (0, "halo")


async def test_curl_calls_over_the_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    async with wire(tmp_path, unix_path=path):
        call = json.dumps({"jsonrpc": "2.0", "method": "Agent.run", "params": {"prompt": "halo"}, "id": 1})
        words = ["--unix-socket", str(path), "-H", "Content-Type: application/json", "-d", call, "http://localhost/rpc"]
        code, out = await output("curl", "-s", *words)
        assert (code, json.loads(out)["result"]["response"]) == (0, "halo")


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_the_open_rpc_client_calls(tmp_path: Path, node: str, scheme: str) -> None:
    async with wire(tmp_path) as at:
        url = at.url + "/rpc" if scheme == "http" else at.url.replace("http", "ws") + "/ws"

        async def call(method: str, params: Any) -> Any:
            _, out = await output(node, str(CLIENTS / "open_rpc_client.mjs"), url, method, json.dumps(params))
            return json.loads(out)

        assert (await call("Agent.run", {"prompt": "halo"}))["result"]["response"] == "halo"
        error = await call("Agent.run", {"promt": "halo"})
        assert error["code"] == -32602
        assert "did you mean prompt?" in error["message"]


async def test_the_openrpc_document_is_valid_and_complete(tmp_path: Path, node: str) -> None:
    async with wire(tmp_path) as at:
        cli = [sys.executable, "-m", "clients.jsonrpc.command", at.url + "/rpc", "rpc.discover"]
        code, served = await output(*cli)
        assert code == 0
    assert json.loads(served) == json.loads(json.dumps(document(METHODS)))
    code, out = await output(node, str(CLIENTS / "validate_openrpc.mjs"), stdin=served)
    assert code == 0, out
    verdict = json.loads(out)
    assert verdict == {"valid": True, "methods": [method.name for method in METHODS]}
