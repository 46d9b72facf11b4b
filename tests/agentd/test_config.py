"""client.toml as people write it: right files load, wrong ones are told whole, with lines."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from agentd import config
from agentd.cli import main
from agentd.errors import ConfigError
from agentd.messages import ModelPrice

RUST = '''
default_provider = "gemini"
model = "gemini-2.5-flash"
prompt_template = """
{{custom_instruction}}
{{language_guidance}}
{{tool_guidance}}
"""
tools = ["get_current_time"]

[[providers]]
id = "gemini"
type = "gemini"
endpoint = "https://generativelanguage.googleapis.com"
api_key = "GEMINI_API_KEY"
models = ["gemini-2.5-flash", { name = "gemini-2.5-pro", display_name = "Pro" }]

[[servers]]
name = "time"
command = "python3"
args = ["-m", "servers.time"]
default_timezone = "Asia/Jakarta"
default_city = "Jakarta"
'''


def problems(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "client.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as wrong:
        config.load(file, environ={})
    return [f"{problem.line}: {problem.text}" for problem in wrong.value.problems]


def test_a_file_written_for_the_first_client_loads_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text(RUST)
    settings = config.load(file, environ={"GEMINI_API_KEY": "secret", "OTHER": "hidden"})
    [provider], [server] = settings.providers, settings.servers
    assert (provider.api_key, provider.model, len(provider.models)) == ("secret", "gemini-2.5-flash", 2)
    assert server.env["DEFAULT_TIMEZONE"] == "Asia/Jakarta"
    assert server.env["DEFAULT_CITY"] == "Jakarta"
    assert {"GEMINI_API_KEY", "OTHER"}.isdisjoint(server.env)
    assert "secret" not in repr(settings)
    assert settings.agent.max_steps == 8


def test_everything_wrong_is_told_at_once_with_its_line_and_what_was_meant(tmp_path: Path) -> None:
    text = (
        RUST.replace("default_provider", "defualt_provider").replace("args =", "arg =").replace("{{tool_guidance}}", "")
    )
    text += '\n[agent]\nmax_stpes = 3\nmax_steps = "acht"\n'
    told = problems(tmp_path, text)
    assert "2: unknown key `defualt_provider`; did you mean `default_provider`?" in told
    assert any("`default_provider` is missing" in line for line in told)
    assert any("`prompt_template` lacks the slot {{tool_guidance}}" in line for line in told)
    assert "26: unknown key `max_stpes`; did you mean `max_steps`?" in told
    assert any(
        line.startswith('27: `agent.max_steps` should be a whole number without quotes, not "acht"') for line in told
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("args =", "arg ="), "21: unknown key `arg` of server `time`; did you mean `args`?"),
        (("args =", "argz ="), "21: unknown key `argz` of server `time`; did you mean `args`?"),
        (("endpoint =", "emdpoimt ="), "14: unknown key `emdpoimt` of provider `gemini`; did you mean `endpoint`?"),
        (
            ('"gemini"\nmodel', '"gemni"\nmodel'),
            "2: default_provider `gemni` is no [[providers]] id; did you mean `gemini`?",
        ),
        (('tools = ["get_current_time"]', "tools = 3"), '9: `tools` should be a list, ["…"], not 3'),
        (("[[servers]]", "[[server]]"), "18: unknown key `server`; did you mean `servers`?"),
        (('command = "python3"\n', ""), "18: server `time` takes either `command` or `url`"),
        (
            ('type = "gemini"', 'type = "gemny"'),
            "13: no installed plug-in speaks `gemny`, the type of provider `gemini`; did you mean `gemini`?",
        ),
        (
            ("[[servers]]", '[[channels]]\nname = "tg"\ntype = "pigeon"\n[[servers]]'),
            "20: no installed plug-in speaks `pigeon`, the type of channel `tg`; known here: telegram, whatsapp; "
            "a running daemon finds what was installed since at its next start",
        ),
        (("endpoint =", "endpont ="), "14: unknown key `endpont` of provider `gemini`; did you mean `endpoint`?"),
        (
            ("[[servers]]", '[[channels]]\nname = "tg"\ntype = "telegrm"\n[[servers]]'),
            "20: no installed plug-in speaks `telegrm`, the type of channel `tg`; did you mean `telegram`?",
        ),
    ],
)
def test_one_mistake_is_one_line(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    assert problems(tmp_path, RUST.replace(*change)) == [told]


def test_the_offices_zone_is_its_servers_too_and_one_that_is_none_is_told(tmp_path: Path) -> None:
    text = RUST.replace('default_timezone = "Asia/Jakarta"\n', "")
    (tmp_path / "office.toml").write_text('timezone = "Asia/Makassar"\n' + text)
    settings = config.load(tmp_path / "office.toml", environ={})
    assert (settings.zone.key, settings.servers[0].env["DEFAULT_TIMEZONE"]) == ("Asia/Makassar", "Asia/Makassar")
    for wrong in ("Mars/Olympus", "../etc/passwd", "", "Asia"):
        [told] = problems(tmp_path, f'timezone = "{wrong}"\n{text}')
        assert told.startswith("1: `timezone`") and "Asia/Jakarta" in told


def test_a_tool_bound_to_a_missing_server_is_wrong_and_one_bound_to_none_is_a_warning(tmp_path: Path) -> None:
    bare = RUST.replace('tools = ["get_current_time"]\n', "")
    assert problems(tmp_path, bare + '[[tools]]\nname = "x"\nserver = "tme"\n') == [
        "25: tool `x` is bound to server `tme`, which is not configured; did you mean `time`?"
    ]
    file = tmp_path / "client.toml"
    file.write_text(bare + '[[tools]]\nname = "x"\n')
    [warning] = config.load(file, environ={}).warnings
    assert "unbound_tool" in warning.text


def test_the_check_says_that_tools_is_the_whole_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "client.toml").write_text(RUST)
    assert main(["config", "check", "--config", str(tmp_path / "client.toml")]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "`tools` is the whole list: get_current_time; no other tool exists"
    ]


def test_the_servers_that_the_daemon_believes_must_exist_once_they_are_named(tmp_path: Path) -> None:
    text = RUST + '\n[letters]\nserver = "tme"\n\n[store]\nsession_servers = ["time", "tiem"]\n'
    assert problems(tmp_path, text) == [
        "26: `letters.server` names server `tme`, which is not configured; did you mean `time`?",
        "29: `store.session_servers` names server `tiem`, which is not configured; did you mean `time`?",
    ]
    assert problems(tmp_path, RUST + '\n[letters]\nsever = "time"\n') == [
        "26: unknown key `sever`; did you mean `server`?"
    ]
    file = tmp_path / "client.toml"
    file.write_text(RUST)
    assert config.load(file, environ={}).server_of("letters") == "certificate"


def test_two_servers_of_one_name_are_refused(tmp_path: Path) -> None:
    text = RUST + '\n[[servers]]\nname = "time"\ncommand = "x"\n'
    assert problems(tmp_path, text) == ["26: two [[servers]] are called `time`: give one another name"]


def test_broken_toml_and_no_file_are_told_with_the_place(tmp_path: Path) -> None:
    assert problems(tmp_path, "a = \n")[0].startswith("1: not TOML")
    assert problems(tmp_path, "a = 1\nb = [\n")[0].startswith("2: not TOML")
    assert problems(tmp_path, "a = " + "[" * 5000)[0].startswith("1: not TOML")
    with pytest.raises(ConfigError, match="no such file"):
        config.load(tmp_path / "nowhere.toml", environ={})


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('[rpc]\nlisten = "localhost"', "26: `localhost` is not HOST:PORT, for example 127.0.0.1:8765"),
        ('[books]\nurl = "/srv/shop.db"', "26: `url` is no database address: mysql+aiomysql://"),
        ('[books]\nurl = "oracle://db/shop"', "26: `url` is no database address: mysql+aiomysql://"),
        ('[books]\nurl = "mariadb://db:3306/"', "26: `url` names no database: write it after the last slash"),
        ('[books]\nurl = "sqlite:////srv/s.db"\naccount = "a"', "27: `account` with SQLite: a file has no account"),
    ],
)
def test_an_address_that_is_none_is_refused_with_its_line(tmp_path: Path, lines: str, said: str) -> None:
    assert problems(tmp_path, f"{RUST}\n{lines}\n")[0].startswith(said)


def test_a_model_that_the_default_provider_does_not_list_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text(re.sub("^model = .*$", 'model = "gemini-9"', RUST, count=1, flags=re.MULTILINE))
    (found,) = [each.text for each in config.load(file, environ={}).warnings if "gemini-9" in each.text]
    assert found.startswith("`model` gemini-9 is none of provider `")


EVERYTHING_WRONG = """\
default_provider = "gemni"
prompt_template = "{{custom_instruction}} {{language_guidance}}"
colour = 3
[[providers]]
id = "gemini"
type = "gemini"
[[servers]]
nmae = "time"
command = "python3"
[[servers]]
name = "two"
[[tools]]
name = "a"
approval = "lurah"
[[tools]]
name = "b"
approval = "staf"
server = "tim"
[agent]
max_step = 3
max_steps = "five"
"""


def test_every_mistake_is_listed_at_once_with_its_line_and_the_nearest_key(tmp_path: Path) -> None:
    """Issue 21: a wrong reference hid behind a wrong shape, and a wrong choice was refused without a word."""
    told = problems(tmp_path, EVERYTHING_WRONG)
    wanted = {
        1: "did you mean `gemini`?",
        2: "lacks the slot {{tool_guidance}}",
        3: "unknown key `colour`",
        7: "`servers.0.name` is missing; is it what `nmae` was meant to be?",
        10: "takes either `command` or `url`",
        14: "should be 'never', 'citizen' or 'staff', not \"lurah\"",
        17: 'not "staf"; did you mean `staff`?',
        18: "server `tim`, which is not configured; did you mean `time`?",
        20: "unknown key `max_step`; did you mean `max_steps`?",
        21: "should be a whole number",
    }
    assert len(told) == len(wanted)
    for (line, words), one in zip(wanted.items(), told, strict=True):
        assert one.startswith(f"{line}: ") and words in one


def test_a_key_that_is_known_was_meant_to_be_no_other(tmp_path: Path) -> None:
    provider = '[[providers]]\nid = "a"\ntype = "openai"\nmodels = ["m"]\n'
    assert problems(tmp_path, provider) == ["1: `default_provider` is missing", "1: `prompt_template` is missing"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "providers = 3",
        "servers = [3]",
        "tools = [3]",
        'tools = ["a", { nam = "b" }]',
        "[[servers]]\nname = 3",
        "agent = 5",
    ],
)
def test_no_wrong_shape_is_refused_without_a_word(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, text)


def test_a_servers_own_port_is_no_slip_for_a_key(tmp_path: Path) -> None:
    settings = "port = 8080\nfrom = 'a'\nfor = ['staff']\n"
    head = RUST.replace('default_city = "Jakarta"', settings)
    (tmp_path / "client.toml").write_text(head)
    loaded = config.load(tmp_path / "client.toml", state=str(tmp_path))
    assert loaded.servers[0].env["PORT"] == "8080" and loaded.audiences == {"time": frozenset({"staff"})}
    assert any("did you mean `for`?" in one for one in problems(tmp_path, head.replace("for =", "fo =")))


def test_an_editor_that_follows_the_first_line_finds_the_shipped_file_right_and_a_mistake_wrong() -> None:
    """Issue 21: `#:schema` (Taplo) names a JSON Schema of client.toml."""
    shipped = config.shipped("client.toml")
    text = shipped.read_text(encoding="utf-8")
    assert text.startswith("#:schema ../client.schema.json\n")
    schema = json.loads(shipped.parents[1].joinpath("client.schema.json").read_text(encoding="utf-8"))
    valid = jsonschema.Draft7Validator(schema).is_valid
    parsed = tomllib.loads(text)
    assert valid(parsed)
    assert not valid({**parsed, "colour": 3}) and not valid({**parsed, "tools": [{"name": "a", "approval": "lurah"}]})
    assert "kiosk" in str(schema["$defs"]["ServerEntry"]["properties"]["for"])


def test_what_a_providers_tokens_cost_is_passed_on(tmp_path: Path) -> None:
    text = RUST.replace('type = "gemini"', 'type = "gemini"\nprice = { currency = "USD", input = 1, output = 2.5 }')
    (tmp_path / "client.toml").write_text(text)
    [provider] = config.load(tmp_path / "client.toml", environ={}).providers
    assert provider.price == ModelPrice(currency="USD", input=1.0, output=2.5)
    assert any("currency" in one for one in problems(tmp_path, text.replace("currency", "curency")))


def test_daemon_and_servers_have_one_clock_whenever_they_begin(tmp_path: Path) -> None:
    """design.md, Settled points: AGENTD_CLOCK sets the time for the daemon and its servers."""
    (tmp_path / "client.toml").write_text(RUST)

    def loaded(setting: str) -> list[str | None]:
        settings = config.load(tmp_path / "client.toml", environ={"AGENTD_CLOCK": setting})
        return [settings.clock, *(server.env["AGENTD_CLOCK"] for server in settings.servers)]

    assert loaded("2028-02-29T23:59:50") == ["2028-02-29T23:59:50+00:00"] * 2
    running = loaded("2028-02-29T23:59:50+07:00+")
    assert running[0] is not None and re.fullmatch(r"2028-02-29T23:59:50\+07:00\+@[0-9.]+", running[0])
    assert running == [running[0]] * 2 == loaded("2028-02-29T23:59:50+07:00+"), "a reload restarts no server"
    with pytest.raises(ConfigError, match="AGENTD_CLOCK is `tomorrow`"):
        loaded("tomorrow")
