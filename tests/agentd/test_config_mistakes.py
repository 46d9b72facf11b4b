"""Mistakes that a newcomer makes in client.toml: each message says what is wrong, where, and what to write."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agentd import config
from agentd.cli import main
from agentd.errors import ConfigError
from tests.agentd.test_config import RUST, problems

COMMAND = 'command = "python3"'
CHANNEL = '\n[[channels]]\nname = "tg"\ntype = "telegram"\n'


@pytest.mark.parametrize(
    ("change", "line", "to_do"),
    [
        (('"python3"', "“python3”"), 20, 'in straight quotes, "…"'),
        (('"python3"', "python3"), 20, 'in straight quotes, "…"'),
        ((COMMAND, "later = True"), 20, "true and false in small letters"),
        (('"python3"', '"python3'), 20, "the closing quote is missing"),
        (('"python3"', '"C:\\tools\\s.exe"'), 20, "'C:\\srv\\tool.exe'"),
        ((COMMAND, "command: python3"), 20, "KEY = VALUE"),
        ((COMMAND, COMMAND + "\n[servers]"), 21, "[[…]]"),
        ((COMMAND, COMMAND + "\n" + COMMAND), 21, "it stands above already"),
        (("[[servers]]", "[rpc]\n[agent]\n[rpc]\n[[servers]]"), 20, "it stands above already"),
        (('args = ["-m", "servers.time"]', 'args = "-m"'), 21, '`servers.0.args` should be a list, ["…"], not "-m"'),
        (('"time"', "3"), 19, '`servers.0.name` should be text in quotes, "…", not 3'),
        ((COMMAND, COMMAND + '\nlater = "yes"'), 21, 'should be true or false, not "yes"'),
        (("[[servers]]", '[agent]\nmax_steps = "8"\n[[servers]]'), 19, 'a whole number without quotes, not "8"'),
        (("[[servers]]", "[store]\nkeep_d = inf\n[[servers]]"), 19, "`store.keep_d`"),
        ((COMMAND, COMMAND + "\ncall_timeout_s = inf"), 21, "`servers.0.call_timeout_s`"),
        (("[[servers]]", "[agent]\nglossary = {}\n[[servers]]"), 19, "above the first [section]"),
        (("[[servers]]", "[rpc]\nmax_steps = 3\n[[servers]]"), 19, "it is a key of [profiles] or [agent]"),
        (("[[servers]]", '[agent]\nlanguage = "en-US"\n[[servers]]'), 19, "should be 'auto', 'id', 'en' or 'jv', not"),
        (('type = "gemini"\n', ""), 11, "`providers.0.type` is missing"),
        (("[[servers]]", '[rpc]\nlisten = "http://127.0.0.1:8765"\n[[servers]]'), 19, "is not HOST:PORT"),
        (("[[servers]]", '[rpc]\nlisten = "127.0.0.1:99999"\n[[servers]]'), 19, "is not HOST:PORT"),
        (("[[servers]]", '[rpc]\nlisten = "8765"\n[[servers]]'), 19, "is not HOST:PORT"),
        (("[[servers]]", '[rpc]\nallowed_hosts = ["https://a.id"]\n[[servers]]'), 19, "`https://a.id` is no host name"),
        (("[[servers]]", '[rpc]\nallowed_origins = ["a.id"]\n[[servers]]'), 19, "`a.id` is no origin"),
        ((COMMAND, 'url = "127.0.0.1:9000/mcp"'), 20, "http:// or https://"),
        (('"https://generative', '"generative'), 14, "http:// or https://"),
        (
            ("[[servers]]", '[store]\nurl = "mysql://a/b"\nletters_url = "postgresql://a/c"\n[[servers]]'),
            19,
            "postgresql",
        ),
        (
            ("[[servers]]", '[[examples]]\nuser = "a"\naction = { action = "call_tool", tol = "b" }\n[[servers]]'),
            20,
            "tool",
        ),
        (("[[servers]]", '[[examples]]\nuser = "a"\naction = { action = "finale" }\n[[servers]]'), 20, "call_tool"),
    ],
)
def test_a_newcomers_mistake_is_one_line_with_what_to_write(
    tmp_path: Path, change: tuple[str, str], line: int, to_do: str
) -> None:
    text = RUST.replace(*change)
    assert text != RUST
    told = problems(tmp_path, text)
    assert len(told) == 1 and told[0].startswith(f"{line}: ") and to_do in told[0], told


def test_a_file_with_the_mark_of_a_windows_editor_loads(tmp_path: Path) -> None:
    (tmp_path / "client.toml").write_text(RUST, encoding="utf-8-sig")
    assert config.load(tmp_path / "client.toml", environ={}).default_provider == "gemini"


def test_a_channel_over_plain_http_and_a_key_without_its_underscore_are_named(tmp_path: Path) -> None:
    assert problems(tmp_path, RUST.replace("endpoint =", "time_out = 3\nendpoint =")) == [
        "14: unknown key `time_out` of provider `gemini`; did you mean `timeout_s`?"
    ]
    (tmp_path / "client.toml").write_text(RUST + CHANNEL + 'public_url = "http://surat.example"\n')
    warned = config.load(tmp_path / "client.toml", environ={}).warnings
    assert any("https://" in problem.text and problem.line == 28 for problem in warned)


@pytest.mark.parametrize(
    ("kind", "key", "to_do"),
    [
        ("llamacpp", "threads = 0", "`threads` should be greater than or equal to 1, not 0"),
        ("llamacpp", 'n_ctx = "4096"', '`n_ctx` should be a whole number without quotes, not "4096"'),
        ("llamacpp", 'warm = "yes"', '`warm` should be true or false, not "yes"'),
        ("llamacpp", "repack = 0", "`repack` should be true or false, not 0"),
        ("gemini", 'functions = "true"', '`functions` should be true or false, not "true"'),
        ("gemini", 'cache_s = "600"', '`cache_s` should be a number without quotes, not "600"'),
        ("gemini", "thinking_budget = 1.5", "`thinking_budget` should be a whole number without quotes, not 1.5"),
        ("ollama", 'n_ctx = "8k"', '`n_ctx` should be a whole number without quotes, not "8k"'),
        ("ollama", "n_ctx_max = true", "`n_ctx_max` should be a whole number without quotes, not true"),
        ("openai", 'response_format = "xml"', "`response_format` should be 'json_schema', 'json_object' or 'none'"),
        ("openai", 'grammar = "yes"', '`grammar` should be true or false, not "yes"'),
    ],
)
def test_a_value_of_the_wrong_kind_in_a_providers_own_key_is_named_by_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, key: str, to_do: str
) -> None:
    text = f'{RUST}\n[[providers]]\nid = "own"\ntype = "{kind}"\n{key}\n'
    (tmp_path / "client.toml").write_text(text)
    assert main(["config", "check", "--config", str(tmp_path / "client.toml")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert f"client.toml:{text.splitlines().index(key) + 1}: provider `own`: {to_do}" in said[-1], said


@pytest.mark.parametrize(
    "entries",
    [
        '[[tools]]\nname = "x"\nserver = "time"\napproval = "never"\n[[tools]]\nname = "X"\nserver = "time"\n',
        'tools = ["x", { name = "x", server = "time", approval = "staff" }]\n',
        '[[tools]]\nname = "x"\n[[tools]]\nname = "x"\n',
    ],
)
def test_a_tool_stands_once_in_the_list_for_the_first_of_two_rules_would_count(tmp_path: Path, entries: str) -> None:
    text = RUST.replace('tools = ["get_current_time"]\n', "")
    text = entries + text if entries.startswith("tools") else text + entries
    [said] = problems(tmp_path, text)
    assert "two [[tools]] are called `" in said and said.endswith("x`: leave one out")


def test_very_many_entries_of_one_name_are_told_in_linear_time(tmp_path: Path) -> None:
    text = RUST.replace('tools = ["get_current_time"]\n', "")
    begun = time.process_time()
    assert len(problems(tmp_path, text + '[[tools]]\nname = "x"\nserver = "time"\n' * 10_000)) == 9_999
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("kind", ["fifo", "endless", "giant", "deep"])
def test_what_is_no_file_to_read_is_a_sentence_and_no_wait(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "client.toml"
    match kind:
        case "fifo":
            os.mkfifo(file)
        case "endless":
            file.symlink_to("/dev/zero")
        case "giant":
            file.touch()
            os.truncate(file, 10**9)
        case _:
            file.write_text(f"{RUST}\n[[{'a.' * 3000}b]]\n")
    with pytest.raises(ConfigError) as wrong:
        config.load(file, environ={})
    [problem] = wrong.value.problems
    assert ("should be a file of at most 4194304 bytes" in problem.text) is (kind != "deep")
