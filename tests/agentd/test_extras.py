"""What is optional: the core is imported without it, and what lacks it says the command (issue 16)."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from agentd.installed import EXTRAS, advice
from agentd.rpc.wire import error_object
from tests.daemon import HEAD

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
OWNERS = cache(packages_distributions)  # reads every installed package's list of files
BLOCK = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in %r and not name.startswith("opentelemetry"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
"""
OURS = ("gemini", "embedded", "languages", "letters", "meaning", "analytics", "graph", "terminal", "study")
OPTIONAL = {module for extra in OURS for module in EXTRAS[extra]} - {"cryptography", "google"}


def python(program: str) -> subprocess.CompletedProcess[str]:
    """Run where nothing of any extra can be imported (two modules aside that others bring)."""
    return subprocess.run([sys.executable, "-c", BLOCK % OPTIONAL + program], capture_output=True, text=True)


@pytest.mark.parametrize("module", ["agentd.app", "clients.chat", "bridges.gemini", "bridges.llamacpp", "bridges.mcp"])
def test_the_core_is_imported_without_any_extra(module: str) -> None:
    run = python(f"import {module}")
    assert run.returncode == 0, run.stderr


def test_without_its_extra_a_language_is_known_by_script_and_small_words() -> None:
    texts = ["Selamat pagi, jam berapa buka?", "Good morning, what are the opening hours?", "你好,我需要一份证明"]
    run = python(f"from agentd.agent.language import detect; print(*map(detect, {texts}))")
    assert run.stdout.split() == ["id", "en", "zh"], run.stderr


@pytest.mark.parametrize("name", ["certificate", "graphiti", "mysql", "sim_testgeluran", "placeholder", "text2cypher"])
def test_a_server_without_its_packages_says_the_command(name: str) -> None:
    program = f"import importlib.util; importlib.util.find_spec = lambda _: None; import servers.{name}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert re.search(r"run: pip install 'agentd\[(letters|analytics|graph)\]'$", run.stderr.strip())


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_module_is_named_with_the_extra_that_brings_it(extra: str) -> None:
    named = {re.split(r"[\[<>=]", one)[0].lower() for one in PROJECT["optional-dependencies"][extra]}
    brought = {"langchain_core": "langgraph"}
    for module in EXTRAS[extra]:
        own = {owner.lower().replace("_", "-") for owner in OWNERS()[module]} | {brought.get(module, "")}
        assert own & {name.replace("_", "-") for name in named}, f"{extra} does not bring {module}"
        assert advice(ModuleNotFoundError(name=f"{module}.part")) == (
            f"`{module}` is not installed; run: pip install 'agentd[{extra}]'"
        )


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_request_that_needs_a_missing_extra_is_answered_with_the_command(extra: str) -> None:
    """A draft, a picture, /verify, the choice of tools by meaning: whatever is imported at its first use."""
    for module in EXTRAS[extra]:
        shown = error_object(ModuleNotFoundError(name=module))
        assert (shown["code"], shown["data"]["type"]) == (-32603, "internal")
        assert re.fullmatch(rf"`{module}` is not installed; run: pip install 'agentd\[\w+\]'", shown["message"])
    assert "nonesuch" not in error_object(ModuleNotFoundError("No module named 'nonesuch'", name="nonesuch"))["message"]


def test_traces_without_their_packages_are_refused_at_the_start(tmp_path: Path) -> None:
    config = tmp_path / "client.toml"
    config.write_text(HEAD + '[telemetry]\notlp_endpoint = "http://127.0.0.1:4318"\n')
    (tmp_path / "script.jsonl").write_text('{"text": "Selesai"}\n')
    words = ["serve", "--config", str(config), "--state", str(tmp_path / "state"), "--listen", "127.0.0.1:0"]
    block = BLOCK.replace('name.partition(".")[0]', "name").replace(' and not name.startswith("opentelemetry")', "")
    program = f"{block % {'opentelemetry.exporter'}}\nfrom agentd.cli import main\nsys.exit(main({words}))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    said = "agentd serve: `opentelemetry` is not installed; run: pip install 'agentd[tracing]'"
    assert (run.returncode, run.stderr.splitlines()[-1]) == (1, said)


def test_a_module_of_no_extra_gets_no_advice() -> None:
    assert advice(ModuleNotFoundError(name="nonesuch")) is None
