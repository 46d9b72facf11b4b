"""`agentd tools try`: what its form asks, and what becomes of what is typed (issue 21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd.cli import main
from clients.tools_try import form, read
from tests.daemon import HEAD, TOKEN, final, running, server_entry

PLAIN = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("antrean")
@server.tool()
def waiting() -> dict[str, int]:
    "How many wait."
    return {"waiting": 4}
server.run("stdio")
"""


def test_a_form_asks_each_field_until_it_is_of_its_kind() -> None:
    schema = {
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": ["integer", "null"]},
            "guests": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "unit": {"enum": ["C", "F"]},
            "loud": {"type": "boolean"},
            "more": {"type": "array"},
        },
        "required": ["city", "unit"],
    }
    answers = iter(["Jakarta", "two", "2", "three", "3", "k", "f", "", "[1"])
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return next(answers, "")

    assert form({"input_schema": schema}, ask) == {"city": "Jakarta", "days": 2, "guests": 3, "unit": "F"}
    assert asked[0] == "city (string) Where.: " and asked[1] == "days (integer, optional): "


@pytest.mark.parametrize(
    ("said", "kind", "value"),
    [("3", "number", 3), ("TRUE", "boolean", True), ('{"a": 1}', "object", {"a": 1}), ("007", "string", "007")],
)
def test_what_is_typed_becomes_a_value_of_its_kind(said: str, kind: str, value: object) -> None:
    assert read(said, kind) == value


@pytest.mark.parametrize(("said", "kind"), [("true", "integer"), ("1", "boolean"), ("x", "number"), ("{}", "array")])
def test_a_value_of_another_kind_is_refused(said: str, kind: str) -> None:
    with pytest.raises(ValueError, match="is wanted"):
        read(said, kind)


def test_an_answer_without_a_sentence_of_its_own_is_shown_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "antrean.py").write_text(PLAIN)
    with running(tmp_path, final("Baik."), config=HEAD + server_entry("antrean", tmp_path / "antrean.py")) as daemon:
        monkeypatch.setenv("AGENTD_TOKEN", TOKEN)
        where = ["--listen", daemon.url.removeprefix("http://"), "--config", str(daemon.config)]
        assert main(["tools", "try", "waiting", "--input", "{}", *where, "--state", str(daemon.state)]) == 0
        said = capsys.readouterr()
        assert said.out == '{\n  "waiting": 4\n}\n' and "waiting" not in said.err
