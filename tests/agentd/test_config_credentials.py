"""What client.toml names and does not hold: credentials, variables of the environment; who gets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd import config
from agentd.credentials import wrong_name
from tests.agentd.test_config import RUST, problems


def test_a_credential_file_comes_before_the_environment(tmp_path: Path) -> None:
    (tmp_path / "GEMINI_API_KEY").write_text("from-systemd\n")
    file = tmp_path / "client.toml"
    file.write_text(RUST)
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path), "GEMINI_API_KEY": "from-environment"}
    assert config.load(file, environ=environ).providers[0].api_key == "from-systemd"


def test_only_named_variables_reach_a_server(tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text(RUST + 'pass_env = ["DATABASE_URL"]\n')
    environ = {"DATABASE_URL": "mysql://x", "SECRET": "y", "PATH": "/bin"}
    env = config.load(file, environ=environ).servers[0].env
    assert env["DATABASE_URL"] == "mysql://x"
    assert "SECRET" not in env


CREDENTIALS = RUST + 'credentials = ["office_key_passphrase"]\n'


@pytest.mark.parametrize("source", ["CREDENTIALS_DIRECTORY", "AGENTD_CREDENTIALS", "OFFICE_KEY_PASSPHRASE"])
def test_a_named_credential_is_for_that_server_alone_wherever_it_comes_from(tmp_path: Path, source: str) -> None:
    (tmp_path / "office_key_passphrase").write_bytes(b"rahasia\n")
    file = tmp_path / "client.toml"
    file.write_text(CREDENTIALS + '\n[[servers]]\nname = "other"\ncommand = "x"\n')
    environ = {source: "rahasia" if source.isupper() and "KEY" in source else str(tmp_path)}
    settings = config.load(file, environ=environ)
    named, other = settings.servers
    assert (named.credentials, named.blocked) == ({"office_key_passphrase": b"rahasia"}, None)
    assert (other.credentials, other.blocked) == ({}, None)
    assert "rahasia" not in repr(settings)
    assert not [value for server in settings.servers for value in server.env.values() if "rahasia" in value]


def test_a_named_credential_that_is_missing_blocks_its_server_and_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "office_key_passphrase").write_bytes(b"\n")  # as the unit's SetCredential= leaves it
    file = tmp_path / "client.toml"
    file.write_text(CREDENTIALS)
    settings = config.load(file, environ={"CREDENTIALS_DIRECTORY": str(tmp_path)})
    [warning] = settings.warnings
    assert (warning.line, settings.credential_names) == (24, ("office_key_passphrase",))
    for text in (warning.text, settings.servers[0].blocked or ""):
        assert "the credential `office_key_passphrase` is missing: put it into /etc/agentd/credentials" in text


def test_a_header_and_the_stores_address_may_refer_to_credentials(tmp_path: Path) -> None:
    remote = (
        '\n[[servers]]\nname = "books"\nurl = "http://b/mcp"\nheaders = { Authorization = "Bearer ${books_token}" }\n'
    )
    store = '\n[store]\nurl = "${runs_url}"\nletters_url = "${letters_url}"\n'
    file = tmp_path / "client.toml"
    file.write_text(RUST.replace('"time"\nc', '"certificate"\nc') + remote + store)
    environ = {"books_token": "t0ken", "RUNS_URL": "postgresql://a:b@c/d", "LETTERS_URL": "postgresql://e:f@g/h"}
    settings = config.load(file, environ=environ)
    letters, books = settings.servers
    assert books.headers == {"Authorization": "Bearer t0ken"}
    assert settings.store.url == "postgresql://a:b@c/d"
    assert letters.credentials == {"letters_database_url": b"postgresql://e:f@g/h"}
    assert books.credentials == {}

    file.write_text(RUST + remote)
    assert "`books_token` is missing" in (config.load(file, environ={}).servers[1].blocked or "")
    told = problems(tmp_path, RUST + store)
    assert len(told) == 2 and "`runs_url` is missing" in told[0] and "`letters_url` is missing" in told[1]


def test_a_credential_goes_to_a_server_that_agentd_starts_and_is_called_like_a_file(tmp_path: Path) -> None:
    remote = RUST + '\n[[servers]]\nname = "books"\nurl = "http://b/mcp"\ncredentials = ["../x"]\n'
    told = problems(tmp_path, remote)
    assert [text.partition(":")[0] for text in told] == ["28", "28"]
    assert "name the credential in `headers`" in told[0] and "can't be a credential's name" in told[1]


def test_a_variable_that_pass_env_names_and_nobody_set_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text(RUST + 'pass_env = ["DATABASE_URL"]\n')
    [warning] = config.load(file, environ={}).warnings
    assert (warning.line, "does without `DATABASE_URL`" in warning.text) == (24, True)


@pytest.mark.parametrize(
    "secret",
    ["sk-0f3a9c7e21b84d5f9a6c", "AIzaSyD4nOtAk3yOfAnYbOdY", "123456789:AAHnot-a-token", "postgresql://a:b@c/d"],
)
@pytest.mark.parametrize(
    "entry",
    [
        '[[providers]]\nid = "x"\ntype = "openai"\napi_key = "{}"',
        '[[channels]]\nname = "t"\ntype = "telegram"\ncredentials = {{ token = "{}" }}',
    ],
)
def test_a_secret_in_the_place_of_its_name_is_refused_and_shown_nowhere(
    tmp_path: Path, entry: str, secret: str
) -> None:
    [told] = problems(tmp_path, f"{RUST}\n{entry.format(secret)}\n")
    assert "credential" in told and secret not in told


@pytest.mark.parametrize("name", ["GEMINI_API_KEY", "openrouter-key-2026", "telegram_token_of_the_office", "OfficeKey"])
def test_a_credential_may_have_any_plain_name(name: str) -> None:
    assert wrong_name(name) is None


@pytest.mark.parametrize(
    "lines",
    [
        '[books]\nurl = "mysql://ani:ra/ha:s@ia@db/shop"',
        '[books]\nurl = "mysql://ani:ra${x}@db/shop"',
        '[books]\nurl = "postgresql://db/shop?user=a&password=b"',
        '[store]\nurl = "postgresql://a:b@db/runs"',
        '[store]\nletters_url = "mariadb://a:b@db/letters"',
    ],
)
def test_a_password_in_a_databases_address_is_refused_and_not_repeated(tmp_path: Path, lines: str) -> None:
    [told, *_] = problems(tmp_path, f"{RUST}\n{lines}\n")
    assert "a password stands here" in told and "${NAME}" in told and "@" not in told
