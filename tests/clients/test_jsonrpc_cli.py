"""`jsonrpc-cli` as a person runs it: a process, its output and its exit code (issue: the CLI)."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from clients.jsonrpc.completion import SCRIPTS
from tests.agentd.twins import wire


async def cli(*words: str, stdin: str = "", **environment: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "clients.jsonrpc.command",
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    out, err = await asyncio.wait_for(process.communicate(stdin.encode()), 300)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_a_call_by_names_prints_the_result(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        code, out, err = await cli(at.url + "/rpc", "Agent.run", "prompt=Selamat = siang", 'options:={"max_steps": 3}')
        assert (code, err) == (0, "")
        assert json.loads(out)["response"] == "Selamat = siang"


async def test_the_path_may_be_left_out(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        code, out, _ = await cli(at.url, "System.health")
        assert (code, json.loads(out)["status"]) == (0, "ok")


async def test_params_as_json_by_name_and_by_position(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        for words in (["--params", '{"prompt": "halo"}'], ["--params", '["halo"]'], ["--params", "{}", "prompt=halo"]):
            code, out, _ = await cli(at.url + "/rpc", "Agent.run", *words)
            assert (code, json.loads(out)["response"]) == (0, "halo")


async def test_the_address_alone_lists_the_methods_with_their_parameters(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        code, out, _ = await cli(at.url + "/rpc")
        assert code == 0
        assert "Agent.run prompt=string [session_id=string] [run_id=string] [options=object]" in out
        assert "System.health" in out


async def test_an_rpc_error_is_exit_1_with_its_data_on_stderr(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        code, out, err = await cli(at.url + "/rpc", "Agent.run", "promt=halo")
        assert (code, out) == (1, "")
        assert err.startswith("error -32602: Invalid params: prompt is required")
        assert "did you mean prompt?" in err
        assert json.loads(err[err.index("\n") :])["type"] == "invalid_params"


async def test_raw_prints_the_response_as_it_came(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        code, out, _ = await cli(at.url + "/rpc", "Nothing.here", "--raw")
        assert (code, json.loads(out)["error"]["code"]) == (1, -32601)


async def test_a_notification_prints_nothing(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        assert await cli(at.url + "/rpc", "Agent.start", "prompt=halo", "run_id=r-1", "--notify") == (0, "", "")
        assert at.runs.run_of("r-1").prompt == "halo"


@pytest.mark.parametrize("form", ["array", "lines"])
async def test_a_batch_of_a_file_or_of_stdin(tmp_path: Path, form: str) -> None:
    calls: list[dict[str, Any]] = [{"method": "System.health"}, {"method": "Session.create", "params": {"title": "a"}}]
    text = json.dumps(calls) if form == "array" else "\n".join(map(json.dumps, calls))
    (tmp_path / "calls").write_text(text)
    async with wire(tmp_path) as at:
        for code, out, _ in (
            await cli(at.url + "/rpc", "--batch", str(tmp_path / "calls")),
            await cli(at.url + "/rpc", "--batch", "-", stdin=text),
        ):
            assert (code, [one["id"] for one in json.loads(out)]) == (0, [1, 2])


async def test_a_batch_with_one_error_is_exit_1(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        stdin = '{"method": "System.health"}\n{"method": "nothing"}'
        code, out, _ = await cli(at.url + "/rpc", "--batch", "-", stdin=stdin)
        assert (code, ["error" in one for one in json.loads(out)]) == (1, [False, True])


async def test_a_token_by_flag_or_variable(tmp_path: Path) -> None:
    async with wire(tmp_path, admin_token="secret") as at:
        call = (at.url + "/rpc", "System.health")
        assert (await cli(*call))[0] == 1
        assert (await cli(*call, "--token", "secret"))[0] == 0
        assert (await cli(*call, JSONRPC_TOKEN="secret"))[0] == 0


async def test_over_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    async with wire(tmp_path, unix_path=path):
        code, out, _ = await cli(f"unix:{path}", "Agent.run", "prompt=halo")
        assert (code, json.loads(out)["response"]) == (0, "halo")


async def test_over_a_websocket_with_events_as_they_come(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        address = at.url.replace("http", "ws") + "/ws"
        code, out, _ = await cli(address, "Agent.run", "prompt=halo", "run_id=r-1")
        assert (code, json.loads(out)["response"]) == (0, "halo")
        code, out, _ = await cli(address, "Events.subscribe", "run_id=r-1", "--follow")
        answer, *lines = [json.loads(line) for line in out.splitlines()]
        assert answer["result"] == {"run_id": "r-1", "after": 0}
        assert [line["params"]["type"] for line in lines] == ["run.started", "run.finished"]
        assert code == 0
        assert (await cli(address, "Nothing.here"))[0] == 1


async def test_any_other_json_rpc_server_will_do() -> None:
    async def answer(request: web.Request) -> web.Response:
        call = json.loads(await request.read())
        if call["method"] == "rpc.discover":
            error = {"code": -32601, "message": "Method not found"}
            return web.json_response({"jsonrpc": "2.0", "error": error, "id": call["id"]})
        return web.json_response({"jsonrpc": "2.0", "result": 19, "error": None, "id": call["id"]})

    app = web.Application()
    app.router.add_post("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    try:
        assert await cli(f"http://{host}:{port}", "subtract", "--params", "[42, 23]") == (0, "19\n", "")
        assert (await cli(f"http://{host}:{port}"))[0] == 1
    finally:
        await runner.cleanup()


async def test_nobody_there_is_exit_3() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for address in (f"http://127.0.0.1:{port}/rpc", f"ws://127.0.0.1:{port}/ws", "unix:/nonexistent/a.sock"):
            code, out, err = await cli(address, "System.health")
            assert (code, out) == (3, "")
            assert err.startswith(f"jsonrpc-cli: {address}: ")
            if address.startswith("http:"):
                assert err.endswith("nothing listens there; is the server running?\n")


async def test_what_is_not_json_rpc_is_exit_3(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        for path in ("/healthz", "/readyz"):
            assert (await cli(at.url + path, "System.health"))[0] == 1  # a 405 says so in JSON-RPC's words
    server = await asyncio.start_server(lambda _reader, writer: writer.write(b"hello\n"), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert (await cli(f"http://127.0.0.1:{port}/rpc", "a"))[0] == 3


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["ftp://x/y", "a"],
        ["nonsense", "a"],
        ["http://127.0.0.1:99999/rpc", "a"],
        ["http://x/rpc", "a", "pair"],
        ["http://x/rpc", "a", "key:={"],
        ["http://x/rpc", "a", "key:=NaN"],
        ["http://x/rpc", "a", "--params", "3"],
        ["http://x/rpc", "a", "--params", "[1]", "key=1"],
        ["http://x/rpc", "--params", "{}"],
        ["http://x/rpc", "--batch", "/nonexistent"],
        ["http://x/rpc", "a", "--batch", "-"],
        ["http://x/rpc", "a", "--follow"],
        ["http://x/rpc", "a", "--nonsense"],
    ],
)
async def test_wrong_words_are_exit_2(words: list[str]) -> None:
    code, out, err = await cli(*words)
    assert (code, out) == (2, "")
    assert err.endswith("required: URL\n") or words


async def test_a_terminal_gets_colours_and_a_pipe_none(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        call = (at.url + "/rpc", "System.health")
        assert "\x1b[" not in (await cli(*call))[1]
        assert "\x1b[34m" in (await cli(*call, "--color", "always"))[1]
        leader, follower = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "clients.jsonrpc.command", *call, stdout=follower
        )
        assert await asyncio.wait_for(process.wait(), 300) == 0
        os.close(follower)
        assert b"\x1b[34m" in os.read(leader, 65536)
        os.close(leader)


async def test_options_methods_and_params_are_completed_from_what_the_server_discovers(tmp_path: Path) -> None:
    async with wire(tmp_path, admin_token="secret") as at:

        async def offered(*words: str) -> list[str]:
            code, out, err = await cli("--complete", *words, JSONRPC_TOKEN="secret")
            assert (code, err) == (0, "")
            return out.split()

        url = f"{at.url}/rpc"
        assert await offered(url, "Agent.") == [
            "Agent.approve",
            "Agent.cancel",
            "Agent.get",
            "Agent.list",
            "Agent.run",
            "Agent.start",
        ]
        assert await offered(url, "--token", "secret", "System.h") == ["System.health"]
        assert await offered(url, "Agent.run", "") == ["options:=", "prompt=", "run_id=", "session_id=", "session_key="]
        assert await offered(url, "Agent.run", "prompt=hello", "p") == []
        assert await offered("--to") == ["--token"]
        assert await offered(url, "--token", "wrong", "") == [] == await offered("http://127.0.0.1:1/rpc", "A")


async def test_a_real_bash_completes_a_method_of_a_real_server(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        line = f"jsonrpc-cli {at.url}/rpc System.h"
        ask = f'COMP_LINE="{line}" COMP_POINT={len(line)}; _jsonrpc_cli; echo "${{COMPREPLY[*]}}"'
        process = await asyncio.create_subprocess_exec(
            *("bash", "-c", SCRIPTS["bash"] + ask),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])},
        )
        out, _ = await asyncio.wait_for(process.communicate(), 300)
    assert out.decode().strip() == "System.health"


@pytest.mark.parametrize("shell", SCRIPTS)
async def test_each_shell_has_its_script(shell: str) -> None:
    code, out, _ = await cli("--completion", shell)
    assert (code, out) == (0, SCRIPTS[shell])
    assert (await cli("--completion", "tcsh"))[0] == 2
