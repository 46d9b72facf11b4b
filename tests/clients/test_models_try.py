"""`agentd models try`: twenty turns at a provider, judged and shown as a table (issue 21)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from clients.models_try import Expected, Tried, canned, judged, row
from tests import warm
from tests.daemon import HEAD, SERVERS


def outcome(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 90, "output_tokens": 10}
    done = {"status": "completed", "provider": "p", "fallbacks": [], "steps": list(steps), "usage": usage}
    return {**done, "response": "Silakan, apa yang bisa kami bantu?", **more}


def step(tool: str, success: bool = True, output: Any = None) -> dict[str, Any]:
    return {"tool": tool, "success": success, "output": output}


LETTER = "generate_surat_keterangan_domisili"
REFUSED = step(LETTER, success=False, output={"missing": ["nik"]})


@pytest.mark.parametrize(
    ("turn", "made", "wanted"),
    [
        (Expected("hai", language="id"), outcome(), (True, True, 0, True)),
        (Expected("hello", language="en"), outcome(), (True, True, 0, False)),
        (Expected("jam?", tool="get_current_time"), outcome(step("get_current_time")), (True, True, 0, True)),
        (Expected("jam?", tool="get_current_time"), outcome(), (True, False, 0, True)),
        (Expected("surat", tool=LETTER), outcome(approval={"tool": LETTER}), (True, True, 0, True)),
        (Expected("surat"), outcome(approval={"tool": LETTER}), (True, False, 0, True)),
        (Expected("surat"), outcome(REFUSED), (True, True, 1, True)),
        (Expected("hai"), outcome(provider="q"), (False, False, 0, False)),
        (Expected("hai"), outcome(fallbacks=[{"provider": "p", "message": "no key"}]), (False, False, 0, False)),
        (Expected("hai"), {"type": "provider_unavailable"}, (False, False, 0, False)),
    ],
)
def test_a_turn_is_judged_by_who_answered_what_was_called_and_in_which_language(
    turn: Expected, made: dict[str, Any], wanted: tuple[bool, bool, int, bool]
) -> None:
    tried = judged(turn, "p", made, 1.0)
    assert (tried.answered, tried.right, tried.invented, tried.language) == wanted


def test_the_table_counts() -> None:
    good, bad = Tried(True, True, 0, True, 1.0, 100), Tried(False, False, 2, False, 3.0, 0)
    assert row("gemini", [good, bad]).split() == ["gemini", "1/2", "1/2", "2", "1/2", "2.0", "50"]


def test_twenty_turns_are_run_at_a_provider(tmp_path: Path) -> None:
    assert len(canned()) == 20
    (tmp_path / "client.toml").write_text(HEAD + SERVERS["time"])
    (tmp_path / "script.jsonl").write_text('{"action":"final","response":"Silakan, apa yang bisa kami bantu?"}\n')
    where = ["--config", str(tmp_path / "client.toml"), "--state", str(tmp_path / "state"), "--listen", "127.0.0.1:1"]
    command = [warm.command(), "models", "try", *where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    header, line = done.stdout.splitlines()
    count = len([turn for turn in canned() if turn.tool in ("", "get_current_time")])  # no letters are there
    assert done.returncode == 0 and header.startswith("provider ")
    assert line.split()[:2] == ["scripted", f"{count}/{count}"]
