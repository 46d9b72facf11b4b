"""The chain that client.toml's providers make: what it says of itself."""

from __future__ import annotations

from pathlib import Path

from agentd import config
from agentd.chain import Chain
from agentd.testing import ManualClock

CLIENT = Path(config.__file__).parents[2] / "config" / "client.toml"


def test_without_a_key_the_shipped_chain_takes_a_grammar_as_its_embedded_model_does(tmp_path: Path) -> None:
    weights = tmp_path / "model.gguf"
    weights.touch()
    file = tmp_path / "client.toml"
    shipped = CLIENT.read_text(encoding="utf-8")
    file.write_text(shipped.replace('type = "llamacpp"\n', f'type = "llamacpp"\npath = "{weights}"\n'), "utf-8")
    settings = config.load(file, environ={})
    assert [provider.id for provider in settings.providers] == ["gemini", "ollama", "llamacpp"]
    assert Chain(settings, ManualClock()).state().constraint == "grammar"
