"""`agentd models`, as a person or a script runs it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import ClassVar

import openai
import pytest

from bridges.llamacpp.weights import KNOWN
from tests import warm
from tests.http_server import Handler, serving

WEIGHTS = KNOWN[0]
CLIENT = """
default_provider = "local"
prompt_template = "{{custom_instruction}} {{language_guidance}} {{tool_guidance}}"
[[providers]]
id = "local"
type = "scripted"
script = "script.jsonl"
models = ["m-1"]
"""


def agentd(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command, env = [warm.command(), *words], {**os.environ, **environ}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_the_list_says_what_is_here_and_how_to_get_the_rest(tmp_path: Path) -> None:
    done = agentd("models", "list", AGENTD_MODELS=str(tmp_path))
    assert done.returncode == 0
    assert f"{WEIGHTS.name}\tnot pulled\tagentd models pull {WEIGHTS.name}" in done.stdout
    (tmp_path / WEIGHTS.file_name).write_bytes(bytes(2_000_000))
    done = agentd("models", "list", AGENTD_MODELS=str(tmp_path))
    assert f"{WEIGHTS.name}\t2 MB\t{tmp_path / WEIGHTS.file_name}" in done.stdout


def test_removing_frees_the_weights(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS.file_name).write_bytes(bytes(2_000_000))
    done = agentd("models", "rm", AGENTD_MODELS=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, f"{WEIGHTS.name}: 2 MB freed\n")
    again = agentd("models", "rm", AGENTD_MODELS=str(tmp_path))
    assert again.returncode == 1
    assert "is not on this machine (here: none)" in again.stderr


def test_pulling_says_plainly_what_each_source_answered(tmp_path: Path) -> None:
    nothing = {"AGENTD_MODELS": str(tmp_path / "m"), "AGENTD_MODEL_SOURCE": str(tmp_path / "nowhere")}
    unreachable = {"https_proxy": "http://127.0.0.1:9", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    done = agentd("models", "pull", **nothing, **unreachable)
    assert done.returncode == 1
    assert "AGENTD_MODEL_SOURCE: " in done.stderr and "the public hub: " in done.stderr
    assert "Set AGENTD_MODEL_SOURCE to" in done.stderr
    assert "\r" not in done.stderr  # plain lines where nobody watches
    assert done.stdout == ""


def test_an_unknown_model_is_named_with_the_known_ones(tmp_path: Path) -> None:
    done = agentd("models", "pull", "gpt-9", AGENTD_MODELS=str(tmp_path))
    assert done.returncode == 1
    assert f"no model is named gpt-9; known: {WEIGHTS.name}" in done.stderr


@pytest.mark.parametrize("token", ["", "secret-admin-token"])
async def test_serve_offers_the_configured_models_to_an_openai_client(tmp_path: Path, token: str) -> None:
    (tmp_path / "client.toml").write_text(CLIENT)
    (tmp_path / "script.jsonl").write_text("Selamat pagi.\n")
    environ = {**os.environ, "AGENTD_CONFIG": str(tmp_path / "client.toml"), "AGENTD_TOKEN": token}
    words = ("models", "serve", "--listen", "127.0.0.1:0", "--state", str(tmp_path / "state"))
    process = await asyncio.create_subprocess_exec(warm.command(), *words, env=environ, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        ready = (await asyncio.wait_for(process.stdout.readline(), 300)).decode().split()
        assert ready[0] == "ready"
        async with openai.AsyncOpenAI(api_key=token or "any", base_url=f"{ready[1]}/v1", max_retries=0) as client:
            answer = await client.chat.completions.create(model="raw", messages=[{"role": "user", "content": "pagi"}])
            assert answer.choices[0].message.content == "Selamat pagi."
            assert [model.id async for model in client.models.list()] == ["raw", "local/m-1"]
        if token:
            async with openai.AsyncOpenAI(api_key="wrong", base_url=f"{ready[1]}/v1", max_retries=0) as client:
                with pytest.raises(openai.AuthenticationError):
                    await client.models.list()
    finally:
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 300) == 0


class Ollama(Handler):
    """Ollama's `/api/pull`, `/api/tags` and `/api/delete`, as its documentation has them."""

    asked: ClassVar[list[tuple[str, dict[str, object]]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.body())
        self.asked.append((self.path, body))
        layers = [
            {"status": "pulling", "digest": d, "total": 2_000_000, "completed": c} for d in "ab" for c in (1, 2_000_000)
        ]
        steps = [{"status": "pulling manifest"}, *layers, {"status": "success"}]
        if body["model"] == "gone:1b":
            steps = [{"error": "pull model manifest: file does not exist"}]
        self.answer("\n".join(map(json.dumps, steps)))

    def do_GET(self) -> None:
        self.answer(json.dumps({"models": [{"model": "gemma3:4b", "size": 3_000_000_000}]}))


def test_ollama_is_asked_for_its_models(tmp_path: Path) -> None:
    """Issue 21: `agentd models pull gemma3:4b`; the weights stay with Ollama."""
    with serving(Ollama) as url:
        provider = f'id = "there"\ntype = "ollama"\nendpoint = "{url}"\n'
        (tmp_path / "client.toml").write_text(
            CLIENT.replace('"local"', '"there"', 1) + f'[[providers]]\n{provider}models = ["gemma3:4b"]\n'
        )
        where = {"AGENTD_CONFIG": str(tmp_path / "client.toml"), "AGENTD_MODELS": str(tmp_path)}
        pulled, other, gone, listed = (
            agentd("models", *words, **where)
            for words in (("pull", "gemma3:4b"), ("pull", "qwen3:8b"), ("pull", "gone:1b"), ("list",))
        )
    assert (pulled.returncode, other.returncode, gone.returncode) == (0, 0, 1), pulled.stderr
    assert "4 of 4 MB (100 %)" in pulled.stderr and "file does not exist" in gone.stderr
    assert [body["model"] for path, body in Ollama.asked if path == "/api/pull"] == ["gemma3:4b", "qwen3:8b", "gone:1b"]
    assert "gemma3:4b\t3000 MB" in listed.stdout
